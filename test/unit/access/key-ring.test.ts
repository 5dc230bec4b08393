/** Which key a process uses where one SERVICE_KEY follows the other: what it may open, what it refuses, and that it then writes nothing. */
import { expect, test } from "vitest";
import { appendAudit, auditKeyInUse, holdAudit, setAuditKey } from "../../../backend/access/audit.ts";
import { type KeyRing, keyCipherOf, openKeyRing, watchServiceKey } from "../../../backend/access/key-ring.ts";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { systemRandom } from "../../../backend/adapters.ts";
import { createKeyCipher, plainKeys } from "../../../backend/partner/keys.ts";
import type { DatabaseAddress } from "../../../backend/store/database-url.ts";
import { setSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store, StoreRefused } from "../../../backend/store/store.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const inMemory = { kind: "sqlite", path: ":memory:" } as DatabaseAddress;
/** Where the key that is made when none is set lies in the database. */
const fleet = { kind: "postgres" } as unknown as DatabaseAddress;
const idOf = (root: string): string => serviceKeysFrom(root, true).auditKeyId;
const [one, two, three] = ["first service key", "second service key", "third service key"] as const;

const open = (serviceKey: string | null, serviceKeyBefore: string | null = null, more: Parts = {}) => {
  const { store = stage.store, database = inMemory, isLost } = more;
  return openKeyRing(store, { database, serviceKey, serviceKeyBefore }, systemRandom, isLost);
};
type Parts = { readonly store?: Store; readonly database?: DatabaseAddress; readonly isLost?: boolean };
const setting = (name: string) => stage.store.read(async (tx) => (await tx.first(settingByName({ name })))?.value);
const set = (name: string, value: string) => stage.store.write((tx) => tx.run(setSetting({ name, value })));
/** The audit is under this key from now on. */
const putUnder = (root: string) => stage.store.write((tx) => tx.run(setAuditKey({ key_id: idOf(root) })));
const emptyHead = () =>
  stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("audit_head").set({ key_id: null }))));
const others = ({ others: all = [] }: KeyRing) => all.map(({ auditKeyId }) => auditKeyId);
/** Changes over, as `service-key rotate` does. */
const rotate = async (to: string, before: string) => {
  const ring = await open(to, before);
  await stage.store.write(async (tx) => {
    await ring.rotation?.noteEarlier(tx);
    await tx.run(setAuditKey({ key_id: idOf(to) }));
  });
};
const settings = () =>
  stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom("settings").selectAll().orderBy("name"))));
/** Refused with these words, and nothing was written. */
const refuses = async (opened: () => Promise<unknown>, sentence: RegExp) => {
  const before = await settings();
  const error = await opened().catch((why: unknown) => why);
  expect(error).toBeInstanceOf(StoreRefused);
  expect((error as Error).message).toMatch(sentence);
  expect(await settings()).toEqual(before);
};

test("a database that nothing is under yet is under the key that is set, and its name is noted once", async () => {
  await emptyHead();
  const ring = await open(one);
  expect([ring.auditKeyId, others(ring)]).toEqual([idOf(one), []]);
  expect(ring.rotation).toMatchObject({ before: null, isBack: false });
  expect(ring.rotation?.to.auditKeyId).toBe(idOf(one));
  expect(await setting("given_service_keys")).toBe(idOf(one));
  const store = { ...stage.store, write: () => Promise.reject(new Error("a write")) };
  await open(one, null, { store });
  await putUnder(one);
  await open(two, one);
  expect(await setting("given_service_keys")).toBe(`${idOf(one)} ${idOf(two)}`);
});

test("of two keys the one is in use that the audit is under; the other one is read as well", async () => {
  await putUnder(one);
  for (const [to, before] of [
    [two, one],
    [one, two],
  ] as const) {
    const ring = await open(to, before);
    expect([ring.auditKeyId, others(ring)]).toEqual([idOf(one), [idOf(two)]]);
    expect([ring.rotation?.to.auditKeyId, ring.rotation?.before?.auditKeyId]).toEqual([idOf(to), idOf(before)]);
  }
  await emptyHead();
  expect((await open(two, one)).auditKeyId).toBe(idOf(two));
});

