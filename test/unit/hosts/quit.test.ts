/** When the desktop program starts again after it has ended. */
import { beforeEach, expect, test, vi } from "vitest";
import { createRestart } from "../../../main/electron/quit.ts";

const calls = vi.hoisted((): unknown[] => []);
// electron.d.ts (45): App.quit, and App.relaunch, which starts the program at its exit, whenever that is, and is not taken back.
vi.mock("electron", () => ({
  app: { quit: () => void calls.push("quit"), relaunch: (options: object) => void calls.push(options) },
}));

const argv = process.argv;
beforeEach(() => {
  calls.length = 0;
  process.argv = ["electron", "--data=here", "--training"];
  return () => {
    process.argv = argv;
  };
});

test.each([
  [true, ["--data=here", "--training"]],
  [false, ["--data=here"]],
])("a change of mode (training: %s) quits first, and starts again once all has ended", (training, args) => {
  const restart = createRestart();
  restart.begin(training);
  expect(calls).toEqual(["quit"]);
  restart.register();
  expect(calls.slice(1)).toEqual([expect.objectContaining({ args })]);
});

test("whoever was asked and stayed ends the program later for good, and may change the mode after all", () => {
  const restart = createRestart();
  restart.begin(false);
  restart.cancel();
  restart.register();
  expect(calls).toEqual(["quit"]);
  restart.begin(true);
  restart.register();
  expect(calls).toHaveLength(3);
});
