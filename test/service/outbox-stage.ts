/** An outbox in virtual time on a real store: orders, a bank that does what a test says, and time that waits for the database. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { ServiceOptions } from "../../backend/context.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import type { RunningService } from "../../backend/withdrawals/service.ts";
import { createDatabaseWork } from "./database-work.ts";
import { putBack, type Rows, rowsOf, tablesOf } from "./rows.ts";
import { createPlace, type Place, type stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { type BankReply, confirmIt, createWorld, placeOrder, seed, till, type World } from "./world.ts";

/** A bank that gives no answer, for this reason. */
export const silent = (why: string) => (): BankReply => {
  throw new Error(why);
};

/** Registers the hooks of a suite; what it returns is for the test that runs. */
export const outboxStage = (dialect: (typeof stores)[number]) => {
  let place: Place;
  let clock: VirtualClock;
  let store: Store;
  let first: Rows;
  const worlds: World[] = [];
  /** Tests that ended. One that was given up may go on in the background, and must not move the next one's time. */
  let ended = 0;
  beforeAll(async () => {
    place = await createPlace(dialect);
    clock = new VirtualClock();
    store = await place.open(clock);
    await seed(store);
    first = await rowsOf(store, (await tablesOf(store)).tables);
  });
  beforeEach(() => putBack(store, first));
  const stopAll = async () => {
    await Promise.all(worlds.splice(0).map(({ service }) => service.stop()));
  };
  afterEach(async () => {
    ended += 1;
    await stopAll();
    await place.closeOthers();
  });
  afterAll(() => place.dispose());

  const { counted, idle } = createDatabaseWork(dialect);
  const open = async (options: Partial<ServiceOptions> = {}, on = store) => {
    const world = await createWorld(counted(on), { clock, options: { pollMs: 250, ...options } });
    worlds.push(world);
    return world;
  };
  const turnsMax = dialect === "sqlite" ? 3_000 : 20_000;
  /** Moves time on in quarter seconds, with real pauses for the database, until the condition holds. */
  const until = async (holds: () => boolean | Promise<boolean>, stepMs = 250) => {
    const before = ended;
    for (let turns = 0; turns < turnsMax && ended === before; turns += 1) {
      if (await holds()) return;
      await idle();
      await clock.advance(stepMs, idle);
    }
    throw new Error("it never came");
  };
  const real = async (holds: () => boolean | Promise<boolean>) => until(holds, 0);
  const statusOf = async (service: RunningService, { transaction_id }: Pick<Transaction, "transaction_id">) =>
    (await getTransaction(service, till, transaction_id)).status;
  const settling = async (service: RunningService) =>
    confirmIt(service, await placeOrder(service, { sca_required: false }));
  const rows = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("outbox").selectAll())));
  return {
    get clock() {
      return clock;
    },
    get store() {
      return store;
    },
    get place() {
      return place;
    },
    open,
    stopAll,
    idle,
    until,
    real,
    statusOf,
    settling,
    rows,
  };
};
