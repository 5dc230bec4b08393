/**
 * One-time codes that the operator makes for one terminal (conventions, "Extensions"): one kind enrols it, the other
 * resets a forgotten manager's PIN.
 */

import { createHmac } from "node:crypto";
import { sql } from "kysely";
import type { z } from "zod";
import type { ChainKeys, Service, Terminal } from "../context.ts";
import { isEnrolmentCode, makeEnrolmentCode, normalizeTypedId } from "../contract/ids.ts";
import type { enrolmentReplySchema, managerResetReplySchema } from "../contract/terminal.ts";
import { dayMs } from "../contract/times.ts";
import { merchantById } from "../merchants/merchants.ts";
import { ServiceError } from "../service-error.ts";
import type { RowOf } from "../store/schema.ts";
import { insertRow, statement, type Tx } from "../store/store.ts";
import type { Access } from "./access.ts";
import { type AuditEvent, appendAudit, auditColumns, isChained } from "./audit.ts";
import {
  accessOf,
  addCredentialRow,
  addedValues,
  type CredentialKey,
  endCodes,
  endEnrolments,
  endTokensOf,
  rotateCredentialRow,
  scopesOfKind,
} from "./credentials.ts";
import { newJournalEpoch } from "./journal-heads.ts";
import { hashGeneratedSecret, makeSecret, type ServiceKeys } from "./secrets.ts";
import { recordSettings } from "./setting-entries.ts";

/** Milliseconds that a code is good for unless the operator says so: 24 hours (conventions, "Extensions"). */
export const codeLifetimeMs: number = dayMs;

type Made = { readonly code: string; readonly expiresAt: number };
type Making = Pick<Service, "store" | "clock" | "random">;
type Keys = ChainKeys & Pick<ServiceKeys, "enrolment" | "others">;

/** What the audit calls each kind of code when it is made, used or ended. */
const events = {
  enrolment: { made: "enrolment_code_made", replacing: "replacement_code_made", used: "enrolled", ended: "code_ended" },
  reset: { made: "reset_code_made", used: "manager_pin_reset" },
} as const;
const terminalName = ({ merchantId, deviceId }: Terminal): string => `terminal ${merchantId}/${deviceId}`;

/** @param purpose makes the two kinds of code hash differently, so that neither works as the other. */
const codeHash = ({ enrolment }: Pick<ServiceKeys, "enrolment">, code: string, purpose = ""): string =>
  createHmac("sha256", enrolment).update(`${purpose}${code}`).digest("base64url");
const resetPurpose = "manager reset ";

/** How the audit names the code that an entry is about. */
export const namedInAudit = (hash: string): string => `code ${hash}`;

/** The entry of a code that was made. */
const madeEntry = (event: string, device: Terminal, hash: string, expiresAt: number): AuditEvent => {
  const detail = `${namedInAudit(hash)} until ${expiresAt}`;
  return { event, actor: "service", address: null, object: terminalName(device), detail };
};

/**
 * A code is what the audit says, whatever its row says: the newest entry about codes of this kind at this terminal must be
 * the one that made it, and its key must not have been changed since. Who can write the database could open a used code
 * again, or turn one to another till.
 */
async function isAsMade(
  tx: Tx,
  keys: Keys,
  device: Terminal,
  { kind, made, hash, now }: { kind: keyof typeof events; made: string; hash: string; now: number },
): Promise<boolean> {
  const object = terminalName(device);
  const newest = await tx.first(newestOfCodes[kind]({ object }));
  if (newest === undefined) return false;
  const { hash_before: before, ...entry } = newest;
  const until = Number(/ until (\d+)/.exec(String(entry.detail))?.[1]);
  const isIt = entry.event === made && entry.detail === madeEntry(made, device, hash, until).detail;
  if (!isIt || until <= now || isChained(keys, before, entry) !== true) return false;
  const changed = kind === "reset" ? undefined : await tx.first(newestOnKey({ object: `access of ${object}` }));
  return (changed?.seq ?? 0) < entry.seq;
}

