/** The tour says the step that the terminal beside it is at, also before the phone has asked the bank again. */
import { expect, test } from "vitest";
import type { PracticeWithdrawal, Screen } from "../../../preload/contract.ts";
import { asTheTerminalHasIt, tourStep } from "../../../renderer/practice/tour.ts";

const id = "7F3K9Q2M4XJ8A1WN";
const on = (kind: Screen["kind"], more: object = {}): Screen =>
  ({ kind, step: "1", transactionId: id, ...more }) as unknown as Screen;
const phone = (status: string): PracticeWithdrawal => ({
  transactionId: id,
  status,
  reason: null,
  amount: "20.00",
  currency: "EUR",
  shop: "Demo shop",
});
const step = (status: string, screen: Screen) => tourStep(asTheTerminalHasIt(phone(status), screen), screen.kind);

test.each<[string, Screen, number]>([
  ["ready", on("ready"), 2],
  ["ready", on("review"), 3],
  ["ready", on("waiting", { phase: "approval" }), 4],
  ["awaiting_sca", on("waiting", { phase: "payment" }), 4],
  ["awaiting_sca", on("payable"), 5],
  ["settling", on("opening"), 5],
  ["settled", on("waiting", { phase: "approval" }), 5],
  ["settled", on("counting"), 5],
  ["settled", on("done"), 6],
  ["awaiting_sca", on("counting"), 5],
  ["ready", on("done", { transactionId: "ANOTHERS00000000" }), 2],
  ["ready", on("ended", { transactionId: "ANOTHERS00000000" }), 2],
  ["canceled", on("payable"), 0],
  ["awaiting_sca", on("payable", { transactionId: "ANOTHERS00000000" }), 4],
])("the phone heard %j last, and the screen is %o: step %i", (status, screen, expected) =>
  expect(step(status, screen)).toBe(expected),
);

test("while the bank is asked to pay the phone says so, and no longer that it waits for a word", () => {
  const said = (phase: string) => asTheTerminalHasIt(phone("ready"), on("waiting", { phase }))?.status;
  expect([said("approval"), said("payment")]).toEqual(["awaiting_sca", "settling"]);
});
