import { sql } from "kysely";
import pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { type PostgresAddress, readDatabaseUrl } from "../../backend/store/database-url.ts";
import { openStore } from "../../backend/store/open.ts";
import { migrateFleet } from "../../backend/store/postgres.ts";
import { adhoc, type Store, statement, type Tx, UniqueViolation } from "../../backend/store/store.ts";
import { createPlace, eventually, type Place, stores } from "./stores.ts";
import { notificationsOnly, VirtualClock } from "./virtual-clock.ts";
import { storePerTest } from "./world-stage.ts";

const add = statement("t_add", (db, p: { id: string; url: string | null }) =>
  db.insertInto("partners").values({ id: p.id, url: p.url, secret: null, created_at: 1_750_000_000_000 }),
);
const byId = statement("t_by_id", (db, p: { id: string }) =>
  db.selectFrom("partners").select(["id", "url", "secret", "created_at"]).where("id", "=", p.id),
);
const ids = () => adhoc((db) => db.selectFrom("partners").select("id").orderBy("id"));
const idsIn = async (store: Store) => (await store.read((tx) => tx.all(ids()))).map(({ id }) => id);

describe.each(stores)("%s", (dialect) => {
  let place: Place;
  let store: Store;
  storePerTest(dialect, (stage) => {
    ({ place, store } = stage);
  });

  test("gives back what was written: numbers as numbers, null as null", async () => {
    await store.write((tx) => tx.run(add({ id: "a", url: null })));
    expect(await store.read((tx) => tx.first(byId({ id: "a" })))).toEqual({
      id: "a",
      url: null,
      secret: null,
      created_at: 1_750_000_000_000,
    });
  });

  test("each unit is told which database it is on", async () => {
    const told = async (tx: Tx) => tx.dialect;
    const all = [store.write(told), store.write(told, "about one"), store.read(told), store.read(told, true)];
    expect([store.dialect, ...(await Promise.all(all))]).toEqual(Array(5).fill(dialect));
    // When the server has started, and which of its databases this is.
    if (dialect === "postgres")
      expect([await store.emptyLog(), store.server?.()]).toEqual([true, expect.stringMatching(/^\d+ \d+$/)]);
  });

  test("a unit that throws leaves nothing behind, its neighbours of the same tick stay", async () => {
    const boom = new Error("boom");
    const outcomes = await Promise.allSettled([
      store.write((tx) => tx.run(add({ id: "a", url: null }))),
      store.write(async (tx) => {
        await tx.run(add({ id: "b", url: null }));
        throw boom;
      }),
      store.write((tx) => tx.run(add({ id: "c", url: null }))),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: boom });
    expect(await idsIn(store)).toEqual(["a", "c"]);
  });

  test("what a neighbour still asks for when a unit has failed is not written behind the rollback", async () => {
    const failing = store.write(async (tx) => {
      await tx.first(byId({ id: "a" }));
      throw new Error("boom");
    }, "failing");
    const going = store.write(async (tx) => {
      for (let n = 0; n < 30; n += 1) await tx.run(add({ id: `b${n}`, url: null }));
    }, "going");
    expect((await Promise.allSettled([failing, going])).map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(await idsIn(store)).toHaveLength(30);
  });

  test("a unique index refuses one unit and no other", async () => {
    const outcomes = await Promise.allSettled(
      ["a", "a", "b"].map((id) => store.write((tx) => tx.run(add({ id, url: null })))),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({ reason: expect.any(UniqueViolation) });
    expect(await idsIn(store)).toEqual(["a", "b"]);
  });

  test("what is sent along is in the unit's commit; where it fails nothing of the unit stays", async () => {
    await store.write(async (tx) => {
      tx.runUnawaited(add({ id: "a", url: null }));
      expect(await tx.first(byId({ id: "a" }))).toMatchObject({ id: "a" });
      tx.runUnawaited(add({ id: "b", url: null }));
    });
    expect(await idsIn(store)).toEqual(["a", "b"]);
    const last = store.write(async (tx) => {
      await tx.run(add({ id: "c", url: null }));
      tx.runUnawaited(add({ id: "a", url: null }));
    });
    await expect(last).rejects.toBeInstanceOf(UniqueViolation);
    const inBetween = store.write(async (tx) => {
      tx.runUnawaited(add({ id: "a", url: null }));
      await tx.first(byId({ id: "b" }));
      await tx.run(add({ id: "c", url: null }));
    });
    await expect(inBetween).rejects.toBeInstanceOf(UniqueViolation);
    expect(await idsIn(store)).toEqual(["a", "b"]);
  });

  test.runIf(dialect === "postgres")(
    "a connection that ends among what is sent along: unavailable, nothing is kept, the next unit works",
    async () => {
      const end = adhoc((db) => ({
        compile: () => sql<never>`select pg_terminate_backend(pg_backend_pid())`.compile(db),
      }));
      const cut = store.write(async (tx) => {
        await tx.run(add({ id: "a", url: null }));
        tx.runUnawaited(end);
        tx.runUnawaited(add({ id: "b", url: null }));
      });
      await expect(cut).rejects.toMatchObject({ code: "unavailable" });
      await store.write((tx) => tx.run(add({ id: "c", url: null })));
      expect(await idsIn(store)).toEqual(["c"]);
    },
  );

  test("a statement that the database cannot run fails its unit with the database's own words", async () => {
    const wrong = adhoc((db) => db.selectFrom("partners").select(sql<number>`no_such_function()`.as("x")));
    await expect(store.write((tx) => tx.run(wrong))).rejects.toThrow(/no_such_function|no such function/);
    await expect(store.read((tx) => tx.run(wrong))).rejects.toThrow(/no_such_function|no such function/);
    await store.write((tx) => tx.run(add({ id: "a", url: null })));
    expect(await idsIn(store)).toEqual(["a"]);
  });

  test("reads of one tick: one that fails fails alone, and all see what was answered before", async () => {
    await store.write((tx) => tx.run(add({ id: "a", url: null })));
    const wrong = adhoc((db) => db.selectFrom("partners").select(sql<number>`no_such_function()`.as("x")));
    const boom = new Error("boom");
    const outcomes = await Promise.allSettled([
      idsIn(store),
      store.read((tx) => tx.all(wrong)),
      store.read(async (tx): Promise<never> => {
        await tx.first(byId({ id: "a" }));
        throw boom;
      }),
      idsIn(store),
    ]);
    expect(outcomes[0]).toEqual({ status: "fulfilled", value: ["a"] });
    expect(outcomes[1]).toMatchObject({ reason: { message: expect.stringContaining("no_such_function") } });
    expect(outcomes[2]).toMatchObject({ reason: boom });
    expect(outcomes[3]).toEqual({ status: "fulfilled", value: ["a"] });
    await store.write((tx) => tx.run(add({ id: "b", url: null })));
    expect(await idsIn(store)).toEqual(["a", "b"]);
  });

  test("more reads at once than one snapshot takes are all answered", async () => {
    // The later snapshots wait for a connection, on a busy machine longer than a request may.
    const patient = await place.open(undefined, { connectTimeoutMs: 30_000 });
    await patient.write((tx) => tx.run(add({ id: "a", url: null })));
    const reads = Array.from({ length: 2_500 }, () => patient.read((tx) => tx.first(byId({ id: "a" }))));
    expect(new Set((await Promise.all(reads)).map((row) => row?.id))).toEqual(new Set(["a"]));
  });

  // PostgreSQL's driver gives the last one for both; what a program asks is tried on SQLite too.
  test.runIf(dialect === "sqlite")("columns of two tables under one name are refused", async () => {
    const twice = adhoc((db) =>
      db
        .selectFrom("partners")
        .innerJoin("partners as other", "other.id", "partners.id")
        .select(["partners.url", "other.url"]),
    );
    await expect(store.read((tx) => tx.all(twice))).rejects.toThrow("told apart");
    // JavaScript has a name that is a number before all others.
    const numbered = adhoc((db) => db.selectFrom("partners").select(["url", "id as 0"]));
    await expect(store.read((tx) => tx.all(numbered))).rejects.toThrow("told apart");
  });

  test("a hundred units at once all end, and no update is lost", async () => {
    await store.write((tx) => tx.run(add({ id: "counter", url: "0" })));
    const increment = statement("t_increment", (db, p: { id: string }) =>
      db
        .updateTable("partners")
        .set({ url: sql`cast(cast(url as bigint) + 1 as text)` })
        .where("id", "=", p.id)
        .returning("url"),
    );
    const seen = await Promise.all(
      Array.from({ length: 100 }, () => store.write((tx) => tx.first(increment({ id: "counter" })))),
    );
    expect(new Set(seen.map((row) => row?.url)).size).toBe(100);
    expect((await store.read((tx) => tx.first(byId({ id: "counter" }))))?.url).toBe("100");
  });

  test("wakes who waits for a transaction after the commit, and nobody for a unit that failed", async () => {
    const noticed = await place.open(notificationsOnly);
    const woken: string[] = [];
    noticed.onChange("x", () => woken.push("x"));
    const stop = noticed.onChange("y", () => woken.push("y"));
    await noticed.write(async (tx): Promise<void> => {
      await tx.run(add({ id: "a", url: null }));
      tx.changed("x");
    });
    await expect(
      noticed.write(async (tx): Promise<void> => {
        tx.changed("y");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    stop();
    await noticed.write(async (tx) => tx.changed("y"));
    expect(woken).toEqual(["x"]);
  });

  test("what is queued when it closes is committed; afterwards everything is refused", async () => {
    const last = store.write((tx) => tx.run(add({ id: "last", url: null })));
    await store.close();
    await last;
    await expect(store.write((tx) => tx.run(add({ id: "late", url: null })))).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await idsIn(await place.open())).toEqual(["last"]);
  });

  test("a unit whose last statement fails unawaited leaves nothing behind", async () => {
    await store.write((tx) => tx.run(add({ id: "there", url: null })));
    const failing = store.write(async (tx) => {
      await tx.run(add({ id: "new", url: null }));
      tx.runUnawaited(add({ id: "there", url: null }));
    }, "about");
    await expect(failing).rejects.toThrow(UniqueViolation);
    expect(await idsIn(store)).toEqual(["there"]);
  });

  test("what is under way when it closes is committed", async () => {
    let closed = Promise.resolve();
    const last = store.write(async (tx) => {
      closed = store.close();
      for (let n = 0; n < 30; n += 1) await tx.run(add({ id: `l${n}`, url: null }));
    });
    await last;
    await closed;
    expect(await idsIn(await place.open())).toHaveLength(30);
  });

  test("many programs that start on an empty database at once all find it ready", async () => {
    const empty = await createPlace(dialect, { isBlank: true });
    try {
      const opened = await Promise.all(Array.from({ length: 6 }, () => empty.open()));
      await Promise.all(opened.map((each, n) => each.write((tx) => tx.run(add({ id: `p${n}`, url: null })))));
      for (const each of opened) expect(await idsIn(each)).toHaveLength(6);
    } finally {
      await empty.dispose();
    }
  });

  test("a database of a newer program is refused and left as it is", async () => {
    const setVersion = (version: number) =>
      store.write((tx) => tx.run(adhoc((db) => db.updateTable("schema_version").set({ version }))));
    await setVersion(999);
    const message = expect.stringMatching(/^the database is at version 999 .* newer program/);
    await expect(place.open()).rejects.toMatchObject({ why: "newer_database", message });
    const version = await store.read((tx) =>
      tx.first(adhoc((db) => db.selectFrom("schema_version").selectAll().orderBy("id"))),
    );
    expect(version).toEqual({ id: 1, version: 999 });
  });

  test("an open one that is opened again keeps its rows", async () => {
    await store.write((tx) => tx.run(add({ id: "a", url: null })));
    expect(await idsIn(await place.open())).toEqual(["a"]);
  });

  test.runIf(dialect === "postgres")("closed, and closed again, it leaves no connection", async () => {
    // An idle one is not closed by itself meanwhile.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await store.read((tx) => tx.first(byId({ id: "a" })), true);
    await Promise.all([store.close(), store.close()]);
    await store.close();
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    try {
      const others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
      await expect.poll(async () => (await client.query(others)).rows).toEqual([]);
    } finally {
      await client.end();
    }
  });

  test.runIf(dialect === "postgres")(
    "one that is not there is refused with a sentence, and what was the matter",
    async () => {
      const refused = openStore("postgres://postgres@127.0.0.1:1/nobody", systemClock);
      const message = expect.stringMatching(/^the database cannot be used: .*ECONNREFUSED/);
      await expect(refused).rejects.toMatchObject({ name: "StoreRefused", message, cause: { code: "ECONNREFUSED" } });
    },
  );

  test.runIf(dialect === "postgres")(
    "of several that are not there each is tried for as long as a connection may take",
    async () => {
      const clock = new VirtualClock();
      const hosts = "postgres://postgres@127.0.0.1:1,127.0.0.1:1/nobody";
      const address = readDatabaseUrl(hosts) as PostgresAddress;
      for (const start of [
        () => openStore(hosts, clock),
        () => migrateFleet(address, clock, { onlyPlan: true, report: () => {} }),
      ]) {
        const begunAt = clock.now();
        const refused = start().catch((error: unknown) => error);
        while (clock.now() < begunAt + 5_000) {
          await expect.poll(() => clock.timers, { interval: 1 }).toBe(1);
          await clock.advance(150);
        }
        expect(await refused).toMatchObject({ name: "StoreRefused" });
      }
    },
  );

  test.runIf(dialect === "postgres")("units of two processes that lock each other out are both done", async () => {
    const second = await place.open();
    await Promise.all(["a", "b"].map((id) => store.write((tx) => tx.run(add({ id, url: null })))));
    const setUrl = (id: string, url: string) =>
      adhoc((db) => db.updateTable("partners").set({ url }).where("id", "=", id));
    const pause = () => adhoc((db) => db.selectFrom("schema_version").select(sql<string>`pg_sleep(0.3)`.as("slept")));
    const both = (from: Store, ids: readonly [string, string], url: string) =>
      from.write(async (tx) => {
        await tx.run(setUrl(ids[0], url));
        await tx.first(pause());
        await tx.run(setUrl(ids[1], url));
        return url;
      });
    // PostgreSQL ends one of them after a second: it is run again.
    expect(await Promise.all([both(store, ["a", "b"], "one"), both(second, ["b", "a"], "two")])).toEqual([
      "one",
      "two",
    ]);
  });

  test.runIf(dialect === "postgres")(
    "a change in another process wakes by its notice, not by the next look",
    async () => {
      const reading = await place.open(notificationsOnly);
      const woken = Promise.withResolvers<void>();
      reading.onChange("elsewhere", () => woken.resolve());
      await store.write(async (tx) => tx.changed("elsewhere"));
      await woken.promise;
    },
  );

  test.runIf(dialect === "postgres")(
    "connections cut in the middle: each unit is done or unavailable, and it goes on",
    async () => {
      const admin = new pg.Client({ connectionString: place.url });
      await admin.connect();
      const cut = () =>
        admin.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
      try {
        for (let round = 0; round < 5; round += 1) {
          const writes = Array.from({ length: 60 }, (_, n) =>
            store.write((tx) => tx.run(add({ id: `${round}-${n}`, url: null }))),
          );
          const all = Promise.allSettled(writes);
          await new Promise((resolve) => setTimeout(resolve, round * 3));
          await cut();
          const outcomes = await all;
          const kept = new Set((await eventually(() => idsIn(store))).filter((id) => id.startsWith(`${round}-`)));
          for (const [n, outcome] of outcomes.entries()) {
            if (outcome.status === "fulfilled") expect(kept).toContain(`${round}-${n}`);
            else expect(outcome.reason).toMatchObject({ code: "unavailable" });
          }
        }
      } finally {
        await admin.end();
      }
      await eventually(() => store.write((tx) => tx.run(add({ id: "after", url: null }))));
      expect(await idsIn(store)).toContain("after");
    },
  );
});
