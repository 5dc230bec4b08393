/** The audit: what an entry holds, that a flood of refusals does not fill it, and that every change to it shows. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type AuditEvent,
  appendAll,
  appendAuditIfKeyed,
  auditAbout,
  auditHash,
  createAuditLog,
  earliestAuditSince,
  verifyAudit,
} from "../../../backend/access/audit.ts";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import type { Service } from "../../../backend/context.ts";
import { openStore } from "../../../backend/store/open.ts";
import { adhoc, type Store, StoreRefused } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { quiet, testKeys } from "../../service/world.ts";

const refusal: AuditEvent = {
  event: "sign_in_refused",
  actor: "terminal shop/till-1",
  address: "10.0.0.1",
  object: "terminal shop/till-1",
  detail: null,
};

let store: Store;
let clock: VirtualClock;
let audit: ReturnType<typeof createAuditLog>;
let logged: unknown[];
beforeAll(async () => {
  store = await openStore("sqlite::memory:", new VirtualClock());
});
beforeEach(async () => {
  clock = new VirtualClock(1_000_000);
  logged = [];
  audit = auditOn(store);
  await store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom("audit")));
    await tx.run(adhoc((db) => db.updateTable("audit_head").set({ seq: 0, hash: "" })));
  });
});
afterAll(() => store.close());

const keep = (fields: unknown): void => void logged.push(fields);
const auditOn = (on: Store, keys = testKeys): ReturnType<typeof createAuditLog> =>
  createAuditLog({ store: on, clock, log: { info: keep, warn: keep, error: keep } } as unknown as Service, keys);
const entries = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("audit").selectAll().orderBy("seq"))));
const details = async () => (await entries()).map(({ detail }) => detail);
const change = (values: object, seq: number) =>
  store.write((tx) => tx.run(adhoc((db) => db.updateTable("audit").set(values).where("seq", "=", seq))));
const verdict = (keys = [testKeys]) => verifyAudit(store, keys);

test("an entry holds what was done, under its key, and the log has it too", async () => {
  audit.record(refusal);
  expect(await entries()).toEqual([
    { seq: 1, at: 1_000_000, ...refusal, key_id: testKeys.auditKeyId, hash: expect.stringMatching(/^[\w-]{43}$/) },
  ]);
  expect(logged).toEqual([refusal]);
});

test("texts that a caller chooses are cut to 400 characters, each of them", async () => {
  const long = "x".repeat(401);
  audit.record({ event: long, actor: long, address: long, object: long, detail: long });
  const cut = "x".repeat(400);
  expect(await entries()).toMatchObject([{ event: cut, actor: cut, address: cut, object: cut, detail: cut }]);
  audit.record({ ...refusal, address: null });
  expect((await entries())[1]).toMatchObject({ address: null, detail: null });
});

test("several are written in one commit, in their order, and of none nothing is", async () => {
  const append = (what: readonly AuditEvent[]) => store.write((tx) => appendAll(tx, testKeys, clock.now(), what));
  expect(await append([])).toBeUndefined();
  expect(await append([refusal, { ...refusal, actor: "second" }])).toMatchObject({ seq: 2, actor: "second" });
  expect(await entries()).toMatchObject([{ seq: 1 }, { seq: 2 }]);
  expect(await verdict()).toMatchObject({ kind: "whole", entries: 2 });
});

test("what is asked of it: the newest entries of an event about an object, and the earliest time since an entry", async () => {
  for (const [at, event, object] of [
    [50, "a", "x"],
    [30, "a", "y"],
    [90, "b", "x"],
    [40, "a", "x"],
  ] as const) {
    clock = new VirtualClock(at);
    await store.write((tx) => appendAll(tx, testKeys, at, [{ ...refusal, event, object }]));
  }
  const about = await store.read((tx) => tx.all(auditAbout({ event: "a", object: "x" })));
  expect(about.map(({ seq }) => seq)).toEqual([4, 1]);
  const earliest = (seq: number) => store.read((tx) => tx.first(earliestAuditSince({ seq })));
  expect([await earliest(1), await earliest(3), await earliest(5)]).toEqual([{ at: 30 }, { at: 40 }, { at: null }]);
});

test("a text that whoever made it has bounded is kept whole", async () => {
  const detail = "x".repeat(401);
  audit.record({ ...refusal, detail, isBounded: true });
  audit.record({ ...refusal, detail, isBounded: false });
  expect((await details()).map((text) => text?.length)).toEqual([401, 400]);
});

test("a commit that money depends on goes through without its entry where this process has not the key, and the log has it", async () => {
  const write = (under: () => never) =>
    store.write(async (tx) => {
      const keys = { ...testKeys, under };
      await appendAuditIfKeyed(tx, { keys, log: { info: keep, warn: keep, error: keep } }, clock.now(), refusal);
      return "done";
    });
  const refuse = (error: Error) => () => {
    throw error;
  };
  expect(await write(refuse(new StoreRefused("it is under another")))).toBe("done");
  expect([await entries(), logged]).toMatchObject([[], [{ err: { message: "it is under another" }, ...refusal }]]);
  await expect(write(refuse(new Error("no disk")))).rejects.toThrow("no disk");
  await store.write((tx) => appendAuditIfKeyed(tx, { keys: testKeys, log: quiet }, clock.now(), refusal));
  expect(await entries()).toHaveLength(1);
});

test("what cannot be written is said in the log", async () => {
  const closed: Store = { ...store, write: () => Promise.reject(new Error("no disk")) };
  auditOn(closed).record(refusal);
  await expect.poll(() => logged.length).toBe(2);
  expect(logged[1]).toMatchObject({ event: refusal.event, err: { message: "no disk" } });
});

test("the same refusal again is counted, and told with the next one after a minute", async () => {
  audit.recordRefusal(refusal);
  clock.jump(59_999);
  audit.recordRefusal(refusal);
  audit.recordRefusal(refusal);
  expect(await details()).toEqual([null]);
  clock.jump(1);
  audit.recordRefusal({ ...refusal, detail: "by code" });
  clock.jump(60_000);
  audit.recordRefusal(refusal);
  expect(await details()).toEqual([null, "by code; 2 more since the last entry", null]);
});

test("a refusal of another kind, person or address is another one", async () => {
  for (const other of [
    refusal,
    { ...refusal, event: "enrolment_refused" },
    { ...refusal, actor: "x" },
    { ...refusal, address: "x" },
  ])
    audit.recordRefusal(other);
  expect(await entries()).toHaveLength(4);
});

test("of all refusals 200 a minute are written, and the next says how many were not", async () => {
  for (let n = 0; n < 203; n += 1) audit.recordRefusal({ ...refusal, actor: `n-${n}` });
  expect(await entries()).toHaveLength(200);
  clock.jump(59_999);
  audit.recordRefusal({ ...refusal, actor: "late" });
  expect(await entries()).toHaveLength(200);
  clock.jump(1);
  audit.recordRefusal({ ...refusal, actor: "next" });
  audit.recordRefusal({ ...refusal, actor: "after" });
  expect((await details()).slice(200)).toEqual(["4 of others not written", null]);
});

test.each(["seq", "at", "event", "actor", "address", "object", "detail", "key_id"])(
  "another %s is another hash, and so is another entry before it",
  (column) => {
    const entry = { seq: 1, at: 5, ...refusal, key_id: "k" };
    const hash = auditHash(testKeys.audit, "before", entry);
    expect(auditHash(testKeys.audit, "before", { ...entry, [column]: "changed" })).not.toBe(hash);
    expect(auditHash(testKeys.audit, "", entry)).not.toBe(hash);
  },
);

test("the hash of an entry is the one of every release", () => {
  expect(auditHash(testKeys.audit, "before", { seq: 1, at: 5, ...refusal, key_id: "k" })).toBe(
    "9wQxSMu1q6MCClM0X8BGDUoc49bZ0bJ44RZEuI8dcXI",
  );
});

test("an audit of many pages is whole, each entry visited once, with its head", async () => {
  await store.write(async (tx) => {
    for (let n = 0; n < 2_001; n += 1) await audit.append(tx, { ...refusal, actor: `n-${n}` });
  });
  const seen: number[] = [];
  const found = await verifyAudit(store, [testKeys], ({ seq }) => void seen.push(seq));
  expect(found).toEqual({ kind: "whole", entries: 2_001, underEarlierKeys: 0, head: (await entries())[2_000]?.hash });
  expect(seen).toEqual(Array.from({ length: 2_001 }, (_, n) => n + 1));
});

test("an audit that has lost its head takes no entry, and the log says so", async () => {
  await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("audit_head"))));
  audit.record(refusal);
  await expect.poll(() => logged.length).toBe(2);
  expect(logged[1]).toMatchObject({ err: { message: "the audit has lost its head" } });
  expect(await verdict()).toEqual({ kind: "broken", at: 1, why: "was cut off" });
  const head = { id: 1, seq: 0, hash: "", key_id: null };
  await store.write((tx) => tx.run(adhoc((db) => db.insertInto("audit_head").values(head))));
});

test("one without entries is whole", async () => {
  expect(await verdict()).toEqual({ kind: "whole", entries: 0, underEarlierKeys: 0, head: "" });
});

test("an entry that was changed, left out or cut off shows, by its number", async () => {
  for (let n = 0; n < 3; n += 1) audit.record({ ...refusal, actor: `n-${n}` });
  await change({ actor: "somebody else" }, 2);
  expect(await verdict()).toEqual({ kind: "broken", at: 2, why: "was changed" });
  await change({ actor: "n-1" }, 2);
  expect(await verdict()).toMatchObject({ kind: "whole" });
  await change({ seq: 9 }, 2);
  expect(await verdict()).toEqual({ kind: "broken", at: 2, why: "is missing" });
  await change({ seq: 2 }, 9);
  await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("audit").where("seq", "=", 3))));
  expect(await verdict()).toEqual({ kind: "broken", at: 3, why: "was cut off" });
  await store.write((tx) => tx.run(adhoc((db) => db.updateTable("audit_head").set({ seq: 2 }))));
  expect(await verdict()).toEqual({ kind: "broken", at: 3, why: "was cut off" });
  const hash = (await entries())[1]?.hash ?? "";
  await store.write((tx) => tx.run(adhoc((db) => db.updateTable("audit_head").set({ hash }))));
  expect(await verdict()).toMatchObject({ kind: "whole", entries: 2 });
  await store.write((tx) => tx.run(adhoc((db) => db.updateTable("audit_head").set({ seq: 3 }))));
  expect(await verdict()).toEqual({ kind: "broken", at: 3, why: "was cut off" });
});

test("entries under earlier keys hold in the order of the keys, and under no other", async () => {
  const [older, newer] = [serviceKeysFrom("older", false), serviceKeysFrom("newer", false)];
  auditOn(store, older).record(refusal);
  auditOn(store, older).record(refusal);
  auditOn(store, newer).record(refusal);
  expect(await verdict([older, newer])).toMatchObject({ kind: "whole", underEarlierKeys: 2 });
  expect(await verdict([newer])).toEqual({ kind: "broken", at: 1, why: "was written under another SERVICE_KEY" });
  auditOn(store, older).record(refusal);
  expect(await verdict([older, newer])).toEqual({
    kind: "broken",
    at: 4,
    why: "was written under another SERVICE_KEY",
  });
});
