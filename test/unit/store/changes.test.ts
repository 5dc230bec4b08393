/** Who is woken by which change, and who is looked after in which turn. */
import { expect, test } from "vitest";
import { createChanges } from "../../../backend/store/store.ts";

const waiting = () => {
  const changes = createChanges();
  const woken: string[] = [];
  const wait = (id: string, name = id, status?: "ready" | "settled") =>
    changes.on(id, () => void woken.push(name), status);
  return { changes, woken, wait };
};

test("a change wakes all who wait for its transaction, until they stop, and nobody else", () => {
  const { changes, woken, wait } = waiting();
  wait("a", "first");
  const stop = wait("a", "second");
  wait("b");
  changes.notify("a");
  changes.notify("nobody's");
  stop();
  stop();
  changes.notify("a");
  expect(woken).toEqual(["first", "second", "first"]);
});

test("a look wakes who has seen another status, and who has named none", () => {
  const { changes, woken, wait } = waiting();
  wait("a", "seen ready", "ready");
  wait("a", "seen settled", "settled");
  wait("a", "any");
  wait("b", "b", "ready");
  changes.notifyUnless("a", "settled");
  changes.notifyUnless("nobody's", "settled");
  expect(woken).toEqual(["seen ready", "any"]);
});

test("who stops while being woken is no trouble to the others", () => {
  const changes = createChanges();
  const woken: string[] = [];
  const stopFirst = changes.on("a", () => {
    stopFirst();
    woken.push("first");
  });
  changes.on("a", () => void woken.push("second"));
  changes.notify("a");
  changes.notifyUnless("a", "ready");
  expect(woken).toEqual(["first", "second", "second"]);
});

test("each comes up in turn, after all others; who has stopped comes up no more", () => {
  const { changes, wait } = waiting();
  const stops = ["a", "b", "c"].map((id) => wait(id));
  wait("a", "a again");
  expect([changes.size, changes.inTurn(2), changes.inTurn(2), changes.inTurn(9)]).toEqual([
    3,
    ["a", "b"],
    ["c", "a"],
    ["b", "c", "a"],
  ]);
  stops[0]?.();
  stops[1]?.();
  expect([changes.size, changes.inTurn(9)]).toEqual([2, ["c", "a"]]);
});

test("who waits anew for what nobody waited for any more is not forgotten by the last one's second stop", () => {
  const { changes, woken, wait } = waiting();
  const stop = wait("a", "old");
  stop();
  wait("a", "new");
  stop();
  changes.notify("a");
  expect([woken, changes.size]).toEqual([["new"], 1]);
});
