/** What becomes of a withdrawal that a restore has ended, or of its line, when its terminal repeats what it reported. */
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { auditAbout } from "../../../backend/access/audit.ts";
import type { Service } from "../../../backend/context.ts";
import type { AsReported } from "../../../backend/contract/pos.ts";
import { decidedByOperator } from "../../../backend/contract/reasons.ts";
import { dayMs, toTime } from "../../../backend/contract/times.ts";
import { readTill } from "../../../backend/merchants/merchants.ts";
import { updatePartner } from "../../../backend/partner/partners.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { insertRestore } from "../../../backend/store/restores.ts";
import type { Database, RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { closeDispute, ofReport, otherHandOutEvent } from "../../../backend/withdrawals/dispute.ts";
import { declareUndelivered, linkTransaction } from "../../../backend/withdrawals/link.ts";
import { reconcile } from "../../../backend/withdrawals/reconcile.ts";
import { resolveSca } from "../../../backend/withdrawals/resolve-sca.ts";
import { applyRestore } from "../../../backend/withdrawals/restored.ts";
import { entryOfLine, purgeReports } from "../../../backend/withdrawals/restored-reports.ts";
import { watchedTx } from "../../service/test-tx.ts";
import { bank, otherShop, secondTill, till } from "../../service/world.ts";
import { id, nowMs, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
beforeEach(() => stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("audit")))));
const conflict = { code: "transaction_conflict" };
const notFound = { code: "transaction_not_found" };
const known: AsReported = { transaction_id_partner: "pos-1", amount: "50.00", currency: "EUR" };
const link = (said: Partial<AsReported> = {}, terminal = till) =>
  linkTransaction(stage.service, terminal, id, null, { ...known, ...said }, "hand-out");
const undelivered = (said: Partial<AsReported> = {}, terminal = till) =>
  declareUndelivered(stage.service, terminal, id, "till_short", null, { ...known, ...said });
const putEnded = () =>
  stage.put({
    ...{ status: "canceled", reason: "restored", closed_at: 4_000, disputed_at: null },
    ...{ device_id: null, transaction_id_partner: null, confirmed_at: null, settled_at: null },
  });

const [cash, noCash] = [
  { status: "linked", linked_at: nowMs, closed_at: null, undelivered_reason: null, hand_out_id: "hand-out" },
  { status: "undelivered", linked_at: null, closed_at: nowMs, undelivered_reason: "till_short", hand_out_id: null },
] as const;
test.each([
  ["handed out, is paid, and disputed until then", link, cash, nowMs, 1, '["hand-out"]'],
  ["not handed out, is not paid, and agreed", undelivered, noCash, null, 0, null],
] as const)(
  "one that its bank has approved again and that was %s",
  async (_, report, end, disputed_at, orders, terms) => {
    const { status } = end;
    await putEnded();
    await resolveSca(stage.service, bank, id, "approved");
    expect(await report()).toMatchObject({ status });
    expect(await stage.rows("withdrawals")).toMatchObject([{ ...end, disputed_at }]);
    expect([stage.sent.orders.length, (await stage.rows("outbox")).length]).toEqual([orders, orders]);
    expect(stage.counted.transitions).toEqual([`canceled>${status}`]);
    expect((await stage.history()).slice(1)).toMatchObject([
      { kind: "transition", from_status: "canceled", to_status: status, terms },
      ...(status === "linked" ? [] : [{ kind: "dispute_closed", reason: "approved" }]),
    ]);
  },
);

test.each([
  ["paid", () => stage.put({ status: "settled" }), "settled"],
  ["ended by a restore", putEnded, "canceled"],
] as const)("the history has who handed out what was %s, and which hand-out it was", async (_, putIt, from_status) => {
  await putIt();
  await linkTransaction(stage.service, till, id, "Cleo", known, "hand-out");
  const event = { from_status, to_status: "linked", cashier: "Cleo", terms: '["hand-out"]' };
  expect(await stage.history()).toMatchObject([event]);
  const rows = [...(await stage.rows("withdrawals")), ...(await stage.rows("archived_withdrawals"))];
  expect(rows).toMatchObject([{ cashier: "Cleo", hand_out_id: "hand-out" }]);
});

