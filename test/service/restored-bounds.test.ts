/** What a restore takes on trust, and its bounds: the operator's time, terminals' times, lines without end, a bank's word twice at once. */
import { afterEach, describe, expect, test } from "vitest";
import { createAccess } from "../../backend/access/access.ts";
import { newJournalEpoch, reportJournalHead } from "../../backend/access/journal-heads.ts";
import { systemClock } from "../../backend/adapters.ts";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import type { AsReported } from "../../backend/contract/pos.ts";
import { readTill } from "../../backend/merchants/merchants.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { purge } from "../../backend/operate/purge.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { type RetentionPeriods, retained } from "../../backend/retention.ts";
import { copiedAtSetting, restoredFromSetting, restoresBeforeSetting } from "../../backend/store/restores.ts";
import { lockForService } from "../../backend/store/service-lock.ts";
import { setSetting } from "../../backend/store/settings.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { archiveEnded } from "../../backend/withdrawals/closed.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { eventSequenceAfterRestore } from "../../backend/withdrawals/lifecycle.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { applyPendingRestore, applyRestore, correctRestore } from "../../backend/withdrawals/restored.ts";
import { type Place, stores } from "./stores.ts";
import { expectWholeHistory } from "./whole-history.ts";
import {
  accepted,
  bank,
  confirmIt,
  createWorld,
  declined,
  placeOrder,
  secondTill,
  shop,
  testKeys,
  till,
  type World,
} from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const dayMs = 86_400_000;
/** The number of an event that a bank may have heard after the last of these restores. */
const heardThen = (restores: readonly { readonly restored_at: number }[]): number =>
  restores.length === 0
    ? 0
    : Math.max(...restores.map(({ restored_at: at }) => eventSequenceAfterRestore(lastEvent, at)));
