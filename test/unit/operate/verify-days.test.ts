/** Which keys, lines of days and counts the proof of the history holds to, and what a look at what is new sees. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { appendAudit } from "../../../backend/access/audit.ts";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { type AuditedHistory, createHistoryReader } from "../../../backend/operate/proof.ts";
import { verifyHistory } from "../../../backend/operate/verify-history.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { sealedColumns } from "../../../backend/withdrawals/history.ts";
import { historyHash } from "../../../backend/withdrawals/transition.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { testKeys } from "../../service/world.ts";
import { asked, at, day, dayMs, id, proofStage, type Row, requested } from "./proof-stage.ts";

const { stage, write, verify } = proofStage();
const [earlier, now] = [serviceKeysFrom("an earlier key", false), serviceKeysFrom("the key in use", true)];
/** When the one row is written. */
const written = at(1);
const date = "2026-09-04";
const month = "2026-09";
const digestOf = (...rows: readonly string[]) =>
  createHash("sha256")
    .update(rows.map((row) => `${row}\n`).join(""))
    .digest("base64url");
/** What a line digests of each row. */
const texts = async () =>
  (
    await stage.store.read((tx) =>
      tx.all(adhoc((db) => db.selectFrom("withdrawal_events").selectAll().orderBy("sequence"))),
    )
  ).map((row) => row.hash ?? JSON.stringify(sealedColumns.map((column) => row[column])));
/** An audit in which the day has its line, under a number. */
const closedIn = async (seq: number, isDated: boolean): Promise<Partial<AuditedHistory>> => {
  const of = await texts();
  const event = isDated ? "history_day" : "history_undated";
  return {
    lines: new Map([[`${event} ${date} ${month}`, { seq, rows: of.length, digest: digestOf(...of) }]]),
    newest: { history_day: -1, history_undated: -1, [event]: day },
  };
};
const under = { earlier: {}, now: {}, none: { hash: null } };
const chained = { seq: 5, at: written - 1 };
const started = (ms: number) =>
  new Map([
    [earlier.auditKeyId, { seq: 1, at: written - 200_000 }],
    [now.auditKeyId, { seq: 7, at: written - ms }],
  ]);
const accepted = (ms: number) => ({ seq: 99, at: written + ms });

test.each<
  [
    what: string,
    key: keyof typeof under,
    isDated: boolean,
    audited: Partial<AuditedHistory>,
    line: number | null,
    holds: boolean,
  ]
>([
  ["of a release that wrote none", "none", false, {}, null, true],
  ["of one that wrote days, and so hashes", "none", true, {}, null, false],
  ["written at the moment at which all are chained", "none", false, { chained: { seq: 5, at: written } }, null, true],
  ["written after it", "none", false, { chained }, null, false],
  ["dated after it, in a line before it", "none", false, { chained }, 5, true],
  ["dated after it, in a line after it", "none", false, { chained }, 6, false],
  ["accepted since", "none", false, { chained, accepted: accepted(0) }, null, true],
  ["accepted before it was written", "none", false, { chained, accepted: accepted(-1) }, null, false],
  ["accepted, of a release that wrote days", "none", true, { chained, accepted: accepted(0) }, null, false],
  ["under the key in use", "now", true, { chained, keyStarts: started(60_001) }, null, true],
  [
    "under an earlier one, a minute after the change of keys",
    "earlier",
    true,
    { chained, keyStarts: started(60_000) },
    null,
    true,
  ],
  ["under an earlier one, later than that", "earlier", true, { chained, keyStarts: started(60_001) }, null, false],
  [
    "under an earlier one, later, and accepted",
    "earlier",
    true,
    { chained, accepted: accepted(0), keyStarts: started(60_001) },
    null,
    true,
  ],
  [
    "under an earlier one, later, in a line before it",
    "earlier",
    true,
    { chained, keyStarts: started(60_001) },
    7,
    true,
  ],
  [
    "under an earlier one, later, in a line after it",
    "earlier",
    true,
    { chained, keyStarts: started(60_001) },
    8,
    false,
  ],
  ["under an earlier one, before any is chained", "earlier", true, { keyStarts: started(60_001) }, null, true],
])("a row without a hash, or under some key: %s", async (_, key, isDated, audited, line, holds) => {
  await write(
    "requested",
    {},
    { 1: { ...under[key], ...(isDated ? {} : { day: 0, asked_at: 0 }) } },
    key === "now" ? now : earlier,
  );
  const closed = line === null ? {} : await closedIn(line, isDated);
  const found = await verify({ ...audited, ...closed }, [earlier, now]);
  const open = line === null ? 1 : 0;
  if (holds) expect(found).toEqual({ kind: "whole", rows: 1, open, unchained: key === "now" ? 0 : 1 });
  else expect(found).toMatch(`row 1 of ${id} is not chained as it should be`);
});