/** Tries the current key, then the earlier ones: a code may be older than a rotation. */
const useFirst = async <Row extends { readonly code_hash: string }>(
  { enrolment, others = [] }: Keys,
  use: (key: Pick<Keys, "enrolment">) => Promise<Row | undefined>,
): Promise<Row | undefined> => {
  for (const key of [{ enrolment }, ...others]) {
    const row = await use(key);
    if (row !== undefined) return row;
  }
  return undefined;
};

const rowOf = (
  { merchantId, deviceId }: Terminal,
  code_hash: string,
  now: number,
  expires_at = now + codeLifetimeMs,
) => ({ code_hash, merchant_id: merchantId, device_id: deviceId, created_at: now, expires_at, used_at: null });

/**
 * Keeps a code that enrols a terminal, valid once; earlier ones for the same device end. @param replaces as in `createEnrolment`.
 * @returns the entry without which it is none, for the end of the commit: whoever enrols has a code's row before the audit.
 */
export async function addEnrolment(
  tx: Tx,
  keys: Pick<ServiceKeys, "enrolment">,
  device: Terminal,
  code: string,
  now: number,
  expiresAt: number,
  replaces = false,
): Promise<AuditEvent> {
  await tx.run(endEnrolments({ merchant: device.merchantId, device: device.deviceId }));
  const row = rowOf(device, codeHash(keys, code), now, expiresAt);
  await tx.run(insertEnrolment({ ...row, replaces: replaces ? 1 : 0 }));
  const { made, replacing } = events.enrolment;
  return madeEntry(replaces ? replacing : made, device, row.code_hash, expiresAt);
}

/** Ends a terminal's code that was not used. @returns the entry for the end of the commit; null where there was none. */
export async function endEnrolment(tx: Tx, device: Terminal): Promise<AuditEvent | null> {
  if ((await tx.run(endEnrolments({ merchant: device.merchantId, device: device.deviceId }))) === 0) return null;
  return { event: events.enrolment.ended, actor: "service", address: null, object: terminalName(device), detail: null };
}

/**
 * Makes a code that enrols a terminal, valid once; earlier ones for the same device end.
 * @param replaces whether the key that the device has now is replaced when the code is used.
 */
export const createEnrolment = async (
  { store, clock, random }: Making,
  keys: Keys,
  device: Terminal,
  replaces: boolean,
  lifetimeMs = codeLifetimeMs,
): Promise<Made> => {
  const code = makeEnrolmentCode(random.bytes(11));
  const now = clock.now();
  const expiresAt = now + lifetimeMs;
  await store.write(async (tx) =>
    appendAudit(tx, keys, now, await addEnrolment(tx, keys, device, code, now, expiresAt, replaces)),
  );
  return { code, expiresAt };
};

/** Makes a code for a forgotten manager's PIN, valid once and for 24 h; earlier ones for the same terminal end. */
export const createManagerReset = async (
  { store, clock, random }: Making,
  keys: Keys,
  device: Terminal,
): Promise<Made> => {
  const code = makeEnrolmentCode(random.bytes(11));
  const now = clock.now();
  const row = rowOf(device, codeHash(keys, code, resetPurpose), now);
  await store.write(async (tx) => {
    await tx.run(endManagerResets({ merchant: row.merchant_id, device: row.device_id }));
    await tx.run(insertManagerReset(row));
    await appendAudit(tx, keys, now, madeEntry(events.reset.made, device, row.code_hash, row.expires_at));
  });
  return { code, expiresAt: row.expires_at };
};

const unknownCode = () => new ServiceError("not_found", "The code is unknown, used or too old");

/**
 * Uses a code, in any case and with spaces or hyphens as a person types it. Guessing is slowed down by address, apart from sign-in.
 * @param use finds the code in a unit of work that ends it; its `entry` goes into the audit with it.
 * @throws ServiceError `too_many_requests`, `refusal` for a code that is none.
 */
