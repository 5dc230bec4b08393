/** What an operator reads of each withdrawal that is open: whose money, how much of which currency, since when, and what to do. */
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { toTime } from "../../../backend/contract/times.ts";
import { systemUser } from "../../../backend/operate/audited-store.ts";
import { listOpenWithdrawals, resolveWithdrawal, showWithdrawal } from "../../../backend/operate/reports.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import type { Row } from "../../../backend/withdrawals/store.ts";
import { id, nowMs, withdrawalStage } from "../withdrawals/stage.ts";

const stage = withdrawalStage();
const emptied = ["restored_reports", "terminal_contacts"] as const;
beforeEach(() =>
  stage.store.write(async (tx) => {
    for (const table of emptied) await tx.run(adhoc((db) => db.deleteFrom(table)));
  }),
);
const heard = (heard_at: number) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db
          .insertInto("terminal_contacts")
          .values({ merchant_id: "corner-shop", device_id: "till-1", heard_at, version: null }),
      ),
    ),
  );
const tried = (attempts: number, last_error: string | null) =>
  stage.putOrder({ attempts, last_error, created_at: 500 });
const saidYes = () => {
  const event: RowOf<"withdrawal_events"> = {
    ...{ transaction_id: id, sequence: 2, kind: "contradicted", at: nowMs, actor: "partner", actor_id: "bank" },
    ...{ from_status: null, to_status: "awaiting_sca", reason: "accepted", request_id: null, attempt: 1 },
    ...{ cashier: null, terms: null, address: null, hash: null, seal: null, asked_at: 1_000, day: 0 },
  };
  return stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(event))));
};
const report: RowOf<"restored_reports"> = {
  ...{ id: "r1", transaction_id: "LOST", merchant_id: "corner-shop", device_id: "till-1", status: "linked" },
  ...{ undelivered_reason: null, transaction_id_partner: "pos-1", amount: 1_250, currency: "JPY", confirmed_at: 1_500 },
  ...{ settled_at: null, reported_at: 1_600, cashier: null, created_at: nowMs - 90_000, closed_at: null },
  ...{ hand_out_id: "h1", other_hand_out_id: null },
};
const waitMs = 15 * 60_000;
const asked = "the bank is asked until it gives a definite answer; from 15 minutes on you can decide";
const paid =
  "paid; its terminal says what became of the cash: have it started, connected, and asked under Today, Overview";
const unsure = "bank and service may have it differently: ask the bank whether it has paid";

test.each<[string, Partial<Row>, () => Promise<unknown>, object]>([
  [
    "ordered a minute and a half ago, and tried once",
    { status: "settling", amount: 5_000, currency: "CHF" },
    () => tried(1, "http_503"),
    {
      ...{ status: "settling", amount: "50.00", currency: "CHF", since: toTime(500), minutes: 1, needs: "wait" },
      ...{ disputed: null, finding: "settle_unknown", why: `${asked} (1 calls, the last answer: http_503)` },
    },
  ],
  [
    "ordered, and not tried yet",
    { status: "settling" },
    () => tried(0, null),
    { why: `${asked} (0 calls, the last answer: none yet)` },
  ],
  [
    "paid, in a currency without digits",
    { status: "settled", amount: 5_000, currency: "JPY", settled_at: nowMs - 119_999 },
    () => heard(7_000),
    {
      ...{ status: "settled", amount: "5000", currency: "JPY", since: toTime(nowMs - 119_999), minutes: 1 },
      ...{ needs: "wait", finding: "not_linked", why: `${paid} (till-1 was heard last at ${toTime(7_000)})` },
    },
  ],
  [
    "paid, of a terminal that has never called",
    { status: "settled", settled_at: nowMs },
    async () => {},
    { minutes: 0, why: `${paid} (till-1 was heard never)` },
  ],
  [
    "paid and disputed, whose terminal is of no matter",
    { status: "settled", disputed_at: nowMs - 60_000 },
    () => heard(7_000),
    { needs: "close", minutes: 1, since: toTime(nowMs - 60_000), disputed: toTime(nowMs - 60_000), why: unsure },
  ],
  [
    "paid by its bank before it is approved, as the standby that serves by now does not know the approval",
    { status: "awaiting_sca", deadline_at: nowMs + 1, disputed_at: nowMs - 60_000 },
    saidYes,
    {
      ...{ needs: "close", finding: "disputed", reason: "accepted_after_declined" },
      why: "the bank said yes to what counted as not paid: ask it whether it has paid",
    },
  ],
  [
    "not ordered, however old, whose terminal is of no matter either",
    { status: "ready", deadline_at: nowMs + 1, confirmed_at: null, settled_at: null, created_at: nowMs - waitMs - 1 },
    async () => {},
    { needs: "wait", finding: "open", since: toTime(nowMs - waitMs - 1), why: "ends by itself" },
  ],
])("%s", async (_, row, beside, line) => {
  await stage.put({ ...row, id });
  await beside();
  const of = { transaction: id, partner: "bank", shop: "corner-shop" };
  expect(await listOpenWithdrawals(stage.service, {})).toMatchObject([{ ...of, ...line }]);
});