test.each([
  ["that the audit is to be changed over to, as a failover has lost the change", earlier, [now], true],
  ["that it was changed over to, and from again", earlier, [earlier, now], false],
  ["that it has never been under, beside that one", now, [now], false],
  ["that it has never been under", null, [now], false],
])("a row under another key, %s", async (_, newer, heard, holds) => {
  await write("requested", {}, {}, earlier);
  const keyStarts = new Map(heard.map(({ auditKeyId }) => [auditKeyId, { seq: 1, at: written - 200_000 }]));
  const found = await verify({ chained, keyStarts }, [earlier, now], newer?.auditKeyId ?? null);
  if (holds) expect(found).toMatchObject({ kind: "whole", rows: 1 });
  else expect(found).toMatch(`row 1 of ${id} is not chained as it should be`);
});

test("a row of a release that wrote no day is read however early it says that it was written", async () => {
  await write("requested", {}, { 1: { day: 0, asked_at: 0, at: -1 } });
  expect(await verify()).toMatchObject({ kind: "whole", rows: 1 });
});

test("what looks at the rows beside it is waited for, and its failure is no finding", async () => {
  await write("requested");
  const visit = async () => {
    await new Promise((resolve) => void setImmediate(resolve));
    throw new Error("the database is away");
  };
  const verified = verifyHistory(stage.store, [testKeys], createHistoryReader().result(), { visit });
  await expect(verified).rejects.toThrow("the database is away");
});

const turn = () => new Promise((resolve) => void setImmediate(resolve));

test("what the count of withdrawals finds while rows are read is waited for, and ends no process", async () => {
  await write("requested", { history_length: 2 });
  const unhandled: unknown[] = [];
  const keep = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", keep);
  const visit = async () => {
    for (let turns = 0; turns < 9; turns += 1) await turn();
  };
  const found = await verifyHistory(stage.store, [testKeys], createHistoryReader().result(), { visit });
  process.off("unhandledRejection", keep);
  expect([found, unhandled]).toMatchObject([
    { kind: "broken", what: expect.stringMatching("the end was cut off") },
    [],
  ]);
});

test("nothing is being read any more at the end of a look that has found something in a row", async () => {
  await write("requested", {}, { 1: { hash: "x" } });
  let [reads, underWay] = [0, 0];
  const read: Store["read"] = async (unit) => {
    reads += 1;
    underWay += 1;
    // The first one, that of the count, is slow.
    if (reads === 1) for (let turns = 0; turns < 200; turns += 1) await turn();
    return stage.store.read(unit).finally(() => {
      underWay -= 1;
    });
  };
  const found = await verifyHistory({ ...stage.store, read }, [testKeys], createHistoryReader().result());
  expect([found?.kind, underWay]).toEqual(["broken", 0]);
});

const [hourMs, dayAfter] = [3_600_000, (day + 1) * dayMs];
/** One that was asked for, and its one row. */
const one = async (name: string, created_at: number, of: { readonly at?: number; readonly day: number }) => {
  const withdrawal = rowWith({
    ...(requested.is as object),
    id: name,
    created_at,
    history_length: 1,
    idempotency_key: name,
  });
  const { archived_at: _, ...values } = { archived_at: null, ...withdrawal };
  const event = {
    ...{
      transaction_id: name,
      sequence: 1,
      at: created_at,
      request_id: null,
      reason: null,
      attempt: null,
      cashier: null,
    },
    ...{ terms: null, address: null, asked_at: created_at, seal: null, ...requested.rows[0], ...of },
  } as Row;
  const hash = historyHash(testKeys.history, "", event, values as typeof withdrawal);
  await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.insertInto("withdrawals").values(values)));
    await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values({ ...event, hash })));
  });
};
/** One that has ended when it was asked for, and has lost its only row. */
const cutOff = (at: number) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db
          .insertInto("archived_withdrawals")
          .values({ ...rowWith({ id: "CUT", status: "linked", created_at: at, history_length: 1 }), archived_at: at }),
      ),
    ),
  );