const redeem = async <Used extends { readonly entry: AuditEvent }>(
  { service, throttle, audit }: Access,
  what: { readonly name: string; readonly typed: string; readonly address: string; readonly refused: AuditEvent },
  refusal: () => ServiceError,
  use: (tx: Tx, code: string, now: number) => Promise<Used | null>,
): Promise<Used> => {
  const attempt = { credential: what.name, address: what.address, apart: true } as const;
  const retryAfterSeconds = throttle.reserve(attempt);
  if (retryAfterSeconds > 0) throw new ServiceError("too_many_requests", "Too many wrong codes", { retryAfterSeconds });
  const code = normalizeTypedId(what.typed);
  const now = service.clock.now();
  const used = !isEnrolmentCode(code)
    ? null
    : await service.store.write(async (tx) => {
        const found = await use(tx, code, now);
        if (found !== null) await audit.append(tx, found.entry);
        return found;
      });
  if (used === null) {
    audit.recordRefusal(what.refused);
    throw refusal();
  }
  throttle.succeeded(attempt);
  audit.logged(used.entry);
  return used;
};

/** Adds the device's key, or replaces it where the code was made for that. @returns the columns that it has written. */
async function keepKey(tx: Tx, key: CredentialKey, id: string, hash: string, replaces: boolean, now: number) {
  const scopes = scopesOfKind.terminal.join(" ");
  const added = await tx.first(addCredentialRow({ ...key, id, hash, scopes, now }));
  const row = added ?? (replaces ? await tx.first(rotateCredentialRow({ ...key, hash })) : undefined);
  if (row === undefined) throw unknownCode();
  await endTokensOf(tx, row.id, now);
  return added ? addedValues(added, { id, hash, scopes }) : { secret_hash: hash };
}

/** @throws ServiceError `not_found` for a code that is wrong, used or too old; `too_many_requests`. */
export const enrol = async (
  access: Access,
  typed: string,
  address: string,
): Promise<z.infer<typeof enrolmentReplySchema>> => {
  const { random } = access.service;
  const secret = makeSecret(random);
  const hash = hashGeneratedSecret(random, secret);
  const id = Buffer.from(random.bytes(12)).toString("base64url");
  const refused = { event: "enrolment_refused", actor: "unknown", address, object: "enrolment", detail: null };
  const { merchant, deviceId } = await redeem(
    access,
    { name: "enrolment", typed, address, refused },
    unknownCode,
    async (tx, code, now) => {
      const row = await useFirst(access.keys, (key) => tx.first(useEnrolment({ hash: codeHash(key, code), now })));
      if (row === undefined) return null;
      const [merchantId, deviceId] = [row.merchant_id, row.device_id];
      const { made, replacing } = events.enrolment;
      const of = { kind: "enrolment", made: row.replaces === 1 ? replacing : made, hash: row.code_hash, now } as const;
      if (!(await isAsMade(tx, access.keys, { merchantId, deviceId }, of))) return null;
      const merchant = await tx.first(merchantById({ id: merchantId }));
      if (merchant === undefined) return null;
      const key = { kind: "terminal", ownerId: merchantId, deviceId } as const;
      const values = await keepKey(tx, key, id, hash, row.replaces === 1, now);
      await recordSettings(tx, access.keys, now, [[accessOf(key), values]]);
      await newJournalEpoch(tx, merchantId, deviceId, now);
      const name = terminalName({ merchantId, deviceId });
      const detail = namedInAudit(row.code_hash);
      return {
        merchant,
        deviceId,
        entry: { event: events.enrolment.used, actor: name, address, object: name, detail },
      };
    },
  );
  return { merchant_id: merchant.id, store_name: merchant.name, device_id: deviceId, password: secret };
};

/**
 * Uses a code for the terminal that it was made for. Needs no token: a terminal that lost its key must be able to call
 * this too.
 * @throws ServiceError `not_found` for a code that is wrong, used, too old or another terminal's; `too_many_requests`.
 */