test("what a terminal reports of one that a restore forgot stands behind disputes, and before what is open", async () => {
  await stage.put(
    { id: "OPEN2", status: "settling" },
    { id: "OPEN", status: "settling" },
    { id: "DISPUTED", status: "linked", disputed_at: nowMs, linked_at: 5_000 },
  );
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("restored_reports").values(report))));
  const lines = await listOpenWithdrawals(stage.service, {});
  expect(lines.map(({ transaction }) => transaction)).toEqual(["DISPUTED", "LOST", "OPEN", "OPEN2"]);
  expect(lines[1]).toMatchObject({
    ...{ partner: null, shop: "corner-shop", device: "till-1", amount: "1250", currency: "JPY", status: "linked" },
    ...{ since: toTime(nowMs - 90_000), disputed: toTime(nowMs - 90_000), minutes: 1, needs: "close" },
  });
  expect((await listOpenWithdrawals(stage.service, { older: "1" })).map(({ transaction }) => transaction)).toEqual([
    "LOST",
    "OPEN",
    "OPEN2",
  ]);
  // Nobody knows whose bank's that is which a restore has forgotten.
  const ofBank = await listOpenWithdrawals(stage.service, { bank: "bank" });
  expect(ofBank.map(({ transaction }) => transaction)).toEqual(["DISPUTED", "OPEN", "OPEN2"]);
  await expect(listOpenWithdrawals(stage.service, { older: "12345678" })).rejects.toThrow("--older");
  await expect(listOpenWithdrawals(stage.service, { older: "1m" })).rejects.toThrow("--older");
});

test("its story has who did what at which call, when its own terminal was heard, and who is its shop and bank", async () => {
  await stage.put(
    { id, status: "settled", settled_at: nowMs, amount: 700, currency: "CHF" },
    { id: "OTHER", status: "linked", disputed_at: nowMs, linked_at: 5_000 },
  );
  await stage.putOrder({ id: "settle_OTHER", transaction_id: "OTHER" });
  await heard(7_000);
  const event: RowOf<"withdrawal_events"> = {
    ...{ transaction_id: id, sequence: 5, kind: "transition", at: 8_000, actor: "device", actor_id: "till-1" },
    ...{ from_status: "settling", to_status: "settled", reason: "sca_timeout", request_id: "req-1", attempt: 2 },
    ...{ cashier: "Cleo", terms: null, address: null, hash: null, seal: null, asked_at: 1_000, day: 0 },
  };
  const told: RowOf<"status_events"> = {
    ...{ id: `event_${id}_3`, transaction_id: id, partner_id: "bank", body: "{}", attempts: 2, due_at: nowMs },
    ...{ claimed_by: "", created_at: 6_000, last_error: "http_503", partner_reference: null },
  };
  const noted: Partial<typeof event> = {
    ...{ kind: "cash_reported", reason: null, attempt: null, cashier: null, request_id: "req-2" },
  };
  const head: RowOf<"journal_heads"> = {
    ...{ merchant_id: "corner-shop", device_id: "till-1", epoch: 1, seq: 9, head: "h", at: 1, received_at: 8_500 },
    after_restore: 0,
  };
  await stage.store.write(async (tx) => {
    for (const each of [event, { ...event, ...noted, sequence: 6, at: 9_000 }])
      await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(each)));
    await tx.run(adhoc((db) => db.insertInto("journal_heads").values(head)));
    for (const each of [told, { ...told, id: "event_OTHER_3", transaction_id: "OTHER" }])
      await tx.run(adhoc((db) => db.insertInto("status_events").values(each)));
  });
  const unheard = "2 calls, the last answer: http_503";
  expect(await showWithdrawal(stage.service, id)).toEqual([
    { at: toTime(6_000), what: "event waits", by: "bank bank", detail: unheard },
    { at: toTime(7_000), what: "terminal heard", by: "terminal till-1", detail: "to five minutes" },
    { at: toTime(8_000), what: "settled", by: "device till-1 Cleo", detail: "sca_timeout, call 2, req-1" },
    { at: toTime(8_500), what: "journal entry received", by: "terminal till-1", detail: "entry 9" },
    { at: toTime(9_000), what: "cash_reported", by: "device till-1", detail: "req-2" },
    {
      ...{ at: toTime(nowMs), what: "settled", by: "shop corner-shop, bank bank" },
      detail: "7.00 CHF, till's id pos-0, bank's reference ref-1",
    },
    { at: toTime(nowMs), what: "needs: wait", by: null, detail: expect.stringContaining("paid") },
  ]);
});

