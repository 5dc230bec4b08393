/** Whether a withdrawal was asked for, confirmed and answered under what the audit had then; and how findings are counted and listed. */
import { beforeEach, expect, test } from "vitest";
import { type AuditEvent, appendAll } from "../../../backend/access/audit.ts";
import { blockObjects } from "../../../backend/access/setting-entries.ts";
import type { EventKind } from "../../../backend/contract/history.ts";
import { dayMs, hourMs, minuteMs } from "../../../backend/contract/times.ts";
import type { ProvenRow } from "../../../backend/operate/proven-rows.ts";
import {
  acceptFound,
  createAccessReader,
  createTermsCheck,
  listed,
  startSettingRecorder,
  verifySettings,
} from "../../../backend/operate/setting-proof.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc, type Store, type Value } from "../../../backend/store/store.ts";
import type { EventRow, ProvenWithdrawal } from "../../../backend/withdrawals/history.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
const at = Date.UTC(2026, 10, 10);
const toleranceMs = 5 * minuteMs;
beforeEach(() =>
  stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("merchants").where("id", "like", "x-%")))),
);

const event = (name: string, object: string, detail: string | null): AuditEvent => ({
  ...{ event: name, actor: "service", address: null, object, detail, isBounded: true },
});
const append = (time: number, ...what: AuditEvent[]) => stage.store.write((tx) => appendAll(tx, testKeys, time, what));
const shop = (values: object | null) =>
  event("setting", "shop kiosk", JSON.stringify({ of: "merchants", id: "kiosk", ...(values ?? { gone: true }) }));
const bank = (values: object | null) =>
  event("setting", "bank nord", JSON.stringify({ of: "partners", id: "nord", ...(values ?? { gone: true }) }));
const permission = (shopId = "kiosk", values: object = {}) => {
  const detail = { of: "partner_merchants", partner_id: "nord", merchant_id: shopId, ...values };
  const object = `permission of bank nord for ${shopId === "*" ? "every shop" : `shop ${shopId}`}`;
  return event("setting", object, JSON.stringify(detail));
};
const usual = { currency: "EUR", amount_min: 1_000, amount_max: 20_000, amount_step: 1_000 };
/** Everything is audited since long before `at`. */
const recorded = () =>
  append(at - dayMs, shop(usual), bank({}), permission(), event("settings_recorded", "settings", null));
/** The audit goes on until then. */
const goesOn = (time: number) => append(time, event("enrolled", "terminal", null));

type Event = Pick<
  EventRow,
  "transaction_id" | "sequence" | "at" | "kind" | "from_status" | "to_status" | "reason" | "terms" | "address"
>;
type Withdrawal = Pick<ProvenWithdrawal, "merchant_id" | "currency" | "created_at">;
/** A row of the history and its withdrawal's columns; without a bank the withdrawal is gone. */
type Row = Event & Withdrawal & { readonly partner_id: string | null };
const proven = (row: Row): ProvenRow => ({
  event: row as Event as EventRow,
  withdrawal: row.partner_id === null ? null : (row as Withdrawal as ProvenWithdrawal),
  isThereTwice: false,
  before: null,
});
const asked = (amountMax: number, more: Partial<Row> = {}): Row => ({
  ...{ transaction_id: "W1", sequence: 1, at, kind: "transition", to_status: "requested", reason: null, address: null },
  ...{ from_status: null, partner_id: "nord", merchant_id: "kiosk", currency: "EUR", created_at: at },
  terms: JSON.stringify([1_000, amountMax, 1_000, null, null, null]),
  ...more,
});
/** A row of its confirmation. */
const confirmation = { sequence: 3, from_status: "ready", to_status: "awaiting_sca" } as const;
/** What the audit's entries say of blocks, and their times. */
type Access = Pick<ReturnType<typeof createAccessReader>, "blocks" | "times">;
const noAccess: Access = { blocks: new Map(), times: [] };
const checkOf = (store: Store = stage.store, access = noAccess, now = 0) =>
  createTermsCheck(store, [testKeys], access, now);
