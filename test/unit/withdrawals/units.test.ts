/** What a unit of work asks of the database beside its own change, and what it leaves out. */
import { expect, onTestFinished, test } from "vitest";
import { appendAudit } from "../../../backend/access/audit.ts";
import type { EventKind } from "../../../backend/contract/history.ts";
import { dayMs } from "../../../backend/contract/times.ts";
import type { Status } from "../../../backend/contract/transaction.ts";
import {
  allowMerchant,
  disallowMerchant,
  everyMerchant,
  partnerById,
  updatePartner,
} from "../../../backend/partner/partners.ts";
import { insertRestore, restoredEvent, restoresBeforeSetting } from "../../../backend/store/restores.ts";
import { addSetting, removeSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store, UniqueViolation } from "../../../backend/store/store.ts";
import { userKey } from "../../../backend/store/user-key.ts";
import { archiveEnded, lockEnded, opensDispute } from "../../../backend/withdrawals/closed.ts";
import { confirmTransaction } from "../../../backend/withdrawals/confirm.ts";
import { closeDispute, endDisputeAgreed, listDisputes, recordDispute } from "../../../backend/withdrawals/dispute.ts";
import { decideCash, decideWithdrawal, listOpen } from "../../../backend/withdrawals/open.ts";
import { rejectTransaction } from "../../../backend/withdrawals/reject.ts";
import { startAnswered } from "../../../backend/withdrawals/request.ts";
import { resolveSca } from "../../../backend/withdrawals/resolve-sca.ts";
import {
  applyRestore,
  approvalOf,
  correctRestore,
  endRestored,
  newestMoment,
  noteApproval,
  payRestored,
  takeReported,
} from "../../../backend/withdrawals/restored.ts";
import {
  acceptStart,
  admissionFor,
  approveSca,
  cancelReady,
  confirmReady,
  denySca,
  holdDue,
  linkSettled,
  rejectOpen,
  settledToUndelivered,
  storeOfPartner,
} from "../../../backend/withdrawals/store.ts";
import {
  bySweeper,
  type HashedEvent,
  historyHash,
  recordHistory,
  recordTransition,
  writeExpiry,
} from "../../../backend/withdrawals/transition.ts";
import { scriptedTx } from "../../service/test-tx.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, keepTogether, testKeys, till } from "../../service/world.ts";
import { id, nowMs, playUnit, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const written = { keys: testKeys, now: nowMs, cause: bySweeper };
const updated = { ...rowWith(), previous_hash: "before", wants_events: 0, restored_at: null };

test("where none has ended nothing is copied: PostgreSQL takes no empty list", async () => {
  expect(
    await playUnit(
      (tx) => archiveEnded(tx, 1, 2, 3),
      () => [],
    ),
  ).toMatchObject({ value: 0, names: ["withdrawals_ended"] });
});

test.each([
  {},
  // Made up in the very millisecond of the move, of one that has gone on since.
  { archived_at: nowMs, history_length: 4 },
])("one that is in the archive already, with %j, does not end by being moved there again", async (copy) => {
  await stage.put({ status: "linked", linked_at: 4_000 });
  await stage.putArchived({ status: "linked", linked_at: 4_000, ...copy });
  expect(await stage.store.write((tx) => archiveEnded(tx, nowMs, nowMs, 5))).toBe(0);
  expect([(await stage.rows("withdrawals")).length, (await stage.rows("archived_withdrawals")).length]).toEqual([1, 1]);
});

test.each([
  ["lockEnded", lockEnded({ before: 1, repeated: 1, limit: 2 })],
  ["holdDue", holdDue([id], 1)],
])("%s passes over what another process of a fleet holds", (_, query) => {
  expect(query.sql("postgres").text).toMatch(/for update skip locked/);
  expect(query.sql("sqlite").text).not.toMatch(/for update/);
});

test.each([
  ["the hash that came with the row", 3, "before", "other", ["withdrawal_event_insert"], "before"],
  ["the hash that is read again", 3, null, "other", ["withdrawal_event_hash", "withdrawal_event_insert"], "other"],
  [
    "none, after a row of a release that made none",
    2,
    null,
    null,
    ["withdrawal_event_hash", "withdrawal_event_insert"],
    "",
  ],
  ["none, after a row that is gone", 2, null, undefined, ["withdrawal_event_hash", "withdrawal_event_insert"], ""],
  ["none, as the first", 1, null, "other", ["withdrawal_event_insert"], ""],
] as const)(
  "a row of the history goes on from %s",
  async (_, history_length, previous_hash, found, names, previous) => {
    const row = { ...rowWith({ id, history_length }), previous_hash };
    const asked: unknown[] = [];
    const played = await playUnit(
      (tx) => recordHistory({ tx, ...written }, row, "settling"),
      (_text, values) => {
        asked.push(values);
        return found === undefined ? [] : [{ hash: found }];
      },
    );
    expect([played.names, asked]).toEqual([
      names,
      names.length === 2 ? [[id, history_length - 1, row.created_at, 0]] : [],
    ]);
    const insert = played.steps.at(-1);
    if (insert === undefined || insert === "changed") throw new Error("no row was sent");
    const event: HashedEvent = {
      transaction_id: id,
      sequence: history_length,
      kind: "transition",
      at: nowMs,
      from_status: "settling",
      to_status: "settled",
      actor: "sweeper",
      actor_id: null,
      request_id: null,
      reason: null,
      attempt: null,
      cashier: null,
      terms: null,
      address: null,
    };
    expect(insert.sql("sqlite").values.slice(-2)).toEqual([
      historyHash(testKeys.history, previous, event, row),
      row.created_at,
    ]);
  },
);

test.each([
  [0, "settled", ["withdrawal_event_insert", "changed"]],
  [1, "settled", ["withdrawal_event_insert", "status_event_insert", "changed"]],
  [1, "settling", ["withdrawal_event_insert", "changed"]],
] as const)("a bank that wants events (%d) of one that is %s: %j", async (wants_events, status, names) => {
  const row = { ...updated, status, wants_events };
  const played = await playUnit(
    (tx) => recordTransition({ tx, ...written }, row, "settling"),
    () => [],
  );
  expect(played.names).toEqual(names);
});

test.each<[opens: boolean, kind: EventKind, from: Status, to: Status, reason: string | null]>([
  [true, "contradicted", "settled", "settled", "declined"],
  [true, "reported_again", "linked", "linked", "h-2"],
  [true, "cash_reported", "linked", "linked", "undelivered"],
  [false, "cash_reported", "linked", "linked", "linked"],
  [true, "decided", "failed", "failed", "the bank says so"],
  [false, "decided", "linked", "linked", "the drawer was counted"],
  [false, "transition", "settling", "failed", "settle_declined"],
  [true, "approved", "canceled", "canceled", "approved"],
  [false, "approved", "linked", "linked", "approved"],
  [false, "transition", "ready", "canceled", "user_canceled"],
  [true, "transition", "awaiting_sca", "canceled", "restored"],
  [false, "transition", "awaiting_sca", "canceled", "sca_timeout"],
  [false, "transition", "ready", "canceled", "restored"],
  [true, "transition", "canceled", "linked", "restored"],
  [false, "dispute_closed", "canceled", "canceled", "seen"],
  [false, "transition", "settled", "linked", null],
])("it is %s that a dispute begins with %s, from %s to %s, for %j", (opens, kind, from_status, to_status, reason) => {
  expect(opensDispute({ kind, from_status, to_status, reason })).toBe(opens);
});

test("what is not due, is gone or runs no more is left as it is", async () => {
  await stage.put({ status: "ready", deadline_at: nowMs + 1 });
  const { store, service } = stage;
  await stage.putArchived({ id: secondId, status: "linked", deadline_at: nowMs });
  for (const each of [id, secondId, "nobody's"])
    expect(await store.write((tx) => writeExpiry(tx, service, each, nowMs))).toBeUndefined();
  await store.write((tx) => recordDispute({ tx, ...written }, "nobody's", "accepted"));
  await store.write((tx) => endDisputeAgreed({ tx, ...written }, "nobody's", "declined"));
  expect(await stage.history()).toEqual([]);
});

test("a POS id that is taken, for a withdrawal that is gone meanwhile: there is none", async () => {
  const store = { ...stage.store, write: () => Promise.reject(new UniqueViolation(null)) };
  const body = { transaction_id: id, transaction_id_partner: "pos-1" };
  await expect(confirmTransaction({ ...stage.service, store }, till, body)).rejects.toMatchObject({
    code: "transaction_not_found",
  });
});

test("disputes are listed the oldest first, wherever they lie, and one that ends meanwhile once", async () => {
  await stage.put({ disputed_at: 30 });
  await stage.putArchived({ disputed_at: 30 });
  await stage.putArchived({ id: secondId, disputed_at: 10 });
  expect((await listDisputes(stage.store)).map((row) => row.id)).toEqual([secondId, id]);
});

test.each([
  [id, secondId],
  [secondId, id],
])("disputes of one moment are listed by their id, in whatever order they came: %s, %s", async (...ids) => {
  await stage.put(...ids.map((each) => ({ id: each, disputed_at: 20 })));
  expect((await listDisputes(stage.store)).map((row) => row.id)).toEqual([id, secondId]);
});

test("while a release before uses the database what has ended stays where that looks for its key", async () => {
  const apart = { name: "ended_apart", value: "1" };
  await stage.put(
    { status: "ready", deadline_at: nowMs + 1 },
    { id: secondId, status: "ready", deadline_at: nowMs + 1 },
  );
  await keepTogether(stage.store);
  try {
    await rejectTransaction(stage.service, till, id);
    expect(await stage.rows("archived_withdrawals")).toEqual([]);
  } finally {
    await stage.store.write((tx) => tx.run(addSetting(apart)));
  }
  await rejectTransaction(stage.service, till, secondId);
  expect([await stage.rows("withdrawals"), await stage.rows("archived_withdrawals")]).toMatchObject([
    [{ id }],
    [{ id: secondId }],
  ]);
});

test.each([
  [5_000, 4_999, 5_000],
  [5_000, 5_001, 5_001],
])(
  "one handed out at %i that leaves at %i has ended by %i, as the clock may have been ahead",
  async (linked_at, now, at) => {
    await stage.put({ status: "linked", linked_at });
    expect(await stage.store.write((tx) => archiveEnded(tx, 5_001, now, 5))).toBe(1);
    expect(await stage.rows("archived_withdrawals")).toMatchObject([{ archived_at: at }]);
  },
);

test.each([
  ["ready", null, null],
  ["awaiting_sca", 2_000, 2_000],
  ["rejected", null, nowMs],
  ["rejected", 2_000, 2_000],
] as const)(
  "one that is %s, confirmed at %j, is by a dispute in the report of %j",
  async (status, confirmed_at, at) => {
    await stage.put({ status, confirmed_at });
    await stage.store.write((tx) => recordDispute({ tx, ...written }, id, "accepted"));
    expect(await stage.rows("withdrawals")).toMatchObject([{ confirmed_at: at, disputed_at: nowMs }]);
  },
);

test.each([
  [null, 0],
  ["by-status-code", 1],
] as const)(
  "whether a bank may answer by its code alone, as %j says, goes with each order: %i",
  async (answers, isByCode) => {
    const say = (of: "by-status-code" | null) =>
      stage.store.write((tx) => tx.run(updatePartner(bank.partnerId, { answers: of })));
    await stage.put(
      { status: "ready", deadline_at: nowMs + 1 },
      { id: secondId, status: "awaiting_sca", deadline_at: nowMs + 1 },
    );
    await say(answers);
    try {
      const moved = await stage.store.write(async (tx) => [
        await tx.first(confirmReady({ ...byTill, ...confirming })),
        await tx.first(approveSca({ ...byBank, id: secondId })),
      ]);
      expect(moved).toMatchObject([{ answers_by_code: isByCode }, { answers_by_code: isByCode }]);
    } finally {
      await say(null);
    }
  },
);

test("a dispute waits for the order that is under way: it is on no list and cannot be closed", async () => {
  const close = () => closeDispute(stage.service, id, "olga", "seen");
  await stage.put({ status: "settling", disputed_at: 5 });
  expect([await listDisputes(stage.store), await close()]).toEqual([[], false]);
  expect(await stage.rows("withdrawals")).toMatchObject([{ disputed_at: 5 }]);
});

const decideLate = async (status: Status, decision: "paid" | "not-paid") => {
  await stage.put({ status });
  await stage.putOrder();
  stage.clock.jump(86_400_000);
  return decideWithdrawal(stage.service, id, decision, "olga", "asked");
};
test("an operator's no is known by the reason of a bank's, and by the address that was asked", async () => {
  const at = nowMs + dayMs;
  const failed = { status: "failed", reason: "settle_declined", closed_at: at, disputed_at: at };
  expect(await decideLate("settling", "not-paid")).toMatchObject(failed);
  expect(await stage.history()).toMatchObject([{ kind: "transition", address: "" }, { kind: "decided" }]);
});

test.each([
  [id, secondId],
  [secondId, id],
])("open ones of one moment are listed by their id, in whatever order they came: %s, %s", async (...ids) => {
  await stage.put(...ids.map((each) => ({ id: each, status: "settling" as const })));
  expect((await listOpen(stage.service)).map(({ row }) => row.id)).toEqual([id, secondId]);
});

test("of two operators who decide about cash at once the second is told that there is nothing to decide", async () => {
  const row = rowWith({ id, settled_at: 1 });
  const tx = scriptedTx(({ name }) => (name === "withdrawal_by_id" ? [row] : []));
  const store: Store = { ...stage.store, write: (unit) => unit(tx) };
  stage.clock.jump(dayMs);
  expect(await decideCash({ ...stage.service, store }, id, "handed-out", "olga", "counted", true)).toBeNull();
});

test.each(["settled", "linked"] as const)(
  "an order does not make one that is %s an operator's to decide",
  async (of) => {
    expect(await decideLate(of, "paid")).toBeNull();
    expect([(await stage.rows("outbox")).length, await stage.history()]).toEqual([1, []]);
  },
);

test("an approval writes one order and sends it, a refusal none", async () => {
  await stage.put(
    { status: "awaiting_sca", deadline_at: nowMs + 1 },
    { id: secondId, status: "awaiting_sca", deadline_at: nowMs + 1 },
  );
  await resolveSca(stage.service, bank, id, "denied");
  expect([await stage.rows("outbox"), stage.sent.orders]).toEqual([[], []]);
  await resolveSca(stage.service, bank, secondId, "approved");
  const terms = { terminal_reference: "pos-1", merchant_id: till.merchantId, amount: 5_000, currency: "EUR" };
  const itsBank = await stage.store.read((tx) => tx.first(partnerById({ id: bank.partnerId })));
  const orders = (await stage.rows("outbox")).map((order) => ({ ...order, ...terms, bank: itsBank }));
  expect([orders.length, stage.sent.orders]).toEqual([1, orders]);
});

test.each([
  ["accepted", "ready", "requested>ready"],
  ["declined", "declined", "requested>declined"],
] as const)(
  "a Start order that was %s moves it once; one that has moved meanwhile is answered as it is",
  async (kind, status, move) => {
    const answer = { kind, reason: null, address: "https://bank" };
    await stage.put({ status: "requested", deadline_at: nowMs + 1 });
    const answered = () => startAnswered(stage.service, rowWith({ id }), answer, bank, 1);
    expect(await answered()).toMatchObject({ id, status });
    expect(await answered()).toMatchObject({ id, status });
    expect(stage.counted.transitions).toEqual([move]);
    expect(await stage.rows("withdrawal_events")).toMatchObject([{ to_status: status, address: "https://bank" }]);
  },
);

test.each([
  [
    99,
    {
      ...{ audited: 33, restored: 30, created: 20, confirmed: 21, settled: 22, linked: 23, closed: 24 },
      ...{ ended: 99, ended_created: 9 },
    },
  ],
  // Each time just after it is one of a clock that was ahead.
  [
    19,
    {
      ...{ audited: null, restored: null, created: 15, confirmed: 16, settled: 17, linked: 18, closed: 19 },
      ...{ ended: null, ended_created: 9 },
    },
  ],
])("a restore looks at the newest of each time until %i", async (until, newest) => {
  const times = (n: number) => ({
    ...{ created_at: n, confirmed_at: n + 1, settled_at: n + 2, linked_at: n + 3, closed_at: n + 4 },
  });
  const restored = { id: "G", ...times(1), closed_at: 40, reason: "restored" as const };
  await stage.put({ id: "A", ...times(10) }, { id: "B", ...times(20) }, { id: "C", ...times(15) }, restored);
  for (const [name, created_at] of [["D", 7] as const, ["E", 9] as const, ["F", 8] as const])
    await stage.putArchived({ id: name, created_at, archived_at: created_at + 90 });
  const entry = { event: "a", actor: "b", address: null, object: "c", detail: null };
  for (const at of [31, 33, 32]) await stage.store.write((tx) => appendAudit(tx, testKeys, at, entry));
  // What a restore of before has left, but for the time of its copy.
  await stage.store.write((tx) => appendAudit(tx, testKeys, 40, { ...entry, event: restoredEvent }));
  await stage.store.write((tx) => tx.run(insertRestore({ restored_at: until, forgot_since: 30 })));
  expect(await stage.store.read((tx) => tx.first(newestMoment({ until })))).toEqual(newest);
});

test.each([
  ["without a time", 1, null, dayMs - 1],
  ["of now", 2, 2 * dayMs, 2 * dayMs],
  ["of a time to come", 3, 3 * dayMs + 1, 3 * dayMs - 1],
] as const)("a copy %s forgot since then, or since the newest time in it", async (_, day, said, forgotSince) => {
  stage.clock.jump(day * dayMs - nowMs);
  await stage.put({ settled_at: day * dayMs - 1 });
  expect(await applyRestore(stage.service, { forgotSince: said })).toMatchObject({ forgotSince });
});

test.each([
  ["before an older copy knew its last of now", -1, 0, nowMs],
  ["before its last of a time to come, by a clock that was ahead", -1, 1, null],
  ["just now, and after its last", 0, -1, null],
  ["at a time to come, which says nothing", 1, -1, nowMs],
])("a payment that was requested %s", async (_, requested, known, disputed_at) => {
  await stage.put({ status: "settled", created_at: nowMs + requested, settled_at: nowMs });
  const told = [{ since: nowMs - 2, knownUntil: nowMs + known }];
  await applyRestore(stage.service, { forgotSince: nowMs, told });
  expect(await stage.rows("withdrawals")).toMatchObject([{ disputed_at }]);
});

test.each([
  ["of before what is in it", 2, -2, "put", true],
  ["of before what has ended in it", 3, -2, "putArchived", true],
  ["of the newest request in it", 4, -1, "put", false],
  ["of after it", 6, 0, "put", false],
] as const)(
  "a copy %s: how far it knew is kept for a newer one, also when its time is corrected",
  async (_, day, said, put, isKept) => {
    const now = day * dayMs;
    const kept = { restored_at: now, forgot_since: now + said, known_until: now - 1 };
    stage.clock.jump(now - nowMs);
    await stage[put]({ created_at: now - 1, settled_at: now });
    const noted = async () => {
      const row = await stage.store.read((tx) => tx.first(settingByName({ name: restoresBeforeSetting })));
      return row === undefined ? null : JSON.parse(row.value);
    };
    onTestFinished(async () => {
      await stage.store.write((tx) => tx.first(removeSetting({ name: restoresBeforeSetting })));
    });
    await applyRestore(stage.service, { forgotSince: now + said });
    expect(await noted()).toEqual(isKept ? [kept] : null);
    await correctRestore(stage.service, { forgotSince: 5, by: "Ada" });
    const corrected = { restored_at: now + 1, forgot_since: 5, known_until: isKept ? now - 1 : now + said };
    expect(await noted()).toEqual([corrected]);
    await correctRestore(stage.service, { forgotSince: now, by: "Ada" });
    expect(await noted()).toEqual([]);
  },
);

test.each([
  [2_000, nowMs],
  [null, null],
])("one that a restore ends, confirmed at %j, is disputed since %j", async (confirmed_at, disputed_at) => {
  await stage.put({ status: "awaiting_sca", deadline_at: nowMs + 1, confirmed_at });
  await stage.store.write((tx) => tx.all(endRestored({ status: "awaiting_sca", now: nowMs, limit: 1 })));
  expect(await stage.rows("withdrawals")).toMatchObject([{ status: "canceled", disputed_at, deadline_at: null }]);
});

test("what a restore ends next is of one status, whatever else is open: fewer than its bound are the last", async () => {
  const waiting = { status: "awaiting_sca", deadline_at: nowMs + 1 } as const;
  await stage.put({ ...waiting, status: "ready" }, { ...waiting, id: secondId }, { ...waiting, id: "THIRD" });
  const next = async () => {
    const one = endRestored({ status: "awaiting_sca", now: nowMs, limit: 1 });
    return (await stage.store.write((tx) => tx.all(one))).length;
  };
  expect([await next(), await next(), await next()]).toEqual([1, 1, 0]);
});

test.each([
  ["between request and now", null, 1_500, 1_500],
  ["before the request", null, 999, 1_000],
  ["ahead of now", null, nowMs + 1, nowMs],
  ["other than the service knows", "till-1", 1_500, 2_000],
] as const)("a terminal's report of a confirmation %s", async (_, device_id, confirmedAt, confirmed_at) => {
  const merchant = "corner-shop";
  const known = device_id === null ? null : 2_000;
  await stage.put({
    status: "canceled",
    reason: "restored",
    device_id,
    confirmed_at: known,
    transaction_id_partner: null,
  });
  const reported = {
    ...{ id, merchant, device: "till-1", terminalReference: "pos-1", amount: 5_000, currency: "EUR" },
    ...{ status: "linked" as const, undeliveredReason: null, cashier: null, handOutId: "h1", confirmedAt, now: nowMs },
  };
  await stage.store.write((tx) => tx.all(takeReported(reported)));
  expect(await stage.rows("withdrawals")).toMatchObject([{ status: "linked", confirmed_at }]);
});

test.each([
  ["canceled", null, null, nowMs, nowMs],
  ["canceled", 2_000, 3_000, 2_000, 3_000],
  ["linked", 2_000, null, 2_000, null],
  ["linked", null, null, null, null],
] as const)(
  "an approval that is repeated of one that is %s, confirmed at %j, disputed at %j: %j, %j",
  async (status, confirmed_at, disputed_at, confirmed, disputed) => {
    await stage.put({ status, reason: "restored", settled_at: null, confirmed_at, disputed_at });
    await stage.store.write((tx) => tx.all(noteApproval({ id, partner: bank.partnerId, now: nowMs })));
    expect(await stage.rows("withdrawals")).toMatchObject([{ confirmed_at: confirmed, disputed_at: disputed }]);
  },
);

const byTill = { id, now: nowMs, merchant: "corner-shop", device: "till-1" };
const byBank = { id, now: nowMs, partner: bank.partnerId };
const confirming = { terminalReference: "pos-9", scaExpiresAt: nowMs + 9 };
const [rejecting, giving] = [{ reason: "cashier_rejected" }, { cashier: null, handOutId: null }] as const;
const keeping = { reason: "till_short", cashier: null };
const [elsewhere, beside, otherwise] = [{ merchant: "other-shop" }, { device: "till-2" }, { partner: "other-bank" }];
test.each([
  ["a confirmation of another shop's", "ready", confirmReady({ ...byTill, ...confirming, ...elsewhere })],
  ["a reject of another shop's", "ready", rejectOpen({ ...byTill, ...rejecting, ...elsewhere })],
  ["a reject of what another till has confirmed", "awaiting_sca", rejectOpen({ ...byTill, ...rejecting, ...beside })],
  ["a hand-out of another shop's", "settled", linkSettled({ ...byTill, ...giving, ...elsewhere })],
  ["a hand-out of what another till has confirmed", "settled", linkSettled({ ...byTill, ...giving, ...beside })],
  ["no cash of another shop's", "settled", settledToUndelivered({ ...byTill, ...keeping, ...elsewhere })],
  ["no cash of what another till has confirmed", "settled", settledToUndelivered({ ...byTill, ...keeping, ...beside })],
  ["a cancel of another bank's", "ready", cancelReady({ ...byBank, ...otherwise })],
  ["an approval of another bank's", "awaiting_sca", approveSca({ ...byBank, ...otherwise })],
  ["a denial of another bank's", "awaiting_sca", denySca({ ...byBank, ...otherwise })],
] as const)("%s moves nothing", async (_, status, query) => {
  await stage.put({ status, deadline_at: nowMs + 1 });
  expect(await stage.store.write((tx) => tx.all<{ id: string }>(query))).toEqual([]);
  expect(await stage.rows("withdrawals")).toMatchObject([{ status }]);
});
test.each([
  ["a bank's yes to a start", "requested", acceptStart({ id, now: nowMs })],
  ["a confirmation", "ready", confirmReady({ ...byTill, ...confirming })],
  ["a reject", "ready", rejectOpen({ ...byTill, ...rejecting })],
  ["a cancel", "ready", cancelReady(byBank)],
  ["an approval", "awaiting_sca", approveSca(byBank)],
  ["a denial", "awaiting_sca", denySca(byBank)],
] as const)("%s is in time before the deadline alone, and of one withdrawal alone", async (_, status, query) => {
  const moved = () => stage.store.write((tx) => tx.all<{ id: string }>(query));
  await stage.put({ status, deadline_at: nowMs }, { id: secondId, status, deadline_at: nowMs + 1 });
  expect(await moved()).toEqual([]);
  await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawals").set({ deadline_at: nowMs + 1 }))));
  expect(await moved()).toMatchObject([{ id }]);
});

test.each([
  [null, null],
  ["h2", 3_000],
])(
  "the bank's payment of one with another hand-out %j leaves it disputed: %j",
  async (other_hand_out_id, disputed_at) => {
    await stage.put({ status: "linked", reason: "restored", settled_at: null, other_hand_out_id, disputed_at: 3_000 });
    await stage.store.write((tx) => tx.all(payRestored({ id, now: nowMs, attempts: 4 })));
    expect(await stage.rows("withdrawals")).toMatchObject([{ settled_at: nowMs, settle_attempts: 4, disputed_at }]);
  },
);

test.each([
  [1, {}],
  [0, { transaction_id: secondId }],
  [0, { kind: "transition" as const }],
  [0, { asked_at: 1_001 }],
  // Of a release that did not file it.
  [1, { asked_at: 0 }],
])("%i is the bank's repeated approval, of an event with %j", async (count, change) => {
  await stage.put({});
  await stage.putContradiction("restored");
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("withdrawal_events").set({ kind: "approved" as const, ...change }))),
  );
  expect(await stage.store.read((tx) => tx.all(approvalOf({ id, askedAt: 1_000 })))).toHaveLength(count);
});