test.each([
  ["with more digits than its currency has, it is not taken", {}, { amount: "50.000" }, "validation_failed", 0],
  ["while its bank is asked, it comes again in five seconds", { status: "settling" }, {}, "unavailable", 5],
] as const)("%s", async (_, row, said, code, retryAfterSeconds) => {
  await stage.put(row);
  const extra = retryAfterSeconds === 0 ? { errors: [{ path: "as_reported.amount" }] } : { retryAfterSeconds };
  await expect(link(said)).rejects.toMatchObject({ code, extra });
});

test("under a terminal's id that an ended one has it stays as it is: nobody knows which of the two is meant", async () => {
  await putEnded();
  const names = { merchant_id: till.merchantId, device_id: till.deviceId, transaction_id_partner: "pos-1" };
  const used = { ...names, transaction_id: secondId, created_at: 1 };
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("terminal_references").values(used))));
  await expect(link()).rejects.toMatchObject(conflict);
  expect(await stage.rows("withdrawals")).toMatchObject([{ status: "canceled", device_id: null }]);
});

test.each([
  [{}, nowMs],
  [{ confirmed_at: 2_000, settled_at: 3_000, reported_at: 4_000 }, 2_000],
  [{ settled_at: 3_000, reported_at: 4_000 }, 3_000],
  [{ confirmed_at: 3_500, settled_at: 3_000 }, 3_000],
])("what is said to have been at %j was confirmed at %d", async (times, confirmed_at) => {
  await putEnded();
  await link(Object.fromEntries(Object.entries(times).map(([name, at]) => [name, toTime(at)])));
  expect(await stage.rows("withdrawals")).toMatchObject([{ status: "linked", confirmed_at }]);
});

/** A copy of day 20 was put back on day 22. */
const [forgotSince, restoredAt] = [20 * dayMs, 22 * dayMs];
const putRestore = () =>
  stage.store.write((tx) => tx.run(insertRestore({ restored_at: restoredAt, forgot_since: forgotSince })));

test.each([
  ["the same", {}, 0],
  ["of another id of a terminal", { transaction_id_partner: "pos-2" }, 1],
  ["of another amount", { amount: "60.00" }, 1],
  ["in another currency", { currency: "CHF" }, 1],
  ["of another end", {}, 1, undelivered],
])("what a terminal repeats under another name is %s", async (_, said, lines, report = link) => {
  await stage.put({ status: "linked", linked_at: 4_000, transaction_id_partner: "pos-1", hand_out_id: "hand-out" });
  await putRestore();
  stage.clock.jump(restoredAt);
  expect(await report(said, secondTill)).toMatchObject({ status: report === link ? "linked" : "undelivered" });
  expect(await stage.rows("restored_reports")).toHaveLength(lines);
  expect(stage.counted.transitions).toEqual([]);
});

test.each([
  ["was taken after it", { status: "linked", reason: "restored", linked_at: 4_000 }, true],
  ["had ended before it", { status: "canceled", reason: "user_canceled", closed_at: 4_000 }, true],
  ["has ended by one that nobody knows", { status: "canceled", reason: "restored", closed_at: 4_000 }, false],
] as const)("a repeat that says nothing of the restore, of what %s, leaves no line", async (_, row, isKnown) => {
  await stage.put(row);
  if (isKnown) await putRestore();
  stage.clock.jump(restoredAt);
  const answer = linkTransaction(stage.service, till, id);
  if (row.status === "linked") expect(await answer).not.toHaveProperty("hand_out_id");
  else await expect(answer).rejects.toMatchObject(conflict);
  expect(await stage.rows("restored_reports")).toEqual([]);
});

