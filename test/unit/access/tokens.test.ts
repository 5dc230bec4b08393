/** Access tokens: how long each counts, how many a key has, and what ends them. */
import { createHmac, randomBytes } from "node:crypto";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { createAccess } from "../../../backend/access/access.ts";
import {
  addCredential,
  type CredentialKey,
  changeSeenMs,
  createTokens,
  credentialByDevice,
  liveTokensMax,
  lockCredential,
  maxAgeMs,
  purgeTokens,
  revokeCredential,
  rotateCredential,
  shortenFutureTokens,
} from "../../../backend/access/credentials.ts";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { tokenLifetimeSeconds } from "../../../backend/contract/pos.ts";
import { setSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Query, type Store, type Tx } from "../../../backend/store/store.ts";
import { applyRestore } from "../../../backend/withdrawals/restored.ts";
import { keepTogether } from "../../service/world.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const till = { kind: "terminal", ownerId: "corner-shop", deviceId: "till-1" } as const;
const server = { kind: "client", ownerId: "bank", deviceId: "server-1" } as const;
const office = { kind: "chain", ownerId: "office", deviceId: "desk" } as const;
const keyFor = async (key: CredentialKey) => {
  await addCredential(stage.service, stage.access.secrets, key);
  const credential = await stage.store.read((tx) => tx.first(credentialByDevice(key)));
  if (credential === undefined) throw new Error("no credential");
  return async () => (await stage.access.tokens.issue(credential, ["transactions"])) ?? "";
};
/** That every setting has an entry. */
const recordedEntry =
  "insert into audit (seq, at, event, actor, object, key_id, hash) values (0, 0, 'settings_recorded', 'service', 'settings', 'k', 'h')";
const sessionOf = async (token: string, access = stage.access) => access.tokens.find(token);
const stored = () => stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom("tokens").selectAll())));

test("of a token the database has the HMAC of every release", async () => {
  const token = await (await keyFor(till))();
  const token_hash = createHmac("sha256", "a token secret of the tests").update(token).digest("base64url");
  expect(await stored()).toMatchObject([{ token_hash, created_at: stage.clock.now(), scopes: "transactions" }]);
});

test("a token grants no more than its key has, whatever somebody has written beside it", async () => {
  await addCredential(stage.service, stage.access.secrets, server, ["reconciliation"]);
  const credential = await stage.store.read((tx) => tx.first(credentialByDevice(server)));
  const token = await stage.access.tokens.issue(credential ?? { id: "", secret_hash: "" }, ["reconciliation"]);
  const scopes = "withdrawals users reconciliation";
  await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("tokens").set({ scopes }))));
  expect((await sessionOf(token ?? ""))?.scopes).toEqual(["reconciliation"]);
});

test("a call waits for the line that its key is not as audited; one that could not be written comes with the next call", async () => {
  const token = await (await keyFor(till))();
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("credentials").set({ scopes: "transactions users" }))),
  );
  let isDown = true;
  const write: Store["write"] = (unit) =>
    isDown ? Promise.reject(new Error("the disk is full")) : stage.store.write(unit);
  const store = { ...stage.store, read: stage.store.read.bind(stage.store), write };
  const tokens = createTokens({ ...stage.service, store }, "a token secret of the tests");
  await expect(tokens.find(token)).rejects.toThrow("the disk is full");
  expect(await stage.audited()).toEqual([]);
  isDown = false;
  for (const _ of [1, 2]) expect(await tokens.find(token)).toMatchObject({ deviceId: "till-1" });
  expect(await stage.audited()).toEqual([
    expect.stringMatching(/^unaudited_access \| access of terminal corner-shop\/till-1/),
  ]);
  stage.clock.jump(3_600_000);
  expect(await tokens.find(token)).not.toBeNull();
  expect(await stage.audited()).toHaveLength(2);
});

