/** What the terminal reads of a service's bodies: which money, whose, and when; what is missing, odd or another's says nothing. */
import { describe, expect, test } from "vitest";
import {
  isAboutAnother,
  isSameAmount,
  isSameCurrency,
  namesOtherHandOut,
  readRestore,
  readShop,
  readTransaction,
} from "../../../main/terminal/service/answer.ts";

const read = (fields: object) => readTransaction({ transaction_id: "T1", ...fields }, "T1");
const long = "x".repeat(200);

test.each<[unknown, string | undefined, string | null]>([
  ["50.00", "EUR", "50.00"],
  ["50", "EUR", "50.00"],
  ["0.5", "EUR", "0.50"],
  ["50.000", "EUR", "50.00"],
  ["5000", "JPY", "5000"],
  ["5000.00", "JPY", "5000"],
  ["50", "KWD", "50.000"],
  ["12.3450", "KWD", "12.345"],
  ["50.005", "EUR", "50.005"],
  ["50.0050", "EUR", "50.0050"],
  ["50.5", "JPY", "50.5"],
  ["5e1", "EUR", null],
  ["50", undefined, "50.00"],
  ["1234567890123.1234", undefined, "1234567890123.1234"],
  ["12345678901234", undefined, null],
  ["1.23456", undefined, null],
  ["0.00", "EUR", null],
  ["0", "EUR", null],
  ["-5.00", "EUR", null],
  ["05.00", "EUR", null],
  ["5.", "EUR", null],
  [" 5", "EUR", null],
  ["1e3", "EUR", null],
  ["", "EUR", null],
  [50, "EUR", "50.00"],
  [50.5, "EUR", "50.50"],
  [50, "JPY", "50"],
  [0.1 + 0.2, "EUR", "0.30"],
  // What nobody can pay is not rounded to something else; without a currency nobody knows how many digits there are.
  [50.005, "EUR", "50.005"],
  [50.5, "JPY", "50.5"],
  [50.000_04, "EUR", null],
  [50, undefined, "50.00"],
  [50.005, undefined, "50.005"],
  [50.000_04, undefined, null],
  [0, "EUR", null],
  [-5, "EUR", null],
  [Number.NaN, "EUR", null],
  [1e22, "EUR", null],
  [true, "EUR", null],
  [null, "EUR", null],
  [undefined, "EUR", null],
])("an amount of %j %s is %j", (amount, currency, expected) => {
  expect(read({ amount, currency })?.amount).toBe(expected);
});

test.each<[unknown, string | null, string | null, boolean]>([
  [undefined, "JPY", "JPY", false],
  [null, "JPY", "JPY", false],
  ["", "JPY", "JPY", false],
  [" ", "JPY", "JPY", false],
  ["XXX", "JPY", "JPY", false],
  ["xxx", "JPY", "JPY", false],
  [undefined, null, null, false],
  ["XXX", null, null, false],
  ["EUR", "JPY", "EUR", false],
  ["eur", "JPY", "EUR", false],
  ["\tEur ", "JPY", "EUR", false],
  ["jpy", null, "JPY", false],
  ["E UR", "JPY", null, true],
  ["978", "JPY", null, true],
  [978, "JPY", null, true],
  [978, null, null, true],
  [["EUR"], "JPY", null, true],
])("a look-up's %j where %s is usual is %s, with its digits; unread: %s", (said, usual, currency, isCurrencyUnread) => {
  const body = { transaction_id: "T1", amount: "50", currency: said };
  const amount = currency === "JPY" ? "50" : "50.00";
  const reading = readTransaction(body, "T1", { usualCurrency: usual });
  expect(reading).toMatchObject({ amount, currency, isCurrencyUnread });
});

const nothing = {
  ...{ status: null, hasStatus: false, reason: null, terminalReference: undefined, amount: null, currency: null },
  ...{
    isAmountUnread: false,
    isCurrencyUnread: false,
    store: null,
    storeName: null,
    createdAtMs: null,
    expiresAtMs: null,
    confirmedAtMs: null,
    approvalEndsAtMs: null,
  },
};
const atMs = Date.UTC(2026, 10, 20, 12);
const at = "2026-11-20T12:00:00Z";

test.each<[object, object]>([
  [{}, {}],
  [{ status: "settled" }, { status: "settled", hasStatus: true }],
  [{ status: "SETTLED" }, { hasStatus: true }],
  [{ status: null }, {}],
  [{ reason: "sca_denied" }, { reason: "sca_denied" }],
  [{ reason: "of_a_later_version" }, { reason: "unknown" }],
  [{ reason: 5 }, { reason: "unknown" }],
  [{ reason: "" }, {}],
  [{ reason: null }, {}],
  [{ transaction_id_partner: null }, { terminalReference: null }],
  [{ transaction_id_partner: "P1" }, { terminalReference: "P1" }],
  [{ transaction_id_partner: "" }, {}],
  [{ transaction_id_partner: 5 }, {}],
  [{ transaction_id_partner: long }, { terminalReference: long }],
  [{ transaction_id_partner: `${long}x` }, {}],
  [{ amount: "50,00" }, { isAmountUnread: true }],
  [{ amount: 0 }, { isAmountUnread: true }],
  [{ amount: null }, {}],
  [{ amount: "" }, {}],
  [{ currency: "CHF" }, { currency: "CHF" }],
  // What is open keeps the reading that it was confirmed by: only a look-up takes other spellings.
  [{ currency: "chf" }, { isCurrencyUnread: true }],
  [{ currency: 5 }, { isCurrencyUnread: true }],
  [
    { store: "s", store_name: "Shop" },
    { store: "s", storeName: "Shop" },
  ],
  [{ created_at: at }, { createdAtMs: atMs }],
  [{ expires_at: at }, { expiresAtMs: atMs }],
  [{ confirmed_at: at }, { confirmedAtMs: atMs }],
  [{ sca_expires_at: at }, { approvalEndsAtMs: atMs }],
  [{ created_at: "soon", expires_at: 5 }, {}],
])("of a body with %j alone nothing else is known", (fields, expected) => {
  expect(read(fields)).toEqual({ ...nothing, ...expected });
});

