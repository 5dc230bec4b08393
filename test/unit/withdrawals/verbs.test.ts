/** What a verb leaves beside the row that it moves: the bank's event, an expiry that it came upon, the answer to a repeat. */
import { afterEach, expect, test, vi } from "vitest";
import type { Reader, Service } from "../../../backend/context.ts";
import { toTime } from "../../../backend/contract/times.ts";
import { addShopToChain } from "../../../backend/merchants/chains.ts";
import { updatePartner } from "../../../backend/partner/partners.ts";
import { leaseMs } from "../../../backend/partner/queue.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { lookedSetting } from "../../../backend/store/restores.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { addSetting, removeSetting } from "../../../backend/store/settings.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { cancelWithdrawal } from "../../../backend/withdrawals/cancel.ts";
import { admit } from "../../../backend/withdrawals/caps.ts";
import { confirmTransaction, listConfirmed } from "../../../backend/withdrawals/confirm.ts";
import { getTransaction } from "../../../backend/withdrawals/get.ts";
import { getHistory } from "../../../backend/withdrawals/get-history.ts";
import { declareUndelivered, linkTransaction } from "../../../backend/withdrawals/link.ts";
import { listWithdrawals, windowOf } from "../../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../../backend/withdrawals/reject.ts";
import { requestWithdrawal } from "../../../backend/withdrawals/request.ts";
import { resolveSca } from "../../../backend/withdrawals/resolve-sca.ts";
import { type Row, withdrawalIdByKey } from "../../../backend/withdrawals/store.ts";
import { toTransaction } from "../../../backend/withdrawals/transition.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, otherBank, otherShop, till } from "../../service/world.ts";
import { id, nowMs, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const wantsEvents = (events_url: string | null) =>
  stage.store.write((tx) => tx.run(updatePartner(bank.partnerId, { events_url })));
const conflict = { code: "transaction_conflict" };
afterEach(() => void vi.restoreAllMocks());

test.each([
  [null, 0],
  ["http://bank/events", 1],
])("a bank whose events go to %s is sent %d of them", async (url, count) => {
  await wantsEvents(url);
  try {
    await stage.put({ status: "ready", deadline_at: nowMs + 1 });
    await cancelWithdrawal(stage.service, bank, id);
    expect(stage.sent.events.map((event) => event.transaction_id)).toEqual(Array.from({ length: count }, () => id));
    expect(await stage.rows("status_events")).toHaveLength(count);
  } finally {
    await wantsEvents(null);
  }
});

test("a reject that comes too late is answered with what time has done, which is counted", async () => {
  await stage.put({ status: "awaiting_sca", deadline_at: nowMs });
  expect(await rejectTransaction(stage.service, till, id)).toMatchObject({ status: "canceled", reason: "sca_timeout" });
  expect([stage.counted.transitions, stage.sent.wakes]).toEqual([["awaiting_sca>canceled"], 1]);
});

test("what cannot be an id is not looked for", async () => {
  const store = { ...stage.store, write: () => Promise.reject(new Error("looked for")) };
  await expect(rejectTransaction({ ...stage.service, store }, till, "'")).rejects.toMatchObject({
    code: "transaction_not_found",
  });
});

test("why there was no cash is said once: the same again is a repeat, another reason is none", async () => {
  await stage.put({ status: "settled" });
  const said = await declareUndelivered(stage.service, till, id, "till_short");
  expect(said).toMatchObject({ status: "undelivered", reason: "till_short" });
  expect(await declareUndelivered(stage.service, till, id, "till_short")).toEqual(said);
  await expect(declareUndelivered(stage.service, till, id, "other")).rejects.toMatchObject(conflict);
});

test.each([
  ["undelivered", "till_short"],
  ["failed", "settle_declined"],
] as const)("the reason of one that is %s is %s", (status, reason) => {
  const row = rowWith({ status, undelivered_reason: "till_short", reason: "settle_declined" });
  expect(toTransaction(row).reason).toBe(reason);
});

test("a bank finds by its own key alone what it has asked for", async () => {
  await stage.put({ idempotency_key: "key" });
  const found = (partner: string, key: string) =>
    stage.store.read((tx) => tx.first(withdrawalIdByKey({ partner, key })));
  expect(await found(bank.partnerId, "key")).toEqual({ id });
  expect([await found(bank.partnerId, "other"), await found(otherBank.partnerId, "key")]).toEqual([
    undefined,
    undefined,
  ]);
});

test("a list hides nothing behind a forged row, has one that ends meanwhile once, and counts what time has done", async () => {
  await stage.put(
    { id, created_at: 10 },
    { id: secondId, created_at: 20 },
    { id: "LATE", created_at: 30, status: "ready", deadline_at: nowMs },
  );
  await stage.putArchived({ id, created_at: 11 });
  await stage.putArchived({ id: secondId, created_at: 20 });
  const { withdrawals } = await listWithdrawals(stage.service, bank, { limit: 9 });
  expect(withdrawals.map((one) => one.transaction_id)).toEqual(["LATE", secondId, id, id]);
  expect(stage.counted.transitions).toEqual(["ready>expired"]);
});

test.each([
  [{}, id],
  [{ user_id: "ben" }, id],
  [{ amount: "60.00" }, "idempotency_key_reused"],
  [{ currency: "CHF" }, "idempotency_key_reused"],
  [{ store: "other-shop" }, "idempotency_key_reused"],
])("an erased user's request with %j, under its key, is answered with %s", async (said, answer) => {
  await stage.put({ status: "declined", request_hash: "erased", idempotency_key: "key" });
  const body = { user_id: "ann", amount: "50.00", currency: "EUR", store: "corner-shop", ...said };
  const asked = requestWithdrawal(stage.service, bank, body, "key");
  expect(
    await asked.then(
      ({ transaction_id }) => transaction_id,
      ({ code }) => code,
    ),
  ).toBe(answer);
});

test("who handed the cash out is in its history for the shop, and never for its bank", async () => {
  await stage.put({ status: "settled" });
  await linkTransaction(stage.service, till, id, "C2");
  const cashiers = async (reader: typeof till | typeof bank) =>
    (await getHistory(stage.service, reader, id)).events.map(({ cashier }) => cashier);
  expect([await cashiers(till), await cashiers(bank)]).toEqual([["C2"], [null]]);
});

test.each([
  // A short name is a word by itself, as a random id may contain it by chance.
  ["bob", "call-bob-1", null],
  ["bob", "BOB", null],
  ["BOB", "x--bob", null],
  ["bob", "bobby", "bobby"],
  ["bob", "aéobob", "aéobob"],
  ["bob", "7bob", "7bob"],
  ["anna", "xANNAx", null],
  ["ann.a", "call-1", "call-1"],
])("of the user %s the call %s is kept as %j", async (user_id, requestId, kept) => {
  await stage.put({ user_id, status: "ready", deadline_at: nowMs + 1 });
  await rejectTransaction(stage.service, { ...till, requestId }, id);
  expect(await stage.history()).toMatchObject([{ request_id: kept }]);
});

const ready = { status: "ready", device_id: null, transaction_id_partner: null, deadline_at: nowMs + 1 } as const;
const awaiting = { status: "awaiting_sca", deadline_at: nowMs + 1 } as const;
const confirm = () => confirmTransaction(stage.service, till, { transaction_id: id, transaction_id_partner: "pos-1" });
test.each<[what: string, row: Partial<Row>, verb: () => Promise<unknown>, terms: RegExp | null]>([
  ["a confirmation", ready, confirm, /^\[null,"[\w-]{16}"\]$/],
  ["an approval", awaiting, () => resolveSca(stage.service, bank, id, "approved"), /^\["[\w-]{16}"\]$/],
  ["a denial", awaiting, () => resolveSca(stage.service, bank, id, "denied"), null],
  [
    "a hand-out",
    { status: "settled" },
    () => linkTransaction(stage.service, till, id, null, undefined, "h-1"),
    /^\["h-1"\]$/,
  ],
  ["a cancellation", ready, () => cancelWithdrawal(stage.service, bank, id), null],
])("the history has the terms of %s, of %j", async (_, row, verb, terms) => {
  await stage.put(row);
  await verb();
  expect(await stage.history()).toMatchObject([{ terms: terms === null ? null : expect.stringMatching(terms) }]);
});

test.each<[what: string, row: Partial<Row>, verb: () => Promise<unknown>]>([
  ["a cancellation", ready, () => cancelWithdrawal(stage.service, bank, id)],
  ["a reject", ready, () => rejectTransaction(stage.service, till, id)],
  ["a denial", awaiting, () => resolveSca(stage.service, bank, id, "denied")],
])("what ends by %s, of %j, has a time of its end and no deadline any more", async (_, row, verb) => {
  await stage.put(row);
  stage.clock.jump(-5);
  await verb();
  expect(await stage.rows("archived_withdrawals")).toMatchObject([{ id, closed_at: nowMs - 5, deadline_at: null }]);
});

test.each<[row: Partial<Row>, isRepeat: boolean]>([
  [{ status: "settling" }, true],
  [{ status: "settled" }, true],
  [{ status: "linked" }, true],
  [{ status: "undelivered" }, true],
  [{ status: "failed" }, true],
  [{ status: "settled", sca_required: 0 }, false],
  [{ status: "ready" }, false],
  [{ status: "canceled", reason: "sca_denied" }, false],
  [{ status: "expired", reason: "order_expired" }, false],
])("an approval of %j is a repeat: %s", async (row, isRepeat) => {
  await stage.put(row);
  const approved = resolveSca(stage.service, bank, id, "approved");
  if (isRepeat) expect(await approved).toMatchObject({ status: row.status });
  else await expect(approved).rejects.toMatchObject(conflict);
  expect(await stage.history()).toEqual([]);
});

test("the event of a verb is its process's to send, and anybody's after the lease; that of time is anybody's at once", async () => {
  await wantsEvents("http://bank/events");
  try {
    await stage.put({ ...ready, deadline_at: nowMs + 1 }, { ...ready, id: secondId, deadline_at: nowMs });
    await cancelWithdrawal(stage.service, bank, id);
    await getHistory(stage.service, bank, secondId);
    const events = (await stage.rows("status_events")) as unknown as readonly RowOf<"status_events">[];
    expect(events.map((event) => [event.transaction_id, event.due_at - nowMs, event.attempts]).toSorted()).toEqual([
      [id, leaseMs, 1],
      [secondId, 0, 0],
    ]);
  } finally {
    await wantsEvents(null);
  }
});

test("a terminal's own id is of one withdrawal, also when that has ended", async () => {
  await stage.put({ status: "settled" }, { ...ready, id: secondId });
  await linkTransaction(stage.service, till, id);
  expect(await stage.rows("terminal_references")).toMatchObject([{ transaction_id: id }]);
  const again = { transaction_id: secondId, transaction_id_partner: "pos-0" };
  await expect(confirmTransaction(stage.service, till, again)).rejects.toMatchObject({
    ...conflict,
    message: "This device used this transaction_id_partner for another transaction.",
  });
});

test.each([
  ["ÄNN", "änn"],
  ["ann", "ANN"],
])(
  "a customer, %s, who was blocked since as %s is not confirmed, and why is nobody's at the counter to know",
  async (user_id, blocked) => {
    await stage.put({ ...ready, user_id });
    const row = { partner_id: bank.partnerId, user_id: blocked.toLowerCase(), created_at: 0, blocked_at: 1 };
    await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("customers").values(row))));
    try {
      await expect(confirm()).rejects.toMatchObject({ ...conflict, message: "The transaction is ready." });
      expect(await stage.rows("withdrawals")).toMatchObject([{ status: "ready", transaction_id_partner: null }]);
    } finally {
      await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("customers"))));
    }
    expect(await confirm()).toMatchObject({ status: "awaiting_sca" });
  },
);