/** Two keys with an entry each, as a process that has looked at the audit or not finds them after these changes to it. */
test.each<[string, boolean, readonly string[], readonly string[]]>([
  ["no entry, before all settings had one", false, ["delete from audit"], []],
  [
    "no entry, since all settings had one",
    false,
    [recordedEntry, "delete from audit where event = 'setting'"],
    ["had no entry in the audit"],
  ],
  ["no entry, where the one that says so is gone as well", true, ["delete from audit"], ["had no entry in the audit"]],
  ["an entry from before this service's first one", false, ["update audit set key_id = 'lost' where seq = 1"], []],
  ["entries that are all under a lost key", false, ["update audit set key_id = 'lost'"], []],
  [
    "an entry after this service's first one",
    false,
    ["update audit set key_id = 'lost' where seq = 2"],
    ["was under a SERVICE_KEY that this service does not have"],
  ],
  [
    "entries that are all under another key since this process has looked",
    true,
    ["update audit set key_id = 'lost'"],
    ["was under a SERVICE_KEY that this service does not have"],
  ],
])("a key with %s, when it is used", async (_, hasLooked, changes, named) => {
  const run = (text: string) =>
    stage.store.write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(text).compile(db) }))));
  const first = await keyFor(server);
  const second = await keyFor(till);
  const issue = changes.some((change) => change.includes("seq = 1")) ? first : second;
  if (hasLooked) {
    await run(recordedEntry);
    await issue();
  }
  for (const change of changes) await run(change);
  await issue();
  const audited = (await stage.audited()).filter((line) => line.startsWith("unaudited_access"));
  expect(audited).toEqual(named.map((text) => expect.stringContaining(text)));
});

test("what one call has learnt of the audit, a slower one that began before does not take back", async () => {
  const run = (text: string) =>
    stage.store.write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(text).compile(db) }))));
  const [slow, quick, issue] = [await (await keyFor(server))(), await (await keyFor(till))(), await keyFor(office)];
  let release = (): void => {};
  const gate = new Promise<void>((open) => {
    release = open;
  });
  let looks = 0;
  const { store } = stage;
  // As on PostgreSQL, where other calls go on between two statements of one.
  const first = async (query: Query<never>) => {
    const answer = await store.read((tx) => tx.first(query));
    if (query.name === "audit_event_first" && ++looks === 1) await gate;
    return answer;
  };
  Object.assign(stage.service, { store: { ...store, read: (unit: (tx: Tx) => unknown) => unit({ first } as never) } });
  const other = stage.another();
  Object.assign(stage.service, { store });
  const begun = other.tokens.find(slow);
  await expect.poll(() => looks).toBe(1);
  await run(recordedEntry);
  await other.tokens.find(quick);
  release();
  await begun;
  await run("delete from audit");
  const late = await issue();
  expect(await other.tokens.find(late)).not.toBeNull();
  expect((await stage.audited()).join()).toContain("access of chain office/desk had no entry in the audit");
});

test("a token that somebody has written beside another key is nobody's; one of the release before names none", async () => {
  const own = await (await keyFor(till))();
  await keyFor(server);
  const move = sql`update tokens set credential_id = (select id from credentials where kind = 'client')`;
  await stage.store.write((tx) => tx.run(adhoc((db) => ({ compile: () => move.compile(db) }))));
  expect(await sessionOf(own)).toBeNull();
  const before = Buffer.from(randomBytes(32)).toString("base64url");
  const token_hash = createHmac("sha256", "a token secret of the tests").update(before).digest("base64url");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("tokens").set({ token_hash }))));
  expect(await sessionOf(before)).toMatchObject({ kind: "client", ownerId: "bank" });
  // What is printed for a check-in begins so, and is no token; one of the release before may end so.
  const filled = "a".repeat(39);
  for (const [text, isOne] of [
    [`cb1_${filled}`, false],
    [`${filled}cb1_`, true],
  ] as const) {
    const hashed = createHmac("sha256", "a token secret of the tests").update(text).digest("base64url");
    await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("tokens").set({ token_hash: hashed }))));
    expect((await sessionOf(text)) !== null, text).toBe(isOne);
  }
});