test.each<[unknown, boolean]>([
  [{}, true],
  [{ transaction_id: "T1" }, true],
  [{ transaction_id: "T2" }, false],
  [{ transaction_id: null }, false],
  [[], false],
  [null, false],
  ["T1", false],
  [undefined, false],
])("a body %j is read for the transaction T1 or not", (body, isRead) => {
  expect(readTransaction(body, "T1") !== null).toBe(isRead);
});

test("a body without an id may be this transaction's, one with another is not", () => {
  expect(
    [{}, null, { transaction_id: "T1" }, { transaction_id: "T2" }].map((body) => isAboutAnother(body, "T1")),
  ).toEqual([...[false, false, false, true]]);
});

test.each<[string | null, string | null, boolean]>([
  ["50.00", "50", true],
  ["50.0", "50.00", true],
  ["50.50", "50.5", true],
  ["500", "50", false],
  ["50.05", "50.5", false],
  ["50.50", "505", false],
  ["50.00", "50.01", false],
  [null, "50", true],
  ["50", null, true],
])("%s and %s are the same money: %s", (one, other, expected) => {
  expect(isSameAmount(one, other)).toBe(expected);
});

test.each<[string | null, string | null, boolean]>([
  ["EUR", "EUR", true],
  ["EUR", "CHF", false],
  ["XXX", "CHF", true],
  ["EUR", "XXX", true],
  [null, "CHF", true],
  ["EUR", null, true],
])("%s and %s may be the same currency: %s", (one, other, expected) => {
  expect(isSameCurrency(one, other)).toBe(expected);
});

test.each<[unknown, string | null, boolean]>([
  [{ hand_out_id: "H2" }, "H1", true],
  [{ hand_out_id: "H1" }, "H1", false],
  [{ hand_out_id: "H2" }, null, false],
  [{ hand_out_id: 5 }, "H1", false],
  [{}, "H1", false],
  [null, "H1", false],
])("%j names another hand-out than %s: %s", (body, own, expected) => {
  expect(namesOtherHandOut(body, own)).toBe(expected);
});

describe("what a service says of itself", () => {
  const limits = { currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "10" };
  const shop = { merchantId: "m", name: "Shop", limits: null, scaTimeoutSeconds: null, support: null };
  test.each<[unknown, object | null]>([
    [{ store_name: "Shop" }, {}],
    [{ store_name: "Shop", ...limits }, { limits: { currency: "EUR", min: "10.00", max: "500.00", step: "10" } }],
    [{ store_name: "Shop", ...limits, currency: "eur" }, {}],
    [{ store_name: "Shop", ...limits, amount_min: "1e1" }, {}],
    [{ store_name: "Shop", ...limits, amount_max: 500 }, {}],
    [{ store_name: "Shop", sca_timeout_seconds: 120 }, { scaTimeoutSeconds: 120 }],
    [{ store_name: "Shop", sca_timeout_seconds: "x" }, {}],
    [{ store_name: "Shop", support: { text: "Call", phone: null } }, { support: { text: "Call", phone: null } }],
    [{ store_name: "Shop", support: 5 }, {}],
    [{ store_name: "" }, null],
    [{}, null],
    ["<html>", null],
  ])("%j about the shop", (body, expected) => {
    expect(readShop(body, "m")).toEqual(expected && { ...shop, ...expected });
  });

  const never = { restoredAt: null, forgotSinceMs: null, keptHead: null };
  test.each<[unknown, object | null]>([
    [{ restored_at: null }, {}],
    [{ restored_at: at }, { restoredAt: at }],
    [
      { restored_at: at, forgot_since: at },
      { restoredAt: at, forgotSinceMs: atMs },
    ],
    [{ restored_at: at, forgot_since: "soon", kept_head: "x" }, { restoredAt: at }],
    [
      { restored_at: at, kept_head: { seq: 1, head: "h" } },
      { restoredAt: at, keptHead: { sequence: 1, hash: "h" } },
    ],
    [{ restored_at: at, kept_head: { seq: 0, head: "h" } }, { restoredAt: at }],
    [{ restored_at: "soon" }, null],
    [{}, null],
    [null, null],
  ])("%j about a copy that it was put back to", (body, expected) => {
    expect(readRestore(body)).toEqual(expected && { ...never, ...expected });
  });
});