/** Shops of a chain that has the one of most tests alone. */
const chain = { chainId: "most" };
const inChain = async (work: () => Promise<unknown>) => {
  await stage.store.write((tx) => tx.run(addShopToChain({ chain: chain.chainId, shop: till.merchantId, now: 1 })));
  await stage.put({ id }, { id: secondId, merchant_id: otherShop.merchantId });
  await work();
};

test("a chain's head office reads the withdrawals of its shops, each with its history, and no other", () =>
  inChain(async () => {
    const listed = await listWithdrawals(stage.service, chain, { limit: 9 });
    expect(listed.withdrawals.map((one) => one.transaction_id)).toEqual([id]);
    expect((await getHistory(stage.service, chain, id)).transaction_id).toBe(id);
    await expect(getHistory(stage.service, chain, secondId)).rejects.toMatchObject({ code: "transaction_not_found" });
  }));

const day = "1970-01-02";
const dayMs = 86_400_000;
test.each<[reader: Reader, asked: Parameters<typeof windowOf>[2], answer: object]>([
  [till, {}, {}],
  [till, { from: toTime(5), to: toTime(6) }, { fromMs: 5, toMs: 6 }],
  [till, { from: day, to: day }, { fromMs: dayMs, toMs: 2 * dayMs }],
  [till, { to: toTime(dayMs) }, { toMs: dayMs }],
  [till, { from: toTime(5), to: toTime(5) }, { path: "from" }],
  [till, { from: toTime(6), to: toTime(5) }, { path: "from" }],
  [till, { store: till.merchantId }, {}],
  [till, { store: otherShop.merchantId }, { path: "store" }],
  [bank, { store: till.merchantId }, {}],
  [bank, { store: "no-shop" }, { path: "store" }],
  [chain, { store: till.merchantId }, {}],
  [chain, { store: otherShop.merchantId }, { path: "store" }],
])("a list that %j asks for with %j is of %j", (reader, asked, answer) =>
  inChain(async () => {
    const of = await windowOf(stage.service, reader, asked).catch(({ extra }) => extra.errors[0]);
    expect(of).toEqual("path" in answer ? { ...answer, message: expect.any(String) } : answer);
  }),
);