test("a token has 138 random bits besides what it names", async () => {
  const issue = await keyFor(till);
  const [one, other] = [await issue(), await issue()];
  expect([one.slice(0, 20), one.length]).toEqual([other.slice(0, 20), 43]);
  expect(one.slice(20)).not.toBe(other.slice(20));
});

test("without a SERVICE_KEY the keys come from the token secret, and encrypt nothing", () => {
  const { keys } = createAccess(stage.service, "a token secret");
  expect(keys).toMatchObject({ auditKeyId: serviceKeysFrom("a token secret", false).auditKeyId, encryption: null });
});

test("what was looked up lately counts for a second: then a revocation by another process is seen", async () => {
  const token = await (await keyFor(till))();
  await sessionOf(token);
  await revokeCredential(stage.service, till);
  stage.clock.jump(changeSeenMs - 1);
  expect(await sessionOf(token)).not.toBeNull();
  stage.clock.jump(1);
  expect(await sessionOf(token)).toBeNull();
  expect(await sessionOf(token)).toBeNull();
});

/** Another process, and how often it has asked the database. */
const counting = () => {
  const asked = { reads: 0 };
  const { store } = stage;
  const read: typeof store.read = (unit) => {
    asked.reads += 1;
    return store.read(unit);
  };
  Object.assign(stage.service, { store: { ...store, read } });
  return { asked, other: stage.another() };
};

test("a token is looked up once in ten minutes, not for each use; whether any has ended is asked once a second for all", async () => {
  const issue = await keyFor(till);
  const tokens = [await issue(), await issue()];
  const { asked, other } = counting();
  const useAll = async () => {
    for (let n = 0; n < 3; n += 1) for (const token of tokens) expect(await other.tokens.find(token)).not.toBeNull();
    return asked.reads;
  };
  expect(await useAll()).toBe(3);
  stage.clock.jump(changeSeenMs);
  expect(await useAll()).toBe(4);
  stage.clock.jump(changeSeenMs);
  expect(await useAll()).toBe(5);
  stage.clock.jump(maxAgeMs - 2 * changeSeenMs);
  expect(await useAll()).toBe(8);
});

test.each([
  ["that its key was revoked", () => revokeCredential(stage.service, till)],
  ["that its key was rotated", () => rotateCredential(stage.service, till)],
  [
    "that it was one too many",
    async () => {
      const credential = await stage.store.read((tx) => tx.first(credentialByDevice(till)));
      for (let n = 0; n < liveTokensMax; n += 1) {
        stage.clock.jump(1);
        await stage.another().tokens.issue(credential ?? expect.fail(), ["transactions"]);
      }
    },
  ],
] as const)(
  "a process that knows a token for minutes hears within a second %s; another one's goes on",
  async (_, end) => {
    const token = await (await keyFor(till))();
    const others = await (await keyFor(server))();
    const process = stage.another();
    for (const each of [token, others]) await process.tokens.find(each);
    stage.clock.jump(maxAgeMs / 2);
    for (const each of [token, others]) expect(await process.tokens.find(each)).not.toBeNull();
    await end();
    stage.clock.jump(changeSeenMs);
    expect(await process.tokens.find(token)).toBeNull();
    expect(await process.tokens.find(others)).not.toBeNull();
  },
);

test("a token ends one at a time: the one too many is counted as an end, and where none ends none is", async () => {
  const issue = await keyFor(till);
  const first = await issue();
  for (let n = 1; n < liveTokensMax; n += 1) {
    stage.clock.jump(1);
    await issue();
  }
  const process = stage.another();
  expect(await process.tokens.find(first)).not.toBeNull();
  expect(await settingOf()).toBeUndefined();
  stage.clock.jump(1);
  await issue();
  expect(await settingOf()).toEqual({ value: String(stage.clock.now()) });
  stage.clock.jump(changeSeenMs);
  expect(await process.tokens.find(first)).toBeNull();
});

test("on PostgreSQL a key's row is held while its token is written; SQLite has one writer", () => {
  const lock = lockCredential({ id: "id", hash: "hash" });
  expect(lock.sql("postgres").text).toMatch(/ for share$/);
  expect(lock.sql("sqlite").text).not.toContain("for share");
});