test("it changes over with the audit, in place, and never back", async () => {
  await putUnder(one);
  const ring = await open(two, one);
  expect(ring.under?.(idOf(one))).toMatchObject({ auditKeyId: idOf(one) });
  const used = ring.under?.(idOf(two));
  expect([used, ring.auditKeyId, others(ring)]).toEqual([ring, idOf(two), [idOf(one)]]);
  expect(() => ring.under?.(idOf(one))).toThrow(StoreRefused);
  expect(() => ring.under?.(idOf(one))).toThrow(`under a key (${idOf(one)}) that was rotated away`);
  expect(ring.under?.(idOf(two))).toBe(ring);
  expect(() => ring.under?.(idOf(three))).toThrow(`it is under another (${idOf(three)})`);
  expect(ring.under?.(null)).toBe(ring);
});

test("whoever takes the next entry's number changes over with it", async () => {
  const event = { event: "e", actor: "a", address: null, object: "o", detail: null };
  await stage.store.write((tx) => appendAudit(tx, serviceKeysFrom(one, true), 1, event));
  const ring = await open(two, one);
  const take = () => stage.store.write((tx) => holdAudit(tx, ring));
  expect([await take(), ring.auditKeyId]).toEqual([1, idOf(one)]);
  await putUnder(two);
  expect([await take(), ring.auditKeyId]).toEqual([1, idOf(two)]);
});

test("a database under a key that is not set is refused by its name, unless that key is lost", async () => {
  await putUnder(three);
  await refuses(() => open(one), new RegExp(`it is under another \\(${idOf(three)}\\), and nothing was written`));
  await refuses(() => open(two, one), /it is under another/);
  const ring = await open(one, null, { isLost: true });
  expect([ring.auditKeyId, others(ring)]).toEqual([idOf(one), []]);
});

test("without a key a database is refused that is under one, or was before its first entry; under a made one it is not", async () => {
  await set("given_service_keys", `${idOf(one)} ${idOf(two)}`);
  await putUnder(two);
  await refuses(() => open(null), new RegExp(`SERVICE_KEY is missing: this database is under one \\(${idOf(two)}\\)`));
  await emptyHead();
  await refuses(() => open(null), new RegExp(`SERVICE_KEY is missing: this database is under one \\(${idOf(one)}\\)`));
  await putUnder(three);
  const ring = await open(null);
  expect([ring.rotation, ring.encryption]).toEqual([undefined, null]);
});

test("the key that was made when none was set goes on being read beside the one that is set", async () => {
  const made = await open(null, null, { database: fleet });
  expect(made.auditKeyId).toBe((await open(null, null, { database: fleet })).auditKeyId);
  await stage.store.write((tx) => tx.run(setAuditKey({ key_id: made.auditKeyId })));
  const ring = await open(one, null, { database: fleet });
  expect([ring.auditKeyId, others(ring)]).toEqual([idOf(one), [made.auditKeyId]]);
  // It lies beside what it would encrypt.
  expect(ring.others?.map(({ encryption }) => encryption)).toEqual([null]);
  expect(ring.under?.(made.auditKeyId)).toBe(ring);
  await refuses(() => open(one), /it is under another/);
});

test("the name beside the newest entry counts where the head has none, as an earlier release left it", async () => {
  const event = { event: "e", actor: "a", address: null, object: "o", detail: null };
  await stage.store.write((tx) => appendAudit(tx, serviceKeysFrom(one, true), 1, event));
  await emptyHead();
  expect(await stage.store.read(auditKeyInUse)).toBe(idOf(one));
  await refuses(() => open(two), /it is under another/);
  expect((await open(two, one)).auditKeyId).toBe(idOf(one));
});

test("the newest key alone opens what is stored of all before it, oldest first", async () => {
  await putUnder(one);
  await rotate(two, one);
  const second = await open(two);
  expect([second.auditKeyId, others(second), second.rotation?.isBack]).toEqual([idOf(two), [idOf(one)], false]);
  await rotate(three, two);
  const third = await open(three);
  expect([third.auditKeyId, others(third)]).toEqual([idOf(three), [idOf(one), idOf(two)]]);
  expect(await setting("service_keys_before")).not.toContain(one);
  // Nothing is noted where no key came before.
  const before = await setting("service_keys_before");
  await stage.store.write(async (tx) => third.rotation?.noteEarlier(tx));
  expect(await setting("service_keys_before")).toBe(before);
});

test("whoever puts the audit back under an earlier key is refused; so is a rotation back to it", async () => {
  await putUnder(one);
  await rotate(two, one);
  expect((await open(one, two)).rotation).toMatchObject({ isBack: true });
  await putUnder(one);
  await refuses(() => open(two), /it is under another/);
  await refuses(() => open(two, one), new RegExp(`under a key \\(${idOf(one)}\\) that was rotated away`));
});

