/** Access without HTTP: one store in memory for a file, emptied before each test, and a clock that the test moves. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Access, createAccess } from "../../../backend/access/access.ts";
import { settingEvent } from "../../../backend/access/setting-entries.ts";
import { systemRandom } from "../../../backend/adapters.ts";
import type { Service } from "../../../backend/context.ts";
import { openStore } from "../../../backend/store/open.ts";
import { addSetting } from "../../../backend/store/settings.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { seed, testKeys } from "../../service/world.ts";

const cheap = { N: 2, r: 1, p: 1 } as const;
const emptied = [
  "credentials",
  "tokens",
  "audit",
  "enrolments",
  "manager_resets",
  "journal_heads",
  "settings",
] as const;

/** What a test finds on it. */
interface AccessStage {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly service: Service;
  readonly access: Access;
  /** Another process on the same database. */
  another(): Access;
  /** What went into the log. */
  readonly logged: readonly unknown[];
  /** The audit, as `event object detail` each; not the values behind it. */
  audited(): Promise<readonly string[]>;
}

/** Registers the hooks of a file. */
export const accessStage = (): AccessStage => {
  let clock = new VirtualClock();
  let store: Store;
  let service: Service;
  let access: Access;
  let logged: unknown[] = [];
  const keep = (fields: unknown): void => void logged.push(fields);
  const another = () => createAccess(service, "a token secret of the tests", { keys: testKeys, hashCost: cheap });
  beforeAll(async () => {
    store = await openStore("sqlite::memory:", clock);
    await seed(store);
  });
  beforeEach(async () => {
    clock = new VirtualClock();
    logged = [];
    service = {
      store,
      clock,
      random: systemRandom,
      keys: testKeys,
      log: { info: keep, warn: keep, error: keep },
    } as unknown as Service;
    access = another();
    await store.write(async (tx) => {
      for (const table of emptied) await tx.run(adhoc((db) => db.deleteFrom(table)));
      await tx.run(addSetting({ name: "ended_apart", value: "1" }));
      await tx.run(adhoc((db) => db.updateTable("audit_head").set({ seq: 0, hash: "" })));
    });
  });
  afterAll(() => store.close());
  return {
    get clock() {
      return clock;
    },
    get store() {
      return store;
    },
    get service() {
      return service;
    },
    get access() {
      return access;
    },
    get logged() {
      return logged;
    },
    another,
    async audited() {
      const rows = await store.read((tx) =>
        tx.all(adhoc((db) => db.selectFrom("audit").selectAll().where("event", "!=", settingEvent).orderBy("seq"))),
      );
      return rows.map(({ event, object, detail }) =>
        [event, object, detail].filter((text) => text !== null).join(" | "),
      );
    },
  };
};
