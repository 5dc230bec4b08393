/** What a database says of itself: whether it is for real money, and what all processes on it share. */
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { openStore } from "../../../backend/store/open.ts";
import {
  addSetting,
  assertEnvironment,
  holdSetting,
  isSandboxDatabase,
  schemaVersion,
  setSetting,
  settingByName,
} from "../../../backend/store/settings.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { seed } from "../../service/world.ts";

const open: Store[] = [];
afterEach(() => Promise.all(open.splice(0).map((store) => store.close())));
const opened = async () => {
  const store = await openStore("sqlite::memory:", systemClock);
  open.push(store);
  return store;
};

test.each([
  [true, false],
  [false, true],
])(
  "a database that began in the sandbox: %s is refused to the other kind, and says what it is",
  async (sandbox, other) => {
    const store = await opened();
    expect(await isSandboxDatabase(store)).toBe(false);
    await assertEnvironment(store, sandbox);
    await assertEnvironment(store, sandbox);
    await expect(assertEnvironment(store, other)).rejects.toMatchObject({ why: "other_environment" });
    expect(await isSandboxDatabase(store)).toBe(sandbox);
  },
);

test.each(["merchants", "partners"] as const)(
  "%s that were added before the first start are real ones",
  async (table) => {
    const store = await opened();
    await seed(store);
    const emptied = table === "merchants" ? "partners" : "merchants";
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom(emptied))));
    await expect(assertEnvironment(store, true)).rejects.toMatchObject({ why: "other_environment" });
    expect(await store.read((tx) => tx.first(settingByName({ name: "purpose" })))).toBeUndefined();
    await assertEnvironment(store, false);
  },
);

test("a setting: the first to add it wins, the last to set it; the version says that the database answers", async () => {
  const store = await opened();
  const read = async () => (await store.read((tx) => tx.first(settingByName({ name: "a" }))))?.value;
  await store.write((tx) => tx.run(addSetting({ name: "a", value: "1" })));
  await store.write((tx) => tx.run(addSetting({ name: "a", value: "2" })));
  expect(await read()).toBe("1");
  await store.write((tx) => tx.run(setSetting({ name: "a", value: "3" })));
  await store.write((tx) => tx.run(setSetting({ name: "b", value: "4" })));
  expect(await read()).toBe("3");
  expect(await store.read((tx) => tx.first(schemaVersion({})))).toMatchObject({ version: expect.any(Number) });
});

test.each([
  ["as it is", "import", "ours", true],
  ["under another value", "import", "theirs", false],
  ["that is not there", "export", "ours", false],
])("a setting %s is held: %s, %s, %s", async (_, name, value, isHeld) => {
  const store = await opened();
  const all = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("settings").selectAll().orderBy("name"))));
  await store.write(async (tx) => {
    await tx.run(setSetting({ name: "import", value: "ours" }));
    await tx.run(setSetting({ name: "other", value: "ours" }));
  });
  const before = await all();
  expect(await store.write((tx) => tx.all(holdSetting({ name, value })))).toEqual(isHeld ? [{ name }] : []);
  expect(await all()).toEqual(before);
});
