/** `audit`, `audit days` and `audit verify`: which entries are shown, which is the expected one, and what is said of keys. */
import { beforeEach, expect, test } from "vitest";
import { appendAll, appendAudit, auditPage } from "../../../backend/access/audit.ts";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { settingEvent } from "../../../backend/access/setting-entries.ts";
import { dayMs } from "../../../backend/contract/times.ts";
import { UsageError } from "../../../backend/operate/arguments.ts";
import { acceptHistory, checkAudit, readAudit, readDays } from "../../../backend/operate/audit.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
beforeEach(() => stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("restores")))));
const day = Date.UTC(2026, 10, 20);
const add = (what: { event?: string; object?: string; detail?: string | null }, at = day, keys = testKeys) =>
  stage.store.write((tx) =>
    appendAudit(tx, keys, at, {
      ...{ event: "sign_in_refused", actor: "operator ada", address: "10.0.0.1", object: "shop", detail: null },
      ...what,
    }),
  );
const addMany = (count: number) =>
  stage.store.write((tx) =>
    appendAll(
      tx,
      testKeys,
      day,
      Array.from({ length: count }, () => ({
        event: "enrolled",
        actor: "a",
        address: null,
        object: "o",
        detail: null,
      })),
    ),
  );
const entries = () =>
  stage.store.read((tx) => tx.all(auditPage({ after: 0, from: 0, until: Number.MAX_SAFE_INTEGER, limit: 99 })));
const numbers = async (flags: Readonly<Record<string, string>>) =>
  (await readAudit(stage, flags)).map(({ number }) => number);
const line = { object: "2026-11-20 2026-11", detail: `60 rows ${"d".repeat(43)} from A/1 to B/2` };
const lineText = `${line.object} ${line.detail}`;

test("an entry is shown with all that it says", async () => {
  await add({ detail: "--all" });
  expect(await readAudit(stage, {})).toEqual([
    {
      number: 1,
      time: "2026-11-20T00:00:00.000Z",
      event: "sign_in_refused",
      actor: "operator ada",
      address: "10.0.0.1",
      object: "shop",
      detail: "--all",
    },
  ]);
});

test.each<[Readonly<Record<string, string>>, readonly number[]]>([
  [{}, [1, 2, 3, 4]],
  [{ from: "2026-11-20" }, [2, 3, 4]],
  [{ to: "2026-11-20" }, [1, 2, 3]],
  [{ from: "2026-11-20", to: "2026-11-20" }, [2, 3]],
  [{ to: "2026-11-20T00:00:00Z" }, [1]],
  [{ from: "2026-11-21T00:00:00Z" }, [4]],
  [{ from: "2026-11-22" }, []],
])("of the period %j: from its first moment to before its end, a day as a whole", async (flags, shown) => {
  for (const at of [day - 1, day, day + dayMs - 1, day + dayMs]) await add({}, at);
  expect(await numbers(flags)).toEqual(shown);
});

test("a period that is none is refused by the name of its flag", async () => {
  for (const flag of ["from", "to"])
    for (const read of [readAudit, readDays])
      await expect(read(stage, { [flag]: "yesterday" })).rejects.toThrow(`--${flag} must be a day`);
});

test.each(["history_day", "history_undated", "history_sealed", "setting", "settings_recorded"])(
  "an entry of %s is shown with --all alone",
  async (event) => {
    await add({ event, detail: "{}" });
    await add({});
    expect(await numbers({})).toEqual([2]);
    expect(await numbers({ all: "1" })).toEqual([1, 2]);
  },
);

test("lines of days are printed with their entry's number and hash, and nothing else", async () => {
  await add({});
  for (const event of ["history_day", "history_undated", "history_sealed"]) await add({ ...line, event });
  const [, first, second] = await entries();
  expect(await readDays(stage, {})).toEqual([
    { number: 2, hash: first?.hash, line: `${lineText} in entry 2:${first?.hash}` },
    { number: 3, hash: second?.hash, line: `${lineText} in entry 3:${second?.hash}` },
  ]);
});

test.each([999, 1_000, 1_001, 2_000])("of %i entries each is shown once", async (count) => {
  await addMany(count);
  expect(await numbers({})).toEqual(Array.from({ length: count }, (_, at) => at + 1));
});

const verifying = (more: object = {}) => ({
  ...{ store: stage.store, keys: testKeys, clock: stage.clock },
  ...more,
});

test("what was verified is counted, and what is not there is left out", async () => {
  expect(await checkAudit(verifying())).toEqual({
    ...{ audit: "whole", entries: 0, head: "", history: "whole", rows: 0, settings: "whole" },
    settings_not_recorded_yet: 6,
  });
  await add({ event: "settings_recorded" });
  await expect(checkAudit(verifying())).rejects.toMatchObject({
    code: "internal_error",
    message: expect.stringMatching(/^The settings do not hold: shop corner-shop has no entry in the audit; .*\.$/),
  });
});

