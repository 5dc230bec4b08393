/** Journals of earlier versions: their names are still understood. */
import { expect, test } from "vitest";
import { readEvent } from "../../../main/terminal/state/read-event.ts";

const of = { withdrawalId: "W1", transactionId: "T", partnerId: "P", amount: "5.00", currency: "EUR", shop: "S" };
const read = (body: unknown) => readEvent({ sequence: 1, at: 0, body: JSON.stringify(body) });

test.each([
  [
    { type: "notice_taken", of, notice: "link" },
    { type: "report_accepted", of, report: "link" },
  ],
  [
    { type: "notice_refused", of, notice: "undelivered", http: 404 },
    { type: "report_refused", of, report: "undelivered", http: 404 },
  ],
  [
    { type: "journal_mended", failedForMs: 5 },
    { type: "journal_recovered", failedForMs: 5 },
  ],
])("%j is read as %j", (old, now) => {
  expect(read(old)).toEqual(now);
  expect(read(now)).toEqual(now);
});
