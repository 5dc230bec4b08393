/** Which day is opened when, which rows a day's lines count, and when a month of the history may go. */
import { beforeEach, expect, test } from "vitest";
import { appendAudit } from "../../../backend/access/audit.ts";
import { type ServiceKeys, serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { dayMs, hourMs } from "../../../backend/contract/times.ts";
import { closeDays, endMonth, startDays } from "../../../backend/operate/proof.ts";
import { dayOf, dayText, lastDay } from "../../../backend/operate/proven-rows.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { setSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store, type Tx } from "../../../backend/store/store.ts";
import { sealedColumns } from "../../../backend/withdrawals/history.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
beforeEach(() =>
  stage.store.write(async (tx) => {
    for (const table of ["withdrawals", "archived_withdrawals", "withdrawal_events"] as const)
      await tx.run(adhoc((db) => db.deleteFrom(table)));
  }),
);
const set = (name: string, value: string) => stage.store.write((tx) => tx.run(setSetting({ name, value })));
const setting = (name: string) => stage.store.read(async (tx) => (await tx.first(settingByName({ name })))?.value);
const audit = (event: string, object: string) =>
  stage.store.write((tx) =>
    appendAudit(tx, testKeys, stage.clock.now(), { event, actor: "service", address: null, object, detail: null }),
  );

/** The day of the stage's clock, which is at ten in the morning. */
const today = 20_777;

test.each<[what: string, open: string | null, since: number, closed: number | null, next: string]>([
  ["the first one is today's", null, 0, null, `${today}`],
  ["one that was opened today stays", `${today}`, today, null, `${today}`],
  ["and when a clock was ahead before", `${today + 9}`, today, null, `${today + 9}`],
  ["one of yesterday ends", `${today - 1}`, today - 1, today - 2, `${today}`],
  ["after a clock that was ahead the next one is opened", `${today + 9}`, today + 9, null, `${today + 10}`],
  ["none is opened again that has its lines", `${today + 5}`, today, today + 5, `${today + 6}`],
  ["nor one before it", `${today}`, today, today + 5, `${today + 6}`],
  ["after what is no number", "x", today, null, `${today}`],
  ["after what is no whole number", `${today}.5`, today, null, `${today}`],
  ["after a day that there cannot be", `${lastDay + 1}`, today, null, `${today}`],
  ["the last one that there is stays", `${lastDay}`, today, null, `${lastDay}`],
])("of the days that are opened: %s", async (_, open, since, closed, next) => {
  if (open !== null) await set("history_day", open);
  await set("history_day_since", String(since));
  if (closed !== null) await audit("history_day", `${dayText(closed)} 2026-11`);
  await closeDays(stage.service);
  expect([await setting("history_day"), await setting("history_day_since")]).toEqual([next, `${today}`]);
});

test.each([
  ["by ten seconds opens none after another one has", 10_000, today + 1, today + 1],
  ["by ten seconds, and no other has, stays with the day that ends", 10_000, today, today],
  ["by more is one whose clock was set back", 10_001, today + 1, today + 2],
])("a process that is behind midnight %s", async (_, behindMs, open, next) => {
  await set("history_day", `${open}`);
  await set("history_day_since", `${open}`);
  stage.clock.jump((today + 1) * dayMs - behindMs - stage.clock.now());
  await closeDays(stage.service);
  expect(await setting("history_day")).toBe(`${next}`);
});

const id = "7F3K0000000000AB";
/** A row of a release that wrote no day. */
const undated = (at: number, changes: Partial<RowOf<"withdrawal_events">> = {}) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db.insertInto("withdrawal_events").values({
          ...{ transaction_id: id, sequence: 1, kind: "transition", at, from_status: null, to_status: "requested" },
          ...{ actor: "partner", asked_at: 0, day: 0, hash: "h" },
          ...changes,
        } as never),
      ),
    ),
  );
const withdrawal = (created_at: number) =>
  stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("withdrawals").values(rowWith({ created_at })))));