const found = async (...rows: readonly Row[]) => {
  const check = await checkOf();
  await check.visit(rows.map(proven));
  return check.found;
};

test("terms that the audit has are no finding, any other one is, with both values in words", async () => {
  await recorded();
  await goesOn(at);
  expect(await found(asked(20_000))).toEqual([]);
  const sentence = "the withdrawal W1 was asked for under";
  const wrong = async (terms: readonly Value[], more: Partial<Row> = {}) =>
    (await found(asked(0, { terms: JSON.stringify(terms), ...more }))).join();
  expect(await wrong([1_000, 90_000, 1_000, null, null, null])).toBe(
    `${sentence} largest amount 900.00 of shop kiosk, audited was 200.00`,
  );
  expect(await wrong([500, 20_000, 1_000, null, null, null])).toBe(
    `${sentence} smallest amount 5.00 of shop kiosk, audited was 10.00`,
  );
  expect(await wrong([1_000, 20_000, 1_000, 5_000, null, null])).toBe(
    `${sentence} most in a day 50.00 of shop kiosk, audited was none`,
  );
  expect(await wrong([1_000, 20_000, 1_000, null, 700, "EUR"])).toBe(
    `${sentence} most of a user in a day 7.00 of bank nord, audited was none`,
  );
  expect(await wrong([1_000, 20_000, 1_000, null, null, null], { currency: "USD" })).toBe(
    `${sentence} currency USD of shop kiosk, audited was EUR`,
  );
  // A later release appends terms, an earlier one has fewer.
  expect(await wrong([1_000, 20_000, 1_000, null, null, null, "more"])).toBe("");
  expect(await wrong([1_000, 20_000, 1_000])).toBe("");
});

test.each(["nonsense", '{"0":1000}'])("terms that no release writes, %s, are none", async (terms) => {
  await recorded();
  await goesOn(at);
  expect(await found(asked(0, { terms }))).toEqual([
    "the withdrawal W1 was asked for under smallest amount none of shop kiosk, audited was 10.00",
  ]);
});

test("a finding names what was audited last at that time, of what was there", async () => {
  await recorded();
  await append(at, shop(null));
  await append(at + dayMs, shop({ ...usual, amount_max: 30_000 }));
  await goesOn(at + 2 * dayMs);
  expect(await found(asked(90_000))).toEqual([
    "the withdrawal W1 was asked for under largest amount 900.00 of shop kiosk, audited was 200.00",
  ]);
});

/** As `audit verify` reads the audit, to its end. */
const readAccess = async () => {
  const reading = createAccessReader();
  const entries = adhoc<RowOf<"audit">>((db) => db.selectFrom("audit").selectAll().orderBy("seq"));
  for (const entry of await stage.store.read((tx) => tx.all(entries))) reading.visit(entry);
  return reading;
};
test("an entry on a block that says nothing is no end of it", () => {
  const reading = createAccessReader();
  const object = "block of user ann at bank";
  reading.visit({ ...event("setting", object, null), seq: 1, at, key_id: "key", hash: "" } as RowOf<"audit">);
  expect(reading.blocks.get(object)).toMatchObject([{ seq: 1, isEnd: false }]);
});

const [raised, ahead] = [shop({ ...usual, amount_max: 30_000 }), 10 * hourMs];
test.each<[what: string, entries: readonly (readonly [number, AuditEvent?])[], counts: number, not: number]>([
  ["by a right clock", [[0, raised], [1]], 0, -hourMs],
  ["at the time of the entry after it", [[0, raised], [0]], 0, -hourMs],
  ["by a clock that was ahead, and is right since", [[-hourMs], [ahead, raised], [0]], hourMs, -2 * hourMs],
  ["by one that went on being ahead for a while", [[-hourMs], [ahead, raised], [ahead + 1], [0]], hourMs, -2 * hourMs],
  ["by one that was right at the time of the entry before", [[0], [ahead, raised], [0]], hourMs, -hourMs],
  ["by one that is ahead of now", [[-hourMs], [9 * dayMs, raised]], hourMs, -2 * hourMs],
])("what an entry says counts since it was written, %s", async (_, entries, counts, not) => {
  await recorded();
  for (const [ms, entry = event("enrolled", "terminal", null)] of entries) await append(at + ms, entry);
  const access = await readAccess();
  const by = async (ms: number) => {
    const check = await checkOf(stage.store, access, at + 2 * dayMs);
    await check.visit([proven(asked(30_000, { at: at + ms }))]);
    return check.found.length;
  };
  expect([await by(counts), await by(not - toleranceMs - 1)]).toEqual([0, 1]);
});

