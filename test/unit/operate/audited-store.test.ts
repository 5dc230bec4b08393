/** Operators' commands in the audit: when an entry is written, what it holds, and that a running service logs each. */
import { createHmac } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { appendAll, auditPage } from "../../../backend/access/audit.ts";
import { auditedStore, operatorName, systemUser, watchCommands } from "../../../backend/operate/audited-store.ts";
import { setSetting } from "../../../backend/store/settings.ts";
import type { Store } from "../../../backend/store/store.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
const entries = () =>
  stage.store.read((tx) => tx.all(auditPage({ after: 0, from: 0, until: Number.MAX_SAFE_INTEGER, limit: 9_999 })));
const auditing = (name: string, words: readonly string[], flags: Readonly<Record<string, string>> = {}) =>
  auditedStore(stage.store, testKeys, stage.clock, { name, words, flags, actor: "operator ada" });
const digestOf = (user: string) => createHmac("sha256", testKeys.audit).update(user).digest("hex").slice(0, 16);

test.each<[string, readonly string[], Readonly<Record<string, string>>, string, string | null]>([
  [
    "partners set",
    ["bank"],
    { answers: "by-status-code", name: "A bank" },
    "bank",
    "--answers by-status-code --name A bank",
  ],
  ["credentials add", ["terminal", "corner", "till-1"], {}, "terminal corner till-1", null],
  ["audit accept", [], { note: "moved" }, "", "--note moved"],
  ["users block", ["bank", "Ann"], {}, `bank user ${digestOf("ann")}`, null],
  ["users list", ["bank"], {}, "bank", null],
  ["merchants add", ["users", "Ann"], {}, "users Ann", null],
])("%s %j with %j is an entry; a user stays out of it", async (name, words, flags, object, detail) => {
  await auditing(name, words, flags).write(async () => 1);
  expect(await entries()).toMatchObject([
    { event: name, actor: "operator ada", address: null, object, detail, at: stage.clock.now() },
  ]);
});

test("a command has one entry, in the commit of the first change that it makes", async () => {
  const store = auditing("partners set", ["bank"]);
  const written: unknown[] = [];
  for (const result of [null, false, "a change", "another change"]) {
    written.push(await store.write(async () => result));
    written.push((await entries()).length);
  }
  expect(written).toEqual([null, 0, false, 0, "a change", 1, "another change", 1]);
});

test("a change that fails has no entry, and the next one has", async () => {
  const store = auditing("partners set", ["bank"]);
  await expect(store.write(() => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
  expect(await entries()).toEqual([]);
  await store.write(async () => undefined);
  expect(await entries()).toHaveLength(1);
});

test("an operator is the system's user, with whoever stands behind it", () => {
  const { SUDO_USER: before } = process.env;
  onTestFinished(() => {
    delete process.env.SUDO_USER;
    if (before !== undefined) process.env.SUDO_USER = before;
  });
  delete process.env.SUDO_USER;
  expect(operatorName()).toBe(`operator ${systemUser()}`);
  process.env.SUDO_USER = "olga";
  expect(operatorName()).toBe(`operator olga as ${systemUser()}`);
});

/** A service's process that logs them; `look` lets the time pass until it has looked. */
const watching = (parts: { owns?: (work: string) => boolean; store?: Store } = {}) => {
  const watch = watchCommands({ ...stage.service, owns: () => true, ...parts });
  const look = async (afterMs: number) => {
    const before = stage.logged.length;
    await stage.clock.advance(afterMs);
    await expect.poll(() => stage.clock.timers, { interval: 1 }).toBe(1);
    return stage.logged.slice(before);
  };
  return { look, stop: () => watch.stop() };
};
const append = (actors: readonly string[]) =>
  stage.store.write((tx) =>
    appendAll(
      tx,
      testKeys,
      stage.clock.now(),
      actors.map((actor) => ({
        event: "merchants set",
        actor,
        address: null,
        object: "corner",
        detail: "--largest 1.00",
      })),
    ),
  );
const line = (entry: number, actor = "operator ada") => ({
  ...{ entry, event: "merchants set", actor, object: "corner", detail: "--largest 1.00" },
});

test("a service logs what operators have done, each entry once, also over a restart, and looks every five seconds", async () => {
  await append(["operator ada", "terminal shop/till", "operator"]);
  const first = watching();
  expect(await first.look(0)).toEqual([line(1)]);
  await append(["operator olga"]);
  expect(await first.look(4_999)).toEqual([]);
  expect(await first.look(1)).toEqual([line(4, "operator olga")]);
  expect(await first.look(5_000)).toEqual([]);
  await first.stop();
  await append(["operator ada"]);
  const second = watching();
  expect(await second.look(0)).toEqual([line(5)]);
  await second.stop();
});

test("whoever writes into the database that more was logged hides nothing that comes after the last look", async () => {
  await append(["operator ada"]);
  const service = watching();
  expect(await service.look(0)).toEqual([line(1)]);
  await stage.store.write((tx) => tx.run(setSetting({ name: "audit_logged", value: "1000000" })));
  await append(["operator olga"]);
  expect(await service.look(5_000)).toEqual([line(2, "operator olga")]);
  await service.stop();
});

test("one process of a fleet does; the others leave it", async () => {
  await append(["operator ada"]);
  const works: string[] = [];
  const other = watching({ owns: (work) => works.push(work) === 0 });
  expect(await other.look(0)).toEqual([]);
  await other.stop();
  expect(works).toEqual(["audit log"]);
  const owner = watching();
  expect(await owner.look(0)).toEqual([line(1)]);
  await owner.stop();
});

test("more than a thousand are logged in as many looks as they need; a look that fails is made again", async () => {
  await append(Array.from({ length: 1_001 }, () => "operator ada"));
  let isDown = true;
  const read: Store["read"] = (unit) =>
    isDown ? Promise.reject(new Error("the database is away")) : stage.store.read(unit);
  const process = watching({ store: { ...stage.store, read } });
  expect(await process.look(0)).toMatchObject([{ err: { message: "the database is away" } }]);
  isDown = false;
  expect(await process.look(5_000)).toHaveLength(1_000);
  expect(await process.look(5_000)).toEqual([line(1_001)]);
  await process.stop();
});