test.each([1, 2, 3, 4, 9])(
  "a list in pages of %i has each once, the newest first, and those of one moment by id",
  async (limit) => {
    const rows = [
      ["A", 20],
      ["C", 20],
      ["D", 30],
    ] as const;
    const idOf = (name: string) => name.repeat(16);
    await stage.put(...rows.map(([name, created_at]) => ({ id: idOf(name), created_at })));
    await stage.putArchived({ id: idOf("B"), created_at: 20 });
    await stage.putArchived({ id: idOf("E"), created_at: 10 });
    const pages: (readonly string[])[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page: Awaited<ReturnType<typeof listWithdrawals>> = await listWithdrawals(stage.service, bank, {
        limit,
        ...(cursor === "" ? {} : { cursor }),
      });
      pages.push(page.withdrawals.map((one) => one.transaction_id.charAt(0)));
      cursor = page.next ?? undefined;
    }
    const all = ["D", "C", "B", "A", "E"];
    const expected = Array.from({ length: Math.ceil(all.length / limit) }, (_, n) =>
      all.slice(n * limit, (n + 1) * limit),
    );
    expect(pages).toEqual(expected);
  },
);

test.each([
  ["linked", "archived", 2],
  ["settled", "open", 1],
] as const)("a list of those that are %s has the one that is %s, and reads %i tables", async (status, found, reads) => {
  await stage.put({ id, status });
  await stage.putArchived({ id: secondId, status });
  let asked = 0;
  const read: Store["read"] = (unit) =>
    stage.store.read((tx) =>
      unit({
        ...tx,
        all: (query) => {
          asked += 1;
          return tx.all(query);
        },
      }),
    );
  const { withdrawals } = await listWithdrawals({ ...stage.service, store: { ...stage.store, read } }, bank, {
    limit: 9,
    status,
  });
  expect(withdrawals.map((one) => one.transaction_id)).toContain(found === "open" ? id : secondId);
  expect(asked).toBe(reads);
});

