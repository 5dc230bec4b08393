/** The chain of a withdrawal's history proves every field, and goes on being read by later releases. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import type { Merchant } from "../../../backend/merchants/merchants.ts";
import type { Partner } from "../../../backend/partner/partners.ts";
import {
  approvalTerms,
  confirmTerms,
  digestIn,
  type HashedEvent,
  type HashedWithdrawal,
  handOutTerms,
  historyHash,
  orderDigest,
  requestTerms,
  withoutDigest,
} from "../../../backend/withdrawals/transition.ts";

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
const hashOf = (e: Partial<HashedEvent> = {}, w: Partial<HashedWithdrawal> = {}, previous = "before") =>
  historyHash(key, previous, { ...event, ...e }, { ...about, ...w });

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
  expect(hashOf({ [field]: value })).not.toBe(hashOf());
});

test.each(Object.entries(changedWithdrawals))("another %s of the withdrawal is another hash", (field, value) => {
  expect(hashOf({}, { [field]: value })).not.toBe(hashOf());
});

test("terms and address do not stand for each other", () => {
  const hashes = [{ terms: "a" }, { address: "a" }, { terms: "a", address: "a" }].map((more) => hashOf(more));
  expect(new Set(hashes).size).toBe(3);
});

test("another row before it or another key is another hash", () => {
  const otherKey = (text: string) => createHmac("sha256", "another").update(text).digest("base64url");
  expect([hashOf({}, {}, ""), historyHash(otherKey, "before", event, about)]).not.toContain(hashOf());
});

test("what an installation has chained stays chained: the hash is the one of every release", () => {
  expect(hashOf()).toBe("yt9dGOIfOLmNpjWIODIimav2ZePV5AO_O2bqTMjIfKA");
  expect(hashOf({ terms: "[1000]", address: "" })).toBe("9d7GzPm44Fsip0PxrAD6-fauL4tnOSuWfuQ9w7B_Bj8");
});

const ordered = { id: "7F3K0000000000AB", user_id: "ann", partner_reference: "ref-1", transaction_id_partner: "pos-1" };
const digest = () => orderDigest(key, ordered);

test("what an order says is chained as 16 letters, the same ones in every release", () => {
  expect(digest()).toBe("_NMBlhGMsH6fridy");
});

test.each(Object.keys(ordered))("another %s of an order is another digest", (field) => {
  expect(orderDigest(key, { ...ordered, [field]: "x" })).not.toBe(digest());
});

const merchant = { amount_min: 1_000, amount_max: 50_000, amount_step: 500, shop_day_max: 9_000 } as Merchant;
const bank = { user_day_max: 7_000, user_day_currency: "EUR" } as Partner;
test.each<[what: string, terms: () => string | null, as: readonly unknown[] | null]>([
  [
    "a request are the limits, whether the customer has to approve, and its digest",
    () => requestTerms({ merchant, bank }, { ...ordered, sca_required: 1 }, key),
    [1_000, 50_000, 500, 9_000, 7_000, "EUR", 1, digest],
  ],
  ["a confirmation are the terminal's limit and its digest", () => confirmTerms(8_000, ordered, key), [8_000, digest]],
  // PostgreSQL gives a BIGINT as text.
  [
    "a limit that came as text are the same",
    () => confirmTerms("8000" as unknown as number, ordered, key),
    [8_000, digest],
  ],
  ["a confirmation without a limit are its digest", () => confirmTerms(null, ordered, key), [null, digest]],
  ["an approval are its digest", () => approvalTerms(ordered, key), [digest]],
  ["a hand-out are its id", () => handOutTerms("h-1"), ["h-1"]],
  ["a hand-out of a terminal that names none are none", () => handOutTerms(null), null],
])("the terms of %s", (_, terms, as) => {
  expect(terms()).toBe(as && JSON.stringify(as.map((each) => (each === digest ? digest() : each))));
});

const [letters, others] = ["abc-_123abc-_123", "0123456789012345"];
test.each<[terms: string, digest: string | undefined, without: string]>([
  [`[1,"${letters}"]`, letters, "[1]"],
  [`[1,"${letters}","${others}"]`, others, `[1,"${letters}"]`],
  [`[1,"${letters}",2]`, undefined, `[1,"${letters}",2]`],
  [`[1,"${letters}4"]`, undefined, `[1,"${letters}4"]`],
  [`[1,"${letters.slice(1)}"]`, undefined, `[1,"${letters.slice(1)}"]`],
  [`[1,"${letters.slice(1)}."]`, `${letters.slice(1)}.`, `[1,"${letters.slice(1)}."]`],
  [`[1,[${Array.from(letters, () => 0)}]]`, undefined, `[1,[${Array.from(letters, () => 0)}]]`],
  [`[[1,"${letters}"],2]`, undefined, `[[1,"${letters}"],2]`],
  ["[null]", undefined, "[null]"],
])("the digest of %s is %s, and without it they are %s", (terms, of, without) => {
  expect([digestIn(terms), withoutDigest(terms)]).toEqual([of, without]);
});