test.each([
  ["pos-7", "pos-7"],
  [null, ""],
])("a repeat that says nothing of the restore leaves a line of what the copy knows: %j", async (known, noted) => {
  const of = { id, amount: 4_200, currency: "CHF" };
  await stage.put({ ...of, status: "canceled", reason: "restored", closed_at: 4_000, transaction_id_partner: known });
  await putRestore();
  stage.clock.jump(restoredAt);
  await expect(linkTransaction(stage.service, till, id, "Cleo")).rejects.toMatchObject(conflict);
  const line = { transaction_id: id, amount: 4_200, currency: "CHF", transaction_id_partner: noted, cashier: "Cleo" };
  expect(await stage.rows("restored_reports")).toMatchObject([line]);
});

test.each(["ready", "undelivered"] as const)(
  "a hand-out of one that is %s is refused as ever, and no line of its own",
  async (status) => {
    await stage.put({ status, deadline_at: status === "ready" ? restoredAt + dayMs : null });
    await putRestore();
    stage.clock.jump(restoredAt);
    await expect(link()).rejects.toMatchObject(conflict);
    expect(await stage.rows("restored_reports")).toEqual([]);
  },
);

test("what has ended by its time, before the restore was said, is a line once its terminal has handed it out", async () => {
  await stage.put({ status: "expired", reason: "order_expired", closed_at: 4_000 });
  await putRestore();
  stage.clock.jump(restoredAt);
  expect(await link()).toMatchObject({ status: "linked", reason: "restored" });
  expect(await stage.rows("restored_reports")).toMatchObject([{ transaction_id: id, status: "linked" }]);
});

test("another hand-out that a terminal repeats under another name is kept beside the first", async () => {
  await stage.put({ status: "linked", linked_at: 4_000, transaction_id_partner: "pos-1", hand_out_id: "other" });
  await putRestore();
  expect(await link({}, secondTill)).toMatchObject({ status: "linked", hand_out_id: "other" });
  expect(await stage.rows("withdrawals")).toMatchObject([{ other_hand_out_id: "hand-out", disputed_at: nowMs }]);
});

test("what another shop's terminal says alike is a line of that shop's, and no word of this one's", async () => {
  await stage.put({ status: "linked", transaction_id_partner: "pos-1", partner_reference: "ref-1" });
  await putRestore();
  stage.clock.jump(restoredAt);
  expect(await link({}, otherShop)).toMatchObject({ store: "other-shop", partner_reference: null });
  expect(await stage.rows("restored_reports")).toMatchObject([{ transaction_id: id, merchant_id: "other-shop" }]);
});

test.each([
  ["a day before what was forgotten", 30, forgotSince - dayMs, {}, forgotSince],
  ["earlier", 30, forgotSince - dayMs - 1, {}, null],
  ["a day after the restore", 30, restoredAt + dayMs, {}, restoredAt + dayMs],
  ["later", 30, restoredAt + dayMs + 1, {}, null],
  ["in years, when it is a day after the restore", 23, 9_999 * dayMs, {}, 23 * dayMs],
  ["before and after it", 30, forgotSince - 2 * dayMs, { reported_at: toTime(restoredAt + 2 * dayMs) }, forgotSince],
  ["earlier, and names the restore", 30, 0, { restored_at: toTime(restoredAt) }, forgotSince],
  ["earlier, and names another one", 30, 0, { restored_at: toTime(restoredAt + 1) }, null],
  ["its time, and names another one", 30, forgotSince + 5, { restored_at: toTime(restoredAt + 1) }, forgotSince + 5],
] as const)("one that nobody knows, said to be of %s: on day %d", async (_, day, at, said, confirmed_at) => {
  await putRestore();
  stage.clock.jump(day * dayMs - nowMs);
  const answer = link({ confirmed_at: toTime(at), ...said });
  if (confirmed_at === null) await expect(answer).rejects.toMatchObject(notFound);
  else expect(await answer).toMatchObject({ status: "linked", reason: "restored" });
  const line = { transaction_id: id, confirmed_at, status: "linked", hand_out_id: "hand-out" };
  expect(await stage.rows("restored_reports")).toMatchObject(confirmed_at === null ? [] : [line]);
});

