/** One-time codes of an operator: what each is good for, once, for whom, and how long. */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { appendAudit, verifyAudit } from "../../../backend/access/audit.ts";
import { authorize } from "../../../backend/access/authorize.ts";
import {
  addCredential,
  listCredentials,
  revokeCredential,
  rotateCredential,
} from "../../../backend/access/credentials.ts";
import {
  addEnrolment,
  codeLifetimeMs,
  createEnrolment,
  createManagerReset,
  endEnrolment,
  enrol,
  openEnrolment,
  redeemManagerReset,
} from "../../../backend/access/one-time-codes.ts";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { recordFound, settingFindings } from "../../../backend/access/setting-entries.ts";
import { systemRandom } from "../../../backend/adapters.ts";
import { makeEnrolmentCode } from "../../../backend/contract/ids.ts";
import { createAccessReader } from "../../../backend/operate/setting-proof.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { applyRestore } from "../../../backend/withdrawals/restored.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const till = { merchantId: "corner-shop", deviceId: "till-1" };
const till2 = { ...till, deviceId: "till-2" };
const otherShop = { ...till, merchantId: "other-shop" };
const name = "terminal corner-shop/till-1";
const terminal = { kind: "terminal", ownerId: "corner-shop", deviceId: "till-1" } as const;

const codes = [
  {
    what: "a code that enrols",
    make: (device = till, keys = testKeys) => createEnrolment(stage.service, keys, device, false),
    use: (code: string, address = "10.0.0.1") => enrol(stage.access, code, address),
    lifetimeMs: codeLifetimeMs,
    answer: {
      merchant_id: "corner-shop",
      store_name: "Corner Shop",
      device_id: "till-1",
      password: expect.stringMatching(/^[\w-]{43}$/),
    },
    made: "enrolment_code_made",
    used: "enrolled",
    refused: "enrolment_refused | enrolment",
  },
  {
    what: "a code that resets a manager's PIN",
    make: (device = till, keys = testKeys) => createManagerReset(stage.service, keys, device),
    use: (code: string, address = "10.0.0.1") => redeemManagerReset(stage.access, till, code, address),
    lifetimeMs: codeLifetimeMs,
    answer: { merchant_id: "corner-shop", device_id: "till-1" },
    made: "reset_code_made",
    used: "manager_pin_reset",
    refused: `manager_reset_refused | ${name}`,
  },
] as const;

test.each(codes)(
  "$what: used once, however it is typed, and audited",
  async ({ make, use, answer, made, used, refused }) => {
    const { code, expiresAt } = await make();
    const begin = expect.stringMatching(new RegExp(`^${made} .*${name} .*code [\\w-]{43} until ${expiresAt}$`));
    expect(await stage.audited()).toEqual([begin]);
    expect(await use(code.toLowerCase())).toEqual(answer);
    const entry = expect.stringMatching(new RegExp(`^${used} .*${name} .*code [\\w-]{43}$`));
    expect(await stage.audited()).toEqual([begin, entry]);
    expect(stage.logged).toMatchObject([{ event: used, address: "10.0.0.1" }]);
    await expect(use(code)).rejects.toMatchObject({ code: "not_found" });
    expect(await stage.audited()).toEqual([begin, entry, refused]);
  },
);

test.each([
  ["enrolments", 0, { used_at: null, replaces: 1, device_id: "till-1" }],
  ["enrolments", 0, { used_at: null, replaces: 1, device_id: "till-2" }],
  ["manager_resets", 1, { used_at: null }],
] as const)("a used code whose row in %s is opened again in the database stays used: %#", async (table, at, opened) => {
  const { make, use, used } = codes[at];
  const { code } = await make();
  await use(code);
  await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable(table).set(opened as object))));
  await expect(use(code)).rejects.toMatchObject({ code: "not_found" });
  expect((await stage.audited()).filter((entry) => entry.startsWith(used))).toHaveLength(1);
});

const write = (table: "enrolments" | "manager_resets" | "audit", row: object, where: object = {}) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db
          .updateTable(table)
          .set(row as never)
          .where((is) => is.and(where as never)),
      ),
    ),
  );
