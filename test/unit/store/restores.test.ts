/** What a database says of the restores that it has seen, and of the one that is being applied. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { openStore } from "../../../backend/store/open.ts";
import {
  copiedAtSetting,
  correctPastRestore,
  insertRestore,
  keepKnownUntil,
  readPastRestores,
  readRestoredFrom,
  restoredFromSetting,
  restoreOver,
  restoresBeforeSetting,
  restoreUnderWay,
} from "../../../backend/store/restores.ts";
import { setSetting, settingByName } from "../../../backend/store/settings.ts";
import type { Store } from "../../../backend/store/store.ts";

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