const insert = (table: keyof Database, row: object) =>
  stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto(table).values(row as never))));
const report = {
  ...{ transaction_id: id, device_id: "till-2", status: "linked", undelivered_reason: null, cashier: null },
  ...{ transaction_id_partner: "pos-1", amount: 5_000, currency: "EUR", confirmed_at: 0, settled_at: null },
  ...{ reported_at: 4_000, created_at: 5_000, closed_at: null, hand_out_id: null, other_hand_out_id: null },
};
const ofTill = { ...report, merchant_id: till.merchantId, device_id: till.deviceId };
test.each([
  ["handed out", link, { status: "linked", linked_at: toTime(restoredAt), closed_at: null, reason: "restored" }],
  [
    "not handed out",
    undelivered,
    { status: "undelivered", linked_at: null, closed_at: toTime(restoredAt), reason: "till_short" },
  ],
])("one that nobody knows and that was %s is answered and kept with its times", async (_, report, end) => {
  await putRestore();
  stage.clock.jump(30 * dayMs);
  const [confirmed_at, settled_at, reported_at] = [forgotSince + 1, forgotSince + 2, restoredAt];
  const times = { confirmed_at: toTime(confirmed_at), settled_at: toTime(settled_at) };
  expect(await report({ ...times, reported_at: toTime(reported_at) })).toMatchObject({
    ...{ ...times, created_at: times.confirmed_at, expires_at: times.confirmed_at, sca_required: true, ...end },
  });
  const lines = await stage.rows("restored_reports");
  expect(lines).toMatchObject([{ confirmed_at, settled_at, reported_at }]);
  const entry = entryOfLine(lines[0] as unknown as RowOf<"restored_reports">);
  expect(await stage.store.read((tx) => tx.all(auditAbout(entry)))).toMatchObject([entry]);
});

test.each([
  [{ settled_at: 1 }, { confirmed_at: 1, settled_at: 1, reported_at: 10 * dayMs, created_at: 10 * dayMs }],
  [{ reported_at: -1 }, { confirmed_at: 0, settled_at: null, reported_at: 0 }],
  [{}, { confirmed_at: 10 * dayMs, settled_at: null, reported_at: 10 * dayMs }],
])("a line of what was at %j after the copy was made is of %j after it, and of its cashier", async (said, kept) => {
  await putRestore();
  stage.clock.jump(30 * dayMs - nowMs);
  const since = (times: object, as: (at: number) => unknown) =>
    Object.fromEntries(Object.entries(times).map(([name, at]) => [name, at === null ? null : as(forgotSince + at)]));
  await linkTransaction(stage.service, till, id, "Cleo", { ...known, ...since(said, toTime) }, null);
  expect(await stage.rows("restored_reports")).toMatchObject([{ ...since(kept, (at) => at), cashier: "Cleo" }]);
});

test("of a report that names no restore none is looked for by its name", async () => {
  await putRestore();
  stage.clock.jump(30 * dayMs);
  const early = { ...known, confirmed_at: toTime(0) };
  const names = await stage.namesOf((service) =>
    expect(linkTransaction(service, till, id, null, early, "hand-out")).rejects.toMatchObject(notFound),
  );
  expect(names).toContain("restore_over");
  expect(names).not.toContain("restore_named");
});

test("a line of a shop that the copy does not know has its id for a name", async () => {
  await putRestore();
  stage.clock.jump(restoredAt);
  const gone = { merchantId: "gone", deviceId: "till-1" };
  expect(await link({}, gone)).toMatchObject({ store: "gone", store_name: "gone" });
});

/** A service whose n-th commit does something before. */
const beforeCommit = (nth: number, act: () => unknown): Service => {
  let commits = 0;
  const write: Service["store"]["write"] = async (unit, about) => {
    commits += 1;
    if (commits === nth) await act();
    return stage.store.write(unit, about);
  };
  return { ...stage.service, store: { ...stage.store, write } };
};
const linkOn = (service: Service) => linkTransaction(service, till, id, null, known, "hand-out");