/** A look that goes on after the day that was verified at a time. @returns the rows that it saw, and the days that it verified. */
const resumed = async (at: number, audited: Partial<AuditedHistory> = {}) => {
  const [rows, days]: [string[], number[]] = [[], []];
  const reader = { ...createHistoryReader().result(), verified: { seq: 1, at, day }, ...audited };
  const found = await verifyHistory(stage.store, [testKeys], reader, {
    visit: async (page) => void rows.push(...page.map(({ event }) => event.transaction_id)),
    resume: async (verified) => void days.push(verified),
  });
  return { found: found?.kind === "broken" ? found.what : found?.kind, rows, days };
};

test("a look at what is new sees the days after the one that was verified, and of rows without a day those of two days more", async () => {
  await one("D0", day * dayMs, { day });
  await one("D1", dayAfter, { day: day + 1 });
  await one("D2", dayAfter + dayMs, { day: day + 2 });
  for (const before of [0, 1, 2, 3]) await one(`U${before}`, dayAfter - before * dayMs, { day: 0 });
  const { found, rows } = await resumed(dayAfter + hourMs);
  expect([found, rows]).toEqual(["whole", ["U1", "U0", "D1", "D2"]]);
});

test.each<[what: string, event: string, of: number, isMissed: boolean]>([
  ["the day that was verified", "history_day", day, false],
  ["the day after it", "history_day", day + 1, true],
  ["rows without a day of two days before", "history_undated", day - 1, false],
  ["rows without a day of the day before", "history_undated", day, true],
])("a look at what is new misses rows that a line counts of %s: %s", async (_, event, of, isMissed) => {
  const object = `${new Date(of * dayMs).toISOString().slice(0, 10)} ${month}`;
  const lines = new Map([[`${event} ${object}`, { seq: 7, rows: 3, digest: "" }]]);
  const newest = { history_day: day + 9, history_undated: day + 9 };
  // Counted on another day: of those from before there was a history nothing is new.
  const without = new Map([["2026-08", counted]]);
  const { found } = await resumed(dayAfter + hourMs, { lines, newest, begun, without });
  expect(found).toBe(isMissed ? `entry 7 of the audit counts 3 rows of ${object}, none is left` : "whole");
});

/** When its first row was written that is not verified, under which day; when the day was verified; since when withdrawals are counted. */
test.each<[what: string, rows: readonly (readonly [day: number, at: number])[], verified: number, since: number]>([
  ["the end of the day that was verified", [], dayAfter + 5 * hourMs, dayAfter - hourMs],
  ["when it was verified, by a clock that was behind", [], dayAfter - 5 * hourMs, dayAfter - 6 * hourMs],
  ["the first row after it, if that was before", [[day + 2, dayAfter - 9 * hourMs]], dayAfter, dayAfter - 10 * hourMs],
  ["and not a later one", [[day + 2, dayAfter + 9 * hourMs]], dayAfter, dayAfter - hourMs],
  [
    "whatever day that is under",
    [
      [day + 2, dayAfter + 9 * hourMs],
      [day + 4, dayAfter - 9 * hourMs],
    ],
    dayAfter,
    dayAfter - 10 * hourMs,
  ],
  [
    "and before another one",
    [
      [day + 2, dayAfter - 9 * hourMs],
      [day + 4, dayAfter + 9 * hourMs],
    ],
    dayAfter,
    dayAfter - 10 * hourMs,
  ],
])("a look at what is new counts the rows of withdrawals from an hour before %s", async (_, rows, verified, since) => {
  for (const [n, [of, at]] of rows.entries()) await one(`R${n}`, at, { day: of });
  await cutOff(since - 1);
  expect((await resumed(verified)).found).toBe("whole");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("archived_withdrawals"))));
  await cutOff(since);
  expect((await resumed(verified)).found).toMatch("the withdrawal CUT counts 1 rows of its history, there are 0");
});

