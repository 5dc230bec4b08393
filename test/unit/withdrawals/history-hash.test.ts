/** The chain of a withdrawal's history proves every field, and goes on being read by later releases. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type HashedEvent, type HashedWithdrawal, historyHash } from "../../../backend/withdrawals/transition.ts";

const key = (text: string) => createHmac("sha256", "a key of the tests").update(text).digest("base64url");
const event: HashedEvent = {
  transaction_id: "7F3K0000000000AB",
  sequence: 5,
  kind: "transition",
  at: 3_000,
  from_status: "settling",
  to_status: "settled",
  actor: "partner",
  actor_id: "bank",
  request_id: "call-1",
  reason: null,
  attempt: 1,
  cashier: null,
  terms: null,
  address: null,
};
const about: HashedWithdrawal = {
  partner_id: "bank",
  merchant_id: "corner-shop",
  amount: 5_000,
  currency: "EUR",
  created_at: 1_000,
};
const hash = historyHash(key, "before", event, about);

const changedEvents: Record<keyof HashedEvent, unknown> = {
  transaction_id: "7F3K0000000000AC",
  sequence: 6,
  kind: "decided",
  at: 3_001,
  from_status: "awaiting_sca",
  to_status: "failed",
  actor: "operator",
  actor_id: "other-bank",
  request_id: null,
  reason: "settle_declined",
  attempt: 2,
  cashier: "C2",
  terms: "[1000]",
  address: "",
};
const changedWithdrawals: Record<keyof HashedWithdrawal, unknown> = {
  partner_id: "other-bank",
  merchant_id: "other-shop",
  amount: 5_001,
  currency: "USD",
  created_at: 1_001,
};

test.each(Object.entries(changedEvents))("another %s of the row is another hash", (field, value) => {
  expect(historyHash(key, "before", { ...event, [field]: value }, about)).not.toBe(hash);
});

test.each(Object.entries(changedWithdrawals))("another %s of the withdrawal is another hash", (field, value) => {
  expect(historyHash(key, "before", event, { ...about, [field]: value })).not.toBe(hash);
});

test("terms and address do not stand for each other", () => {
  const hashes = [{ terms: "a" }, { address: "a" }, { terms: "a", address: "a" }].map((more) =>
    historyHash(key, "before", { ...event, ...more }, about),
  );
  expect(new Set(hashes).size).toBe(3);
});

test("another row before it or another key is another hash", () => {
  expect(historyHash(key, "", event, about)).not.toBe(hash);
  expect(
    historyHash(
      (text: string) => createHmac("sha256", "another").update(text).digest("base64url"),
      "before",
      event,
      about,
    ),
  ).not.toBe(hash);
});

test("what an installation has chained stays chained: the hash is the one of every release", () => {
  expect(hash).toBe("yt9dGOIfOLmNpjWIODIimav2ZePV5AO_O2bqTMjIfKA");
});