test("of an installation whose first entries are of a clock that was ahead they may have counted since ever", async () => {
  await append(at + ahead, shop(usual), bank({}), permission(), event("settings_recorded", "settings", null), raised);
  await goesOn(at);
  const check = await checkOf(stage.store, await readAccess(), at + 2 * dayMs);
  await check.visit([proven(asked(30_000, { at: at + hourMs }))]);
  expect(check.found).toEqual([]);
});

const blocked = (values: object) =>
  event("setting", blockObjects([testKeys], "nord", "ann")[0] ?? "", JSON.stringify({ of: "customers", ...values }));
test.each<[what: string, ms: number, verb: string | null, more?: Partial<Row>, user?: string]>([
  ["five minutes after it began", toleranceMs, "asked for"],
  ["before that", toleranceMs - 1, null],
  ["five minutes before it ended", hourMs - toleranceMs, "asked for"],
  ["after that", hourMs - toleranceMs + 1, null],
  ["long after it", 2 * hourMs, null],
  ["by another user", toleranceMs, null, {}, "bob"],
  ["a confirmation", toleranceMs, "confirmed", { ...confirmation, terms: "[null]" }],
  ["under no terms, as by a release before there were any", toleranceMs, null, { terms: null, address: "" }],
])("a withdrawal in spite of a block is a finding, or not: %s", async (_, ms, verb, more = {}, user_id = "ann") => {
  await recorded();
  await append(at, blocked({}));
  await append(at + hourMs, blocked({ gone: true }));
  await goesOn(at + 2 * hourMs);
  const check = await checkOf(stage.store, await readAccess(), at + dayMs);
  const { event: row, withdrawal, ...rest } = proven(asked(20_000, { at: at + ms, ...more }));
  await check.visit([{ ...rest, event: row, withdrawal: null }]);
  await check.visit([{ ...rest, event: row, withdrawal: { ...withdrawal, user_id } as ProvenWithdrawal }]);
  const named = expect.stringMatching(`^the withdrawal W1 was ${verb} in spite of the block of user `);
  expect(check.found).toEqual(verb === null ? [] : [named]);
});

test("what was recorded as found is named where all had been recorded before", async () => {
  const asFound = { ...shop(usual), actor: "service, as found" };
  await append(at, asFound, event("settings_recorded", "settings", null), shop(usual));
  expect((await readAccess()).found).toEqual([]);
  await append(at, asFound);
  expect((await readAccess()).found).toEqual([
    "shop kiosk was recorded as found, after all were (entry 4 of the audit)",
  ]);
});

test("a key that was used while its row was not audited, and a code that was used twice, are named since the last acceptance", async () => {
  const used = (code: string) => event("enrolled", "terminal", `code ${code} until 5`);
  await append(at, event("unaudited_access", "terminal", "the key of till-1 was changed"), used("a"), used("b"));
  await append(at, event("renewed", "terminal", "code a until 5"), used("a"), event("enrolled", "terminal", "by hand"));
  await append(at, event("enrolled", "terminal", "by hand"), event("settings_recorded", "settings", null));
  expect((await readAccess()).found).toEqual([
    "the key of till-1 was changed, when it was used (entry 1 of the audit)",
    "entry 5 of the audit uses a code that was used before",
  ]);
  await append(at, event("audit accept", "", "--note x"));
  expect((await readAccess()).found).toEqual([]);
});

