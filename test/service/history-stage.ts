/** A service that has made two withdrawals over two days, for the tests of the history's proof: each begins with them as they were. */
import type { Kysely } from "kysely";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { checkAudit } from "../../backend/operate/audit.ts";
import { closeDays } from "../../backend/operate/proof.ts";
import type { Database, RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Dialect, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { bothTables } from "../../backend/withdrawals/store.ts";
import { putBack, rowsOf } from "./rows.ts";
import { createPlace, type Place } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { approve, confirmIt, createWorld, placeOrder, testKeys, till, type World } from "./world.ts";

const dayMs = 86_400_000;
const tables = [
  "withdrawals",
  "archived_withdrawals",
  "withdrawal_events",
  "audit",
  "audit_head",
  "settings",
  "restores",
  "restored_reports",
] as const;
/** All of them. */
export const copyOf = (store: Store) => rowsOf(store, tables);
/** What they hold. */
export type Copy = Awaited<ReturnType<typeof copyOf>>;

/** The same database, where `withdrawals` names one of the two tables. */
const renaming = (db: Kysely<Database>, table: "withdrawals" | "archived_withdrawals"): Kysely<Database> =>
  new Proxy(db, {
    get: (of, key: "updateTable" | "deleteFrom") =>
      key === "updateTable" || key === "deleteFrom"
        ? (name: "withdrawals") => of[key]((name === "withdrawals" ? table : name) as "withdrawals")
        : of[key],
  });

/** @param told gets all of it once it is there. */
export const historyStage = (
  dialect: Dialect,
  told: (stage: {
    readonly store: Store;
    readonly clock: VirtualClock;
    readonly world: World;
    /** Linked on the second day. */
    readonly id: string;
    /** Settled on the second day. */
    readonly other: string;
    /** After the first day. */
    readonly before: Copy;
    /** After the second. */
    readonly sound: Copy;
  }) => void,
) => {
  let place: Place;
  let store: Store;
  let clock: VirtualClock;
  let world: World;
  let sound: Copy;

  /** One that its bank has paid. */
  const settle = async () => {
    const placed = await placeOrder(world.service);
    await confirmIt(world.service, placed);
    await approve(world.service, placed);
    await getTransaction(world.service, till, placed.transaction_id, { waitMs: 10_000, whileStatus: "settling" });
    return placed.transaction_id;
  };
  const close = (keys = testKeys) => closeDays({ ...world.service, keys });
  /** The day is over. */
  const endDay = async () => {
    clock.jump(dayMs);
    await close();
  };
  const verify = (flags: Record<string, string> = {}, keys = testKeys) => checkAudit({ store, clock, keys }, flags);
  const finding = () => verify().then(JSON.stringify, (error: Error) => error.message);
  const add = (table: "withdrawals" | "archived_withdrawals", row: Readonly<Record<string, unknown>>) =>
    store.write((tx) => tx.run(adhoc((db) => db.insertInto(table).values(row as RowOf<"archived_withdrawals">))));
  /** Of a withdrawal wherever it lies. */
  const change = (build: Parameters<typeof adhoc>[0]) =>
    store.write(async (tx) => {
      for (const table of bothTables) await tx.run(adhoc((db, on) => build(renaming(db, table), on)));
    });

  beforeAll(async () => {
    place = await createPlace(dialect);
    clock = new VirtualClock();
    store = await place.open(clock);
    world = await createWorld(store, { clock, options: { pollMs: 1e9 } });
    await close();
    const id = await settle();
    await endDay();
    const before = await copyOf(store);
    const other = await settle();
    await linkTransaction(world.service, till, id);
    await endDay();
    sound = await copyOf(store);
    told({ store, clock, world, id, other, before, sound });
  });
  beforeEach(() => putBack(store, sound));
  afterAll(async () => {
    await world.service.stop();
    await place.dispose();
  });
  return { settle, close, endDay, verify, finding, add, change };
};
