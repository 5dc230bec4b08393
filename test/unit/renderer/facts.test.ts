import { expect, it } from "vitest";
import { codeText, makeTransactionId } from "../../../backend/contract/ids.ts";

it("shows our codes in groups of four and those of another network in one piece", () => {
  const id = makeTransactionId(new Uint8Array(15).fill(7));
  expect(codeText(id)).toBe(id.replaceAll(/(.{4})(?!$)/g, "$1 "));
  expect(codeText("4006381333931")).toBe("4006381333931");
});
