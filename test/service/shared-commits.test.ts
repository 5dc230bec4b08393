/** Units about different withdrawals that arrive together: what they share on the way to the disk, and what they never share. */
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { adhoc, type Store, statement, UniqueViolation } from "../../backend/store/store.ts";
import { eventually, type Place, stores } from "./stores.ts";
import { notificationsOnly } from "./virtual-clock.ts";
import { storePerTest } from "./world-stage.ts";

const add = statement("t_add", (db, p: { id: string; url: string | null }) =>
  db.insertInto("partners").values({ id: p.id, url: p.url, secret: null, created_at: 1_750_000_000_000 }),
);
const setUrl = statement("t_set_url", (db, p: { id: string; url: string }) =>
  db.updateTable("partners").set({ url: p.url }).where("id", "=", p.id),
);
const byId = statement("t_by_id", (db, p: { id: string }) =>
  db.selectFrom("partners").select("url").where("id", "=", p.id),
);
const rows = () => adhoc((db) => db.selectFrom("partners").select(["id", "url"]).orderBy("id"));
const idsIn = async (store: Store) => (await store.read((tx) => tx.all(rows()))).map(({ id }) => id);
const commitId = () =>
  adhoc((db) => db.selectFrom("schema_version").select(sql<string>`pg_current_xact_id()::text`.as("commit")));
const many = Array.from({ length: 40 }, (_, n) => `w${String(n).padStart(2, "0")}`);

