/** What a bank is told of a move, and which of its withdrawal's events that is. */
import { expect, test } from "vitest";
import type { Status } from "../../../backend/contract/transaction.ts";
import { statusEventOf } from "../../../backend/withdrawals/transition.ts";
import { rowWith } from "../../service/withdrawal-row.ts";

const withSca = { sca_expires_at: 42_000 };
const withoutSca = { sca_expires_at: null };

test.each([
  ["ready", withoutSca, 1],
  ["declined", withoutSca, 1],
  ["awaiting_sca", withSca, 2],
  ["expired", withoutSca, 2],
  ["rejected", withoutSca, 2],
  ["rejected", withSca, 3],
  ["canceled", withoutSca, 2],
  ["canceled", withSca, 3],
  ["settled", withoutSca, 2],
  ["settled", withSca, 3],
  ["failed", withSca, 3],
  ["linked", withoutSca, 3],
  ["linked", withSca, 4],
  ["undelivered", withoutSca, 3],
  ["undelivered", withSca, 4],
] as const)("%s, with %o: event %d", (status, sca, sequence) => {
  const event = statusEventOf(rowWith({ status, ...sca }));
  expect(event).toMatchObject({
    id: `event_7F3K0000000000AB_${sequence}`,
    transaction_id: "7F3K0000000000AB",
    partner_id: "bank",
    partner_reference: "ref-1",
  });
  expect(JSON.parse(event?.body ?? "")).toMatchObject({
    type: `withdrawal.${status}`,
    sequence,
    transaction: { transaction_id: "7F3K0000000000AB", status, amount: "50.00" },
  });
});

test.each(["requested", "settling"] satisfies Status[])("%s is no bank's news", (status) => {
  expect(statusEventOf(rowWith({ status }))).toBeNull();
});

test.each([
  ["canceled", "2026-11-20T10:00:00.000Z", 217_332_003],
  ["linked", "2026-11-20T10:00:00.000Z", 217_332_004],
  // A clock that begins at its epoch: still above all that came before the restore.
  ["ready", "1970-01-01T00:00:00.000Z", 5],
  ["canceled", "1970-01-01T00:00:00.000Z", 7],
  ["linked", "1970-01-01T00:00:00.000Z", 8],
  ["canceled", "2020-01-01T00:00:00.000Z", 7],
] as const)("%s after a restore, at %s: event %d", (status, at, sequence) => {
  const row = rowWith({ status, ...withSca });
  expect(JSON.parse(statusEventOf(row, Date.parse(at))?.body ?? "")).toMatchObject({ sequence });
});
