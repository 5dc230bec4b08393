/** A phone that stays before the camera is one scan, also across the time in which the camera is off. */
import { expect, test } from "vitest";
import { RepeatGuard } from "../../../renderer/scan/camera/use-decoding.ts";

const code = "7F3K9Q2M4XJ8A1WN";

test("the first sight is new, the next ones fresh for a while, then the same again", () => {
  const guard = new RepeatGuard();
  expect(guard.sight(code, 0)).toBe("new");
  expect(guard.sight(code, 900)).toBe("fresh");
  expect(guard.sight(code, 1_600)).toBe("again");
});

test("another code, and the same one after it was away, are new", () => {
  const guard = new RepeatGuard();
  guard.sight(code, 0);
  expect(guard.sight("8F3K9Q2M4XJ8A1WM", 100)).toBe("new");
  expect(guard.sight(code, 200)).toBe("new");
  expect(guard.sight(code, 1_200)).toBe("new");
  expect(guard.sight(code, 1_300)).toBe("fresh");
  expect(guard.sight("8F3K9Q2M4XJ8A1WM", 9_000)).toBe("new");
  expect(guard.sight("8F3K9Q2M4XJ8A1WM", 9_100)).toBe("fresh");
});

test("a code that was paid while the camera was off is not looked up again when it comes back on", () => {
  const guard = new RepeatGuard();
  guard.sight(code, 0);
  guard.sight(code, 900);
  // Half a minute for approval and cash; the phone still lies there.
  guard.resume(30_000);
  expect(guard.sight(code, 30_200)).toBe("again");
});