describe.each(stores)("%s", (dialect) => {
  let place: Place;
  let store: Store;
  storePerTest(dialect, (stage) => {
    ({ place, store } = stage);
  });
  const addAbout = (id: string) => store.write((tx) => tx.run(add({ id, url: "0" })), id);

  test("a unit that throws leaves nothing behind, those that came with it stay and are told so", async () => {
    const boom = new Error("boom");
    const woken: string[] = [];
    for (const id of many) store.onChange(id, () => woken.push(id));
    const outcomes = await Promise.allSettled(
      many.map((id, n) =>
        store.write(async (tx) => {
          await tx.run(add({ id, url: null }));
          tx.changed(id);
          if (n === 17) throw boom;
          return n;
        }, id),
      ),
    );
    const kept = many.filter((_, n) => n !== 17);
    expect(outcomes[17]).toMatchObject({ reason: boom });
    expect(outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []))).toEqual(
      many.map((_, n) => n).filter((n) => n !== 17),
    );
    expect(await idsIn(store)).toEqual(kept);
    // PostgreSQL's look at all that is waited for wakes others now and then, whatever they wait for.
    expect(woken).toEqual(expect.arrayContaining(kept));
  });

  test("a row that is refused refuses its own unit alone, also where nobody waits for its answer", async () => {
    await addAbout("taken");
    const outcomes = await Promise.allSettled(
      many.map((id, n) =>
        store.write(async (tx) => {
          await tx.run(add({ id, url: null }));
          if (n === 3) await tx.run(add({ id: "taken", url: null }));
          if (n === 5) tx.runUnawaited(add({ id: "taken", url: null }));
        }, id),
      ),
    );
    const refused = outcomes.flatMap((each, n) => (each.status === "rejected" ? [[n, each.reason]] : []));
    expect(refused).toEqual([
      [3, expect.any(UniqueViolation)],
      [5, expect.any(UniqueViolation)],
    ]);
    expect(await idsIn(store)).toEqual(["taken", ...many.filter((_, n) => n !== 3 && n !== 5)]);
  });

  test("units about one withdrawal run one after the other, between those about others: no update is lost", async () => {
    await Promise.all(["a", "b", "c"].map(addAbout));
    const seen = await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const id = ["a", "b", "c"][n % 3] ?? "";
        return store.write(async (tx) => {
          const next = Number((await tx.first(byId({ id })))?.url) + 1;
          await tx.run(setUrl({ id, url: String(next) }));
          return next;
        }, id);
      }),
    );
    for (const at of [0, 1, 2])
      expect(seen.filter((_, n) => n % 3 === at)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  test("what is queued when it closes is committed", async () => {
    const written = Promise.all(many.map(addAbout));
    await store.close();
    await written;
    expect(await idsIn(await place.open())).toEqual(many);
  });

  describe.runIf(dialect === "postgres")("on a server", () => {
    test("they share a transaction, and wake who waits for each; without a withdrawal each has its own", async () => {
      const noticed = await place.open(notificationsOnly);
      const woken: string[] = [];
      for (const id of many) noticed.onChange(id, () => woken.push(id));
      const commits = (about: (id: string) => string | undefined) =>
        Promise.all(
          many.map((id) =>
            noticed.write(async (tx) => {
              tx.changed(id);
              return (await tx.first(commitId()))?.commit;
            }, about(id)),
          ),
        );
      expect(new Set(await commits((id) => id)).size).toBe(1);
      expect(woken.toSorted()).toEqual(many);
      expect(new Set(await commits(() => undefined)).size).toBe(many.length);
    });

    test("rows that another process holds hold up their own units alone", async () => {
      await Promise.all(["held 1", "held 2", "held 3", "free"].map(addAbout));
      const patient = await place.open(undefined, { statementTimeoutMs: 120_000 });
      const holder = new pg.Client({ connectionString: place.url });
      await holder.connect();
      try {
        await holder.query("BEGIN");
        await holder.query("UPDATE partners SET url = 'theirs' WHERE id LIKE 'held %'");
        const done: string[] = [];
        const set = async (id: string) => {
          await patient.write((tx) => tx.run(setUrl({ id, url: "ours" })), id);
          done.push(id);
        };
        const waiting: Promise<void>[] = [];
        for (const held of ["held 1", "held 2", "held 3"]) {
          waiting.push(set(held));
          await set("free");
        }
        expect(done).toEqual(["free", "free", "free"]);
        await holder.query("COMMIT");
        await Promise.all(waiting);
        expect(done).toHaveLength(6);
      } finally {
        await holder.end();
      }
    });

    test("units that wait for a row of somebody else's, each by itself, hold up no shared commit and no read", async () => {
      await Promise.all(["held", "free"].map(addAbout));
      const connectionsMax = 10;
      const holder = new pg.Client({ connectionString: place.url });
      await holder.connect();
      const all = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()";
      const connections = async () => (await holder.query<{ n: number }>(all)).rows[0]?.n ?? 0;
      const before = await connections();
      const narrow = await place.open(undefined, {
        connectionsMax,
        connectTimeoutMs: 30_000,
        statementTimeoutMs: 60_000,
      });
      try {
        await holder.query("BEGIN");
        await holder.query("UPDATE partners SET url = 'theirs' WHERE id = 'held'");
        const waiting = Promise.allSettled(
          Array.from({ length: 2 * connectionsMax }, () =>
            narrow.write((tx) => tx.run(setUrl({ id: "held", url: "ours" }))),
          ),
        );
        await narrow.write((tx) => tx.run(setUrl({ id: "free", url: "ours" })), "free");
        await Promise.all(
          Array.from({ length: 4 * connectionsMax }, () => narrow.read((tx) => tx.first(byId({ id: "free" })))),
        );
        // With the one that listens, if one does; both shared commits need not have gone at once.
        const used = (await connections()) - before;
        expect([-1, 0, 1].map((more) => connectionsMax + more)).toContain(used);
        for (const isShort of [true, false])
          expect(await narrow.read((tx) => tx.first(byId({ id: "free" })), isShort)).toEqual({ url: "ours" });
        await holder.query("COMMIT");
        expect((await waiting).map(({ status }) => status)).toEqual(Array(2 * connectionsMax).fill("fulfilled"));
      } finally {
        await holder.end();
      }
    });

    test.each([8, 9])(
      "reads that share two of %d connections hold up no long one, and all are answered when it closes",
      async (connectionsMax) => {
        const narrow = await place.open(undefined, { connectionsMax, statementTimeoutMs: 60_000 });
        const holder = new pg.Client({ connectionString: place.url });
        await holder.connect();
        try {
          await holder.query("BEGIN; ALTER TABLE partners ADD COLUMN later TEXT");
          const waiting = [narrow.read((tx) => tx.first(byId({ id: "a" })), true)];
          const here = "database = (SELECT oid FROM pg_database WHERE datname = current_database())";
          const waits = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'partners'::regclass AND ${here}`;
          const held = async () => (await holder.query(waits)).rows.length;
          await expect.poll(held).toBe(1);
          waiting.push(narrow.read((tx) => tx.first(byId({ id: "b" })), true));
          await expect.poll(held).toBe(2);
          expect(await narrow.read((tx) => tx.first(commitId()))).toBeDefined();
          waiting.push(narrow.read((tx) => tx.first(byId({ id: "c" })), true));
          const closed = narrow.close();
          await holder.query("ROLLBACK");
          expect(await Promise.all(waiting)).toEqual([undefined, undefined, undefined]);
          await closed;
        } finally {
          await holder.end();
        }
      },
    );

    test("a database that takes too long is not asked again for each: all are unavailable", async () => {
      const hasty = await place.open(undefined, { statementTimeoutMs: 300 });
      const sleep = () => adhoc((db) => db.selectFrom("schema_version").select(sql<string>`pg_sleep(5)`.as("slept")));
      const both = [
        hasty.write((tx) => tx.run(add({ id: "a", url: null })), "a"),
        hasty.write((tx) => tx.first(sleep()), "b"),
      ];
      const unavailable = { status: "rejected", reason: { code: "unavailable" } };
      expect(await Promise.allSettled(both)).toMatchObject([unavailable, unavailable]);
      expect(await Promise.allSettled([hasty.read((tx) => tx.first(sleep()), true)])).toMatchObject([unavailable]);
      expect(await idsIn(store)).toEqual([]);
    });

    test("connections cut in the middle: each unit is done or unavailable, and it goes on", async () => {
      const admin = new pg.Client({ connectionString: place.url });
      await admin.connect();
      try {
        for (let round = 0; round < 5; round += 1) {
          const ids = many.map((id) => `${round}-${id}`);
          const all = Promise.allSettled(ids.map(addAbout));
          await new Promise((resolve) => setTimeout(resolve, round * 3));
          await admin.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
          );
          const outcomes = await all;
          const kept = new Set(await eventually(() => idsIn(store)));
          for (const [n, outcome] of outcomes.entries()) {
            if (outcome.status === "fulfilled") expect(kept).toContain(ids[n]);
            else expect(outcome.reason).toMatchObject({ code: "unavailable" });
          }
        }
      } finally {
        await admin.end();
      }
      await eventually(() => addAbout("after"));
    });
  });
});