test("a confirmation is compared with its own terms, and not with those of a request", async () => {
  await recorded();
  await goesOn(at);
  const confirmed = (most: number | null) =>
    asked(0, { ...confirmation, terms: JSON.stringify([most]), currency: "USD" });
  expect(await found(confirmed(null))).toEqual([]);
  expect(await found(confirmed(500))).toEqual([
    "the withdrawal W1 was confirmed under most of a terminal in an hour 5.00 of shop kiosk, audited was none",
  ]);
  // Whether the bank might use the shop was asked at the request.
  await append(at - hourMs, permission("kiosk", { gone: true }));
  expect(await found(confirmed(null))).toEqual([]);
});

test("a request and a confirmation of the same terms in one page are compared each with its own", async () => {
  await recorded();
  await goesOn(at);
  const same = { terms: JSON.stringify([500]) };
  const [request, confirmed] = [asked(0, same), asked(0, { ...same, ...confirmation })];
  const both = [
    "the withdrawal W1 was asked for under smallest amount 5.00 of shop kiosk, audited was 10.00",
    "the withdrawal W1 was confirmed under most of a terminal in an hour 5.00 of shop kiosk, audited was none",
  ];
  expect(await found(request, confirmed)).toEqual(both);
  expect(await found(confirmed, request)).toEqual(both.toReversed());
});

test("what the order of a withdrawal says, and which hand-out it was, are no terms", async () => {
  await recorded();
  await goesOn(at);
  const digest = "x".repeat(22);
  expect(
    await found(
      asked(0, { terms: JSON.stringify([1_000, 20_000, 1_000, null, null, null, 1, digest]) }),
      asked(0, { ...confirmation, terms: JSON.stringify([null, digest]) }),
      asked(0, { sequence: 4, from_status: "awaiting_sca", terms: JSON.stringify([digest]), address: "" }),
      asked(0, { sequence: 6, from_status: "settled", terms: '["hand-out-1"]', address: "" }),
    ),
  ).toEqual([]);
});

test("a bank's answer is compared with its address, where the audit has one with a key", async () => {
  await append(at - dayMs, shop(usual), bank({ url: "https://nord.example", secret: "#1" }), permission());
  await append(at - dayMs, event("settings_recorded", "settings", null));
  await goesOn(at);
  const answered = (address: string) => asked(0, { sequence: 2, terms: null, address });
  expect(await found(answered("https://nord.example"))).toEqual([]);
  expect(await found(answered("https://evil.example"))).toEqual([
    "the bank's answer in row 2 of W1 came from address https://evil.example of bank nord, audited was https://nord.example",
  ]);
  await append(at + 1, bank({ url: "https://nord.example" }));
  // Without a key it is sent to no address of its own.
  expect(await found({ ...answered(""), at: at + 10 * minuteMs })).toEqual([]);
  expect(await found({ ...answered("https://nord.example"), at: at + 10 * minuteMs })).toHaveLength(1);
});

test("a bank needs the permission for the shop, or for every shop", async () => {
  await append(at - dayMs, shop(usual), bank({}), event("settings_recorded", "settings", null));
  await goesOn(at);
  const missing =
    "the withdrawal W1 was asked for under what the audit did not have: permission of bank nord for shop kiosk";
  expect(await found(asked(20_000))).toEqual([missing]);
  await append(at - hourMs, permission("other"));
  expect(await found(asked(20_000))).toEqual([missing]);
  await append(at - hourMs, permission("*"));
  expect(await found(asked(20_000))).toEqual([]);
  await append(at - hourMs, permission("*", { gone: true }), permission());
  expect(await found(asked(20_000))).toEqual([]);
  await append(at + hourMs, permission("kiosk", { gone: true }));
  expect(await found(asked(20_000, { at: at + 2 * hourMs }))).toEqual([missing]);
});