test.each<[what: string, read: (service: Service) => Promise<unknown>]>([
  ["one withdrawal", (service) => getTransaction(service, till, id)],
  ["its history", (service) => getHistory(service, till, id)],
  ["a terminal's confirmations", (service) => listConfirmed(service, till, toTime(0))],
  ["who may ask for one", (service) => admit(service, bank, "ann", till.merchantId, "key").catch(() => {})],
])("%s is read beside other short reads, and nothing is written where nothing is due", async (_, work) => {
  await stage.put({ ...ready, deadline_at: nowMs + 1 });
  const isShort: unknown[] = [];
  const read: Store["read"] = (unit, short) => {
    isShort.push(short);
    return stage.store.read(unit, short);
  };
  const write = () => Promise.reject(new Error("written"));
  await work({ ...stage.service, store: { ...stage.store, read, write } });
  expect(isShort[0]).toBe(true);
});

const restored = { status: "canceled", reason: "restored", settled_at: null, closed_at: 50 } as const;
const kinds = async () => (await stage.history()).map(({ kind, reason }) => [kind, reason]);
const noted = ["approved", "approved"];
test.each<[what: string, row: Partial<Row>, history: readonly unknown[], disputed_at: number | null, orders: number]>([
  ["and ended by it", restored, [noted], nowMs, 0],
  ["and handed out", { ...restored, status: "linked", disputed_at: 60 }, [noted], 60, 1],
  [
    "and not handed out",
    { ...restored, status: "undelivered", disputed_at: 60 },
    [noted, ["dispute_closed", "approved"]],
    null,
    0,
  ],
  [
    "and not handed out, and handed out by a copy of its terminal",
    { ...restored, status: "undelivered", disputed_at: 60, other_hand_out_id: "h2" },
    [noted],
    60,
    0,
  ],
])(
  "an approval of what a restore forgot %s is noted once, and pays what was handed out alone",
  async (_, row, history, disputed_at, orders) => {
    await stage.put({ ...row, undelivered_reason: row.status === "undelivered" ? "till_short" : null });
    const first = await resolveSca(stage.service, bank, id, "approved");
    expect(first).toMatchObject({ transaction_id: id, status: row.status });
    expect(await resolveSca(stage.service, bank, id, "approved")).toEqual(first);
    expect(await kinds()).toEqual(history);
    expect(await stage.rows("withdrawals")).toMatchObject([{ status: row.status, disputed_at }]);
    expect([(await stage.rows("outbox")).length, stage.sent.orders.length]).toEqual([orders, orders]);
  },
);

