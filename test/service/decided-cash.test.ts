/** An operator says what became of the cash whose terminal is lost, and the terminal comes back after all: on both stores. */
import { describe, expect, test } from "vitest";
import { auditAbout } from "../../backend/access/audit.ts";
import { reconciliationLineSchema } from "../../backend/contract/reconciliation.ts";
import { toTime } from "../../backend/contract/times.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { listOpenWithdrawals } from "../../backend/operate/reports.ts";
import type { RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { oneOrArchived } from "../../backend/withdrawals/closed.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { type CashDecision, decideCash, decideWithdrawal } from "../../backend/withdrawals/open.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { applyRestore } from "../../backend/withdrawals/restored.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import type { Row } from "../../backend/withdrawals/store.ts";
import { statusEventOf } from "../../backend/withdrawals/transition.ts";
import { type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { waysIn } from "./withdrawal-ways.ts";
import { approve, bank, keepTogether, otherShop, secondTill, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const decidableAfterMs = 15 * 60_000;

/** What a terminal sends: the name of its hand-out, none, or that there was none. */
type Word = "A" | "B" | "nameless" | "undelivered";
interface Story {
  readonly decided: CashDecision;
  readonly words: readonly Word[];
  readonly finding: "matched" | "undelivered" | "disputed";
  readonly reason: string;
  readonly notes: readonly string[];
  readonly handOut?: string;
}
const agreed = "decided_by_operator";
const [gaveAfterAll, keptAfterAll] = ["handed_out_after_decision", "not_handed_out_after_decision"];
const [L, U] = ["linked", "undelivered"];
const rows: readonly Story[] = [
  { decided: "handed-out", words: [], finding: "matched", reason: agreed, notes: [] },
  { decided: "handed-out", words: ["A", "A"], finding: "matched", reason: agreed, notes: [L], handOut: "A" },
  { decided: "handed-out", words: ["nameless", "nameless"], finding: "matched", reason: agreed, notes: [L] },
  {
    decided: "handed-out",
    words: ["nameless", "A", "A"],
    finding: "matched",
    reason: agreed,
    notes: [L, L],
    handOut: "A",
  },
  {
    decided: "handed-out",
    words: ["nameless", "A", "B"],
    finding: "disputed",
    reason: "handed_out_twice",
    notes: [L, L],
    handOut: "A",
  },
  {
    decided: "handed-out",
    words: ["undelivered", "undelivered"],
    finding: "disputed",
    reason: keptAfterAll,
    notes: [U],
  },
  {
    decided: "handed-out",
    words: ["A", "B"],
    finding: "disputed",
    reason: "handed_out_twice",
    notes: [L],
    handOut: "A",
  },
  {
    decided: "handed-out",
    words: ["A", "undelivered"],
    finding: "disputed",
    reason: keptAfterAll,
    notes: [L, U],
    handOut: "A",
  },
  {
    decided: "handed-out",
    words: ["undelivered", "A"],
    finding: "disputed",
    reason: keptAfterAll,
    notes: [U, L],
    handOut: "A",
  },
  { decided: "not-handed-out", words: [], finding: "undelivered", reason: agreed, notes: [] },
  {
    decided: "not-handed-out",
    words: ["undelivered", "undelivered"],
    finding: "undelivered",
    reason: agreed,
    notes: [U],
  },
  { decided: "not-handed-out", words: ["A", "A"], finding: "disputed", reason: gaveAfterAll, notes: [L], handOut: "A" },
  { decided: "not-handed-out", words: ["nameless"], finding: "disputed", reason: gaveAfterAll, notes: [L] },
  {
    decided: "not-handed-out",
    words: ["A", "B"],
    finding: "disputed",
    reason: "handed_out_after_undelivered",
    notes: [L],
    handOut: "A",
  },
  {
    decided: "not-handed-out",
    words: ["undelivered", "A"],
    finding: "disputed",
    reason: gaveAfterAll,
    notes: [U, L],
    handOut: "A",
  },
  {
    decided: "not-handed-out",
    words: ["A", "undelivered", "undelivered"],
    finding: "disputed",
    reason: gaveAfterAll,
    notes: [L, U],
    handOut: "A",
  },
];

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  worldPerTest(dialect, { beginsAt: Date.now() - 2 * 86_400_000, options: { pollMs: 1e9 } }, (stage) => {
    ({ place, clock, store, world } = stage);
  });
  const { leadTo } = waysIn(
    () => world,
    () => clock,
  );

  const unlinked = async () => {
    const { transaction_id: id } = await leadTo.settled();
    clock.jump(decidableAfterMs + 1);
    return id;
  };
  const decide = (id: string, decision: CashDecision, isForced = false, on: Store = store) =>
    decideCash({ ...world.service, store: on }, id, decision, "olga", "the drawer was counted", isForced);
  const report = (id: string, word: Word, on = world.service) =>
    word === "undelivered"
      ? declareUndelivered(on, till, id, "till_short", "C2")
      : linkTransaction(on, till, id, "C2", undefined, word === "nameless" ? null : word);
  const lineOf = async (id: string, reader: typeof till | typeof bank = till) => {
    for await (const lines of reconcile(world.service, reader, { fromMs: 0, toMs: 1e14 }))
      for (const one of lines) if (one.transaction_id === id) return reconciliationLineSchema.parse(one);
    return null;
  };
  const said = async (id: string, what = "cash_reported") =>
    (await getHistory(world.service, till, id)).events.filter(({ kind }) => kind === what);
  const audited = (id: string) =>
    store.read((tx) => tx.all(auditAbout({ event: "cash reported otherwise", object: id })));
  const rowOf = async (id: string) => (await store.read((tx) => oneOrArchived(tx, id, 0))) as Row;
  const handOutOf = async (id: string) => (await rowOf(id)).hand_out_id;
  const wantEvents = async () => {
    world.bank.onEvent = () => ({ status: 503, body: "" });
    await store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("partners").set({ events_url: "https://bank.example/events" }))),
    );
  };
  /** A second one on PostgreSQL: what one process does at once may share a commit, in which nothing is at once. */
  const anotherProcess = async () => ({
    ...world.service,
    store: dialect === "postgres" ? await place.open(clock) : store,
  });
  /** What is kept for the bank, which takes nothing. */
  const eventsToBank = async () =>
    (await store.read((tx) => tx.all(adhoc((db) => db.selectFrom("status_events").select("body"))))).map(({ body }) =>
      JSON.parse(body),
    );
  const heard = (heardAt: number) =>
    store.write((tx) =>
      tx.run(
        adhoc((db) =>
          db
            .insertInto("terminal_contacts")
            .values({ merchant_id: till.merchantId, device_id: till.deviceId, heard_at: heardAt, version: null })
            .onConflict((same) => same.columns(["merchant_id", "device_id"]).doUpdateSet({ heard_at: heardAt })),
        ),
      ),
    );

  describe.each([true, false])("ended ones apart: %s", (isApart) => {
    test.each(rows)("$decided, then $words", async ({ decided, words, finding, reason, notes, handOut }) => {
      if (!isApart) await keepTogether(store);
      const id = await unlinked();
      const status = decided === "handed-out" ? "linked" : "undelivered";
      expect(await decide(id, decided)).toMatchObject({ status });
      // Never a refusal, and never another status.
      for (const word of words) expect((await report(id, word)).status).toBe(status);
      for (const reader of [till, bank]) expect(await lineOf(id, reader)).toMatchObject({ status, finding, reason });
      expect((await said(id)).map((one) => one.reason)).toEqual(notes);
      expect((await said(id, "reported_again")).map((one) => one.reason)).toEqual(words.filter((word) => word === "B"));
      expect((await audited(id)).length > 0).toBe(notes.some((note) => note !== status));
      for (const one of await said(id)) expect(one).toMatchObject({ actor: "device", cashier: "C2", to: status });
      expect(await handOutOf(id)).toBe(handOut ?? null);
      expect((await listOpenWithdrawals(world.service, {})).map((one) => [one.needs, one.reason])).toEqual(
        finding === "disputed" ? [["close", reason]] : [],
      );
      await expectWholeHistory(store);
    });
  });

  test("only what is paid, after 15 minutes, and only where the terminal is silent or somebody insists", async () => {
    const { transaction_id: id } = await leadTo.settled();
    clock.jump(decidableAfterMs - 1);
    expect(await decide(id, "handed-out", true)).toBeNull();
    clock.jump(2);
    const at = clock.now() - 20 * 60_000 + 1;
    await heard(at);
    expect(await decide(id, "handed-out")).toBe(false);
    expect(await listOpenWithdrawals(world.service, {})).toMatchObject([{ needs: "wait" }]);
    clock.jump(1);
    expect(await listOpenWithdrawals(world.service, {})).toMatchObject([
      { needs: "decide", why: expect.stringMatching(/count its drawer.*till-1 was heard last at/) },
    ]);
    await heard(clock.now());
    expect(await decide(id, "not-handed-out", true)).toMatchObject({ status: "undelivered" });
    expect(await decide(id, "handed-out", true)).toBeNull();
    const waiting = (await leadTo.awaiting_sca()).transaction_id;
    clock.jump(decidableAfterMs + 1);
    for (const isForced of [true, false]) expect(await decide(waiting, "handed-out", isForced)).toBeNull();
  });

  test("what the terminal has said before is never decided", async () => {
    for (const word of ["A", "undelivered"] as const)
      for (const decision of ["handed-out", "not-handed-out"] as const) {
        const id = await unlinked();
        const { status } = await report(id, word);
        expect(await decide(id, decision, true)).toBeNull();
        expect((await getTransaction(world.service, till, id)).status).toBe(status);
      }
  });

  test.each([
    ["undelivered", "undelivered", agreed],
    ["nameless", "disputed", gaveAfterAll],
    ["A", "disputed", gaveAfterAll],
  ] as const)(
    "of a payment that was decided in its bank's stead the terminal is heard as well: %s",
    async (word, finding, reason) => {
      world.bank.onSettle = () => ({ status: 503, body: "" });
      const { transaction_id: id } = await approve(world.service, await leadTo.awaiting_sca());
      clock.jump(decidableAfterMs + 1);
      expect(await decideWithdrawal(world.service, id, "paid", "olga", "Ms Low said so")).toMatchObject({
        status: "undelivered",
      });
      expect((await report(id, word)).status).toBe("undelivered");
      expect(await lineOf(id)).toMatchObject({ status: "undelivered", finding, reason });
      await expectWholeHistory(store);
    },
  );

  test("two operators at once: one of them decides, and the other is told that there is nothing to decide", async () => {
    const beside = await anotherProcess();
    for (const [one, other] of [
      ["handed-out", "not-handed-out"],
      ["not-handed-out", "not-handed-out"],
    ] as const) {
      const id = await unlinked();
      const done = await Promise.all([decide(id, one), decide(id, other, false, beside.store)]);
      expect(done.filter((row) => row === null)).toHaveLength(1);
      const { events } = await getHistory(world.service, till, id);
      expect(events.filter(({ actor }) => actor === "operator").map(({ kind }) => kind)).toEqual([
        "transition",
        "decided",
      ]);
    }
    await expectWholeHistory(store);
  });

  test.each([
    ["other word before it", "A", "linked", ["cash_reported", "contradicted"]],
    ["own word after it, which agrees with the operator's", "undelivered", U, ["contradicted", "cash_reported"]],
  ] as const)(
    "a bank that contradicts itself beside the terminal's %s leaves one line, and a story that has both",
    async (_, word, said, kinds) => {
      const id = await unlinked();
      await decide(id, "not-handed-out");
      const order = { id: `settle_${id}`, transaction_id: id, partner_id: "bank", claimed_by: "w", attempts: 2 };
      const acts = {
        cash_reported: () => report(id, word),
        contradicted: () => settleAnswered(world.service, order as RowOf<"outbox">, "declined"),
      };
      for (const kind of kinds) await acts[kind]();
      expect(await lineOf(id)).toMatchObject({
        status: "undelivered",
        finding: "disputed",
        reason: "declined_after_accepted",
      });
      const reasons = { cash_reported: said, contradicted: "declined" };
      expect((await getHistory(world.service, till, id)).events.slice(-2)).toMatchObject(
        kinds.map((kind) => ({ kind, reason: reasons[kind] })),
      );
      await expectWholeHistory(store);
    },
  );

  test.each(["its terminal", "the operator"])(
    "a restore forgot the decision, and %s says otherwise now: the bank hears it above all that it was told",
    async (who) => {
      await wantEvents();
      const id = await unlinked();
      const toldBefore = statusEventOf({ ...(await rowOf(id)), status: "undelivered" });
      await applyRestore(world.service, { forgotSince: clock.now() - 1 });
      await (who === "its terminal" ? report(id, "A") : decide(id, "handed-out"));
      const now = (await eventsToBank()).find(({ type }) => type === "withdrawal.linked");
      expect(now?.sequence).toBeGreaterThan(JSON.parse(toldBefore?.body ?? "").sequence);
      await expectWholeHistory(store);
    },
  );

  test.each([till, secondTill])(
    "what the copy has as decided is a line once its terminal repeats another word, also under another name: %o",
    async (terminal) => {
      const id = await unlinked();
      await decide(id, "not-handed-out");
      await applyRestore(world.service, { forgotSince: clock.now() - 1 });
      const { amount, currency, transaction_id_partner, confirmed_at } = await getTransaction(world.service, till, id);
      const known = { amount, currency, transaction_id_partner: transaction_id_partner ?? "" };
      const times = { reported_at: toTime(clock.now()), ...(confirmed_at === null ? {} : { confirmed_at }) };
      for (const _ of ["once", "again"])
        await linkTransaction(world.service, terminal, id, null, { ...known, ...times }, "A");
      const open = await listOpenWithdrawals(world.service, {});
      expect(open).toMatchObject([{ transaction: id, needs: "close", device: terminal.deviceId }]);
      expect(open[0]?.finding).toBe(terminal === till ? "disputed" : "restored");
      await expectWholeHistory(store);
    },
  );

  test("other terminals, and those of other shops, say nothing about it", async () => {
    const id = await unlinked();
    await decide(id, "not-handed-out");
    const line = await lineOf(id);
    for (const stranger of [secondTill, otherShop])
      for (const word of [
        () => linkTransaction(world.service, stranger, id, null, undefined, "A"),
        () => declareUndelivered(world.service, stranger, id, "till_short"),
      ])
        await expect(word()).rejects.toMatchObject({ code: "transaction_not_found" });
    expect([await said(id), await lineOf(id)]).toEqual([[], line]);
  });

  test.each(["handed-out", "not-handed-out"] as const)("%s: both words at once are both kept", async (decided) => {
    const beside = await anotherProcess();
    for (let round = 0; round < 8; round++) {
      const id = await unlinked();
      await decide(id, decided);
      const words = ["A", "undelivered", "A", "B"] as const;
      const at = [world.service, beside].flatMap((on) => words.map((word) => report(id, word, on)));
      await Promise.all(at);
      expect((await said(id)).map(({ reason }) => reason).sort()).toEqual(["linked", "undelivered"]);
      expect(await lineOf(id)).toMatchObject({ finding: "disputed" });
    }
    await expectWholeHistory(store);
  });

  test("decided and reported at once: one comes first, and the other is never lost", async () => {
    const beside = await anotherProcess();
    for (let round = 0; round < 8; round++) {
      const id = await unlinked();
      const acts = [() => decide(id, "not-handed-out"), () => report(id, "A", beside)] as const;
      const order = round % 2 === 0 ? [0, 1] : [1, 0];
      const done: unknown[] = [];
      await Promise.all(
        order.map(async (act) => {
          done[act] = await acts[act]?.();
        }),
      );
      const line = await lineOf(id);
      const status = done[0] === null ? "linked" : "undelivered";
      expect([done[1], line]).toMatchObject([{ status }, { status, reason: done[0] === null ? null : gaveAfterAll }]);
    }
    await expectWholeHistory(store);
  });

  test("a commit that fails leaves nothing of a decision or of a report behind, and either is done anew", async () => {
    const cut: Store = {
      ...store,
      write: (unit) =>
        store.write(async (tx) => {
          await unit(tx);
          throw new Error("killed");
        }),
    };
    const id = await unlinked();
    await expect(decide(id, "not-handed-out", false, cut)).rejects.toThrow("killed");
    expect(await lineOf(id)).toMatchObject({ finding: "not_linked" });
    await decide(id, "not-handed-out");
    await expect(report(id, "A", { ...world.service, store: cut })).rejects.toThrow("killed");
    expect([await said(id), (await lineOf(id))?.finding]).toEqual([[], "undelivered"]);
    await report(id, "A");
    expect(await lineOf(id)).toMatchObject({ finding: "disputed", reason: gaveAfterAll });
    await expectWholeHistory(store);
  });

  test("closed by an operator it stays closed, until something new is said", async () => {
    const id = await unlinked();
    await decide(id, "handed-out");
    await report(id, "undelivered");
    expect(await closeDispute(world.service, id, "olga", "given back to the customer")).toBe(true);
    await report(id, "undelivered");
    expect(await lineOf(id)).toMatchObject({ finding: "matched" });
    // It had said the opposite: the money went back, and the cash has left.
    await report(id, "A");
    expect(await lineOf(id)).toMatchObject({ finding: "disputed" });
  });

  test("the bank hears of it as of a terminal's own word, and the story names who said what", async () => {
    const id = await unlinked();
    const command = (...words: string[]) => manage(parseCommandLine(words, { DATABASE_URL: place.url }));
    const resolve = (outcome: string, ...flags: string[]) =>
      command("withdrawals", "resolve", id, "--outcome", outcome, "--note", "the drawer was counted", ...flags);
    await expect(resolve("paid")).rejects.toThrow(
      `transaction ${id} is settled: its outcome is handed-out or not-handed-out`,
    );
    await heard(Date.now());
    await expect(resolve("not-handed-out")).rejects.toThrow(/was heard in the last 20 minutes.*--force/);
    await wantEvents();
    expect(await resolve("not-handed-out", "--force")).toEqual([{ transaction: id, status: "undelivered" }]);
    await expect(resolve("handed-out", "--force")).rejects.toThrow(
      `transaction ${id} is undelivered: there is nothing`,
    );
    expect(await eventsToBank()).toMatchObject([
      { type: "withdrawal.undelivered", transaction: { status: "undelivered", reason: agreed } },
    ]);
    const told = (await getHistory(world.service, till, id)).events.slice(-2);
    expect(told).toMatchObject([
      { kind: "transition", from: "settled", to: "undelivered", actor: "operator", reason: agreed },
      { kind: "decided", to: "undelivered", actor: "operator", reason: "the drawer was counted" },
    ]);
    await report(id, "A");
    expect((await command("withdrawals", "list")).map((one) => [one.needs, one.why])).toEqual([
      ["close", expect.stringContaining("tell the bank")],
    ]);
    const audit = (await command("audit")).map(({ event, detail }) => `${event} ${detail}`);
    expect(audit.filter((one) => one.includes("not-handed-out"))).toHaveLength(1);
    expect(audit.filter((one) => one.includes("reported linked"))).toHaveLength(1);
  });
});