/** The lines without what digests them. */
const lines = async () =>
  (await stage.audited()).flatMap((line) =>
    /^history_(undated|day) /.test(line)
      ? [
          line
            .split(" | ")
            .slice(1)
            .join(": ")
            .replace(/ [\w-]{43} /, " "),
        ]
      : [],
  );
const [first, last] = [`${id}/1`, `${id}/2`];

test.each<[what: string, asked: number | null, rows: readonly number[], lines: readonly string[]]>([
  [
    "a row counts in the month in which its withdrawal was asked for",
    Date.UTC(2026, 9, 31, 23, 59),
    [Date.UTC(2026, 10, 1)],
    [`2026-11-01 2026-10: 1 rows from ${first} to ${first}`],
  ],
  [
    "one without a withdrawal in its own",
    null,
    [Date.UTC(2026, 10, 1)],
    [`2026-11-01 2026-11: 1 rows from ${first} to ${first}`],
  ],
  [
    "one of a clock that began anew counts on the first day that there is",
    null,
    [0, dayMs],
    [`1970-01-01 1970-01: 1 rows from ${first} to ${first}`, `1970-01-02 1970-01: 1 rows from ${last} to ${last}`],
  ],
  ["those of a day have one line", null, [5, 6], [`1970-01-01 1970-01: 2 rows from ${first} to ${last}`]],
  ["those of today have none", null, [today * dayMs], []],
])("of rows of a release that wrote no day: %s", async (_, asked, rows, expected) => {
  if (asked !== null) await withdrawal(asked);
  for (const [n, at] of rows.entries()) await undated(at, { sequence: n + 1 });
  await closeDays(stage.service);
  expect(await lines()).toEqual(expected);
  // Each goes into the log with its entry's number and hash, for a third party to keep.
  const audited = await stage.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("audit").selectAll().orderBy("seq"))),
  );
  expect(audited.every(({ actor, address }) => actor === "service" && address === null)).toBe(true);
  const entries = audited
    .filter(({ event }) => event === "history_undated")
    .map(({ seq, hash, object, detail }) => ({ entry: seq, hash, object, detail }));
  expect(stage.logged).toEqual(entries);
});

test("their day is closed an hour after its end, since one of them may be committed late", async () => {
  await undated((today - 1) * dayMs);
  stage.clock.jump(-9 * hourMs - 1);
  await closeDays(stage.service);
  expect(await lines()).toEqual([]);
  stage.clock.jump(1);
  await closeDays(stage.service);
  expect(await lines()).toEqual([`2026-11-19 2026-11: 1 rows from ${first} to ${first}`]);
});

test("a day under which rows are written has its line once another is open", async () => {
  for (const day of [today - 2, today - 1, today])
    await undated(day * dayMs, { day, asked_at: day * dayMs, sequence: day });
  // On the day before these a withdrawal was asked for, of which no row was written then.
  await undated((today - 2) * dayMs, { transaction_id: "LATE", day: today - 2, asked_at: (today - 3) * dayMs });
  await set("history_day", `${today}`);
  await set("history_day_since", `${today}`);
  await closeDays(stage.service);
  const lineOf = (date: string, day: number) => `${date} 2026-11: 1 rows from ${id}/${day} to ${id}/${day}`;
  const late = `2026-11-18 2026-11: 2 rows from ${id}/${today - 2} to LATE/1`;
  const closed = [late, lineOf("2026-11-19", today - 1)];
  expect(await lines()).toEqual(closed);
  stage.clock.jump(dayMs);
  await closeDays(stage.service);
  expect(await lines()).toEqual([...closed, lineOf("2026-11-20", today)]);
});

test.each([0, today - 1])(
  "two processes that close a day at once, under which rows are written or not: %i",
  async (day) => {
    await undated((today - 1) * dayMs, { day, asked_at: day * dayMs });
    await set("history_day", `${today}`);
    await set("history_day_since", `${today}`);
    await Promise.all([closeDays(stage.service), closeDays(stage.service)]);
    expect(await lines()).toEqual([`2026-11-19 2026-11: 1 rows from ${first} to ${first}`]);
    expect(stage.logged).toHaveLength(1);
    expect((await stage.audited()).filter((line) => line.startsWith("history_begun"))).toHaveLength(1);
  },
);