test.each([0, 2])(
  "a look at what is new counts what is open, however old: %i rows, and calls no day verified before",
  async (n) => {
    await one("D0", day * dayMs, { day });
    await one("D1", dayAfter + dayMs, { day: day + 1 });
    const lying = adhoc((db) => db.updateTable("withdrawals").set({ history_length: n }).where("id", "=", "D0"));
    await stage.store.write((tx) => tx.run(lying));
    const newest = { history_day: day + 3, history_undated: day + 3 };
    const { found, days } = await resumed(dayAfter + dayMs, { newest, ended: new Set([month]) });
    expect(found).toMatch(`the withdrawal D0 counts ${n} rows of its history, there are 1`);
    expect(days).toEqual([]);
  },
);

test("of the days that it has seen those are called verified that are closed and have rows of their own", async () => {
  await one("D1", dayAfter, { day: day + 1 });
  await one("D2", dayAfter + dayMs, { day: day + 3, at: dayAfter + 2 * dayMs });
  await one("D4", dayAfter + 3 * dayMs, { day: day + 4 });
  await one("U", dayAfter, { day: 0 });
  const newest = { history_day: day + 3, history_undated: day + 3 };
  const { found, days } = await resumed(dayAfter, { newest, ended: new Set([month]) });
  expect([found, days]).toEqual(["whole", [day + 1, day + 3]]);
});

test("a day of which a month's rows are gone is not called verified", async () => {
  await one("D1", dayAfter, { day: day + 1 });
  const of = (name: string) => `history_day 2026-09-05 ${name}`;
  const lines = new Map([
    [of(month), { seq: 8, rows: 1, digest: digestOf(...(await texts())) }],
    [of("2026-08"), { seq: 9, rows: 1, digest: "" }],
  ]);
  const newest = { history_day: day + 1, history_undated: day + 1 };
  const { found, days } = await resumed(dayAfter, { newest, lines });
  expect([found, days]).toEqual(["entry 9 of the audit counts 1 rows of 2026-09-05 2026-08, none is left", []]);
});

test("a day's row is held to the line of its own month", async () => {
  await one("OLDER", asked - 40 * dayMs, { at: asked, day: 0 });
  await write("requested", {}, { 1: { hash: null, day: 0, asked_at: 0 } });
  const line = (of: string, seq: number) => [`history_undated ${date} ${of}`, { seq, rows: 1, digest: "" }] as const;
  const newest = { history_day: -1, history_undated: day };
  const found = await verify({ chained, newest, lines: new Map([line("2026-07", 5), line(month, 6)]) });
  expect(found).toMatch(`row 1 of ${id} is not chained as it should be`);
});

const object = `${date} ${month}`;
const entry = { seq: 8, at: 1 };
test.each<
  [what: string, line: { rows?: number; digest?: string } | null, ended: readonly string[], found: string | null]
>([
  ["its rows", {}, [], null],
  ["one row more", { rows: 2 }, [], `entry 8 of the audit counts 2 rows of ${object}, 1 are left`],
  ["one row fewer", { rows: 0 }, [], `entry 8 of the audit counts 0 rows of ${object}, 1 are left`],
  [
    "another row",
    { digest: digestOf("x") },
    [],
    `rows of ${object} were changed: they are not those of entry 8 of the audit`,
  ],
  ["none of its rows", null, [], `1 rows of ${object} are in no line of the audit, though their day is over`],
  ["none of its rows, in a month that has ended", null, [month], null],
])("a day that is over, whose line counts %s", async (_, line, ended, found) => {
  await write("requested");
  const { lines, newest } = await closedIn(8, true);
  const [[key, held] = ["", { seq: 0, rows: 0, digest: "" }]] = [...(lines ?? [])];
  const read = { newest: newest as AuditedHistory["newest"], ended: new Set(ended) };
  const result = await verify({ ...read, lines: new Map(line === null ? [] : [[key, { ...held, ...line }]]) });
  if (found === null) expect(result).toEqual({ kind: "whole", rows: 1, open: 0, unchained: 0 });
  else expect(result).toBe(found);
});