export const redeemManagerReset = async (
  access: Access,
  { merchantId: merchant, deviceId: device }: Terminal,
  typed: string,
  address: string,
): Promise<z.infer<typeof managerResetReplySchema>> => {
  const till = { merchantId: merchant, deviceId: device };
  const name = terminalName(till);
  const entry = { event: events.reset.used, actor: name, address, object: name, detail: null };
  const refused = { ...entry, event: "manager_reset_refused" };
  await redeem(
    access,
    { name: "manager reset", typed, address, refused },
    () => new ServiceError("not_found", "The code is unknown, used, older than 24 hours or for another terminal"),
    async (tx, code, now) => {
      const row = await useFirst(access.keys, (key) =>
        tx.first(useManagerReset({ merchant, device, hash: codeHash(key, code, resetPurpose), now })),
      );
      if (row === undefined) return null;
      const of = { kind: "reset", made: events.reset.made, hash: row.code_hash, now } as const;
      if (!(await isAsMade(tx, access.keys, till, of))) return null;
      return { entry: { ...entry, detail: namedInAudit(row.code_hash) } };
    },
  );
  return { merchant_id: merchant, device_id: device };
};

type Device = { readonly merchant: string; readonly device: string };
type Use = { readonly hash: string; readonly now: number };

/** Keeps a code's HMAC with what it enrols. */
const insertEnrolment = statement("enrolment_insert", (db, p: RowOf<"enrolments">) => insertRow(db, "enrolments", p));

/** Keeps a code's HMAC with the terminal that it is for. */
const insertManagerReset = statement("manager_reset_insert", (db, p: RowOf<"manager_resets">) =>
  insertRow(db, "manager_resets", p),
);

const endManagerResets = endCodes("manager_resets");

/** A terminal's open enrolment code. */
export const openEnrolment = statement("enrolment_open", (db, p: Device & { readonly now: number }) =>
  db
    .selectFrom("enrolments")
    .select(["code_hash", "expires_at"])
    .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device }))
    .where("used_at", "is", null)
    .where("expires_at", ">", p.now)
    .limit(1),
);

/** The compare-and-set that lets a code work once. */
const useEnrolment = statement("enrolment_use", (db, p: Use) =>
  db
    .updateTable("enrolments")
    .set({ used_at: p.now })
    .where("code_hash", "=", p.hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", p.now)
    .returning(["code_hash", "merchant_id", "device_id", "replaces"]),
);

/** The same for a reset code, which works only at its own terminal. */
const useManagerReset = statement("manager_reset_use", (db, p: Device & Use) =>
  db
    .updateTable("manager_resets")
    .set({ used_at: p.now })
    .where((row) => row.and({ code_hash: p.hash, merchant_id: p.merchant, device_id: p.device }))
    .where("used_at", "is", null)
    .where("expires_at", ">", p.now)
    .returning("code_hash"),
);

/** The newest entry about a terminal's codes of a kind. */
const newestOfCode = (kind: keyof typeof events) =>
  statement(`code_${kind}_in_audit`, (db, p: { readonly object: string }) =>
    db
      .selectFrom("audit")
      .leftJoin("audit as before", (join) => join.on("before.seq", "=", sql<number>`audit.seq - 1`))
      .select(auditColumns.map((column) => `audit.${column}` as const))
      .select("before.hash as hash_before")
      .where("audit.object", "=", p.object)
      .where("audit.event", "in", Object.values(events[kind]))
      .orderBy("audit.seq", "desc")
      .limit(1),
  );
const newestOfCodes = { enrolment: newestOfCode("enrolment"), reset: newestOfCode("reset") };

/** The newest change of a key. */
const newestOnKey = statement("code_key_in_audit", (db, p: { readonly object: string }) =>
  db.selectFrom("audit").select("seq").where("object", "=", p.object).orderBy("seq", "desc").limit(1),
);
