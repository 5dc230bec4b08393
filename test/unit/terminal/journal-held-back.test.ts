import { expect, test } from "vitest";
import { heldBack } from "../../../main/terminal/archiving.ts";

test("what is held back: all that is open, and the problems of this book", () => {
  const problem = (withdrawalId: string, otherBook: string | null) =>
    [withdrawalId, { facts: { withdrawalId }, otherBook }] as const;
  const state = { open: new Map([["A", {}]]), problems: new Map([problem("B", null), problem("C", "other")]) };
  expect(heldBack(state as never)).toEqual(["A", "B"]);
});