test.each([
  ["long before the change", -hourMs, 20_000, 30_000],
  ["up to five minutes after it under the old ones", toleranceMs, 20_000, 50_000],
  ["from five minutes before it under the new ones", -toleranceMs, 30_000, 50_000],
  ["more than five minutes after it", toleranceMs + 1, 30_000, 20_000],
  ["more than five minutes before it", -toleranceMs - 1, 20_000, 30_000],
] as const)("what was asked for %s counts", async (_, ms, right, wrong) => {
  await recorded();
  await append(at, shop({ ...usual, amount_max: 30_000 }));
  await append(at + dayMs, shop({ ...usual, amount_max: 40_000 }));
  await goesOn(at + 2 * dayMs);
  const by = (amountMax: number) => found(asked(amountMax, { at: at + ms }));
  expect(await by(right)).toEqual([]);
  expect(await by(wrong)).toHaveLength(1);
});

test("of entries that a clock out of order has written each may have counted", async () => {
  await recorded();
  await append(at + 10 * hourMs, shop({ ...usual, amount_max: 30_000 }));
  await append(at + 2 * hourMs, shop({ ...usual, amount_max: 40_000 }));
  await goesOn(at + 20 * hourMs);
  const by = async (amountMax: number, hours: number) =>
    (await found(asked(amountMax, { at: at + hours * hourMs }))).length;
  // The second one began at the latest when the third one did, and ended at the latest with its own time.
  expect([await by(20_000, 5), await by(30_000, 5), await by(40_000, 5)]).toEqual([0, 0, 0]);
  expect([await by(20_000, 11), await by(30_000, 11), await by(40_000, 11)]).toEqual([1, 1, 0]);
  expect([await by(20_000, 1), await by(30_000, 1), await by(40_000, 1)]).toEqual([0, 1, 1]);
});

test("nothing is held against a time before the audit had everything, unless it had the setting already", async () => {
  await append(at - dayMs, shop(usual));
  await append(at, event("settings_recorded", "settings", null));
  await goesOn(at + dayMs);
  expect(await found(asked(90_000))).toEqual([
    "the withdrawal W1 was asked for under largest amount 900.00 of shop kiosk, audited was 200.00",
  ]);
  expect(await found(asked(20_000))).toEqual([]);
  expect(await found(asked(20_000, { at: at + 1 }))).toEqual([
    "the withdrawal W1 was asked for under what the audit did not have: bank nord",
    "the withdrawal W1 was asked for under what the audit did not have: permission of bank nord for shop kiosk",
  ]);
});

test("the first values count since ever, and a permission that was gone before all was recorded was gone", async () => {
  await recorded();
  await goesOn(at);
  expect(await found(asked(20_000, { at: at - 9 * dayMs }))).toEqual([]);
  expect(await found(asked(90_000, { at: at - 9 * dayMs }))).toHaveLength(1);
});

test("a permission that is gone is held against a withdrawal from before all was recorded", async () => {
  await append(at - dayMs, permission("*", { gone: true }));
  await append(at, event("settings_recorded", "settings", null));
  await goesOn(at + dayMs);
  expect(await found(asked(20_000))).toEqual([
    "the withdrawal W1 was asked for under what the audit did not have: permission of bank nord for shop kiosk",
  ]);
});

test("amounts are shown in the currency that the audit had", async () => {
  await append(at - dayMs, shop({ ...usual, currency: "JPY" }), bank({}), permission());
  await append(at - dayMs, event("settings_recorded", "settings", null));
  await goesOn(at);
  expect(await found(asked(90_000, { currency: "JPY" }))).toEqual([
    "the withdrawal W1 was asked for under largest amount 90000 of shop kiosk, audited was 20000",
  ]);
});

test.each([
  ["says was gone", shop(null)],
  ["has in an entry without values", event("setting", "shop kiosk", null)],
])("a shop that the audit %s was not there", async (_, entry) => {
  await append(at - dayMs, entry, bank({}), permission(), event("settings_recorded", "settings", null));
  await goesOn(at);
  expect(await found(asked(20_000))).toEqual([
    "the withdrawal W1 was asked for under what the audit did not have: shop kiosk",
  ]);
});