test("beside a release before, whose revocations are not counted, a token is looked up each second", async () => {
  const token = await (await keyFor(till))();
  await keepTogether(stage.store);
  const { asked, other } = counting();
  for (let n = 0; n < 3; n += 1) {
    await other.tokens.find(token);
    stage.clock.jump(changeSeenMs);
  }
  // Whether its revocations are counted by now, too.
  expect(asked.reads).toBe(6);
});

const settingOf = () => stage.store.read((tx) => tx.first(settingByName({ name: "tokens_ended" })));
const deleteTokens = () => stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("tokens"))));

test("a database that is put back beneath a process counts no end that it counted before", async () => {
  const token = await (await keyFor(till))();
  const copied = await settingOf();
  await (await keyFor(server))();
  await revokeCredential(stage.service, server);
  const process = stage.another();
  expect(await process.tokens.find(token)).not.toBeNull();
  await stage.store.write((tx) => tx.run(setSetting({ name: "tokens_ended", value: copied?.value ?? "0" })));
  stage.clock.jump(1);
  await revokeCredential(stage.service, till);
  stage.clock.jump(changeSeenMs);
  expect(await process.tokens.find(token)).toBeNull();
});

test.each([
  ["a restore", () => applyRestore(stage.service, { forgotSince: stage.clock.now() })],
  ["a revocation", () => revokeCredential(stage.service, till)],
] as const)("a token that the copy or the standby does not know ends within a second of %s", async (_, end) => {
  const token = await (await keyFor(till))();
  const process = stage.another();
  expect(await process.tokens.find(token)).not.toBeNull();
  await deleteTokens();
  await end();
  stage.clock.jump(changeSeenMs);
  expect(await process.tokens.find(token)).toBeNull();
});

test("what a hand in the database ends is obeyed within ten minutes, however often it is used", async () => {
  const token = await (await keyFor(till))();
  const process = stage.another();
  for (let ms = 0; ms < maxAgeMs; ms += 30_000) {
    expect(await process.tokens.find(token)).not.toBeNull();
    if (ms === 0) await deleteTokens();
    stage.clock.jump(30_000);
  }
  expect(await process.tokens.find(token)).toBeNull();
});

test("two ends in a millisecond are two, and a clock that was set back counts on", async () => {
  const seen = new Set<string | undefined>();
  const key = () => rotateCredential(stage.service, till);
  await keyFor(till);
  for (const ms of [0, 0, -60_000, 0, 120_000]) {
    stage.clock.jump(ms);
    await key();
    seen.add((await settingOf())?.value);
  }
  expect(seen.size).toBe(5);
  expect([...seen].map(Number)).toEqual([...seen].map(Number).toSorted((one, other) => one - other));
});

test("a clock that was set back makes nobody's look count for longer", async () => {
  const token = await (await keyFor(till))();
  await sessionOf(token);
  await revokeCredential(stage.service, till);
  stage.clock.jump(-60_000);
  expect(await sessionOf(token)).toBeNull();
});

test("what has not the form of a token is not looked for", async () => {
  let reads = 0;
  const read = () => {
    reads += 1;
    return Promise.reject(new Error("a read"));
  };
  Object.assign(stage.service, { store: { ...stage.store, read } });
  for (const text of ["", "x", "a".repeat(42), "a".repeat(44), `${"a".repeat(42)}!`, `x${"a".repeat(43)}`])
    expect(await stage.another().tokens.find(text)).toBeNull();
  expect(reads).toBe(0);
});

test("a key has ten tokens at most, the newest; one that has ended makes room first", async () => {
  expect(liveTokensMax).toBe(10);
  const issue = await keyFor(till);
  const tokens: string[] = [];
  for (let n = 0; n <= liveTokensMax; n += 1) {
    stage.clock.jump(1);
    tokens.push(await issue());
  }
  const fresh = stage.another();
  const alive = await Promise.all(tokens.map(async (token) => (await fresh.tokens.find(token)) !== null));
  expect(alive).toEqual([false, ...Array.from({ length: liveTokensMax }, () => true)]);
  stage.clock.jump(tokenLifetimeSeconds * 1_000);
  await issue();
  expect(await stored()).toHaveLength(1);
});

