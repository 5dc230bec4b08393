/** What goes after its time: in which steps, with what pauses, what a failure costs, and which clock is believed. */
import { beforeEach, expect, test } from "vitest";
import { dayMs, hourMs } from "../../../backend/contract/times.ts";
import {
  isClockTrusted,
  makePartitions,
  purge,
  purgeOnTrustedClock,
  startPartitions,
  startRetention,
  takeOver,
} from "../../../backend/operate/purge.ts";
import { type Retained, type RetentionPeriods, retained } from "../../../backend/retention.ts";
import { setSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Query, type Store } from "../../../backend/store/store.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;
let purged: [Retained, number][];
beforeEach(() => {
  purged = [];
});

/** The service, whose writes fail where `fails` has an error for their number, from 1 on. */
const purging = (fails: (n: number) => Error | null = () => null) => {
  let writes = 0;
  const write: Store["write"] = (unit) => {
    writes += 1;
    const error = fails(writes);
    return error === null ? stage.store.write(unit) : Promise.reject(error);
  };
  const service = {
    ...stage.service,
    store: { ...stage.store, write },
    telemetry: { purged: (what: Retained, rows: number) => void purged.push([what, rows]) },
  } as unknown as Parameters<typeof startRetention>[0];
  return { service, count: () => writes };
};
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
/** Lets time pass until it has ended. @returns for how long. */
const drive = async (work: Promise<unknown>): Promise<number> => {
  const begun = stage.clock.now();
  let isDone = false;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  while (!isDone) {
    await turn();
    if (stage.clock.timers > 0) await stage.clock.advance(1);
  }
  await work;
  return stage.clock.now() - begun;
};
const endTokens = (count: number) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db.insertInto("tokens").values(
          Array.from({ length: count }, (_, n) => ({
            ...{ token_hash: `t${n}`, credential_id: "x", scopes: "", created_at: 0, expires_at: n },
          })),
        ),
      ),
    ),
  );
const tokens = async () =>
  (await stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom("tokens").select("token_hash"))))).length;

test.each([
  [4, 1, 0],
  [5, 2, 15],
  [11, 3, 30],
])("%i rows go in %i commits of 5 at the most, with pauses of 15 ms: %i ms", async (rows, commits, ms) => {
  await endTokens(rows);
  const { service, count } = purging();
  expect(await drive(purge(service, { ...nothing, sign_ins: dayMs }))).toBe(ms);
  expect([count(), await tokens()]).toEqual([commits, 0]);
  expect(purged.every(([what]) => what === "sign_ins")).toBe(true);
  expect(purged.reduce((sum, [, gone]) => sum + gone, 0)).toBe(rows);
});

test("without a period nothing of its kind goes, and nothing is written", async () => {
  await endTokens(3);
  const { service, count } = purging();
  await drive(purge(service, nothing));
  expect([count(), await tokens(), purged]).toEqual([0, 3, []]);
});

test("a stop ends it before the next batch", async () => {
  await endTokens(40);
  const { service, count } = purging();
  await drive(purge(service, { ...nothing, sign_ins: dayMs }, () => true));
  expect(count()).toBe(0);
  let asks = 0;
  const isStopping = () => {
    asks += 1;
    return asks > 2;
  };
  await drive(purge(service, { ...nothing, checkins: dayMs, sign_ins: dayMs }, isStopping));
  expect([count(), await tokens()]).toEqual([2, 35]);
});

const periods = { ...nothing, checkins: dayMs, sign_ins: dayMs };

test("a batch that fails is tried again after a second, five times in a row; a success counts anew", async () => {
  await endTokens(6);
  const { service, count } = purging((n) => (n <= 4 || (n > 5 && n <= 9) ? new Error(`write ${n}`) : null));
  expect(await drive(purge(service, { ...nothing, sign_ins: dayMs }))).toBe(4_000 + 15 + 4_000);
  expect([count(), await tokens()]).toEqual([10, 0]);
});

test("what fails five times is left, the others are done, and the first failure is thrown", async () => {
  await endTokens(3);
  const first = purging((n) => (n <= 5 ? new Error(`write ${n}`) : null));
  await expect(drive(purge(first.service, periods))).rejects.toThrow("write 5");
  expect([first.count(), await tokens()]).toEqual([6, 0]);
  const both = purging((n) => new Error(`write ${n}`));
  await expect(drive(purge(both.service, periods))).rejects.toThrow("write 5");
  expect(both.count()).toBe(10);
});

const clockOf = () => stage.store.read(async (tx) => (await tx.first(settingByName({ name: "purge_clock" })))?.value);
const trusts = (value: string) =>
  stage.store.write(async (tx) => {
    await tx.run(setSetting({ name: "purge_clock", value }));
    return isClockTrusted(tx, stage.clock.now());
  });