test.each<[Partial<typeof report>, object]>([
  [{}, { what: "reported linked after a restore", by: "terminal till-1", detail: "open" }],
  [
    { closed_at: nowMs },
    { what: "reported linked after a restore", by: "terminal till-1", detail: `closed ${toTime(nowMs)}` },
  ],
  [
    { device_id: "", status: "settling" },
    { what: "settling, forgotten by the database", by: "bank", detail: "open" },
  ],
])("of one that the service has forgotten the story is what was reported: %j", async (reported, line) => {
  const row = { ...report, ...reported };
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("restored_reports").values(row))));
  const [first] = await showWithdrawal(stage.service, "LOST");
  expect(first).toEqual({ at: toTime(nowMs - 90_000), ...line });
});

type Chaining = Parameters<typeof resolveWithdrawal>[0];
const resolve = (
  outcome: string,
  more: { readonly note?: string; readonly force?: string; readonly seen?: string } = {},
) => resolveWithdrawal(stage.service as unknown as Chaining, { id, outcome, note: "Ms Low said so", ...more });

test.each([
  [500, "is not disputed"],
  [501, "--note"],
])("a note of %i letters: %s", async (letters, answer) => {
  await expect(resolve("closed", { note: "x".repeat(letters) })).rejects.toThrow(answer);
});

const waited = { settled_at: nowMs - waitMs - 1 };
test.each<[Partial<Row>, string, string]>([
  [{ status: "settling" }, "paid", "has not waited 15 minutes for its bank"],
  [{ status: "settling" }, "not-handed-out", "its outcome is paid or not-paid"],
  [{ status: "settled", settled_at: nowMs }, "handed-out", "has not waited 15 minutes for its terminal"],
  [{ status: "settled", settled_at: nowMs }, "not-handed-out", "has not waited 15 minutes for its terminal"],
  [{ status: "settled", ...waited }, "paid", "its outcome is handed-out or not-handed-out"],
  [{ status: "settled", ...waited }, "handed-out", "was heard in the last 20 minutes"],
  [{ status: "linked" }, "paid", "is linked: there is nothing to decide"],
  [{ status: "linked" }, "closed", "is not disputed"],
  [{ status: "linked", id: "OTHER" }, "paid", "there is no withdrawal"],
])("of %j nobody decides that it is %s: it %s", async (row, outcome, answer) => {
  await stage.put(row);
  await heard(nowMs - 1);
  await expect(resolve(outcome)).rejects.toThrow(answer);
});

test.each(
  (["settling", "settled"] as const).flatMap((status) =>
    [
      [-waitMs - 1, true],
      [-waitMs, false],
      // Dated by another process, or by a clock that was ahead.
      [5_000, false],
      [5_001, true],
    ].map(([ms, isDue]) => [status, ms as number, isDue] as const),
  ),
)("one that is %s since %i ms from now is an operator's to decide: %s", async (status, ms, isDue) => {
  const at = nowMs + ms;
  await stage.put({ status, settled_at: status === "settled" ? at : null });
  if (status === "settling") await stage.putOrder({ created_at: at });
  expect(await listOpenWithdrawals(stage.service, {})).toMatchObject([{ needs: isDue ? "decide" : "wait" }]);
  const decided = resolve(status === "settled" ? "handed-out" : "paid");
  if (isDue) expect(await decided).toMatchObject({ transaction: id });
  else await expect(decided).rejects.toThrow("has not waited 15 minutes");
});