const openAgain = { used_at: null, expires_at: Number.MAX_SAFE_INTEGER };
const lastMs = codeLifetimeMs - 1;
test.each<[string, 0 | 1, () => unknown, () => unknown]>([
  ["turned to another till", 0, () => {}, () => write("enrolments", { device_id: "till-2" })],
  ["turned to another shop", 0, () => {}, () => write("enrolments", { merchant_id: "other-shop" })],
  ["made to replace a key", 0, () => {}, () => write("enrolments", { replaces: 1 })],
  ["made to live longer", 0, () => stage.clock.jump(codeLifetimeMs), () => write("enrolments", openAgain)],
  ["opened after a newer one", 0, () => codes[0].make(), () => write("enrolments", openAgain, { used_at: null })],
  [
    "opened after its end",
    0,
    () =>
      stage.store.write(async (tx) => appendAudit(tx, testKeys, 0, (await endEnrolment(tx, till)) ?? expect.fail())),
    () => write("enrolments", openAgain),
  ],
  [
    "opened after a revocation",
    0,
    () => revokeCredential(stage.service, terminal),
    () => write("enrolments", openAgain),
  ],
  ["a manager's, turned to another till", 1, () => {}, () => write("manager_resets", { device_id: "till-1" })],
  [
    "a manager's, made to live longer",
    1,
    () => stage.clock.jump(codeLifetimeMs),
    () => write("manager_resets", openAgain),
  ],
  ["a manager's, opened after a newer one", 1, () => codes[1].make(), () => write("manager_resets", openAgain)],
])("an unused code is not used as somebody has written it in the database: %s", async (what, at, meanwhile, change) => {
  const device = what === "a manager's, turned to another till" ? till2 : till;
  const { code } = await codes[at].make(device);
  await meanwhile();
  await change();
  await expect(codes[at].use(code)).rejects.toMatchObject({ code: "not_found" });
});

test("nor with an entry beside it that is not the audit's own; with its own it is used to its last millisecond", async () => {
  const [mine, theirs] = [await createEnrolment(stage.service, testKeys, till2, false), await codes[0].make()];
  const entries = await stage.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("audit").selectAll().orderBy("seq"))),
  );
  await write("enrolments", { device_id: "till-1", replaces: 0 }, { device_id: "till-2" });
  const [own, other] = entries;
  await write("audit", { detail: own?.detail }, { seq: other?.seq });
  await expect(codes[0].use(mine.code)).rejects.toMatchObject({ code: "not_found" });
  await write("audit", { detail: other?.detail }, { seq: other?.seq });
  stage.clock.jump(lastMs);
  expect(await codes[0].use(theirs.code)).toMatchObject({ device_id: "till-1" });
});

test("a code that was used twice, while its entry was put aside, is named by `audit verify`", async () => {
  const { code } = await createEnrolment(stage.service, testKeys, till, false);
  await enrol(stage.access, code, "10.0.0.1");
  await createEnrolment(stage.service, testKeys, till2, false);
  await enrol(stage.access, (await createEnrolment(stage.service, testKeys, till2, false)).code, "10.0.0.1");
  const aside = adhoc<RowOf<"audit">>((db) =>
    db
      .deleteFrom("audit")
      .where("event", "in", ["enrolled", "setting"])
      .where("object", "in", [name, `access of ${name}`])
      .returningAll(),
  );
  const entries = await stage.store.write((tx) => tx.all(aside));
  const opened = { used_at: null };
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.deleteFrom("credentials").where("device_id", "=", "till-1"))),
  );
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("enrolments").set(opened).where("device_id", "=", "till-1"))),
  );
  await enrol(stage.access, code, "10.0.0.1");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("audit").values([...entries]))));
  const found = async () => {
    const reader = createAccessReader();
    expect(await verifyAudit(stage.store, [testKeys], reader.visit)).toMatchObject({ kind: "whole" });
    return reader.found;
  };
  expect(await found()).toEqual([expect.stringMatching(/^entry \d+ of the audit uses a code that was used before$/)]);
  const accepted = { event: "audit accept", actor: "operator ada", address: null, object: "audit", detail: "seen" };
  await stage.store.write((tx) => appendAudit(tx, testKeys, 0, accepted));
  expect(await found()).toEqual([]);
});

test.each(codes)("$what: good for a day, to the millisecond", async ({ make, use, lifetimeMs, answer }) => {
  expect(lifetimeMs).toBe(86_400_000);
  const { code, expiresAt } = await make();
  expect(expiresAt).toBe(stage.clock.now() + lifetimeMs);
  stage.clock.jump(lifetimeMs);
  await expect(use(code)).rejects.toMatchObject({ code: "not_found" });
  stage.clock.jump(-1);
  expect(await use(code)).toEqual(answer);
});

