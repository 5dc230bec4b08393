/** Withdrawals in a database in memory, put there as a case wants them, and a service that keeps what it would send. */

import { afterAll, beforeAll, beforeEach } from "vitest";
import { defaultOptions, type LeasedEvent, type Service } from "../../../backend/context.ts";
import { createStartSlots } from "../../../backend/partner/orders.ts";
import { openStore } from "../../../backend/store/open.ts";
import { restoresBeforeSetting } from "../../../backend/store/restores.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { removeSetting } from "../../../backend/store/settings.ts";
import { adhoc, type Query, type Store, type UnitOfWork } from "../../../backend/store/store.ts";
import type { Row } from "../../../backend/withdrawals/store.ts";
import { type Step, scriptedTx, watchedTx } from "../../service/test-tx.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, Counted, quiet, seed, testKeys } from "../../service/world.ts";

/** When the tests of this folder play, epoch milliseconds. */
export const nowMs = 100_000;

/** Of the rows that a case puts there, the first without saying so. */
export const [id, secondId] = ["111111111111111M", "222222222222222D"] as const;

/** The first one's order, as the try that is under way holds it. */
export const orderWith = (changes: Partial<RowOf<"outbox">> = {}): RowOf<"outbox"> => ({
  id: `settle_${id}`,
  transaction_id: id,
  partner_id: bank.partnerId,
  body: "{}",
  attempts: 1,
  due_at: nowMs + 20_000,
  claimed_by: "worker",
  created_at: 0,
  last_error: null,
  partner_reference: null,
  unsent_attempts: 0,
  ...changes,
});

/** Plays a unit without a database. @param answer the rows of each statement. @returns what it gave, and the steps that it took. */
export const playUnit = async <T>(
  unit: UnitOfWork<T>,
  answer: (text: string, values: readonly unknown[]) => readonly unknown[],
) => {
  const steps: Step[] = [];
  const rowsOf = (query: Query<unknown>) => {
    const { text, values } = query.sql("postgres");
    return answer(text, values);
  };
  const value = await unit(scriptedTx(rowsOf, (step) => void steps.push(step)));
  return { value, steps, names: steps.map((step) => (step === "changed" ? step : step.name)) };
};

const tables = [
  ...(["withdrawals", "archived_withdrawals", "withdrawal_events", "outbox", "status_events"] as const),
  ...(["terminal_references", "restored_reports", "restores", "journal_heads"] as const),
] as const;

const newParts = (store: Store) => {
  const [orders, events]: [RowOf<"outbox">[], LeasedEvent[]] = [[], []];
  const waking = { count: 0 };
  const counted = new Counted();
  const clock = new VirtualClock(nowMs);
  const service = {
    store,
    clock,
    random: { bytes: (count: number) => new Uint8Array(count), fraction: () => 0 },
    log: quiet,
    telemetry: counted,
    keys: testKeys,
    options: defaultOptions,
    settleQueue: { workerId: "worker", send: (order: RowOf<"outbox">) => void orders.push(order) },
    statusEvents: {
      send: (event: LeasedEvent) => void events.push(event),
      wake: () => {
        waking.count += 1;
      },
    },
    startSlots: createStartSlots(5),
    owns: () => true,
  } as unknown as Service;
  return { orders, events, waking, counted, clock, service };
};

/** Registers the hooks of a file. What it returns is of the test that runs; the database is emptied before each. */
export const withdrawalStage = () => {
  let store: Store;
  let now: ReturnType<typeof newParts>;
  beforeAll(async () => {
    store = await openStore("sqlite::memory:", new VirtualClock());
    await seed(store);
  });
  beforeEach(async () => {
    now = newParts(store);
    await store.write(async (tx) => {
      for (const table of tables) await tx.run(adhoc((db) => db.deleteFrom(table)));
      await tx.run(removeSetting({ name: restoresBeforeSetting }));
    });
  });
  afterAll(() => store.close());
  return {
    get store() {
      return store;
    },
    get service() {
      return now.service;
    },
    get clock() {
      return now.clock;
    },
    get counted() {
      return now.counted;
    },
    /** Orders and events that the service would send, and how often it woke who sends events. */
    get sent() {
      return { orders: now.orders, events: now.events, wakes: now.waking.count };
    },
    /** The names of the statements of all units that are written while it works. */
    async namesOf(work: (service: Service) => Promise<unknown>) {
      const names: (string | null)[] = [];
      const write: Store["write"] = (unit) =>
        store.write(async (tx) => {
          return unit(
            watchedTx(tx, (step) => {
              if (step !== "changed") names.push(step.name);
            }),
          );
        });
      await work({ ...now.service, store: { ...store, write } });
      return names;
    },
    /** Puts rows there. */
    put: (...rows: readonly Partial<Row>[]) =>
      store.write(async (tx) => {
        for (const [n, row] of rows.entries())
          await tx.run(
            adhoc((db) =>
              db
                .insertInto("withdrawals")
                .values(rowWith({ id, idempotency_key: `key-${n}`, transaction_id_partner: `pos-${n}`, ...row })),
            ),
          );
      }),
    putArchived: ({ archived_at = 5_000, ...row }: Partial<Row & { archived_at: number }> = {}) =>
      store.write((tx) =>
        tx.run(
          adhoc((db) => db.insertInto("archived_withdrawals").values({ ...rowWith({ id, ...row }), archived_at })),
        ),
      ),
    /** A contradiction that its history has already, as its newest row. */
    putContradiction: (reason: string) => {
      const note: RowOf<"withdrawal_events"> = {
        ...{
          transaction_id: id,
          sequence: 5,
          kind: "contradicted",
          at: 500,
          actor: "partner",
          actor_id: bank.partnerId,
        },
        ...{ from_status: "settling", to_status: "settling", reason, request_id: null, attempt: 1, cashier: null },
        ...{ terms: null, address: null, hash: null, seal: null, asked_at: rowWith().created_at, day: 0 },
      };
      return store.write((tx) => tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(note))));
    },
    putOrder: (order: Partial<RowOf<"outbox">> = {}) =>
      store.write((tx) => tx.run(adhoc((db) => db.insertInto("outbox").values(orderWith(order))))),
    rows: <Table extends (typeof tables)[number]>(table: Table) =>
      store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table as "withdrawals").selectAll()))),
    /** What was written since it was put there. */
    history: () =>
      store.read((tx) =>
        tx.all(
          adhoc((db) => db.selectFrom("withdrawal_events").selectAll().where("sequence", ">", 5).orderBy("sequence")),
        ),
      ),
  };
};
