/** Journals of earlier versions: their names are still understood. */
import { expect, test } from "vitest";
import { readEvent, readRecorded, writeEvent } from "../../../main/terminal/withdrawal/events.ts";

const facts = { withdrawalId: "W1", transactionId: "T", amount: "5.00", currency: "EUR", shop: "S" };
const of = { ...facts, terminalReference: "P" };
const onDisk = { ...facts, partnerId: "P" };
const read = (body: unknown) => readEvent({ sequence: 1, at: 0, body: JSON.stringify(body) });

test.each([
  [
    { type: "notice_taken", of: onDisk, notice: "link" },
    { type: "report_accepted", withdrawal: of, report: "link" },
  ],
  [
    { type: "notice_refused", of: onDisk, notice: "undelivered", http: 404 },
    { type: "report_refused", withdrawal: of, report: "undelivered", http: 404 },
  ],
  [
    { type: "journal_mended", failedForMs: 5 },
    { type: "journal_recovered", failedForMs: 5 },
  ],
])("%j is read as %j", (old, now) => {
  expect(read(old)).toEqual(now);
  expect(read(now)).toEqual(now);
});

test("a reference is written under the name that programs before read", () => {
  const body = writeEvent({ type: "settled", withdrawal: of, actor: "terminal" });
  expect(JSON.parse(body)).toEqual({ type: "settled", of: onDisk, actor: "terminal" });
  expect(readEvent({ sequence: 1, at: 0, body })).toEqual({ type: "settled", withdrawal: of, actor: "terminal" });
});

test.each<[string, unknown, unknown]>([
  ["who did it is read with it", { type: "journal_forked", actor: "M1" }, { type: "journal_forked", actor: "M1" }],
  ["nobody", { type: "journal_forked" }, { type: "journal_forked" }],
  ["an actor that is no text", { type: "journal_forked", actor: 5 }, { type: "journal_forked" }],
  ["no type that is known", { type: "journal_eaten" }, "schema"],
  ["a field that is missing", { type: "settled" }, "schema"],
  ["null", null, "schema"],
  ["a text", "settled", "schema"],
  ["a list", ["settled"], "schema"],
])("an entry read back: %s", (_, body, event) => {
  expect(read(body)).toEqual(event);
  const recorded = readRecorded({ sequence: 1, at: 0, body: JSON.stringify(body) });
  expect(recorded).toEqual(typeof event === "string" ? null : event);
});

test("an entry that is no JSON is told from one with wrong fields", () => {
  const entry = { sequence: 1, at: 0, body: '{"type":' };
  expect([readEvent(entry), readRecorded(entry)]).toEqual(["json", null]);
});

test("a checkpoint of a version that did not say what was acknowledged for another book has read nothing there", () => {
  const acknowledged = { withdrawalId: "W1", actor: "M1", note: "found" };
  const checkpoint = { type: "checkpoint", damagedEntries: 0, installation: null, open: [], cashGiven: [] };
  expect(read({ ...checkpoint, acknowledgedElsewhere: [acknowledged] })).toMatchObject({
    acknowledgedElsewhere: [{ ...acknowledged, about: [] }],
  });
});
