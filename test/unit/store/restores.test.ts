/** What a database says of the restores that it has seen, and of the one that is being applied. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { openStore } from "../../../backend/store/open.ts";
import {
  copiedAtSetting,
  insertRestore,
  restoredFromSetting,
  restoreOver,
  restoreUnderWay,
} from "../../../backend/store/restores.ts";
import { setSetting } from "../../../backend/store/settings.ts";
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