test.each([
  ["the first look", 1, new Error("cut off")],
  ["the first look, as the database has just been replaced", 1, new ServiceError("unavailable")],
  ["the line", 2, new Error("cut off")],
])("a commit that fails is no refusal, and leaves nothing: %s", async (_, nth, error) => {
  await putRestore();
  stage.clock.jump(restoredAt);
  const failing = beforeCommit(nth, () => Promise.reject(error));
  await expect(linkOn(failing)).rejects.toBe(error);
  expect(await stage.rows("restored_reports")).toEqual([]);
});

test("a copy of the terminal that is quicker between two looks has its word, and the hand-out is kept beside it", async () => {
  await putEnded();
  await expect(linkOn(beforeCommit(2, () => undelivered()))).rejects.toMatchObject(conflict);
  expect(await stage.rows("withdrawals")).toMatchObject([{ status: "undelivered", other_hand_out_id: "hand-out" }]);
});

test("a copy of the terminal whose line is quicker has its word, and the hand-out is kept beside it", async () => {
  await putRestore();
  stage.clock.jump(restoredAt);
  let isThere = false;
  const write: Service["store"]["write"] = (unit) =>
    stage.store.write((tx) =>
      unit(
        watchedTx(tx, async (step) => {
          if (step === "changed" || step.name !== "restored_reports_count" || isThere) return;
          isThere = true;
          const quicker = { ...ofTill, id: "quicker" };
          await tx.run(
            adhoc((db) => db.insertInto("restored_reports").values({ ...quicker, hand_out_id: "other" } as never)),
          );
        }),
      ),
    );
  const answer = await linkOn({ ...stage.service, store: { ...stage.store, write } });
  expect(answer).toMatchObject({ status: "linked", hand_out_id: "other" });
  expect(await stage.rows("restored_reports")).toMatchObject([{ id: "quicker", other_hand_out_id: "hand-out" }]);
});

test.each([
  [9_999, 10_000],
  [10_000, 10_000],
])("of a terminal with %d lines a further one is taken up to ten thousand: %d", async (before, after) => {
  await putRestore();
  stage.clock.jump(restoredAt);
  const own = { ...ofTill, id: "1", transaction_id: "1" };
  await insert("restored_reports", own);
  const columns = Object.keys(own).map((name) =>
    name === "id" || name === "transaction_id" ? sql`n` : sql.ref(`one.${name}`),
  );
  const more = sql`with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < ${sql.lit(before)})
    insert into restored_reports (${sql.join(Object.keys(own).map((name) => sql.ref(name)))})
    select ${sql.join(columns)} from numbers, restored_reports as one where one.id = '1'`;
  await stage.store.write((tx) => tx.run(adhoc((db) => ({ compile: () => more.compile(db) }))));
  const answer = link();
  if (before < after) expect(await answer).toMatchObject({ status: "linked" });
  else await expect(answer).rejects.toMatchObject(notFound);
  expect(await stage.rows("restored_reports")).toHaveLength(after);
});

test("of lines that have had their time the closed ones go, as many as are asked for", async () => {
  const lines = { open: null, first: 6_000, second: 6_000 };
  for (const [name, closed_at] of Object.entries(lines))
    await insert("restored_reports", { ...ofTill, id: name, transaction_id: name, closed_at });
  const purge = () => stage.store.write((tx) => tx.run(purgeReports({ before: 5_001, limit: 1 })));
  expect([await purge(), await purge(), await purge()]).toEqual([1, 1, 0]);
  expect(await stage.rows("restored_reports")).toMatchObject([{ id: "open" }]);
});

const audited = async () =>
  (await stage.store.read((tx) => tx.all(auditAbout({ event: otherHandOutEvent, object: id })))).map(
    ({ detail }) => detail,
  );
