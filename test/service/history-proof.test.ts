/** What somebody with the database alone can do to the history of withdrawals, and that each of it shows, on both stores. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyAudit } from "../../backend/access/audit.ts";
import { serviceKeysFrom } from "../../backend/access/secrets.ts";
import { acceptHistory, checkAudit } from "../../backend/operate/audit.ts";
import { auditedStore } from "../../backend/operate/audited-store.ts";
import { eraseUser } from "../../backend/operate/erase-user.ts";
import { createHistoryReader, purgeArchive, sealAll, startSealer, verifyHistory } from "../../backend/operate/proof.ts";
import { purge } from "../../backend/operate/purge.ts";
import { type Retained, retained } from "../../backend/retention.ts";
import type { RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Store, type Value } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { sweep } from "../../backend/withdrawals/sweep.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { approve, bank, confirmIt, createWorld, placeOrder, testKeys, till, type World } from "./world.ts";

const dayMs = 86_400_000;
const nothing = Object.fromEntries(retained.map((what) => [what, null])) as Record<Retained, null>;
const tables = ["withdrawals", "archived_withdrawals", "withdrawal_events", "audit", "audit_head"] as const;
type Table = (typeof tables)[number];
type Copy = Readonly<Record<Table, readonly Readonly<Record<string, Value>>[]>>;

const read = (store: Store, table: Table) =>
  store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).selectAll()))) as Promise<Copy[Table]>;
const copyOf = async (store: Store): Promise<Copy> =>
  Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await read(store, table)]))) as Copy;
const putBack = (store: Store, copy: Copy, some: readonly Table[] = tables) =>
  store.write(async (tx) => {
    for (const table of some) {
      await tx.run(adhoc((db) => db.deleteFrom(table)));
      for (const row of copy[table]) await tx.run(adhoc((db) => db.insertInto(table).values(row)));
    }
  });

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let clock: VirtualClock;
  let world: World;
  /** Two withdrawals: linked, and settled. */
  let [id, other] = ["", ""];
  let before: Copy;
  let sound: Copy;

  const settle = async () => {
    const placed = await placeOrder(world.service);
    await confirmIt(world.service, placed);
    await approve(world.service, placed);
    await getTransaction(world.service, till, placed.transaction_id, { waitMs: 10_000, whileStatus: "settling" });
    return placed.transaction_id;
  };
  const seal = (keys = testKeys) => sealAll({ ...world.service, keys });
  const verify = (flags: Record<string, string> = {}, keys = testKeys) =>
    checkAudit({ store, keys, database: { kind: "sqlite", path: ":memory:" }, isKeyGiven: true }, flags);
  const finding = () => verify().then(JSON.stringify, (error: Error) => error.message);
  const change = (build: Parameters<typeof adhoc>[0]) => store.write((tx) => tx.run(adhoc(build)));

  beforeAll(async () => {
    place = await createPlace(dialect);
    clock = new VirtualClock();
    store = await place.open(clock);
    world = await createWorld(store, { clock, options: { pollMs: 1e9 } });
    await seal();
    id = await settle();
    await seal();
    before = await copyOf(store);
    other = await settle();
    await linkTransaction(world.service, till, id);
    await seal();
    sound = await copyOf(store);
  });
  beforeEach(() => putBack(store, sound));
  afterAll(async () => {
    await world.service.stop();
    await place.dispose();
  });
  const row = (transaction: string, sequence: number) => {
    const found = sound.withdrawal_events.find(
      (one) => one.transaction_id === transaction && one.sequence === sequence,
    );
    if (found === undefined) throw new Error("no such row");
    return found;
  };

  const expire = async () => {
    clock.jump(3_600_000);
    await sweep(world.service);
  };
  const reject = (of: string) => rejectTransaction(world.service, till, of);
  const changeRow = (to: Partial<RowOf<"withdrawal_events">>) =>
    change((db) => db.updateTable("withdrawal_events").set(to).where("sequence", "=", 6));
  const deleteRow = (sequence: number) =>
    change((db) => db.deleteFrom("withdrawal_events").where("sequence", "=", sequence));

  test("the history as it was written is whole", async () => {
    expect(await verify()).toMatchObject({ audit: "whole", history: "whole", rows: 11 });
    expect(await verify()).not.toHaveProperty("before_the_chain");
    expect(sound.audit.map(({ event }) => event)).toEqual(["history_chained", "history_sealed", "history_sealed"]);
  });

  const tampering: readonly [string, () => Promise<unknown>, RegExp][] = [
    ["a row rewritten", () => changeRow({ cashier: "7" }), /row 6 of \w+ was changed/],
    [
      "a row rewritten and its hash taken away",
      () => changeRow({ cashier: "7", hash: null }),
      /row 6 of \w+ is not chained as it should be/,
    ],
    ["a row deleted", () => deleteRow(3), /a row before row 4 of \w+ is missing/],
    [
      "a withdrawal deleted with all of its rows",
      async () => {
        await change((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", id));
        await change((db) => db.deleteFrom("withdrawals").where("id", "=", id));
      },
      /entry \d of the audit sealed 5 rows, 0 are left/,
    ],
    [
      "a withdrawal deleted, its rows not",
      () => change((db) => db.deleteFrom("withdrawals").where("id", "=", id)),
      /the withdrawal \w+ is gone, its history is not/,
    ],
    [
      "a withdrawal without a history",
      async () => {
        await change((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", id));
        await change((db) => db.updateTable("withdrawals").set({ history_length: 0 }).where("id", "=", id));
      },
      /the withdrawal \w+ has no history/,
    ],
    ["the tail cut off", () => deleteRow(6), /row 6 of \w+ was cut off/],
    [
      "the tail cut off, the withdrawal put back with it",
      async () => {
        await deleteRow(6);
        await change((db) =>
          db.updateTable("withdrawals").set({ status: "settled", history_length: 5 }).where("id", "=", id),
        );
      },
      /entry \d of the audit sealed 6 rows, 5 are left/,
    ],
    [
      "two rows swapped",
      async () => {
        const swapped = sound.withdrawal_events.map((each) =>
          each.transaction_id === id && each.sequence === 2
            ? { ...row(id, 3), sequence: 2 }
            : each.transaction_id === id && each.sequence === 3
              ? { ...row(id, 2), sequence: 3 }
              : each,
        );
        await putBack(store, { ...sound, withdrawal_events: swapped }, ["withdrawal_events"]);
      },
      /row 2 of \w+ was changed/,
    ],
    [
      "a row of one withdrawal in the place of another's",
      async () => {
        const moved = sound.withdrawal_events.map((each) =>
          each.transaction_id === id && each.sequence === 5 ? { ...row(other, 5), transaction_id: id } : each,
        );
        await putBack(store, { ...sound, withdrawal_events: moved }, ["withdrawal_events"]);
      },
      /row 5 of \w+ was changed/,
    ],
    [
      "an old copy of the withdrawals and their history put back",
      () => putBack(store, before, ["withdrawals", "withdrawal_events"]),
      /entry \d of the audit sealed 6 rows, 0 are left/,
    ],
    ["a row put under a seal that there will be", () => changeRow({ seal: 99 }), /sealed 6 rows, 5 are left/],
    [
      "a seal deleted from the audit",
      () => change((db) => db.deleteFrom("audit").where("seq", "=", 2)),
      /The audit does not hold: entry 2 is missing/,
    ],
  ];
  test.each(tampering)("%s shows", async (_, tamper, shown) => {
    expect(await finding()).toMatch(/"history":"whole"/);
    await tamper();
    expect(await finding()).toMatch(shown);
  });

  const lies: readonly [string, Partial<RowOf<"withdrawals">>, RegExp][] = [
    ["another amount", { amount: 9_000 }, /row 1 of \w+ was changed, or its withdrawal was/],
    ["another shop", { merchant_id: "x" }, /row 1 of \w+ was changed, or its withdrawal was/],
    ["another status", { status: "failed" }, /the withdrawal \w+ is failed, its history ends with linked/],
    [
      "another terminal",
      { device_id: "till-9" },
      /the withdrawal \w+ says otherwise than row 3 of \w+: confirmed by whom and when/,
    ],
    [
      "another day for the report",
      { confirmed_at: 1 },
      /the withdrawal \w+ says otherwise than row 3 of \w+: confirmed by whom and when/,
    ],
    ["another time of the bank's yes", { settled_at: 1 }, /says otherwise than row 5 of \w+: settled when/],
    ["another cashier", { cashier: "C9" }, /says otherwise than row 6 of \w+: linked by whom and when/],
    ["fewer rows, and an earlier status", { history_length: 5, status: "settled" }, /row 6 of \w+ is not counted/],
    ["no rows, and another status", { history_length: 0, status: "failed" }, /row 1 of \w+ is not counted/],
  ];
  test.each(lies)("a withdrawal with %s shows", async (_, lie, shown) => {
    await change((db) => db.updateTable("withdrawals").set(lie).where("id", "=", id));
    expect(await finding()).toMatch(shown);
  });

  test("a row hidden from the next seal shows", async () => {
    const hidden = await settle();
    await change((db) => db.updateTable("withdrawal_events").set({ seal: 1e9 }).where("transaction_id", "=", hidden));
    await seal();
    expect(await finding()).toMatch(/under a seal that the audit does not know/);
  });

  test("a database that was put back whole lacks the entry that the log has", async () => {
    const newest = sound.audit.at(-1);
    const expected = `${newest?.seq}:${newest?.hash}`;
    expect(await verify({ expect: expected })).toMatchObject({ history: "whole" });
    await putBack(store, before);
    expect(await verify()).toMatchObject({ history: "whole", rows: 5 });
    await expect(verify({ expect: expected })).rejects.toThrow(/entry 3 is not the expected one/);
  });

  test("archive, erasure and purge leave it whole; what somebody deleted before the purge still shows", async () => {
    await purge(world.service, { ...nothing, withdrawals: -dayMs });
    expect((await read(store, "archived_withdrawals")).length).toBe(1);
    expect(await eraseUser(world.service, bank.partnerId, "ann")).toMatchObject({ withdrawals: 2 });
    expect(await verify()).toMatchObject({ history: "whole", rows: 11 });
    const kept = await copyOf(store);
    const now = clock.now() + 1;
    await store.write((tx) => purgeArchive(tx, testKeys, now, now, 100));
    // The settled one is open and stays; its rows share a seal with one that went.
    expect(await verify()).toMatchObject({ history: "whole", rows: 5 });
    const deleted: readonly [string, number, number][] = [
      // Under a seal of which the purge takes nothing, and under one of which it takes the rest.
      [id, 6, 5],
      [other, 1, 0],
    ];
    for (const [of, from, left] of deleted) {
      await putBack(store, kept);
      await change((db) =>
        db.deleteFrom("withdrawal_events").where("transaction_id", "=", of).where("sequence", ">=", from),
      );
      if (from === 1) await change((db) => db.deleteFrom("withdrawals").where("id", "=", of));
      await store.write((tx) => purgeArchive(tx, testKeys, now, now, 100));
      expect(await finding()).toMatch(`entry 3 of the audit sealed 6 rows, ${left} are left`);
    }
  });

  const endings: readonly [string, (of: string) => Promise<unknown>, number | null, boolean][] = [
    ["a deadline that nobody saw pass", expire, 0, true],
    ["a deadline that nobody saw pass, and earlier", expire, -1, true],
    ["a deadline, and later than it was seen", expire, 3_600_000, false],
    ["a deadline, and never", expire, null, false],
    ["the cashier", reject, 0, true],
    ["the cashier, and earlier", reject, -1, false],
    ["the cashier, and later", reject, 1, false],
    ["the cashier, and never", reject, null, false],
  ];
  test.each(endings)("a withdrawal that says that it was closed by %s, holds: %#", async (_, end, offMs, isWhole) => {
    const { transaction_id: of } = await placeOrder(world.service);
    await end(of);
    const ended = (await read(store, "withdrawals")).find((one) => one.id === of);
    const closed_at = offMs === null ? null : Number(ended?.closed_at) + offMs;
    await change((db) => db.updateTable("withdrawals").set({ closed_at }).where("id", "=", of));
    expect(await finding()).toMatch(isWhole ? /"history":"whole"/ : /says otherwise than row 3 of \w+: closed when/);
  });

  test("rows of a release without a chain are held by their seal; later ones are to be accepted", async () => {
    const bare = sound.withdrawal_events.map((each) => ({ ...each, hash: null, seal: null }));
    const head = [{ id: 1, seq: 0, hash: "" }];
    await putBack(store, { ...sound, withdrawal_events: bare, audit: [], audit_head: head });
    expect(await verify()).toMatchObject({ history: "whole", not_sealed_yet: 11, before_the_chain: 11 });
    await seal();
    if (dialect === "postgres") {
      expect(await verify()).toMatchObject({ entries: 1 });
      await clock.advance(dayMs);
      await seal();
    }
    expect(await verify()).toMatchObject({ history: "whole", before_the_chain: 11, entries: 2 });
    await linkTransaction(world.service, till, other);
    expect(await verify()).toMatchObject({ history: "whole", before_the_chain: 11, rows: 12 });
    const upgraded = await copyOf(store);
    await change((db) => db.updateTable("withdrawal_events").set({ cashier: "9" }).where("sequence", "=", 2));
    expect(await finding()).toMatch(/rows that entry 1 of the audit sealed were changed/);
    await putBack(store, upgraded);
    const unchain: Parameters<typeof adhoc>[0] = (db) =>
      db.updateTable("withdrawal_events").set({ hash: null }).where("transaction_id", "=", other);
    await change(unchain);
    await seal();
    expect(await finding()).toMatch(/is not chained as it should be .*audit accept/);
    const what = { name: "audit accept", words: [], flags: {}, actor: "operator olga" };
    const on = { store: auditedStore(store, testKeys, clock, what), clock, keys: testKeys };
    await expect(acceptHistory(on, undefined)).rejects.toThrow(/--note/);
    await acceptHistory(on, "back on 1.4 over the weekend");
    expect(await verify()).toMatchObject({ history: "whole", before_the_chain: 12 });
  });

  test("a stop seals what fits into its time, and leaves the rest to the next start without an alarm", async () => {
    const alarms: unknown[] = [];
    const log = { ...world.service.log, error: (about: unknown) => void alarms.push(about) };
    await placeOrder(world.service);
    const unsealed = async () => (await verify()).not_sealed_yet ?? 0;
    await startSealer({ ...world.service, log }).stop(0);
    expect([await unsealed(), alarms]).toEqual([2, []]);
    await startSealer({ ...world.service, log }).stop(1_000);
    expect([await unsealed(), alarms]).toEqual([0, []]);
  });

  test("a SERVICE_KEY that comes later holds what was written before it", async () => {
    const later = serviceKeysFrom("a service key that came later", true);
    const both = { ...world.service, keys: later };
    await linkTransaction(both, till, other);
    await sealAll(both);
    const verifyBoth = async () => {
      const reading = createHistoryReader();
      expect(await verifyAudit(store, [testKeys, later], reading.visit)).toMatchObject({ kind: "whole" });
      return verifyHistory(store, [testKeys, later], reading.result());
    };
    expect(await verifyBoth()).toEqual({ kind: "whole", rows: 12, unsealed: 0, unchained: 11 });
    // Whoever has the earlier key writes on under it.
    const forged = await placeOrder(world.service);
    expect(await verifyBoth()).toMatchObject({
      kind: "broken",
      what: expect.stringMatching(`row 1 of ${forged.transaction_id} is not chained as it should be`),
    });
  });
});