const [earlier, now] = [serviceKeysFrom("an earlier key", false), serviceKeysFrom("the key in use", true)];
const rowsOf = (...of: readonly string[]) =>
  stage.store.read((tx) =>
    tx.all(
      adhoc((db) =>
        db
          .selectFrom("withdrawal_events")
          .select(sealedColumns)
          .where("transaction_id", "in", of)
          .orderBy("sequence")
          .orderBy("transaction_id"),
      ),
    ),
  );
/** Seals the rows of some withdrawals, as a release before did. */
const seal = async (of: readonly string[], keys: ServiceKeys, more = "") => {
  const rows = await rowsOf(...of);
  const text = rows.map((row) => `${JSON.stringify(sealedColumns.map((column) => row[column]))}\n`).join("");
  await stage.store.write(async (tx) => {
    const detail = `${rows.length} rows ${keys.history(text)}${more}`;
    const entry = { event: "history_sealed", actor: "service", address: null, object: "history", detail };
    const { seq } = await appendAudit(tx, keys, 1, entry);
    await tx.run(
      adhoc((db) => db.updateTable("withdrawal_events").set({ seal: seq }).where("transaction_id", "in", of)),
    );
  });
};
const changeRows = (of: string) =>
  stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("withdrawal_events").set({ cashier: "9" }).where("transaction_id", "=", of))),
  );
const deleteRows = (of: string) =>
  stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", of))));
/** As a purge of a release before did. */
const purgeSealed = async () => {
  await deleteRows("A");
  await seal(["B", "G"], now, " instead of 1");
};
const begun = async () => (await stage.audited()).find((line) => line.startsWith("history_begun"));

test.each<[what: string, meanwhile: () => Promise<unknown>, begun: string]>([
  ["that match, each under its key", async () => {}, "2 seals"],
  ["of which one does not match", () => changeRows("A"), "2 seals, not whole: 1"],
  [
    "of which none matches",
    async () => {
      await changeRows("B");
      await changeRows("C");
    },
    "2 seals, not whole: 1 2",
  ],
  ["of which one has lost a row", () => deleteRows("B"), "2 seals, not whole: 1"],
  ["of which one has a row more", () => undated(9, { transaction_id: "D", seal: 2 }), "2 seals, not whole: 2"],
  ["of which a purge has renewed one", purgeSealed, "2 seals"],
])("seals of a release before %s", async (_, meanwhile, said) => {
  for (const [n, of] of ["B", "A", "G", "C"].entries())
    for (const sequence of [2, 1]) await undated(n, { transaction_id: of, sequence });
  await seal(["A", "B", "G"], earlier);
  await seal(["C"], now);
  await meanwhile();
  await undated(0, { transaction_id: "E", day: today - 1, asked_at: (today - 1) * dayMs });
  const keys = { ...now, others: [earlier] };
  await closeDays({ ...stage.service, keys });
  expect(await begun()).toBe(`history_begun | history | ${said}`);
  // Once is enough: neither the audit nor the withdrawals are read again.
  const asked: (string | null)[] = [];
  const read: Store["read"] = (unit, isShort) =>
    stage.store.read(
      (tx) =>
        unit({
          ...tx,
          all: (query) => {
            asked.push(query.name);
            return tx.all(query);
          },
        }),
      isShort,
    );
  await closeDays({ ...stage.service, store: { ...stage.store, read }, keys });
  expect(asked).toEqual([]);
});

test("seals that a purge of a release before renews during the look are looked at again", async () => {
  for (const transaction_id of ["A", "B"]) await undated(1, { transaction_id });
  await seal(["A", "B"], earlier);
  let reads = 0;
  const read: Store["read"] = async (unit, isShort) => {
    const result = await stage.store.read(unit, isShort);
    reads += 1;
    // The audit was read by then, the rows were not.
    if (reads === 2) await purgeSealed();
    return result;
  };
  await closeDays({ ...stage.service, store: { ...stage.store, read }, keys: { ...now, others: [earlier] } });
  expect(await begun()).toBe("history_begun | history | 1 seals");
});