test.each<[what: string, detail: string, accepted: number | null, holds: boolean]>([
  ["match", "2 seals", null, true],
  ["do not match", "2 seals, not whole: 1 3", null, false],
  ["do not match, and were accepted before they were looked at", "2 seals, not whole: 1 3", 7, false],
  ["do not match, and were accepted since", "2 seals, not whole: 1 3", 9, true],
])("seals of a release before that %s", async (_, detail, accepted, holds) => {
  const at = accepted === null ? null : { seq: accepted, at: 1 };
  const found = await verify({ begun: { ...entry, detail }, accepted: at });
  if (holds) expect(found).toMatchObject({ kind: "whole" });
  else
    expect(found).toBe("rows that these entries of the audit sealed were changed before days came in their place: 1 3");
});

const begun = { ...entry, detail: null };
const counted = {
  seq: 4,
  rows: 1,
  digest: digestOf(JSON.stringify(["OLD", "bank", "corner-shop", 5_000, "EUR", asked])),
};
const others = (rows: number) =>
  `of the withdrawals of ${month} from before there was a history entry 4 of the audit counts ${rows}, there are 1 or others`;
test.each<[what: string, audited: Partial<AuditedHistory>, found: string | null]>([
  ["before days began", {}, null],
  ["that nobody has counted", { begun }, "the withdrawal OLD has no history"],
  ["that was counted", { begun, without: new Map([[month, counted]]) }, null],
  ["of a month that has ended", { begun, ended: new Set([month]) }, null],
  ["of which there was one more", { begun, without: new Map([[month, { ...counted, rows: 2 }]]) }, others(2)],
  ["that was another", { begun, without: new Map([[month, { ...counted, digest: "x" }]]) }, others(1)],
  [
    "beside those of a month of which none is left",
    {
      begun,
      without: new Map([
        [month, counted],
        ["2026-08", { ...counted, seq: 3 }],
      ]),
    },
    "entry 3 of the audit counts 1 withdrawals of 2026-08 from before there was a history, none is left",
  ],
])("a withdrawal without a history %s", async (_, audited, found) => {
  const old = rowWith({ id: "OLD", created_at: asked, history_length: 0 });
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.insertInto("archived_withdrawals").values({ ...old, archived_at: asked }))),
  );
  // One with a history is none of them.
  await one("WHOLE", asked, { day });
  if (found === null) expect(await verify(audited)).toMatchObject({ kind: "whole" });
  else expect(await verify(audited)).toBe(found);
});

test.each<[what: string, namesSince: number | null, accepted: number | null, isLost: boolean]>([
  ["no time is named", null, null, false],
  ["they must be there from then on", asked, null, true],
  ["they may be forgotten of before then", asked + 1, null, false],
  ["an operator has accepted what was asked for before", 0, asked, true],
  ["an operator has accepted it", 0, asked + 1, false],
  ["an operator has accepted what is older than that", asked + 1, asked - 5, false],
])("of one that has ended what repeats are known by is gone, and %s", async (_, namesSince, accepted, isLost) => {
  await write("linked");
  const found = await verify({ namesSince, accepted: accepted === null ? null : { seq: 1, at: accepted } });
  if (isLost) expect(found).toBe(`the withdrawal ${id} has ended, and its idempotency key is gone`);
  else expect(found).toMatchObject({ kind: "whole" });
});

test("one that is being paid has its order", async () => {
  await write("settling");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("outbox"))));
  expect(await verify()).toBe(`the withdrawal ${id} is being paid, and its Settle order is gone`);
});

test.each([
  ["history_month_ended", 0, null],
  ["names_forgotten", 0, null],
  ["names_forgotten", 1, "whole no more"],
  ["history_day", 0, "whole no more"],
])(
  "what is missed beside %s, %i entries before the audit's end as it was read, is %s",
  async (event, before, found) => {
    await write("requested", { history_length: 2 });
    const entry = { event, actor: "service", address: null, object: "", detail: null };
    const { seq } = await stage.store.write((tx) => appendAudit(tx, testKeys, 1, entry));
    const result = await verify({ head: seq - 1 + before });
    if (found === null) expect(result).toBeNull();
    else expect(result).toMatch("there are 1: the end was cut off");
  },
);

test("a database that does not answer is no finding", async () => {
  let failures = 1;
  const read: Store["read"] = (unit) => (failures-- > 0 ? Promise.reject(new Error("away")) : stage.store.read(unit));
  const audited = createHistoryReader().result();
  await expect(verifyHistory({ ...stage.store, read }, [testKeys], audited)).rejects.toThrow("away");
});