test("what an operator has accepted, and what a clock that was ahead has written, is held against nobody", async () => {
  await recorded();
  await append(at, event("audit accept", "", "--note x"));
  const newest = at + hourMs;
  await goesOn(newest);
  const by = async (time: number) => (await found(asked(90_000, { at: time }))).length;
  expect([await by(at), await by(at + 1)]).toEqual([0, 1]);
  expect([await by(newest + 3 * dayMs), await by(newest + 3 * dayMs + 1)]).toEqual([1, 0]);
});

test("what a clock that was ahead has accepted is accepted until the entry after that", async () => {
  await recorded();
  await append(at + 9 * dayMs, event("audit accept", "", "--note x"));
  await goesOn(at + hourMs);
  const by = async (time: number) => (await found(asked(90_000, { at: time }))).length;
  expect([await by(at + hourMs), await by(at + hourMs + 1)]).toEqual([0, 1]);
});

test("a withdrawal that is gone, and a row without terms or address, claims nothing", async () => {
  await recorded();
  await goesOn(at);
  expect(await found(asked(90_000, { partner_id: null }), asked(0, { terms: null }))).toEqual([]);
});

test("a setting is read once for many rows, and the look ends behind the twentieth finding", async () => {
  await recorded();
  await goesOn(at);
  let reads = 0;
  const read: Store["read"] = (unit) => {
    reads += 1;
    return stage.store.read(unit);
  };
  const check = await checkOf({ ...stage.store, read });
  reads = 0;
  for (let n = 0; n < 3; n += 1) await check.visit([proven(asked(20_000))]);
  expect(reads).toBe(1);
  await check.visit(Array.from({ length: 20 }, () => proven(asked(90_000))));
  expect(check.found).toHaveLength(20);
  await check.visit([proven(asked(90_000))]);
  await check.visit([proven(asked(90_000))]);
  expect([check.found.length, reads]).toEqual([21, 1]);
});

/** Withdrawals without the mark of a dispute, each with rows of its history beside the third, which disputes it. */
const withoutMark = (later: Readonly<Record<string, readonly (readonly [sequence: number, kind: EventKind])[]>>) =>
  stage.store.write(async (tx) => {
    for (const [id, events] of Object.entries(later)) {
      const withdrawal = rowWith({ id, partner_id: "nordbank", idempotency_key: id, transaction_id_partner: id });
      await tx.run(adhoc((db) => db.insertInto("withdrawals").values(withdrawal)));
      for (const [sequence, kind] of events)
        await tx.run(
          adhoc((db) =>
            db.insertInto("withdrawal_events").values({
              ...{ transaction_id: id, sequence, kind, at, from_status: null, actor_id: null, request_id: null },
              ...{ reason: null, attempt: null, cashier: null, terms: null, address: null, hash: null, seal: null },
              ...({ to_status: "settled", actor: "operator", asked_at: 1_000, day: 0 } as const),
            }),
          ),
        );
    }
  });
const disputed = (id: string) =>
  proven(asked(0, { transaction_id: id, sequence: 3, kind: "contradicted", terms: null, created_at: 1_000 }));
const isLost = (id: string) => `the withdrawal ${id} is disputed by its history, and not marked as it`;

test("a dispute without its mark is missing from the report, unless it was closed after it was opened", async () => {
  await withoutMark({
    "lost-1": [],
    "lost-2": [[2, "dispute_closed"]],
    "lost-3": [[4, "cash_reported"]],
    closed: [
      [4, "cash_reported"],
      [5, "dispute_closed"],
    ],
  });
  const check = await checkOf();
  await check.visit(["lost-1", "lost-2", "lost-3", "closed"].map(disputed));
  await check.visit([{ ...disputed("lost-1"), withdrawal: null }]);
  expect(check.unmarked).toEqual(["lost-1", "lost-2", "lost-3", "lost-1"].map(isLost));
  expect(check.found).toEqual([]);
});

test("the look ends too where findings of both kinds are more than twenty", async () => {
  await recorded();
  await goesOn(at);
  const ids = Array.from({ length: 11 }, (_, n) => `both-${n + 10}`);
  await withoutMark(Object.fromEntries(ids.map((id) => [id, []])));
  const check = await checkOf();
  await check.visit([...ids.map(disputed), ...Array.from({ length: 10 }, () => proven(asked(90_000)))]);
  await check.visit([proven(asked(90_000))]);
  expect([check.unmarked.length, check.found.length]).toEqual([11, 10]);
});