test("a history and settings that do not hold are both said, a sentence each", async () => {
  await add({ ...line, event: "history_day" });
  await add({ event: "settings_recorded" });
  await expect(checkAudit(verifying())).rejects.toThrow(
    /^The history does not hold: [^.]*none is left[^.]*\. The settings do not hold: /,
  );
});

test("an expected entry is there by its number and its hash, a line of a day by all of its words", async () => {
  await add({});
  await add({});
  await add({ ...line, event: "history_day" });
  await add({ event: "history_month_ended", object: "2026-11" });
  await add({ event: "sign_in_refused", object: "2026-11-20 2026-12", detail: line.detail });
  await addMany(5);
  const [first, second] = await entries();
  const tenth = (await entries()).at(-1);
  for (const expected of [`1:${first?.hash}`, `2:${second?.hash}`, `10:${tenth?.hash}`, lineText])
    expect(await checkAudit(verifying(), { expect: expected })).toMatchObject({ audit: "whole", entries: 10 });
  const missing = [
    [`1:${second?.hash}`, "1"],
    [`3:${second?.hash}`, "3"],
    [lineText.replace("60 rows", "70 rows"), lineText.replace("60 rows", "70 rows")],
    [`2026-11-20 2026-12 ${line.detail}`, `2026-11-20 2026-12 ${line.detail}`],
  ] as const;
  for (const [expected, named] of missing)
    await expect(checkAudit(verifying(), { expect: expected })).rejects.toMatchObject({
      code: "internal_error",
      message: `The audit does not hold: entry ${named} is not the expected one.`,
    });
});

test("what is neither an entry nor a line is refused before anything is read", async () => {
  const hash = "h".repeat(43);
  for (const text of ["1234", hash, `1:${hash}h`, `1:${hash.slice(1)}`, `a1:${hash}`, `x ${lineText}`, "2026-11-20"])
    await expect(checkAudit(verifying({ store: {} as Store }), { expect: text }), text).rejects.toThrow(UsageError);
});

test("an entry that was changed is named by its number", async () => {
  await add({});
  await expect(checkAudit(verifying({ keys: serviceKeysFrom("another", false) }))).rejects.toMatchObject({
    code: "internal_error",
    message: "The audit does not hold: entry 1 was written under another SERVICE_KEY.",
  });
});

test("entries under the keys before the one in use hold, and are counted apart", async () => {
  const [made, earlier, now] = [
    serviceKeysFrom("made", false),
    serviceKeysFrom("earlier", true),
    serviceKeysFrom("now", true),
  ];
  for (const keys of [made, made, earlier, now]) await add({}, day, keys);
  expect(await checkAudit(verifying({ keys: { ...now, others: [made, earlier] } }))).toMatchObject({
    entries: 4,
    before_this_service_key: 3,
  });
  await expect(checkAudit(verifying({ keys: now }))).rejects.toThrow(/entry 1 was written under another/);
});

const restoreUnknown = () =>
  stage.store.write((tx) =>
    tx.run(adhoc((db) => db.insertInto("restores").values({ restored_at: 1, forgot_since: 1 }))),
  );
test.each<[what: string, finding: () => Promise<unknown>, found: RegExp, entry: Parameters<typeof add>[0]]>([
  [
    "a month that is purged",
    () => add({ ...line, event: "history_day" }),
    /none is left/,
    { event: "history_month_ended", object: "1999-01" },
  ],
  ["a restore", restoreUnknown, /is in no entry of the audit/, { event: "database restored" }],
])("%s during the look makes it look again, five times", async (_, finding, found, entry) => {
  await finding();
  let reads = 0;
  let isGoingOn = false;
  const store: Store = {
    ...stage.store,
    async read(unit) {
      reads += 1;
      const result = await stage.store.read(unit);
      if (isGoingOn) await add(entry);
      return result;
    },
  };
  await expect(checkAudit(verifying({ store }))).rejects.toThrow(found);
  const once = reads;
  [reads, isGoingOn] = [0, true];
  await expect(checkAudit(verifying({ store }))).rejects.toMatchObject({
    code: "unavailable",
    message: "The history was purged meanwhile. Ask again.",
  });
  // The settings are looked at only after the history.
  expect(reads).toBeGreaterThan(4 * 4);
  expect(reads % 5).toBe(0);
  expect(once).toBeGreaterThan(0);
});

test("to accept what was found asks why", async () => {
  await expect(acceptHistory(verifying(), undefined)).rejects.toThrow(/audit accept --note TEXT/);
  for (const note of ["", "x".repeat(501)])
    await expect(acceptHistory(verifying(), note)).rejects.toThrow(/^--note .*1 to 500/);
  expect(await acceptHistory(verifying(), "x".repeat(500))).toEqual({ history: "accepted", settings: 6 });
  expect(await checkAudit(verifying())).not.toHaveProperty("settings_not_recorded_yet");
});

test("of more entries than are read at once each is listed once, whatever is left out before them", async () => {
  await add({ event: settingEvent });
  await addMany(1_000);
  expect(await numbers({})).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 2));
});