test("an approval that is repeated after a restore holds its withdrawal: of two at once the second sees the first", async () => {
  await stage.put(restored);
  const names = await stage.namesOf((service) => resolveSca(service, bank, id, "approved"));
  expect(names.indexOf("restore_hold")).toBeGreaterThan(-1);
  expect(names.indexOf("restore_hold")).toBeLessThan(names.indexOf("restore_approval"));
});

test("an approval that was noted before its withdrawal went among the ended ones is still a repeat", async () => {
  await stage.putArchived(restored);
  await stage.putContradiction("approved");
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("withdrawal_events").set({ kind: "approved" as const }))),
  );
  expect(await resolveSca(stage.service, bank, id, "approved")).toMatchObject({ status: "canceled" });
});

test.each<[what: string, row: Partial<Row>, outcome: "approved" | "denied"]>([
  ["a denial of what a restore has ended", restored, "denied"],
  ["an approval of what its customer has canceled", { ...restored, reason: "user_canceled" }, "approved"],
  ["an approval of another bank's", { ...restored, partner_id: otherBank.partnerId }, "approved"],
])("%s is refused and leaves nothing", async (_, row, outcome) => {
  await stage.put(row);
  await expect(resolveSca(stage.service, bank, id, outcome)).rejects.toMatchObject({
    code: row.partner_id === undefined ? conflict.code : "transaction_not_found",
  });
  expect([await kinds(), (await stage.rows("withdrawals"))[0]?.disputed_at]).toEqual([[], null]);
});

test("an approval of what retention deletes meanwhile is refused as it was", async () => {
  await stage.put({ ...restored, reason: "sca_timeout" });
  const write: Store["write"] = async (unit) => {
    const outcome = await stage.store.write(unit);
    await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawals"))));
    return outcome;
  };
  const service = { ...stage.service, store: { ...stage.store, write } };
  await expect(resolveSca(service, bank, id, "approved")).rejects.toMatchObject(conflict);
});

test("a denial asks nothing of its bank, and an approval its address for the order", async () => {
  const asked = async (outcome: "approved" | "denied") => {
    const of = outcome === "denied" ? id : secondId;
    await stage.put({ id: of, idempotency_key: of, transaction_id_partner: of, ...awaiting });
    return await stage.namesOf((service) => resolveSca(service, bank, of, outcome));
  };
  expect([await asked("denied"), await asked("approved")]).toEqual([
    expect.not.arrayContaining(["partner_by_id"]),
    expect.arrayContaining(["partner_by_id"]),
  ]);
});

test.each([new Error("away"), new ServiceError("unavailable")])(
  "an approval that is not refused but fails, with %o, is not tried as a repeat",
  async (failure) => {
    let writes = 0;
    const write = () => {
      writes += 1;
      return Promise.reject(failure);
    };
    const service = { ...stage.service, store: { ...stage.store, write } };
    await expect(resolveSca(service, bank, id, "approved")).rejects.toBe(failure);
    expect(writes).toBe(1);
  },
);

test.each<[what: string, row: Partial<Row>, verb: () => Promise<unknown>, passes: boolean]>([
  ["a confirmation", ready, confirm, false],
  ["an approval", awaiting, () => resolveSca(stage.service, bank, id, "approved"), false],
  ["a denial", awaiting, () => resolveSca(stage.service, bank, id, "denied"), true],
])(
  "once commits are lost %s of %j waits for an operator's word, or takes no money: %s",
  async (_, row, verb, passes) => {
    await stage.put(row);
    await stage.store.write((tx) => tx.run(addSetting({ name: lookedSetting, value: '{"forgotSince":5}' })));
    try {
      const done = verb();
      if (passes) await done;
      else await expect(done).rejects.toMatchObject({ code: "unavailable" });
      expect((await stage.history()).length).toBe(passes ? 1 : 0);
    } finally {
      await stage.store.write((tx) => tx.run(removeSetting({ name: lookedSetting })));
    }
  },
);