test("what is noted of the clock and is no note of ours begins the week anew", async () => {
  const now = stage.clock.now();
  const long = now - 8 * dayMs;
  expect(await trusts(`${long} ${now}`)).toBe(true);
  for (const value of ["", "x", `${long}`, `${long} `.trim(), `x ${now}`, `${long} x`, `${long} Infinity`]) {
    expect([value, await trusts(value)]).toEqual([value, false]);
    expect(await clockOf()).toBe(`${now} ${now}`);
  }
  // Set back by more than the processes of a fleet differ, and by as much.
  expect(await trusts(`${long} ${now + 3_600_001}`)).toBe(false);
  expect(await trusts(`${long} ${now + 3_600_000}`)).toBe(true);
  // Nothing was noted for longer than a weekend: who knows what became of the clock.
  expect(await trusts(`${long} ${now - 4 * dayMs}`)).toBe(true);
  expect(await trusts(`${long} ${now - 4 * dayMs - 1}`)).toBe(false);
  expect(await trusts(`${now - 7 * dayMs} ${now}`)).toBe(true);
  expect(await clockOf()).toBe(`${now - 7 * dayMs} ${now}`);
});

/** Lets time pass until what repeats has planned its next run. */
const look = async (afterMs: number) => {
  const before = stage.logged.length;
  await stage.clock.advance(afterMs);
  await expect.poll(() => stage.clock.timers, { interval: 1 }).toBe(1);
  return stage.logged.slice(before);
};

test("a service purges a minute after its start and then each hour, in one process, once its clock is trusted", async () => {
  await endTokens(3);
  const { service } = purging();
  let isOwner = false;
  const works: string[] = [];
  const running = startRetention(
    { ...service, owns: (work: string) => works.push(work) > 0 && isOwner } as typeof service,
    { ...nothing, sign_ins: dayMs },
  );
  expect([await look(59_999), works]).toEqual([[], []]);
  await look(1);
  expect(works).toEqual(["purge", "purge"]);
  expect(await clockOf()).toBeUndefined();
  isOwner = true;
  await look(hourMs - 1);
  expect(works).toHaveLength(2);
  await look(1);
  expect(await clockOf()).toBe(`${stage.clock.now()} ${stage.clock.now()}`);
  // From then on the audit says what repeats are known by, whether or not the clock is believed yet.
  expect(await stage.audited()).toContainEqual(expect.stringMatching(/^names_forgotten /));
  expect(await tokens()).toBe(3);
  await stage.store.write((tx) =>
    tx.run(setSetting({ name: "purge_clock", value: `${stage.clock.now() - 7 * dayMs} ${stage.clock.now()}` })),
  );
  await look(hourMs);
  expect(await tokens()).toBe(0);
  await running.stop();
  expect(stage.logged).toEqual([]);
});

test("of its two works the second is done where the first one fails, and both are tried again", async () => {
  let isDown = true;
  const { service, count } = purging((n) => (isDown && n === 1 ? new Error("no disk") : null));
  const running = startRetention({ ...service, owns: () => true } as typeof service, nothing);
  expect(await look(60_000)).toMatchObject([{ err: { message: "no disk" } }]);
  expect(await clockOf()).toBe(`${stage.clock.now()} ${stage.clock.now()}`);
  expect(count()).toBe(2);
  isDown = false;
  expect(await look(hourMs)).toEqual([]);
  // Two of the first one, and one of the second.
  expect(count()).toBe(5);
  await running.stop();
});

const settingOf = (name: string) => stage.store.read(async (tx) => (await tx.first(settingByName({ name })))?.value);

test("a database of the release before is taken over a day after that release was there last, to the millisecond", async () => {
  await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("settings"))));
  const { service } = purging();
  await takeOver(service);
  stage.clock.jump(dayMs - 1);
  await takeOver(service);
  expect(await settingOf("ended_apart")).toBeUndefined();
  stage.clock.jump(1);
  await takeOver(service);
  expect(await settingOf("ended_apart")).toBe("1");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("settings").where("name", "!=", "ended_apart"))));
  await takeOver(service);
  expect(await settingOf("release_alone_since")).toBeUndefined();
});

test("ages count from the time that was found to be right, also where the clock jumps before the first batch", async () => {
  await endTokens(3);
  const now = stage.clock.now();
  const expires_at = now - dayMs;
  await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.updateTable("tokens").set({ expires_at })));
    await tx.run(
      adhoc((db) =>
        db
          .updateTable("tokens")
          .set({ expires_at: expires_at - 1 })
          .where("token_hash", "=", "t0"),
      ),
    );
    await tx.run(setSetting({ name: "purge_clock", value: `${now - 7 * dayMs} ${now}` }));
  });
  const { service } = purging((n) => {
    if (n === 1) stage.clock.jump(30 * dayMs);
    return null;
  });
  await drive(
    purgeOnTrustedClock(
      service as Parameters<typeof purgeOnTrustedClock>[0],
      { ...nothing, sign_ins: dayMs },
      () => false,
    ),
  );
  expect(await tokens()).toBe(2);
});