test.each([
  [0, "", 0],
  [1, "n1", 1],
  [20, "n20", 20],
  [21, "and more", 21],
  [30, "and more", 21],
])("%i findings are listed up to the twentieth", (count, last, words) => {
  const list = listed(Array.from({ length: count }, (_, n) => `n${n + 1}`));
  expect(list.split("; ").at(-1)).toBe(last);
  expect(list.split("; ").filter((word) => word !== "")).toHaveLength(words);
});

const addShops = (count: number) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db.insertInto("merchants").values(
          Array.from({ length: count }, (_, n) => ({
            ...{
              id: `x-${n}`,
              name: "X",
              currency: "EUR",
              amount_min: 1,
              amount_max: 2,
              amount_step: 1,
              created_at: 0,
            },
          })),
        ),
      ),
    ),
  );

test("rows without an entry are counted until all were recorded, and are findings from then on, 21 at the most", async () => {
  const keys = [testKeys];
  await addShops(24);
  expect(await verifySettings(stage.store, keys)).toEqual({ found: [], unrecorded: 24 + 6 });
  await append(at, event("settings_recorded", "settings", null));
  const { found: all, unrecorded } = await verifySettings(stage.store, keys);
  expect([all.length, unrecorded]).toEqual([21, 0]);
  const on = { ...stage.service, keys: testKeys };
  expect(await acceptFound(on, "operator ada, as found")).toBe(30);
  expect(await verifySettings(stage.store, keys)).toEqual({ found: [], unrecorded: 0 });
  const actors = await stage.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("audit").select("actor").where("event", "=", "setting").distinct())),
  );
  expect(actors).toEqual([{ actor: "operator ada, as found" }]);
  let writes = 0;
  const write: Store["write"] = (unit) => {
    writes += 1;
    return stage.store.write(unit);
  };
  expect(await acceptFound({ ...on, store: { ...stage.store, write } }, "x")).toBe(0);
  expect(writes).toBe(0);
});

test("what an entry contradicts is a finding before all was recorded too", async () => {
  await addShops(1);
  await append(at, event("setting", "shop x-0", JSON.stringify({ of: "merchants", id: "x-0", gone: true })));
  expect(await verifySettings(stage.store, [testKeys])).toEqual({
    found: ["shop x-0 is there, and was taken away by its last audited entry"],
    unrecorded: 6,
  });
});

test("a database from before is recorded once, in one process; a failure is tried again in five seconds, else an hour later", async () => {
  let [isOwner, isDown] = [false, true];
  const works: string[] = [];
  const read: Store["read"] = (unit) => (isDown ? Promise.reject(new Error("away")) : stage.store.read(unit));
  const watch = startSettingRecorder({
    ...stage.service,
    store: { ...stage.store, read },
    owns: (work: string) => works.push(work) > 0 && isOwner,
  } as never);
  const look = async (afterMs: number) => {
    const before = stage.logged.length;
    await stage.clock.advance(afterMs);
    await expect.poll(() => stage.clock.timers, { interval: 1 }).toBe(1);
    return stage.logged.slice(before);
  };
  expect(await look(0)).toEqual([]);
  expect(works).toEqual(["settings"]);
  isOwner = true;
  expect(await look(4_999)).toEqual([]);
  expect(await look(1)).toMatchObject([{ err: { message: "away" } }]);
  isDown = false;
  expect(await look(5_000)).toEqual([{ rows: 6 }]);
  expect(works).toHaveLength(3);
  expect(await look(hourMs - 1)).toEqual([]);
  expect(works).toHaveLength(3);
  expect(await look(1)).toEqual([]);
  expect(works).toHaveLength(4);
  await watch.stop();
  expect((await stage.audited()).filter((line) => line.startsWith("settings_recorded"))).toEqual([
    "settings_recorded | settings | 6 as found",
  ]);
});