test("what is stored of earlier keys is of no use to another key, and goes with a key that is lost", async () => {
  await putUnder(one);
  await rotate(two, one);
  await emptyHead();
  await refuses(() => open(three), /^what is stored of earlier service keys cannot be read with this SERVICE_KEY$/);
  const lost = await open(three, null, { isLost: true });
  expect(others(lost)).toEqual([]);
  await stage.store.write(async (tx) => lost.rotation?.noteEarlier(tx));
  expect(await setting("service_keys_before")).toBeUndefined();
});

test("a bank's key is encrypted under the key in use at that moment, and read under any", async () => {
  await putUnder(one);
  const ring = await open(two, one);
  const cipher = keyCipherOf(ring, systemRandom);
  const [alone, after] = [serviceKeysFrom(one, true), serviceKeysFrom(two, true)].map((keys) =>
    keyCipherOf(keys, systemRandom),
  );
  const before = cipher.seal("bank", "whsec_1");
  expect(alone?.open("bank", before)).toBe("whsec_1");
  ring.under?.(idOf(two));
  const later = cipher.seal("bank", "whsec_2");
  expect(after?.open("bank", later)).toBe("whsec_2");
  expect([cipher.open("bank", before), cipher.open("bank", later)]).toEqual(["whsec_1", "whsec_2"]);
  expect(keyCipherOf(serviceKeysFrom(one, false), systemRandom)).toBe(plainKeys);
});

test("a bank's key from before a rotation is read by the newest key alone, also beside a key that was made", async () => {
  await open(null, null, { database: fleet });
  const stored = keyCipherOf(serviceKeysFrom(one, true), systemRandom).seal("bank", "whsec_1");
  await putUnder(one);
  await rotate(two, one);
  const ring = await open(two, null, { database: fleet });
  expect(others(ring)).toHaveLength(2);
  expect(keyCipherOf(ring, systemRandom).open("bank", stored)).toBe("whsec_1");
});

test("a process that has both looks every five seconds, says once what has changed, and goes on when a look fails", async () => {
  await putUnder(one);
  const ring = await open(two, one);
  let isDown = false;
  const read: Store["read"] = (unit) =>
    isDown ? Promise.reject(new Error("the database is away")) : stage.store.read(unit);
  const refused: string[] = [];
  const watch = watchServiceKey({ ...stage.service, store: { ...stage.store, read } }, ring, ({ message }) =>
    refused.push(message),
  );
  const look = async (afterMs: number) => {
    const before = stage.logged.length;
    await stage.clock.advance(afterMs);
    await expect.poll(() => stage.clock.timers, { interval: 1 }).toBe(1);
    return stage.logged.slice(before);
  };
  expect(await look(0)).toEqual([]);
  await putUnder(two);
  expect(await look(4_999)).toEqual([]);
  isDown = true;
  expect(await look(1)).toMatchObject([{ err: { message: "the database is away" } }]);
  isDown = false;
  expect(await look(5_000)).toEqual([{ key: idOf(two), before: idOf(one) }]);
  expect(await look(5_000)).toEqual([]);
  await putUnder(three);
  expect([await look(5_000), refused.length]).toEqual([[], 1]);
  expect(refused[0]).toMatch(/it is under another/);
  await watch?.stop();
});

test("a process with one key alone looks as well: it is refused once the database is under the next one", async () => {
  await putUnder(one);
  const refused: string[] = [];
  const watch = watchServiceKey(stage.service, await open(one), ({ message }) => refused.push(message));
  await putUnder(two);
  await stage.clock.advance(0);
  await expect.poll(() => refused, { interval: 1 }).toEqual([expect.stringMatching(/it is under another/)]);
  await watch?.stop();
});

test("earlier keys are read as every release has stored them, and come before the newer ones", async () => {
  const cipher = createKeyCipher(serviceKeysFrom(three, true).encryption, systemRandom);
  const sealed = ["oldest service key", one].map((root, at) => cipher.seal(`service key ${at}`, root));
  await set("service_keys_before", JSON.stringify(sealed));
  await putUnder(three);
  const ring = await open(three, two);
  expect(others(ring)).toEqual([idOf("oldest service key"), idOf(one), idOf(two)]);
});

test("a process without a SERVICE_KEY has none to change over to", async () => {
  const ring = await open(null);
  expect(watchServiceKey(stage.service, ring, () => {})).toBeNull();
});