test.each([
  ["of no number, as before there were any", null, false],
  ["of the release before", 32, false],
  ["of this release", 33, true],
])("the day begins anew while a process is there %s", async (_, release, apart) => {
  const alone = String(stage.clock.now());
  const worker = { id: "w", seen_at: stage.clock.now(), release };
  await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom("settings")));
    await tx.run(setSetting({ name: "release_alone_since", value: alone }));
    await tx.run(adhoc((db) => db.insertInto("workers").values(worker)));
  });
  stage.clock.jump(dayMs - 1);
  const { service } = purging();
  await takeOver(service);
  expect(await settingOf("release_alone_since")).toBe(apart ? alone : undefined);
  await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("workers"))));
  stage.clock.jump(1);
  await takeOver(service);
  expect(await settingOf("ended_apart")).toBe(apart ? "1" : undefined);
});

test("a day that a clock ahead of its time has begun begins anew", async () => {
  await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom("settings")));
    await tx.run(setSetting({ name: "release_alone_since", value: String(stage.clock.now() + 9 * dayMs) }));
  });
  const { service } = purging();
  for (const [ms, apart] of [
    [0, undefined],
    [dayMs - 1, undefined],
    [1, "1"],
  ] as const) {
    stage.clock.jump(ms);
    await takeOver(service);
    expect(await settingOf("ended_apart")).toBe(apart);
  }
});

test("closed lines of a restore end with the archive, more than one batch of them", async () => {
  const line = {
    ...{
      transaction_id: "x",
      merchant_id: "corner-shop",
      device_id: "till-1",
      status: "linked" as const,
      cashier: null,
    },
    ...{ undelivered_reason: null, transaction_id_partner: "p", amount: 1, currency: "EUR", confirmed_at: 1 },
    ...{ settled_at: 1, reported_at: 1, created_at: 1, hand_out_id: null, other_hand_out_id: null },
  };
  const lines = Array.from({ length: 17 }, (_, n) => ({
    ...{ ...line, id: `r${n}`, transaction_id: `x${n}`, transaction_id_partner: `p${n}` },
    closed_at: n === 16 ? null : 2,
  }));
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("restored_reports").values(lines))));
  const { service } = purging();
  await drive(purge(service, { ...nothing, archive: dayMs }));
  const left = adhoc((db) => db.selectFrom("restored_reports").select("id"));
  expect(await stage.store.read((tx) => tx.all(left))).toEqual([{ id: "r16" }]);
});

/** PostgreSQL's catalog, as far as partitions are asked for and made in it; test/service/partitions.test.ts has the real one. */
const catalog = () => {
  const bounds = new Map<string, Map<string, string>>();
  const of = (table: string) => {
    const known = bounds.get(table) ?? new Map<string, string>([[`${table}_default`, "DEFAULT"]]);
    bounds.set(table, known);
    return known;
  };
  const seen = {
    tables: new Set<string>(),
    large: new Set<string>(),
    old: new Set<string>(),
    emptied: new Set<string>(),
  };
  let failing = "";
  const answer = (text: string): readonly object[] => {
    const listed = /whole\.relname = '(\w+)'/.exec(text)?.[1];
    if (listed !== undefined) {
      if (listed === failing) throw new Error(`${listed} is in use`);
      return [...of(listed)].map(([name, bound]) => ({ name, bound }));
    }
    const bound = /to_regclass\('(\w+)'\)/.exec(text)?.[1];
    if (bound !== undefined) return seen.old.has(bound) ? [{ condition: "CHECK ((at < 5))", is_proved: true }] : [];
    const large = /'(\w+)_default'::regclass/.exec(text)?.[1];
    if (large !== undefined) return seen.large.has(large) ? [{ rows: 70_000 }] : [];
    const emptied = /^SELECT 1 WHERE pg_relation_size\('(\w+)_before'\)/.exec(text)?.[1];
    if (emptied !== undefined) return seen.emptied.has(emptied) ? [{}] : [];
    if (text.startsWith("SELECT count(*)")) return [{ rows: 0 }];
    if (text.startsWith("SELECT CASE WHEN pg_relation_size")) return [{ rows: 7 }];
    const [, table = "", name = "", from, to] =
      /^ALTER TABLE (\w+) ATTACH PARTITION (\w+) FOR VALUES FROM \((\d+)\) TO \((\d+)\)$/.exec(text) ?? [];
    if (table !== "") of(table).set(name, `FOR VALUES FROM ('${from}') TO ('${to}')`);
    const dropped = /^DROP TABLE (\w+)_before$/.exec(text)?.[1];
    if (dropped !== undefined) of(dropped).delete(`${dropped}_before`);
    const [, gone = "", divided = ""] = /^DROP TABLE IF EXISTS ((\w+)_\d{4}_\d\d_\d\d)$/.exec(text) ?? [];
    if (divided !== "") of(divided).delete(gone);
    return [];
  };
  const all = async (query: Query<unknown>) => answer(query.sql("postgres").text);
  /** All names are forgotten already, as far as the audit says. */
  const first = async () => ({ object: "9999-01-01T00:00:00Z" });
  const write = async (unit: (tx: never) => Promise<unknown>) =>
    unit({ dialect: "postgres", all, first, run: async () => 0 } as never);
  return {
    ...seen,
    of,
    fail: (table: string) => {
      failing = table;
    },
    store: { dialect: "postgres", write } as unknown as Store,
  };
};
const named = (table: string, ...days: readonly string[]) =>
  days.map((day) => ({ partition: `${table}_${day}`, rows: 0 }));
