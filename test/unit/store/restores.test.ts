/** What a database says of the restores that it has seen, and of the one that is being applied. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { openStore } from "../../../backend/store/open.ts";
import {
  allRestores,
  beginRestore,
  copiedAtSetting,
  correctPastRestore,
  headInCopy,
  headsAfter,
  insertRestore,
  keepKnownUntil,
  newestRestore,
  readPastRestores,
  readRestoredFrom,
  removeRestore,
  restoredFromSetting,
  restoreOver,
  restoresBeforeSetting,
  restoreUnderWay,
} from "../../../backend/store/restores.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { setSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";

let store: Store;
beforeEach(async () => {
  store = await openStore("sqlite::memory:", systemClock);
});
afterEach(() => store.close());

test.each<[string, Readonly<Record<string, string>>, number | null]>([
  ["in a copy that was put back", { [copiedAtSetting]: "1", restoring_at: "7" }, 7],
  ["in a file that was put back", { [restoredFromSetting]: "{}", restoring_at: "7" }, 7],
  ["that another process has applied", { restoring_at: "7" }, null],
  ["that nobody has begun", { [copiedAtSetting]: "1" }, null],
  ["where there was none", {}, null],
])("a restore %s", async (_, settings, at) => {
  for (const [name, value] of Object.entries(settings)) await store.write((tx) => tx.run(setSetting({ name, value })));
  expect(await store.write(restoreUnderWay)).toBe(at);
});

test.each([
  ["before both", 0, 9, null],
  ["from the first moment that one has forgotten", 0, 10, 10],
  ["in both", 25, 25, 10],
  ["up to the moment of the first", 20, 30, 10],
  ["behind it, in the second", 31, 45, 15],
  ["behind both", 41, 50, null],
])("what lies %s was forgotten since the earliest of them", async (_, from, until, since) => {
  for (const [restored_at, forgot_since] of [
    [30, 10],
    [40, 15],
  ] as const)
    await store.write((tx) => tx.run(insertRestore({ restored_at, forgot_since })));
  expect(await store.read((tx) => tx.first(restoreOver({ from, until })))).toEqual({ forgot_since: since });
});

test("restores are in the order in which they were applied, whatever their copies, and a wrong one goes alone", async () => {
  const [first, second, third] = [
    { restored_at: 20, forgot_since: 15 },
    { restored_at: 30, forgot_since: 10 },
    { restored_at: 40, forgot_since: 5 },
  ] as const;
  for (const each of [third, first, second]) await store.write((tx) => tx.run(insertRestore(each)));
  expect(await store.read((tx) => tx.first(newestRestore({})))).toEqual(third);
  expect(await store.read((tx) => tx.all(allRestores({})))).toEqual([first, second, third]);
  expect(await store.write((tx) => tx.first(removeRestore({ restoredAt: 30 })))).toEqual({ forgot_since: 10 });
  expect(await store.read((tx) => tx.all(allRestores({})))).toEqual([first, third]);
});

test("a restore that goes on after an interruption has no earlier time, though the clock was put back meanwhile", async () => {
  for (const [now, at] of [
    [50_000, 50_000],
    [20_000, 50_000],
    [60_000, 60_000],
  ] as const)
    expect(await store.write((tx) => beginRestore(tx, now))).toBe(at);
});

test.each([
  [undefined, { told: [] }],
  ['{"copy":"a","by":null}', { copy: "a", by: null, told: [] }],
  ['{"toldSince":7}', { told: [{ since: 7, knownUntil: 7 }] }],
  [
    '{"told":[5,{"since":6,"knownUntil":9}]}',
    {
      told: [
        { since: 5, knownUntil: 5 },
        { since: 6, knownUntil: 9 },
      ],
    },
  ],
])("where a copy came from, also as releases before have written it: %s", (text, from) => {
  expect(readRestoredFrom(text)).toEqual(from);
});

const past = (restored_at: number) => ({ restored_at, forgot_since: 10, known_until: 12 });
const pastOnes = async () =>
  readPastRestores((await store.read((tx) => tx.first(settingByName({ name: restoresBeforeSetting }))))?.value);
test.each([
  [9, false],
  [10, false],
  [11, true],
])("a restore since 10 whose copy has a request of %d is noted for the next one: %s", async (known_until, isNoted) => {
  const one = { ...past(30), known_until };
  const all = [past(20), ...(isNoted ? [one] : [])];
  await store.write((tx) => keepKnownUntil(tx, past(20)));
  await store.write((tx) => keepKnownUntil(tx, one));
  expect(await pastOnes()).toEqual(all);
});

test.each([
  [30, 5, [past(20), { restored_at: 31, forgot_since: 5, known_until: 12 }]],
  [30, 12, [past(20)]],
  [25, 5, [past(20), past(30), { restored_at: 31, forgot_since: 5, known_until: 10 }]],
  [25, 10, [past(20), past(30)]],
])("the restore of %d is corrected to one since %d, and no other", async (restored_at, forgot_since, all) => {
  for (const at of [20, 30]) await store.write((tx) => keepKnownUntil(tx, past(at)));
  const right = { restored_at: 31, forgot_since };
  await store.write((tx) => correctPastRestore(tx, { restored_at, forgot_since: 10 }, right));
  expect(await pastOnes()).toEqual(all);
});

test("where no restore was noted none is by a correction to the same time", async () => {
  const times = { restored_at: 30, forgot_since: 10 };
  await store.write((tx) => correctPastRestore(tx, times, times));
  expect(await store.read((tx) => tx.first(settingByName({ name: restoresBeforeSetting })))).toBeUndefined();
});

type Head = Partial<RowOf<"journal_heads">>;
const putHeads = (...heads: readonly Head[]) =>
  store.write(async (tx) => {
    for (const more of heads) {
      const of = { merchant_id: "corner-shop", device_id: "till-1", epoch: 1, seq: 5, head: "link" };
      const head = { ...of, at: 0, received_at: 50, after_restore: 0, ...more };
      await tx.run(adhoc((db) => db.insertInto("journal_heads").values(head)));
    }
  });
test.each<[string, Head, number]>([
  ["the newest of its links", { seq: 7 }, 7],
  ["no older one", { seq: 4 }, 5],
  ["that of its newer journal", { epoch: 2, seq: 3 }, 3],
  ["none of a journal that has only been begun", { epoch: 2, seq: 0 }, 5],
  ["none of another shop's terminal under the same name", { merchant_id: "other-shop", seq: 7 }, 5],
  ["none of another terminal's", { device_id: "till-2", seq: 7 }, 5],
  ["what came just as the copy was made", { seq: 7, received_at: 100 }, 7],
  ["nothing that came since", { seq: 7, received_at: 101 }, 5],
  ["what came before the restore", { seq: 7, after_restore: 199 }, 7],
  ["nothing that came after it", { seq: 7, after_restore: 200 }, 5],
  ["nothing of which that is not known", { seq: 7, after_restore: null }, 5],
])("of a terminal's journal a copy has %s", async (_, other, seq) => {
  await putHeads({}, other);
  const asked = { merchant: "corner-shop", device: "till-1", restoredAt: 200, forgotSince: 100 };
  expect(await store.read((tx) => tx.first(headInCopy(asked)))).toEqual({ seq, head: "link" });
});

test("links that came after a restore came after the one that it is called now, and no others", async () => {
  await putHeads({ seq: 1, after_restore: 100 }, { seq: 2, after_restore: 200 }, { seq: 3, after_restore: 300 });
  await store.write((tx) => tx.run(headsAfter({ wrong: 200, right: 250 })));
  const heads = adhoc((db) => db.selectFrom("journal_heads").select("after_restore").orderBy("seq"));
  expect((await store.read((tx) => tx.all(heads))).map((head) => head.after_restore)).toEqual([100, 250, 300]);
});