const audit = (seq: number, actor: string, detail: string) =>
  insert("audit", {
    ...{ seq, at: 0, event: otherHandOutEvent, actor, address: null, object: id, detail },
    key_id: "k",
    hash: "",
  });

test("a hand-out of what was said not to have been handed out is told of the line, which it opens again", async () => {
  const line = { ...ofTill, id: "r", status: "undelivered", closed_at: 6_000 };
  await insert("restored_reports", { ...line, undelivered_reason: "till_short" });
  await putRestore();
  stage.clock.jump(restoredAt);
  // Its own word opens nothing.
  await undelivered();
  expect(await stage.rows("restored_reports")).toMatchObject([{ closed_at: 6_000 }]);
  for (const _ of ["said", "said again"]) expect(await link()).toMatchObject({ status: "undelivered" });
  expect(await stage.rows("restored_reports")).toMatchObject([{ closed_at: null, other_hand_out_id: "hand-out" }]);
  expect(await audited()).toEqual([`first undelivered, then hand-out${ofReport}`]);
});

test.each([
  ["another terminal", `terminal ${till.merchantId}/till-9`, ofReport],
  ["the withdrawal itself", `terminal ${till.merchantId}/${till.deviceId}`, ""],
])("that ten hand-outs were told of %s keeps none from being told of a line", async (_, actor, of) => {
  await insert("restored_reports", { ...ofTill, id: "r", hand_out_id: "h0" });
  for (let n = 1; n <= 10; n += 1) await audit(-n, actor, `first h0, then h${n}${of}`);
  await putRestore();
  stage.clock.jump(restoredAt);
  expect(await link()).toMatchObject({ hand_out_id: "h0" });
  expect(await stage.rows("restored_reports")).toMatchObject([{ other_hand_out_id: "hand-out" }]);
  expect(await audited()).toContain(`first h0, then hand-out${ofReport}`);
});

test.each([
  ["decided_by_operator", "hold_withdrawals"],
  ["decided_by_operator", "withdrawal_events_of"],
  [null, "withdrawal_shown_by_id"],
] as const)("what retention deletes meanwhile is answered as it was read (%s, behind %s)", async (reason, behind) => {
  await stage.put({ status: "linked", reason, linked_at: 4_000, hand_out_id: "other" });
  const write: Service["store"]["write"] = (unit) =>
    stage.store.write((tx) =>
      unit(
        watchedTx(tx, async (step) => {
          if (step !== "changed" && step.name === behind) await tx.run(adhoc((db) => db.deleteFrom("withdrawals")));
        }),
      ),
    );
  const answer = await linkOn({ ...stage.service, store: { ...stage.store, write } });
  expect(answer).toMatchObject({ status: "linked", hand_out_id: "other" });
  expect(await stage.history()).toEqual([]);
});

test("a repeat of the same hand-out holds nothing for a look at others", async () => {
  await stage.put({ status: "linked", linked_at: 4_000, hand_out_id: "hand-out" });
  const names = await stage.namesOf((service) => linkTransaction(service, till, id, null, undefined, "hand-out"));
  expect(names).toEqual(["link_settled", "withdrawal_shown_by_id"]);
});

const findings = async () => {
  for await (const lines of reconcile(stage.service, till, { fromMs: 0, toMs: nowMs }))
    return lines.map(({ finding, reason }) => [finding, reason]);
  return [];
};

test("a line is in doubt by what its own shop's terminals repeat, and by no other shop's", async () => {
  await stage.put({ status: "linked", linked_at: 4_000 });
  await insert("restored_reports", { ...report, id: "r1", merchant_id: otherShop.merchantId });
  expect(await findings()).toEqual([["matched", null]]);
  await insert("restored_reports", { ...report, id: "r2", merchant_id: till.merchantId });
  expect((await findings()).at(-1)).toEqual(["restored", null]);
});