const [september, october] = [Date.UTC(2026, 8), Date.UTC(2026, 9)];
/** An ended withdrawal of September with a row of its history, both as a case says. */
const ended = async (
  name: string,
  of: Partial<RowOf<"archived_withdrawals">> = {},
  row: Partial<RowOf<"withdrawal_events">> = {},
) => {
  const values = {
    ...rowWith({ id: name, created_at: september + 1, status: "linked" }),
    archived_at: september + 2,
    ...of,
  };
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("archived_withdrawals").values(values))));
  await undated(values.created_at, {
    transaction_id: name,
    asked_at: values.created_at,
    day: dayOf(values.created_at),
    ...row,
  });
};
const opened = (created_at: number) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) => db.insertInto("withdrawals").values(rowWith({ id: "OPEN", created_at, idempotency_key: "o" }))),
    ),
  );
const left = async (table: "archived_withdrawals" | "withdrawal_events") =>
  (
    (await stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).selectAll())))) as readonly {
      readonly id?: string;
      readonly transaction_id?: string;
    }[]
  )
    .map((row) => row.id ?? row.transaction_id)
    .toSorted();
/** The newest day with lines in these tests. */
const closedDay = today - 1;

test.each<
  [what: string, be: () => Promise<unknown>, before: number, goes: readonly string[], ended: readonly string[]]
>([
  ["what has ended", () => ended("A"), october, ["A"], ["2026-09"]],
  [
    "all of it",
    async () => {
      await ended("A");
      await ended("B", { created_at: october - 1 });
    },
    october,
    ["A", "B"],
    ["2026-09"],
  ],
  ["nothing before it is over", () => ended("A"), october - 1, [], []],
  [
    "nothing while one is open",
    async () => {
      await ended("A");
      await opened(september);
    },
    october,
    [],
    [],
  ],
  [
    "what has ended while one of the next month is open",
    async () => {
      await ended("A");
      await opened(october);
    },
    october,
    ["A"],
    ["2026-09"],
  ],
  [
    "nothing while one is disputed",
    async () => {
      await ended("A");
      await ended("B", { disputed_at: 1 });
    },
    october,
    [],
    [],
  ],
  [
    "nothing while one has ended at the time itself",
    async () => {
      await ended("A");
      await ended("B", { archived_at: october });
    },
    october,
    [],
    [],
  ],
  ["what has ended just before the time", () => ended("A", { archived_at: october - 1 }), october, ["A"], ["2026-09"]],
  ["nothing while a row is under a day without lines", () => ended("A", {}, { day: closedDay + 1 }), october, [], []],
  ["a row under the last day with lines", () => ended("A", {}, { day: closedDay }), october, ["A"], ["2026-09"]],
  [
    "October, while one of September is disputed",
    async () => {
      await ended("A", { disputed_at: 1 });
      await ended("B", { created_at: october });
    },
    today * dayMs,
    ["B"],
    ["2026-10"],
  ],
  [
    "the older month first",
    async () => {
      await ended("B", { created_at: october });
      await ended("A");
    },
    today * dayMs,
    ["A"],
    ["2026-09"],
  ],
  [
    "nothing while the day on which it was asked for has no lines",
    async () => {
      await ended("A", { created_at: september });
      await audit("history_day", "2026-08-31 2026-08");
    },
    october,
    [],
    [],
  ],
  [
    "all of the last day that has lines",
    async () => {
      await ended("A", { created_at: september });
      await audit("history_day", "2026-09-01 2026-09");
    },
    october,
    ["A"],
    ["2026-09"],
  ],
  ["nothing where there is nothing", async () => {}, today * dayMs, [], []],
])("of a month goes %s", async (_, be, before, goes, months) => {
  await audit("history_begun", "history");
  await audit("history_day", `${dayText(closedDay)} 2026-11`);
  await be();
  const all = await left("archived_withdrawals");
  const end = (limit: number) => stage.store.write((tx) => endMonth(tx, testKeys, before, stage.clock.now(), limit));
  expect(await end(100)).toEqual({ deleted: goes.length });
  const stay = all.filter((name) => !goes.includes(name ?? ""));
  expect([await left("archived_withdrawals"), await left("withdrawal_events")]).toEqual([stay, stay]);
  expect((await stage.audited()).filter((entry) => entry.startsWith("history_month"))).toEqual(
    months.map((month) => `history_month_ended | ${month}`),
  );
});