test("of one key alone: another one's tokens neither end nor make room, nor do those that have ended go with its own", async () => {
  const other = await keyFor(server);
  const token = await other();
  const issue = await keyFor(till);
  for (let n = 0; n <= liveTokensMax; n += 1) await issue();
  expect(await sessionOf(token, stage.another())).not.toBeNull();
  stage.clock.jump(1);
  for (let n = 1; n < liveTokensMax; n += 1) await other();
  await issue();
  expect(await stored()).toHaveLength(2 * liveTokensMax);
  stage.clock.jump(tokenLifetimeSeconds * 1_000);
  await issue();
  expect(await stored()).toHaveLength(liveTokensMax + 1);
});

test("one of the same millisecond is as good as a newer one", async () => {
  const issue = await keyFor(till);
  for (let n = 0; n < liveTokensMax; n += 1) await issue();
  stage.clock.jump(1);
  const token = await issue();
  await issue();
  expect(await sessionOf(token, stage.another())).not.toBeNull();
});

test("beside a revoked key no token counts, and with its return it does not come back", async () => {
  const token = await (await keyFor(till))();
  const [row] = await stored();
  await revokeCredential(stage.service, till);
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("tokens").values([row ?? expect.fail()]))));
  const process = stage.another();
  expect(await process.tokens.find(token)).toBeNull();
  await keyFor(till);
  stage.clock.jump(changeSeenMs);
  expect([await process.tokens.find(token), await stored()]).toEqual([null, []]);
});

test("a sign-in writes the line of its own key, and of no other", async () => {
  const [own, other] = [await keyFor(till), await keyFor(server)];
  const changed = { scopes: "withdrawals" };
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("credentials").set(changed).where("kind", "=", "client"))),
  );
  await own();
  expect([await stage.audited(), stage.logged]).toEqual([[], []]);
  await other();
  expect(await stage.audited()).toEqual([
    expect.stringMatching(/^unaudited_access \| access of client bank\/server-1/),
  ]);
  expect(stage.logged).toMatchObject([{ event: "unaudited_access", actor: "client bank/server-1" }]);
});

test("a token that a clock granted which was ahead ends with one of now, and no other one lives longer for it", async () => {
  const issue = await keyFor(till);
  const now = stage.clock.now();
  for (const aheadMs of [0, 5_000, 5_001, 60_000]) {
    stage.clock.jump(now + aheadMs - stage.clock.now());
    await issue();
  }
  const lives = async () =>
    (await stored()).map(({ expires_at }) => expires_at - now).toSorted((one, two) => one - two);
  const day = tokenLifetimeSeconds * 1_000;
  const shorten = (expires: number) =>
    stage.store.write((tx) => tx.run(shortenFutureTokens({ future: now + 5_000, expires: now + expires })));
  await shorten(day + 10_000);
  expect(await lives()).toEqual([day, day + 5_000, day + 5_001, day + 10_000]);
  await shorten(day);
  expect(await lives()).toEqual([day, day, day, day + 5_000]);
});

test("tokens that ended are purged the oldest first, so many at a time, and no other", async () => {
  const issue = await keyFor(till);
  for (let n = 0; n < 4; n += 1) {
    await issue();
    stage.clock.jump(10);
  }
  const ends = (await stored()).map(({ expires_at }) => expires_at).toSorted((one, two) => one - two);
  const before = ends[3] ?? 0;
  await stage.store.write((tx) => tx.run(purgeTokens({ before, limit: 2 })));
  expect((await stored()).map(({ expires_at }) => expires_at).toSorted((one, two) => one - two)).toEqual(ends.slice(2));
  await stage.store.write((tx) => tx.run(purgeTokens({ before, limit: 9 })));
  expect((await stored()).map(({ expires_at }) => expires_at)).toEqual([before]);
});