test.each(codes)(
  "$what: a newer one for the same terminal ends it, one for another does not",
  async ({ make, use, answer }) => {
    const [first, second] = [await make(), await make()];
    await make(till2);
    await make(otherShop);
    await expect(use(first.code)).rejects.toMatchObject({ code: "not_found" });
    expect(await use(second.code)).toEqual(answer);
  },
);

test.each(codes)(
  "$what: of no worth under another SERVICE_KEY, in another's place, or where it is no code",
  async (each) => {
    const { code } = await each.make(till, serviceKeysFrom("another", false));
    const [other] = codes.filter(({ what }) => what !== each.what);
    const { code: ofOther } = (await other?.make()) ?? { code: "" };
    for (const wrong of [code, ofOther, "", "X", "0000-0000-0000"])
      await expect(each.use(wrong)).rejects.toMatchObject({ code: "not_found" });
  },
);

test.each(codes)("$what: five wrong ones pause their address alone", async ({ make, use, answer }) => {
  const { code } = await make();
  for (let n = 0; n < 5; n += 1) await expect(use("wrong")).rejects.toMatchObject({ code: "not_found" });
  await expect(use(code)).rejects.toMatchObject({ code: "too_many_requests", extra: { retryAfterSeconds: 1 } });
  expect(await use(code, "10.0.0.2")).toEqual(answer);
});

test.each(codes)("$what: a right one forgets the wrong ones before it", async ({ make, use }) => {
  for (let n = 0; n < 4; n += 1) await use("wrong").catch(() => {});
  await use((await make()).code);
  await expect(use("wrong")).rejects.toMatchObject({ code: "not_found" });
  await expect(use("wrong")).rejects.toMatchObject({ code: "not_found" });
});

test.each([
  ["enrolments", 0, ""],
  ["manager_resets", 1, "manager reset "],
] as const)("of a code in %s the database has the HMAC of every release", async (table, at, purpose) => {
  const { code } = (await codes[at]?.make()) ?? { code: "" };
  const code_hash = createHmac("sha256", testKeys.enrolment).update(`${purpose}${code}`).digest("base64url");
  expect(await stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).select("code_hash"))))).toEqual([
    { code_hash },
  ]);
});

test.each(codes)(
  "$what: used under the key that came after the one that it was made under",
  async ({ make, use, answer }) => {
    const { code } = await make();
    Object.assign(stage.access, { keys: { ...serviceKeysFrom("newer", false), others: [testKeys] } });
    expect(await use(code)).toEqual(answer);
  },
);

const works = (code: string) =>
  enrol(stage.access, code, "10.0.0.9").then(
    () => true,
    () => false,
  );
const openUntil = async ({ merchantId: merchant, deviceId: device } = till) =>
  (await stage.store.read((tx) => tx.first(openEnrolment({ merchant, device, now: stage.clock.now() }))))?.expires_at;
const client = { ...terminal, kind: "client" } as const;
test.each<[string, () => Promise<unknown>, boolean]>([
  ["its key is rotated", () => rotateCredential(stage.service, terminal), false],
  ["a bank's key of its name is rotated", () => rotateCredential(stage.service, client), true],
  ["its key is revoked", () => revokeCredential(stage.service, terminal), false],
  ["a bank's key of its name is revoked", () => revokeCredential(stage.service, client), true],
])("a code that would replace a terminal's key is of worth after %s: %j", async (_, end, isOfWorth) => {
  for (const key of [terminal, client]) await addCredential(stage.service, stage.access.secrets, key);
  const { code } = await createEnrolment(stage.service, testKeys, till, true);
  await end();
  expect((await openUntil()) !== undefined).toBe(isOfWorth);
  expect(await works(code)).toBe(isOfWorth);
});

/** What the audit of settings has against the rows on this terminal's key, and the newest entry on it. */
const entryOfKey = async () => {
  const found: string[] = [];
  for await (const page of settingFindings(stage.store, [testKeys])) found.push(...page.map(({ message }) => message));
  const rows = await stage.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("audit").select("detail").where("object", "=", `access of ${name}`))),
  );
  const { of, gone, revoked_at, ...rest } = JSON.parse(rows.at(-1)?.detail ?? "{}");
  return { found: found.filter((message) => message.includes(name)), of, gone, revoked_at, columns: Object.keys(rest) };
};
const keyColumns = ["kind", "owner_id", "device_id"];
const allColumns = [...keyColumns, "id", "secret_hash", "scopes"];