test("a month that has begun to go goes on, up to as many at once as are asked for, and leaves what was disputed meanwhile", async () => {
  let lookedThrough = 0;
  const end = (before = october) =>
    stage.store.write((tx) => {
      const first: Tx["first"] = (query) => {
        lookedThrough += query.name === "archived_kept" ? 1 : 0;
        return tx.first(query);
      };
      return endMonth({ ...tx, first }, testKeys, before, stage.clock.now(), 2);
    });
  for (const name of ["A", "B", "C", "D"]) await ended(name);
  await audit("history_day", `${dayText(closedDay)} 2026-11`);
  expect(await end()).toEqual({ deleted: 0 });
  await audit("history_begun", "history");
  expect(await end()).toEqual({ deleted: 2 });
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("archived_withdrawals").set({ disputed_at: 1 }).where("id", "=", "D"))),
  );
  expect(await end()).toEqual({ deleted: 1 });
  expect(await end()).toEqual({ deleted: 0 });
  expect([await left("archived_withdrawals"), await left("withdrawal_events")]).toEqual([["D"], ["D"]]);
  expect((await stage.audited()).slice(2)).toEqual(["history_month_ended | 2026-09"]);
  // Years of rows are looked through once: what they ask for lasts longer than a batch may.
  expect(lookedThrough).toBe(1);
  // It does not keep the months after it.
  await ended("E", { created_at: october });
  expect(await end(today * dayMs)).toEqual({ deleted: 1 });
  expect(await left("archived_withdrawals")).toEqual(["D"]);
});

test("a service closes days five seconds after its start, then each hour and right after midnight, in one process", async () => {
  await undated((today - 1) * dayMs, { day: today - 1, asked_at: (today - 1) * dayMs });
  let [isOwner, fails] = [false, false];
  const works: string[] = [];
  const owns = (work: string) => works.push(work) > 0 && isOwner;
  const write: Store["write"] = (unit) => (fails ? Promise.reject(new Error("full")) : stage.store.write(unit));
  const running = startDays({ ...stage.service, owns, store: { ...stage.store, write } } as typeof stage.service);
  /** Lets time pass until the next run is planned. */
  const pass = async (ms: number) => {
    await stage.clock.advance(ms);
    await expect.poll(() => stage.clock.timers, { interval: 1 }).toBe(1);
    return works.length;
  };
  expect(await pass(4_999)).toBe(0);
  expect(await pass(1)).toBe(1);
  expect([works, await lines()]).toEqual([["history"], []]);
  [isOwner, fails] = [true, true];
  expect(await pass(hourMs - 1)).toBe(1);
  expect(await pass(1)).toBe(2);
  expect(stage.logged).toMatchObject([{ err: { message: "full" } }]);
  fails = false;
  await pass(hourMs);
  expect(await lines()).toHaveLength(1);
  // It is five seconds past noon: eleven more runs, and one a millisecond after midnight.
  for (let hour = 13; hour < 24; hour += 1) await pass(hourMs);
  expect(works).toHaveLength(14);
  expect(await pass(hourMs - 5_000)).toBe(14);
  expect(await pass(1)).toBe(15);
  expect(await setting("history_day")).toBe(`${today + 1}`);
  await running.stop();
});

test("a stop ends it before the next page, without an alarm", async () => {
  await undated((today - 1) * dayMs, { day: today - 1, asked_at: (today - 1) * dayMs });
  let reads = 0;
  await closeDays(stage.service, () => {
    reads += 1;
    return reads > 3;
  });
  expect([reads, await lines()]).toEqual([4, []]);
  const read: Store["read"] = () => Promise.reject(new Error("the database is gone"));
  await expect(closeDays({ ...stage.service, store: { ...stage.store, read } })).rejects.toThrow("is gone");
});