test.each([
  [[], null],
  [[1_000], null],
  [[1_001, 3_000, 2_000], 3_000],
])("of restores at %j the last that a withdrawal asked for at 1000 has seen is %j", async (restores, restored_at) => {
  await stage.put({ status: "requested", deadline_at: nowMs + 1 });
  const moved = await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom("restores")));
    for (const at of restores)
      await tx.run(adhoc((db) => db.insertInto("restores").values({ restored_at: at, forgot_since: 0 })));
    return tx.all(acceptStart({ id, now: nowMs }));
  });
  expect(moved).toMatchObject([{ id, restored_at }]);
});

test.each([
  [1, "withdrawals", {}],
  [0, "withdrawals", { partner_id: "other-bank" }],
  [0, "withdrawals", { merchant_id: "other-shop" }],
  [1, "archived_withdrawals", {}],
  [0, "archived_withdrawals", { partner_id: "other-bank" }],
  [0, "archived_withdrawals", { merchant_id: "other-shop" }],
] as const)("to a bank that may use no shop %i is known by one in %s with %j", async (count, table, row) => {
  await (table === "withdrawals" ? stage.put(row) : stage.putArchived(row));
  const [partner, merchant] = [bank.partnerId, "corner-shop"];
  const [known, admitted] = await stage.store.write(async (tx) => {
    await tx.run(disallowMerchant({ partner, merchant: everyMerchant }));
    const rows = [
      await tx.all(storeOfPartner({ partner, merchant })),
      await tx.all(admissionFor({ ...userKey(partner, "ann"), merchant, key: "k" })),
    ];
    await tx.run(allowMerchant({ partner, merchant: everyMerchant, now: 0 }));
    return rows;
  });
  expect([known, admitted]).toEqual([count === 1 ? [{ id: merchant }] : [], []]);
});