test("an enrolled key is as the audit says: new, replaced, revoked, back under its number, and where a code alone was ended", async () => {
  await recordFound({ ...stage.service, keys: testKeys });
  const code = async (replaces: boolean) => (await createEnrolment(stage.service, testKeys, till, replaces)).code;
  const revoke = () => revokeCredential(stage.service, terminal);
  const whole = { found: [], of: "credentials", columns: allColumns };
  await code(false);
  await revoke();
  expect(await entryOfKey()).toEqual({ found: [], of: "credentials", gone: true, columns: keyColumns });
  for (const replaces of [false, true]) {
    await enrol(stage.access, await code(replaces), "10.0.0.1");
    expect(await entryOfKey()).toEqual(whole);
  }
  const revoked = { ...whole, revoked_at: stage.clock.now() };
  await revoke();
  expect(await entryOfKey()).toEqual(revoked);
  await code(false);
  stage.clock.jump(1);
  await revoke();
  expect(await entryOfKey()).toEqual(revoked);
  await enrol(stage.access, await code(false), "10.0.0.1");
  expect(await entryOfKey()).toEqual(whole);
});

test("a code that resets goes on when its terminal's key is changed, which is another matter", async () => {
  await addCredential(stage.service, stage.access.secrets, terminal);
  const { code } = await createManagerReset(stage.service, testKeys, till);
  await rotateCredential(stage.service, terminal);
  expect(await redeemManagerReset(stage.access, till, code, "10.0.0.1")).toMatchObject({ device_id: "till-1" });
});

test("a terminal that has a code and no key is revoked by ending the code, once; to rotate is nothing for it", async () => {
  const { code } = await createEnrolment(stage.service, testKeys, till, false);
  await expect(rotateCredential(stage.service, terminal)).rejects.toMatchObject({ code: "not_found" });
  await revokeCredential(stage.service, terminal);
  expect(await works(code)).toBe(false);
  await expect(revokeCredential(stage.service, terminal)).rejects.toMatchObject({ code: "not_found" });
});

test("a terminal's open code is one that waits: not another one's, not one that is used, ended or replaced", async () => {
  const begun = stage.clock.now();
  const { code } = await createEnrolment(stage.service, testKeys, till, false, 10);
  expect([await openUntil(), await openUntil(till2), await openUntil(otherShop)]).toEqual([
    begun + 10,
    undefined,
    undefined,
  ]);
  stage.clock.jump(9);
  expect(await openUntil()).toBe(begun + 10);
  await enrol(stage.access, code, "10.0.0.1");
  expect(await openUntil()).toBeUndefined();
  await createEnrolment(stage.service, testKeys, till2, false, 10);
  stage.clock.jump(10);
  expect(await openUntil(till2)).toBeUndefined();
  const now = stage.clock.now();
  for (const lifetimeMs of [30, 20]) await createEnrolment(stage.service, testKeys, till2, false, lifetimeMs);
  expect(await openUntil(till2)).toBe(now + 20);
  stage.clock.jump(20);
  expect(await openUntil(till2)).toBeUndefined();
  await createEnrolment(stage.service, testKeys, till2, false, 10);
  expect(await stage.store.write((tx) => endEnrolment(tx, till2))).toMatchObject({ actor: "service" });
  expect(await openUntil(till2)).toBeUndefined();
});

test("a code that an import adds replaces no key unless it says so", async () => {
  await addCredential(stage.service, stage.access.secrets, terminal);
  const now = stage.clock.now();
  const add = async (...replaces: [boolean?]) => {
    const code = makeEnrolmentCode(systemRandom.bytes(11));
    await stage.store.write(async (tx) =>
      appendAudit(tx, testKeys, now, await addEnrolment(tx, testKeys, till, code, now, now + 1_000, ...replaces)),
    );
    return works(code);
  };
  expect([await add(), await add(false), await add(true)]).toEqual([false, false, true]);
});

test("a restore ends every code that waits, and says how many did", async () => {
  const used = await createEnrolment(stage.service, testKeys, till2, false);
  await enrol(stage.access, used.code, "10.0.0.1");
  await createEnrolment(stage.service, testKeys, otherShop, false, 1);
  stage.clock.jump(1);
  const { code } = await createEnrolment(stage.service, testKeys, till, false);
  // The second one takes the first one's place.
  await createManagerReset(stage.service, testKeys, till);
  const reset = await createManagerReset(stage.service, testKeys, till);
  expect(await applyRestore(stage.service, { forgotSince: stage.clock.now() })).toMatchObject({ endedCodes: 2 });
  expect(await works(code)).toBe(false);
  await expect(redeemManagerReset(stage.access, till, reset.code, "10.0.0.1")).rejects.toMatchObject({
    code: "not_found",
  });
});