const lastEvent = { status: "linked", sca_expires_at: 1 } as const;
const ago = (ms: number): string => new Date(systemClock.now() - ms).toISOString();

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let world: World;
  const open = async () => {
    store = await place.open();
    world = await createWorld(store);
  };
  worldPerTest(dialect, { inRealTime: true }, (stage) => {
    ({ place, store, world } = stage);
  });
  afterEach(() => world.service.stop());

  const command = (...words: string[]) =>
    manage(parseCommandLine(words, { DATABASE_URL: place.url, SERVICE_KEY: "a service key of the tests" }));
  const restores = () =>
    store.read((tx) => tx.all(adhoc((db) => db.selectFrom("restores").selectAll().orderBy("restored_at"))));
  const applyTo = (forgotSince: number) => applyRestore({ store, clock: systemClock, keys: testKeys }, { forgotSince });
  const reports = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("restored_reports").selectAll())));
  const lines = async () => {
    const found = [];
    for await (const page of reconcile(world.service, till, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }))
      found.push(...page);
    return found;
  };
  const unknownId = (n: number): string => makeTransactionId(new Uint8Array(15).fill(n));
  const report = (id: string, times: Partial<AsReported>) =>
    linkTransaction(world.service, till, id, null, {
      transaction_id_partner: `pos-${id}`,
      amount: "50.00",
      currency: "EUR",
      ...times,
    });

  test("whatever its clock said then, a terminal that names the restore has its line", async () => {
    await applyTo(systemClock.now() - 60_000);
    const { restored_at, forgot_since } = await readTill(world.service, till);
    const longAgo = ago(30 * dayMs);
    const off = { confirmed_at: longAgo, settled_at: longAgo, reported_at: longAgo };
    for (const named of [{}, { restored_at: longAgo }])
      await expect(report(unknownId(1), { ...off, ...named })).rejects.toMatchObject({ code: "transaction_not_found" });
    const taken = await report(unknownId(1), { ...off, restored_at: restored_at ?? "" });
    expect(taken).toMatchObject({ status: "linked", reason: "restored", confirmed_at: forgot_since });
  });

  test("of a report with a new hand-out each time the first ten are noted, and once it is closed a further one opens it again", async () => {
    await applyTo(systemClock.now() - 60_000);
    const id = unknownId(1);
    const known = { transaction_id_partner: "pos-1", amount: "50.00", currency: "EUR", reported_at: ago(0) };
    for (let n = 0; n < 15; n += 1) await linkTransaction(world.service, till, id, null, known, `h${n}`);
    const noted = async () => (await command("audit")).filter(({ event }) => event === "handed out twice").length;
    expect(await noted()).toBe(10);
    await command("reports", "close", id, "--note", "counted all drawers", "--seen", "2999-12-31");
    await linkTransaction(world.service, till, id, null, known, "h15");
    expect(await lines()).toMatchObject([{ finding: "restored", reason: "handed_out_twice" }]);
    expect(await noted()).toBe(11);
  });

  test.each([
    ["", (told: number) => ({ told: [told] })],
    [", as a release before says it", (toldSince: number) => ({ toldSince })],
  ])(
    "a no to a payment that an older copy had told its bank to be canceled%s, after a try without an answer, is a line",
    async (_, says) => {
      world.bank.onSettle = () => ({ status: 503, body: "" });
      const order = await placeOrder(world.service, { sca_required: false });
      const told = systemClock.now();
      await confirmIt(world.service, order);
      await expect.poll(() => world.bank.settles.length).toBe(1);
      await world.service.stop();
      await store.write(async (tx) => {
        await tx.run(setSetting({ name: copiedAtSetting, value: String(told) }));
        await tx.run(
          setSetting({ name: restoredFromSetting, value: JSON.stringify({ copy: "x", by: "ada", ...says(told) }) }),
        );
      });
      await applyPendingRestore({ store, clock: systemClock, keys: testKeys });
      world = await createWorld(store);
      world.bank.onSettle = () => declined;
      const failed = async () => (await getTransaction(world.service, till, order.transaction_id)).status === "failed";
      await expect.poll(failed).toBe(true);
      expect(await lines()).toMatchObject([{ status: "failed", finding: "no_after_silence" }]);
      await expectWholeHistory(store);
    },
  );

  test.each([
    ["when it was applied", []],
    ["when an older copy was put back before", [{ restored_at: systemClock.now() + 40 * dayMs, forgot_since: 0 }]],
  ])("a clock that was ahead %s puts no event before what the bank has heard", async (_, before) => {
    await store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url: "http://bank/events" })));
    const order = await placeOrder(world.service, { sca_required: true });
    const { transaction_id: id } = await confirmIt(world.service, order, till, "pos-1");
    await world.service.stop();
    const heard: { readonly sequence: number; readonly status: string }[] = [];
    const ahead = { ...systemClock, now: () => systemClock.now() + (before.length > 0 ? 0 : 40 * dayMs) };
    const mark = setSetting({ name: restoresBeforeSetting, value: JSON.stringify(before) });
    await store.write((tx) => tx.run(mark));
    await applyRestore({ store, clock: ahead, keys: testKeys }, { forgotSince: systemClock.now() });
    world = await createWorld(store);
    world.bank.onEvent = ({ sequence, transaction: { status } }) => {
      heard.push({ sequence, status });
      return accepted;
    };
    const heardOf = (status: string) => heard.find((event) => event.status === status)?.sequence ?? 0;
    await expect.poll(() => heardOf("canceled")).toBeGreaterThan(heardThen(before));
    const given = { amount: "50.00", currency: "EUR", confirmed_at: ago(0), settled_at: ago(0), reported_at: ago(0) };
    await linkTransaction(world.service, till, id, null, { transaction_id_partner: "pos-1", ...given });
    await expect.poll(() => heardOf("linked")).toBeGreaterThan(heardOf("canceled"));
  });

  test("a terminal is told the newest link of its journal that the copy has", async () => {
    const head = (seq: number) => ({ seq, head: `head-${seq}` });
    const keep = (seq: number) =>
      reportJournalHead(createAccess(world.service, "secret"), till, { ...head(seq), at: ago(0) }, "");
    const kept = async (terminal = till) => (await readTill(world.service, terminal)).kept_head;
    await keep(7);
    await keep(9);
    const since = systemClock.now();
    expect(await kept()).toBeNull();
    await applyTo(since);
    await keep(20);
    expect([await kept(), await kept(secondTill)]).toEqual([head(9), null]);
    await store.write((tx) => newJournalEpoch(tx, till.merchantId, till.deviceId, systemClock.now()));
    expect(await kept()).toEqual(head(9));
    // What came after the restore came after the one that it is called now.
    for (const forgotSince of [systemClock.now(), since]) {
      await correctRestore({ store, clock: systemClock, keys: testKeys }, { forgotSince, by: "Ada" });
      expect(await kept()).toEqual(head(9));
    }
    // Of several, the first of the last 90 days counts.
    await applyTo(systemClock.now());
    expect(await kept()).toEqual(head(9));
    // What was forgotten came before.
    await correctRestore({ store, clock: systemClock, keys: testKeys }, { forgotSince: 0, by: "Ada" });
    expect(await kept()).toBeNull();
  });

  test("a restore comes after the one before it and is told, whatever the service's clock said then", async () => {
    const longAgo = systemClock.now() - 10_000 * dayMs;
    const clock = { ...systemClock, now: () => longAgo };
    await applyRestore({ store, clock, keys: testKeys }, { forgotSince: longAgo });
    const told = (at: number) => ({ restored_at: new Date(at).toISOString() });
    expect(await readTill(world.service, till)).toMatchObject({
      ...told(longAgo),
      forgot_since: told(longAgo).restored_at,
    });
    const { restoredAt } = await applyTo(systemClock.now());
    await applyRestore({ store, clock, keys: testKeys }, { forgotSince: longAgo });
    expect(await readTill(world.service, till)).toMatchObject(told(restoredAt + 10_000));
  });

  test("a restore that was begun in the copy, long ago, gives this one no time", async () => {
    await store.write((tx) => tx.run(setSetting({ name: "restoring_at", value: "1" })));
    const begunAt = systemClock.now();
    expect((await applyTo(begunAt)).restoredAt).toBeGreaterThanOrEqual(begunAt);
  });

  test.each([
    ["said with the restore", ["--since", "NEWER", "--served", "BEFORE,OLDER"]],
    ["said later", ["--correct", "--since", "NEWER", "--served", "OLDER"]],
  ])(
    "cash that an older dump, served before this one, had as not paid: %s, its bank hears of it, and it is a line",
    async (_, said) => {
      await store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url: "http://bank/events" })));
      const before = ago(0);
      const { transaction_id: id } = await placeOrder(world.service, { sca_required: false });
      const older = ago(0);
      await expect.poll(() => systemClock.now()).toBeGreaterThan(Date.parse(older));
      // The older dump did not know of it, so nobody was told anything else.
      const { transaction_id: young } = await placeOrder(world.service, { sca_required: false });
      for (const one of [id, young]) {
        await confirmIt(world.service, await getTransaction(world.service, till, one));
        await getTransaction(world.service, till, one, { waitMs: 10_000, whileStatus: "settling" });
        await linkTransaction(world.service, till, one);
      }
      const newer = ago(0);
      await world.service.stop();
      const restored = (words: readonly string[]) =>
        command(
          "restored",
          ...words.map((word) => word.replace("NEWER", newer).replace("BEFORE", before).replace("OLDER", older)),
        );
      if (said[0] === "--correct") await restored(["--since", "NEWER"]);
      await restored(said);
      world = await createWorld(store);
      const heard: string[] = [];
      world.bank.onEvent = ({ type }) => {
        heard.push(type);
        return accepted;
      };
      await expect.poll(() => heard).toContain("withdrawal.linked");
      expect(await lines()).toMatchObject([
        { transaction_id: id, status: "linked", finding: "disputed" },
        { transaction_id: young, status: "linked", finding: "matched" },
      ]);
      await expectWholeHistory(store);
    },
  );

  test("`restored` asks since when, and refuses while a service works on the database", async () => {
    await expect(command("restored")).rejects.toThrow(/--since TIME/);
    await expect(command("restored", "--since", "yesterday")).rejects.toThrow(/--since must be a day/);
    await expect(command("restored", "--since", "2999-01-01")).rejects.toThrow(/future/);
    for (const served of [ago(0), "2020-01-01,2026-11-20"])
      await expect(command("restored", "--since", "2026-11-20", "--served", served)).rejects.toThrow(
        /--served .* before/,
      );
    const since = new Date(systemClock.now() - 86_400_000).toISOString();
    const held = dialect === "sqlite" ? lockForService(place.url.slice("sqlite:".length)) : null;
    await expect
      .poll(() => command("restored", "--since", since).then(String, String))
      .toMatch(/running on|work on this database/);
    held?.release();
    expect(await restores()).toEqual([]);
    await world.service.stop();
    const order = await store.read((tx) => tx.first(adhoc((db) => db.selectFrom("withdrawals").select("id").limit(1))));
    expect(order).toBeUndefined();
    // One code waits, one has ended.
    for (const device of ["till-8", "till-9"])
      await command(
        "credentials",
        "add",
        "terminal",
        till.merchantId,
        device,
        "--enrol",
        "--public-url",
        "https://a.b",
      );
    await command("credentials", "revoke", "terminal", till.merchantId, "till-9");
    expect(await command("restored", "--since", since)).toEqual([
      expect.objectContaining({ forgot_since: since, ended: 0, ended_codes: 1 }),
    ]);
    expect(await restores()).toHaveLength(1);
  });

  test("what is open is ended by the restore, also where the database's clock is behind the copy", async () => {
    const order = await confirmIt(world.service, await placeOrder(world.service));
    await world.service.stop();
    await store.write((tx) => tx.run(setSetting({ name: "clock", value: `${systemClock.now() + dayMs} 0` })));
    await command("restored", "--since", ago(60_000));
    expect(await getTransaction(world.service, till, order.transaction_id)).toMatchObject({ reason: "restored" });
    expect(await restores()).toHaveLength(1);
  });

  test("a command that is refused leaves the restore to the next program, where the database's clock is behind", async () => {
    const order = await confirmIt(world.service, await placeOrder(world.service));
    await world.service.stop();
    await store.write((tx) => tx.run(setSetting({ name: "clock", value: `${systemClock.now() + dayMs} 0` })));
    // A slip of the operator's: what it has left open is the next program's to end.
    await expect(command("restored", "--since", ago(-60_000))).rejects.toThrow("in the future");
    expect(await restores()).toEqual([]);
    expect(await getTransaction(world.service, till, order.transaction_id)).toMatchObject({ status: "awaiting_sca" });
    if (dialect === "postgres") {
      await command("merchants", "list");
      expect(await restores()).toHaveLength(1);
      expect(await getTransaction(world.service, till, order.transaction_id)).toMatchObject({ reason: "restored" });
    }
  });

  test("of two processes that find the same copy at once, one applies it", async () => {
    await world.service.stop();
    await store.write((tx) => tx.run(setSetting({ name: copiedAtSetting, value: String(systemClock.now()) })));
    const on = { store, clock: systemClock, keys: testKeys };
    const others: Promise<unknown>[] = [];
    const read: Store["read"] = async (...asked) => {
      const found = await store.read(...asked);
      if (others.length === 0) others.push(applyPendingRestore(on));
      await Promise.all(others);
      return found;
    };
    expect(await applyPendingRestore({ ...on, store: { ...store, read } })).toBeNull();
    expect(await restores()).toHaveLength(1);
  });

  test("a time of another year is refused, unless the operator says that it is meant", async () => {
    await world.service.stop();
    await store.close();
    for (const time of [ago(91 * dayMs), "0026-11-22T03:15:00Z"])
      await expect(command("restored", "--since", time)).rejects.toThrow(/more than 90 days ago.*--long-ago/);
    await expect(command("restored", "--since", ago(-60_000), "--long-ago")).rejects.toThrow(/future/);
    store = await place.open();
    expect(await restores()).toEqual([]);
    await store.close();
    await command("restored", "--since", ago(91 * dayMs), "--long-ago");
    await open();
    expect(await restores()).toHaveLength(1);
  });

  test("a wrong time is corrected beside a running service: terminals repeat anew since the right one, and nothing ends", async () => {
    await expect(command("restored", "--correct", "--since", ago(dayMs))).rejects.toThrow(/no restore to correct/);
    const right = systemClock.now() - dayMs;
    await applyTo(systemClock.now() - 3 * dayMs);
    await applyTo(systemClock.now() - 1_000);
    const [earlier, wrong] = await restores();
    const order = await placeOrder(world.service);
    const [said] = await command("restored", "--correct", "--since", new Date(right).toISOString());
    expect(said).toMatchObject({ forgot_since: new Date(right).toISOString(), ended: 0 });
    const [kept, corrected, ...none] = await restores();
    expect([kept, none]).toEqual([earlier, []]);
    expect(corrected?.forgot_since).toBe(right);
    expect(Number(corrected?.restored_at)).toBeGreaterThan(Number(wrong?.restored_at));
    expect((await readTill(world.service, till)).restored_at).toBe(said?.restored_at);
    const history = await getHistory(world.service, bank, order.transaction_id);
    expect(history.events.at(-1)).toMatchObject({ to: "ready" });
    const audit = (await command("audit")).filter(({ event }) => event === "restore corrected");
    expect(audit.map(({ detail }) => detail)).toEqual([
      `copy of ${new Date(right).toISOString()}, not of ${new Date(Number(wrong?.forgot_since)).toISOString()}`,
    ]);
  });

  test("the command says which payments are known to banks alone, and of which time", async () => {
    await world.service.stop();
    await store.close();
    const [said] = await command("restored", "--since", ago(dayMs));
    await open();
    expect(said?.compare_with_banks).toBe(`payments from ${said?.forgot_since} to ${said?.restored_at}`);
  });

  test("a line has times of the restore's, whatever a terminal says", async () => {
    const forgotSince = systemClock.now() - dayMs;
    await applyTo(forgotSince);
    const [early, late] = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];
    await report(unknownId(1), { confirmed_at: early, settled_at: early, reported_at: ago(0) });
    await report(unknownId(2), { confirmed_at: late, settled_at: late, reported_at: late });
    const kept = await reports();
    expect(kept).toHaveLength(2);
    for (const { confirmed_at, settled_at, reported_at } of kept)
      for (const at of [confirmed_at, settled_at, reported_at]) {
        expect(at).toBeGreaterThanOrEqual(forgotSince);
        expect(at).toBeLessThanOrEqual(systemClock.now());
      }
  });

  test("closed lines go with the archive, open ones stay; one terminal leaves no more than its bound", async () => {
    await applyTo(systemClock.now() - dayMs);
    for (const n of [1, 2, 3]) await report(unknownId(n), { confirmed_at: ago(60_000) });
    await command("reports", "close", unknownId(1), "--note", "found");
    await command("reports", "close", unknownId(2), "--note", "found");
    const old = systemClock.now() - 500 * dayMs;
    await store.write((tx) =>
      tx.run(
        adhoc((db) =>
          db
            .updateTable("restored_reports")
            .set({ created_at: old })
            .where("transaction_id", "in", [unknownId(1), unknownId(3)]),
        ),
      ),
    );
    const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;
    await purge(world.service, nothing);
    expect(await reports()).toHaveLength(3);
    await purge(world.service, { ...nothing, archive: 400 * dayMs });
    expect((await reports()).map(({ transaction_id: id }) => id).toSorted()).toEqual([unknownId(2), unknownId(3)]);

    const line = (await reports())[0] ?? expect.fail();
    await store.write(async (tx) => {
      for (let n = 0; n < 9_998; n += 1)
        await tx.run(
          adhoc((db) => db.insertInto("restored_reports").values({ ...line, id: `l${n}`, transaction_id: `t${n}` })),
        );
    });
    await expect(report(unknownId(4), { confirmed_at: ago(60_000) })).rejects.toMatchObject({
      code: "transaction_not_found",
    });
    expect((await reports()).filter(({ merchant_id }) => merchant_id === shop)).toHaveLength(10_000);
  });

  test("what a restore has ended stays for its terminal's report, however soon other withdrawals go to the archive", async () => {
    const [{ transaction_id: id }, { transaction_id: other }] = [
      await placeOrder(world.service),
      await placeOrder(world.service),
    ];
    await applyTo(systemClock.now() - dayMs);
    const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;
    await purge(world.service, { ...nothing, withdrawals: dayMs }, undefined, systemClock.now() + 89 * dayMs);
    expect(await report(id, { confirmed_at: ago(60_000) })).toMatchObject({ status: "linked" });
    expect(await lines()).toMatchObject([{ transaction_id: id, finding: "restored" }]);
    const later = systemClock.now() + 91 * dayMs;
    expect(await store.write((tx) => archiveEnded(tx, later, later, 9))).toBe(1);
    // A terminal that comes back later still: its cash has a line.
    for (const _ of ["said", "said again"])
      expect(await report(other, { confirmed_at: ago(60_000) })).toMatchObject({ status: "linked", amount: "50.00" });
    expect(await reports()).toMatchObject([{ transaction_id: other, status: "linked", closed_at: null }]);
  });

  test("a link that says nothing of the restore is refused as after any end, and its cash is a line until an operator closes it", async () => {
    const placed = await Promise.all([1, 2, 3].map(() => placeOrder(world.service)));
    const [given, ours, kept] = placed.map(({ transaction_id: id }) => id) as [string, string, string];
    await applyTo(systemClock.now() - 60_000);
    const refused = { code: "transaction_conflict" };
    const link = (id: string, handOutId: string | null = null) =>
      linkTransaction(world.service, till, id, null, undefined, handOutId);
    for (const _ of ["said", "said again"]) await expect(link(given)).rejects.toMatchObject(refused);
    // Ours comes again with what it knows, and what was not handed out needs no line.
    await expect(link(ours, "hand-out")).rejects.toMatchObject(refused);
    await expect(declareUndelivered(world.service, till, kept, "till_short")).rejects.toMatchObject(refused);
    const line = { transaction_id: given, status: "linked", amount: "50.00", device_id: till.deviceId };
    expect(await lines()).toMatchObject([{ ...line, finding: "restored", transaction_id_partner: null }]);
    const row = await getTransaction(world.service, bank, given);
    expect(row).toMatchObject({ status: "canceled", reason: "restored" });
    await command("reports", "close", given, "--note", "paid by the bank's ledger");
    expect(await lines()).toMatchObject([{ ...line, finding: "matched" }]);
    await expectWholeHistory(store);
  });

  test("what two machines with one identity repeat at once of an unknown withdrawal is one line that names both", async () => {
    await applyTo(systemClock.now() - 60_000);
    // What one process does at once may share a commit, in which nothing is at once.
    const beside = { ...world.service, store: dialect === "postgres" ? await place.open() : store };
    for (let round = 0; round < 8; round += 1) {
      const known = { transaction_id_partner: `pos-${round}`, amount: "50.00", currency: "EUR" };
      const answers = await Promise.all(
        [world.service, beside].map((on, at) =>
          linkTransaction(on, till, unknownId(round), null, known, at === round % 2 ? "one" : "two"),
        ),
      );
      expect(new Set(answers.map(({ hand_out_id: first }) => first)).size).toBe(1);
      expect((await lines()).at(-1)).toMatchObject({ finding: "restored", reason: "handed_out_twice" });
    }
  });

  test("what one of them declares as not handed out, at once with the other's hand-out, is a line that names it", async () => {
    const beside = { ...world.service, store: dialect === "postgres" ? await place.open() : store };
    const placed = await Promise.all(Array.from({ length: 12 }, () => placeOrder(world.service)));
    await applyTo(systemClock.now() - 60_000);
    const kept: unknown[] = [];
    for (const [round, { transaction_id: id }] of placed.entries()) {
      const known = { transaction_id_partner: `pos-${round}`, amount: "50.00", currency: "EUR" };
      const [one, other] = round % 2 ? [world.service, beside] : [beside, world.service];
      const handOut = () => linkTransaction(one, till, id, null, known, "one");
      const declare = () => declareUndelivered(other, till, id, "till_short", null, known);
      // Whoever is the quicker one in the others: in the first round the declaration is there before.
      if (round === 0) await declare();
      await Promise.allSettled(round % 2 ? [handOut(), declare()] : [declare(), handOut()]);
      const { status, reason } = (await lines()).find((line) => line.transaction_id === id) ?? {};
      if (status !== "linked") expect([status, reason]).toEqual(["undelivered", "handed_out_after_undelivered"]);
      kept.push(status);
    }
    expect(kept[0]).toBe("undelivered");
  });

  test("an approval that the bank repeats many times at once is one approval, and each answer is the replay that it is", async () => {
    const order = await placeOrder(world.service);
    await applyTo(systemClock.now() - dayMs);
    const again = () => resolveSca(world.service, bank, order.transaction_id, "approved");
    // All connections of the pool are open before.
    await Promise.all(Array.from({ length: 16 }, () => reports()));
    const answers = await Promise.all(Array.from({ length: 16 }, again));
    expect(answers.map(({ status, reason }) => [status, reason])).toEqual(answers.map(() => ["canceled", "restored"]));
    const { events } = await getHistory(world.service, bank, order.transaction_id);
    expect(events.filter(({ kind }) => kind === "approved")).toHaveLength(1);
  });
});