test.each([
  [nowMs, false],
  [null, true],
  [nowMs, true],
])(
  "what is closed is a dispute since %j, and what was reported after a restore: %s",
  async (disputed_at, isReported) => {
    await stage.put({ status: "linked", linked_at: 5_000, disputed_at });
    const row = { ...report, transaction_id: id, created_at: disputed_at ?? report.created_at };
    if (isReported)
      await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("restored_reports").values(row))));
    expect(await resolve("closed")).toEqual({ transaction: id, status: "closed" });
    expect(await listOpenWithdrawals(stage.service, {})).toEqual([]);
    const note = { kind: "dispute_closed", actor: "operator", actor_id: systemUser(), reason: "Ms Low said so" };
    expect(await stage.history()).toMatchObject(disputed_at === null ? [] : [note]);
    await expect(resolve("closed")).rejects.toThrow("is not disputed");
  },
);

type Event = RowOf<"withdrawal_events">;
const eventAt = (at: number, sequence: number, more: Partial<Event> = {}): Event => ({
  ...{ transaction_id: id, sequence, kind: "reported_again", at, actor: "device", actor_id: "till-1" },
  ...{ from_status: "linked", to_status: "linked", reason: "h2", request_id: null, attempt: null },
  ...{ cashier: null, terms: null, address: null, hash: null, seal: null, asked_at: 1_000, day: 0 },
  ...more,
});
const putEvents = (...events: readonly Event[]) =>
  stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(events))));
const seenAt = nowMs - 5_000;
test.each<
  [
    what: string,
    disputed_at: number | null,
    reports: readonly number[],
    events: readonly number[],
    newest: number | null,
  ]
>([
  ["one report", null, [seenAt], [], null],
  ["the dispute, and its row of the history", seenAt, [], [seenAt], null],
  ["another terminal's report after it", null, [seenAt, seenAt + 1], [], seenAt + 1],
  ["a report after the dispute", seenAt, [seenAt + 1], [], seenAt + 1],
  ["a word of its terminal after the report", null, [seenAt], [seenAt + 2], seenAt + 2],
  ["a word after the dispute", seenAt, [], [seenAt + 2], seenAt + 2],
])("nothing is closed that came after what the list shows: %s", async (_, disputed_at, reports, events, newest) => {
  await stage.put({ status: "linked", linked_at: 5_000, disputed_at });
  await stage.store.write(async (tx) => {
    for (const [n, created_at] of reports.entries()) {
      const row = { ...report, id: `r${n}`, device_id: `till-${n}`, transaction_id: id, created_at };
      await tx.run(adhoc((db) => db.insertInto("restored_reports").values(row)));
    }
    for (const [n, at] of events.entries())
      await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(eventAt(at, n + 2))));
  });
  const close = (seen?: number) => resolve("closed", seen === undefined ? {} : { seen: toTime(seen) });
  if (newest !== null) {
    const why = `more came about ${id} after ${toTime(seenAt)}, the last of it at ${toTime(newest)}: read "withdrawals show ${id}"; when all of that is cleared up, close it with --seen ${toTime(newest)}`;
    for (const seen of [undefined, newest - 1]) await expect(close(seen)).rejects.toThrow(why);
    expect(await stage.rows("restored_reports")).toMatchObject(reports.map(() => ({ closed_at: null })));
    expect(await stage.rows("withdrawals")).toMatchObject([{ disputed_at }]);
  }
  expect(await close(newest ?? undefined)).toEqual({ transaction: id, status: "closed" });
  expect(await listOpenWithdrawals(stage.service, {})).toEqual([]);
});

test("a database that fails while it is closed says so itself", async () => {
  const write = () => Promise.reject(new Error("no disk"));
  const failing = { ...stage.service, store: { ...stage.store, write } } as unknown as Chaining;
  await expect(resolveWithdrawal(failing, { id, outcome: "closed", note: "x" })).rejects.toThrow(/^no disk$/);
});

test("nor is what came before the last close more than what the list shows", async () => {
  await stage.put({ status: "linked", linked_at: 5_000, disputed_at: seenAt });
  const closed = { kind: "dispute_closed" } as const;
  for (const [n, at] of [seenAt - 19, seenAt - 9].entries())
    await putEvents(eventAt(at, 2 * n + 1), eventAt(at + 1, 2 * n + 2, closed));
  await putEvents(eventAt(seenAt, 5));
  expect(await resolve("closed")).toEqual({ transaction: id, status: "closed" });
});