test.each([
  ["a rotation", () => rotateCredential(stage.service, terminal)],
  ["a revocation", () => revokeCredential(stage.service, terminal)],
  ["a newer code", () => Promise.all(codes.map(({ make }) => make()))],
  ["a restore", () => applyRestore(stage.service, { forgotSince: stage.clock.now() })],
] as const)("%s leaves a used code its end, which the audit has", async (_, end) => {
  const ends = () =>
    stage.store.read(async (tx) => {
      const read = (table: "enrolments" | "manager_resets") =>
        tx.all(
          adhoc((db) => db.selectFrom(table).select(["code_hash", "expires_at"]).where("used_at", "is not", null)),
        );
      return [...(await read("enrolments")), ...(await read("manager_resets"))];
    });
  for (const { make, use } of codes) await use((await make()).code);
  const before = await ends();
  expect(before).toHaveLength(2);
  await end();
  expect(await ends()).toEqual(before);
});

test("a terminal that enrols has a terminal's scopes, an entry of its key, and a refusal names nobody", async () => {
  const { code } = await createEnrolment(stage.service, testKeys, till, false);
  await enrol(stage.access, code, "10.0.0.1");
  await enrol(stage.access, code, "10.0.0.1").catch(() => {});
  const rows = await stage.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("audit").select(["event", "actor", "object"]).orderBy("seq"))),
  );
  expect(rows).toEqual([
    { event: "enrolment_code_made", actor: "service", object: name },
    { event: "setting", actor: "service", object: "access of terminal corner-shop/till-1" },
    { event: "enrolled", actor: name, object: name },
    { event: "enrolment_refused", actor: "unknown", object: "enrolment" },
  ]);
  expect(await listCredentials(stage.service)).toMatchObject([{ kind: "terminal", scopes: "transactions" }]);
});

test("wrong codes of one kind pause those of the other kind nowhere", async () => {
  for (let n = 0; n < 5; n += 1) await codes[0].use("wrong").catch(() => {});
  const { code } = await createManagerReset(stage.service, testKeys, till);
  expect(await redeemManagerReset(stage.access, till, code, "10.0.0.1")).toMatchObject({ device_id: "till-1" });
  for (let n = 0; n < 5; n += 1) await codes[1].use("wrong", "10.0.0.2").catch(() => {});
  const enrolment = await codes[0].make();
  expect(await codes[0].use(enrolment.code, "10.0.0.2")).toMatchObject({ device_id: "till-1" });
});

test("a code that resets is its terminal's alone", async () => {
  const { code } = await createManagerReset(stage.service, testKeys, till);
  for (const other of [till2, otherShop])
    await expect(redeemManagerReset(stage.access, other, code, "10.0.0.1")).rejects.toMatchObject({
      code: "not_found",
    });
  expect(await redeemManagerReset(stage.access, till, code, "10.0.0.1")).toMatchObject({ device_id: "till-1" });
});

test("a code replaces a key only where it was made for that; of a shop that is gone it is of no worth", async () => {
  const codeFor = async (replaces: boolean, device = till) =>
    (await createEnrolment(stage.service, testKeys, device, replaces)).code;
  const first = await enrol(stage.access, await codeFor(false), "10.0.0.1");
  await expect(enrol(stage.access, await codeFor(false), "10.0.0.1")).rejects.toMatchObject({ code: "not_found" });
  const signedIn = { grant_type: "client_credentials", scope: "", device_type: "terminal", ...first } as const;
  const { access_token: token } = await authorize(stage.access, signedIn, "10.0.0.1");
  expect(await stage.access.tokens.find(token)).toMatchObject({ deviceId: "till-1" });
  const second = await enrol(stage.access, await codeFor(true), "10.0.0.1");
  expect(second.password).not.toBe(first.password);
  // What the machine before it has signs in no more, and its journal goes no further.
  const left = adhoc((db) => db.selectFrom("tokens").select("token_hash"));
  expect(await stage.store.read((tx) => tx.all(left))).toEqual([]);
  const journals = adhoc((db) => db.selectFrom("journal_heads").select(["device_id", "epoch", "seq"]).orderBy("epoch"));
  const begun = [1, 2].map((epoch) => ({ device_id: "till-1", epoch, seq: 0 }));
  expect(await stage.store.read((tx) => tx.all(journals))).toEqual(begun);
  const gone = await codeFor(false, { ...till, merchantId: "gone" });
  await expect(enrol(stage.access, gone, "10.0.0.1")).rejects.toMatchObject({ code: "not_found" });
});