test.each([1_000, 0])("a bank's other answer is found in the history, filed under %d", async (asked_at) => {
  await stage.put({ disputed_at: 5_000 });
  await stage.putContradiction("declined");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawal_events").set({ asked_at }))));
  expect(await findings()).toEqual([["disputed", "declined_after_accepted"]]);
});

test("a restore is ten seconds later than the one before, so that no event has a number twice", async () => {
  await insert("restores", { restored_at: nowMs, forgot_since: 0 });
  const { restoredAt: at } = await applyRestore(stage.service, { forgotSince: 0 });
  expect(at).toBe(nowMs + 10_000);
});

test("whoever closes a dispute closes what was repeated of it as well", async () => {
  await stage.put({ status: "linked", disputed_at: 5_000 });
  await insert("restored_reports", { ...report, id: "r1", merchant_id: till.merchantId });
  const names = await stage.namesOf(async (service) => {
    expect(await closeDispute(service, id, "ada", "looked at")).toBe(true);
  });
  expect(await stage.rows("withdrawals")).toMatchObject([{ disputed_at: null }]);
  expect(await stage.rows("restored_reports")).toMatchObject([{ closed_at: nowMs }]);
  // What is said meanwhile waits, and disputes it anew.
  expect(names[0]).toBe("hold_withdrawals");
});

test.each([
  ["closed", null, null, (service: Service) => closeDispute(service, id, "ada", "looked at")],
  [
    "handed out twice",
    null,
    5_000,
    (service: Service) => linkTransaction(service, till, id, null, undefined, "hand-out"),
  ],
  [
    "not handed out, as an operator has it",
    decidedByOperator,
    5_000,
    (service: Service) => declareUndelivered(service, till, id, "till_short"),
  ],
] as const)("what has ended is held as well while it is %s", async (_, reason, disputed_at, act) => {
  await stage.putArchived({ status: "linked", reason, linked_at: 4_000, hand_out_id: "other", disputed_at: 5_000 });
  const names = await stage.namesOf(act);
  expect(names).toContain("hold_archived_withdrawals");
  // A further word leaves it disputed since the first one.
  expect(await stage.rows("archived_withdrawals")).toMatchObject([{ disputed_at }]);
});

test("a bank's event of what a restore has ended is above all before, though a clock dated it after the restore", async () => {
  const address = (events_url: string | null) =>
    stage.store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url })));
  await address("https://bank.example/events");
  await putEnded();
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("withdrawals").set({ created_at: 2 * restoredAt }))),
  );
  await putRestore();
  await link().finally(() => address(null));
  expect(stage.sent.events.map(({ id }) => id)).toEqual([`event_${id}_8`]);
  // It is sent by this process.
  expect(await stage.rows("status_events")).toMatchObject([{ attempts: 1 }]);
});

test.each([
  [89, 1],
  [90, 88],
])("a terminal repeats for a restore of %d days before the last one's day: since day %d", async (days, since) => {
  stage.clock.jump(91 * dayMs - nowMs);
  const put = (day: number) =>
    insert("restores", { restored_at: (91 - day) * dayMs, forgot_since: (91 - day - 1) * dayMs });
  await put(days);
  await put(2);
  expect(await readTill(stage.service, till)).toMatchObject({ forgot_since: toTime(since * dayMs) });
});

test.each([
  [0, 0, 0, null],
  [7, 0, forgotSince, { seq: 7, head: "head" }],
  [7, 0, forgotSince + 1, null],
  [7, restoredAt, 0, null],
])(
  "of link %d of its journal, after the restore of %d, received at %d, a terminal is told %j",
  async (seq, after_restore, received_at, kept_head) => {
    const head = { merchant_id: till.merchantId, device_id: till.deviceId, epoch: 1, seq, head: "head", at: 0 };
    await insert("journal_heads", { ...head, received_at, after_restore });
    await putRestore();
    await insert("restores", { restored_at: restoredAt + dayMs, forgot_since: restoredAt });
    stage.clock.jump(restoredAt + 2 * dayMs);
    expect(await readTill(stage.service, till)).toMatchObject({ kept_head });
  },
);