test.each<[what: string, event: Partial<Event>, isWord: boolean]>([
  ["that its terminal says the same as an operator is a word", { kind: "cash_reported", reason: "linked" }, true],
  ["that its bank answers is none", { kind: "transition", from_status: "settling", reason: null }, false],
])("after a dispute has begun, %s", async (_, event, isWord) => {
  await stage.put({ status: "linked", linked_at: 5_000, disputed_at: seenAt });
  await putEvents(eventAt(seenAt, 2), eventAt(seenAt + 3, 3, event));
  if (isWord) await expect(resolve("closed")).rejects.toThrow(`the last of it at ${toTime(seenAt + 3)}`);
  else expect(await resolve("closed")).toEqual({ transaction: id, status: "closed" });
});

const byRestore = { kind: "transition", reason: "restored" } as const;
const contradicted = { kind: "contradicted", reason: "declined" } as const;
test.each<[what: string, first: Partial<Event>, second: Partial<Event>]>([
  [
    "its terminal has handed out what a restore had ended",
    { ...byRestore, from_status: "awaiting_sca", to_status: "canceled" },
    { ...byRestore, from_status: "canceled", to_status: "linked" },
  ],
  ["its bank has contradicted itself again", contradicted, contradicted],
])("what begins a dispute anew is more than what began it: %s", async (_, first, second) => {
  await stage.put({ status: "linked", linked_at: 5_000, disputed_at: seenAt + 3 });
  await putEvents(eventAt(seenAt, 2, first), eventAt(seenAt + 3, 3, second));
  const why = `more came about ${id} after ${toTime(seenAt)}, the last of it at ${toTime(seenAt + 3)}`;
  for (const more of [{}, { seen: toTime(seenAt) }]) await expect(resolve("closed", more)).rejects.toThrow(why);
  expect(await resolve("closed", { seen: toTime(seenAt + 3) })).toEqual({ transaction: id, status: "closed" });
});

const givenTwice = "first h1, then h2, of a report after a restore";
/** A report after a restore, and entries of a second hand-out of it. @param others details of entries that are of the withdrawal's own row. */
const putGivenTwice = async (at: number, others: readonly (string | null)[] = []) => {
  const entry = { at, event: "handed out twice", actor: "terminal corner-shop/till-1", address: null, object: "LOST" };
  await stage.store.write(async (tx) => {
    const row = { ...report, created_at: seenAt, other_hand_out_id: "h2" };
    await tx.run(adhoc((db) => db.insertInto("restored_reports").values(row)));
    for (const [n, detail] of [givenTwice, ...others].entries())
      await tx.run(
        adhoc((db) => db.insertInto("audit").values({ ...entry, seq: n + 1, detail, key_id: "k", hash: "" })),
      );
  });
  onTestFinished(() => stage.store.write(async (tx) => void (await tx.run(adhoc((db) => db.deleteFrom("audit"))))));
};
const closeLost = (more: object) =>
  resolveWithdrawal(stage.service as unknown as Chaining, { id: "LOST", outcome: "closed", note: "x", ...more });

test("another hand-out of what was reported after a restore is a word of its own, in the story too", async () => {
  await putGivenTwice(seenAt + 3, ["first h1, then h2", null]);
  expect((await showWithdrawal(stage.service, "LOST")).slice(1, -1)).toEqual([
    { at: toTime(seenAt + 3), what: "handed out twice", by: "terminal corner-shop/till-1", detail: givenTwice },
  ]);
  await expect(closeLost({})).rejects.toThrow(`--seen ${toTime(seenAt + 3)}`);
  await closeLost({ seen: toTime(seenAt + 3) });
  await expect(closeLost({ outcome: "paid", seen: "2026-11-20" })).rejects.toMatchObject({
    message: "--seen is for --outcome closed",
    fields: ["seen"],
  });
  await expect(closeLost({ seen: "yesterday" })).rejects.toThrow(/^--seen must be/);
});

test("of two more hand-outs in one millisecond the story has the first one first", async () => {
  const third = givenTwice.replace("h2", "h3");
  await putGivenTwice(seenAt + 3, [third]);
  const story = (await showWithdrawal(stage.service, "LOST")).slice(1, -1);
  expect(story.map(({ detail }) => detail)).toEqual([givenTwice, third]);
});

test("a second hand-out that is dated before the report, as the clock was set back, has not been seen with it", async () => {
  await putGivenTwice(seenAt - 3);
  await expect(closeLost({})).rejects.toThrow(`--seen ${toTime(seenAt)}`);
  await closeLost({ seen: toTime(seenAt) });
});

test("an operator may insist against a terminal that was heard", async () => {
  await stage.put({ status: "settled", ...waited });
  await heard(nowMs - 1);
  expect(await resolve("not-handed-out", { force: "" })).toEqual({ transaction: id, status: "undelivered" });
});