const months = ["2026_11_01", "2026_12_01", "2027_01_01"];
const weeks = ["2026_11_19", "2026_11_26", "2026_12_03", "2026_12_10"];

test.each([
  ["90 days", 90 * dayMs, weeks],
  ["200 days", 200 * dayMs, weeks],
  ["longer", 200 * dayMs + 1, months],
  ["ever", null, months],
] as const)(
  "partitions are made ahead; those of keys that are kept for %s are as long as it suits",
  async (_, keysMs, keys) => {
    const { store } = catalog();
    await makePartitions({ ...stage.service, store }, keysMs);
    expect(stage.logged).toEqual([
      ...["withdrawal_events", "archived_withdrawals"].flatMap((table) => named(table, ...months)),
      ...["idempotency_keys", "terminal_references"].flatMap((table) => named(table, ...keys)),
    ]);
  },
);

test("what stands in the way of one table is said, and the others are done", async () => {
  const pg = catalog();
  pg.fail("archived_withdrawals");
  pg.large.add("idempotency_keys");
  pg.old.add("withdrawal_events");
  pg.of("terminal_references").set("terminal_references_before", "FOR VALUES FROM (MINVALUE) TO ('5')");
  pg.emptied.add("terminal_references");
  const lines: unknown[] = [];
  const [info, error] = ["info", "error"].map((level) => (fields: object) => void lines.push({ level, ...fields }));
  await makePartitions({ ...stage.service, store: pg.store, log: { info, error } as never }, dayMs);
  const level = "info";
  expect(lines).toEqual([
    ...named("withdrawal_events", ...months).map((line) => ({ level, ...line })),
    { level: "error", table: "withdrawal_events" },
    {
      ...{ level: "error", table: "archived_withdrawals" },
      err: expect.objectContaining({ message: "archived_withdrawals is in use" }),
    },
    ...weeks.map((day) => ({ level: "error", partition: `idempotency_keys_${day}`, rows: 70_000 })),
    ...named("terminal_references", ...weeks).map((line) => ({ level, ...line })),
    { level, table: "terminal_references" },
  ]);
  expect([...pg.of("terminal_references").keys()]).not.toContain("terminal_references_before");
});

test("of both tables of keys the partitions that are over are dropped whole, and no other", async () => {
  const pg = catalog();
  const before = stage.clock.now() - dayMs;
  for (const table of ["idempotency_keys", "terminal_references"])
    for (const [day, from, to] of [
      ["2026_01_01", 1, 2],
      ["2026_01_08", 2, before],
      ["2026_01_15", before, before + 1],
    ] as const)
      pg.of(table).set(`${table}_${day}`, `FOR VALUES FROM ('${from}') TO ('${to}')`);
  await drive(purge({ ...purging().service, store: pg.store }, { ...nothing, idempotency_keys: dayMs }));
  for (const table of ["idempotency_keys", "terminal_references"])
    expect([...pg.of(table).keys()]).toEqual([`${table}_default`, `${table}_2026_01_15`]);
  // Four partitions, of which requests' keys count, and the default ones at the end.
  expect(purged).toEqual([7, 7, 0, 0, 0].map((rows) => ["idempotency_keys", rows]));
});

test("they are made at a start and each hour; SQLite has none", async () => {
  const pg = catalog();
  const running = startPartitions({ ...stage.service, store: pg.store } as never, dayMs);
  expect(await look(0)).toHaveLength(14);
  expect(await look(hourMs - 1)).toEqual([]);
  pg.large.add("idempotency_keys");
  pg.of("idempotency_keys").clear();
  pg.of("idempotency_keys").set("idempotency_keys_default", "DEFAULT");
  expect(await look(1)).toHaveLength(4);
  await running.stop();
  const { service, count } = purging();
  await makePartitions(service, dayMs);
  expect(count()).toBe(0);
});
