/**
 * One-time codes that the operator makes for one terminal (conventions, "Extensions"): one kind enrols it, the other
 * resets a forgotten manager's PIN.
 */

import { createHmac } from "node:crypto";
import type { z } from "zod";
import type { Service, Terminal } from "../context.ts";
import { isEnrolmentCode, makeEnrolmentCode, normalizeTypedId } from "../contract/ids.ts";
import type { enrolmentReplySchema, managerResetReplySchema } from "../contract/terminal.ts";
import { dayMs } from "../contract/times.ts";
import { merchantById } from "../merchants/merchants.ts";
import { ServiceError } from "../service-error.ts";
import type { RowOf } from "../store/schema.ts";
import { insertRow, statement, type Tx } from "../store/store.ts";
import type { Access } from "./access.ts";
import type { AuditEvent } from "./audit.ts";
import {
  addCredentialRow,
  type CredentialKey,
  endCodes,
  endEnrolments,
  endTokensOf,
  rotateCredentialRow,
  scopesOfKind,
  valuesOf,
} from "./credentials.ts";
import { newJournalEpoch } from "./journal-heads.ts";
import { hashGeneratedSecret, makeSecret, type ServiceKeys } from "./secrets.ts";
import { recordSettings } from "./setting-entries.ts";

/** Milliseconds that a code is good for unless the operator says so: 24 hours (conventions, "Extensions"). */
export const codeLifetimeMs: number = dayMs;

type Made = { readonly code: string; readonly expiresAt: number };
type Making = Pick<Service, "store" | "clock" | "random">;
type Keys = Pick<ServiceKeys, "enrolment" | "others">;

/** @param purpose makes the two kinds of code hash differently, so that neither works as the other. */
const codeHash = ({ enrolment }: Pick<Keys, "enrolment">, code: string, purpose = ""): string =>
  createHmac("sha256", enrolment).update(`${purpose}${code}`).digest("base64url");
const resetPurpose = "manager reset ";

/** How the audit names the code that an entry is about. */
export const namedInAudit = (hash: string): string => `code ${hash}`;

/**
 * Tries the current key, then the earlier ones: a code may be older than a rotation. A code whose use is in the audit is
 * used, whatever its row says: who can write the database could open that again.
 */
const useFirst = async <Row extends { readonly code_hash: string }>(
  tx: Tx,
  { enrolment, others = [] }: Keys,
  event: string,
  use: (key: Pick<Keys, "enrolment">) => Promise<Row | undefined>,
): Promise<Row | undefined> => {
  for (const key of [{ enrolment }, ...others]) {
    const row = await use(key);
    if (row === undefined) continue;
    const earlier = await tx.first(auditedUse({ event, detail: namedInAudit(row.code_hash) }));
    return earlier === undefined ? row : undefined;
  }
  return undefined;
};

const rowOf = (
  { merchantId, deviceId }: Terminal,
  code_hash: string,
  now: number,
  expires_at = now + codeLifetimeMs,
) => ({ code_hash, merchant_id: merchantId, device_id: deviceId, created_at: now, expires_at, used_at: null });

/** Keeps a code that enrols a terminal, valid once; earlier ones for the same device end. @param replaces as in `createEnrolment`. */
export async function addEnrolment(
  tx: Tx,
  keys: Keys,
  device: Terminal,
  code: string,
  now: number,
  expiresAt: number,
  replaces = false,
): Promise<void> {
  await tx.run(endEnrolments({ merchant: device.merchantId, device: device.deviceId }));
  await tx.run(insertEnrolment({ ...rowOf(device, codeHash(keys, code), now, expiresAt), replaces: replaces ? 1 : 0 }));
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
  await store.write((tx) => addEnrolment(tx, keys, device, code, now, expiresAt, replaces));
  return { code, expiresAt };
};

/** Makes a code for a forgotten manager's PIN, valid once and for 24 h; earlier ones for the same terminal end. */
export const createManagerReset = async (
  { store, clock, random }: Making,
  keys: Keys,
  device: Terminal,
): Promise<Made> => {
  const code = makeEnrolmentCode(random.bytes(11));
  const row = rowOf(device, codeHash(keys, code, resetPurpose), clock.now());
  await store.write(async (tx) => {
    await tx.run(endManagerResets({ merchant: row.merchant_id, device: row.device_id }));
    await tx.run(insertManagerReset(row));
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

/** Adds the device's key, or replaces it where the code was made for that. */
async function keepKey(tx: Tx, key: CredentialKey, id: string, hash: string, replaces: boolean, now: number) {
  const scopes = scopesOfKind.terminal.join(" ");
  const row =
    (await tx.first(addCredentialRow({ ...valuesOf(key), id, hash, scopes, now }))) ??
    (replaces ? await tx.first(rotateCredentialRow({ ...valuesOf(key), hash })) : undefined);
  if (row === undefined) throw unknownCode();
  await endTokensOf(tx, row.id, now);
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
      const row = await useFirst(tx, access.keys, "enrolled", (key) =>
        tx.first(useEnrolment({ hash: codeHash(key, code), now })),
      );
      if (row === undefined) return null;
      const [merchantId, deviceId] = [row.merchant_id, row.device_id];
      const merchant = await tx.first(merchantById({ id: merchantId }));
      if (merchant === undefined) return null;
      await keepKey(tx, { kind: "terminal", ownerId: merchantId, deviceId }, id, hash, row.replaces === 1, now);
      await recordSettings(tx, access.keys, now, [["credentials", "terminal", merchantId, deviceId]]);
      await newJournalEpoch(tx, merchantId, deviceId, now);
      const name = `terminal ${merchantId}/${deviceId}`;
      const detail = namedInAudit(row.code_hash);
      return { merchant, deviceId, entry: { event: "enrolled", actor: name, address, object: name, detail } };
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
  const name = `terminal ${merchant}/${device}`;
  const entry = { event: "manager_pin_reset", actor: name, address, object: name, detail: null };
  const refused = { ...entry, event: "manager_reset_refused" };
  await redeem(
    access,
    { name: "manager reset", typed, address, refused },
    () => new ServiceError("not_found", "The code is unknown, used, older than 24 hours or for another terminal"),
    async (tx, code, now) => {
      const used = await useFirst(tx, access.keys, entry.event, (key) =>
        tx.first(useManagerReset({ merchant, device, hash: codeHash(key, code, resetPurpose), now })),
      );
      return used === undefined ? null : { entry: { ...entry, detail: namedInAudit(used.code_hash) } };
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
    .select("expires_at")
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
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
    .where("code_hash", "=", p.hash)
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("used_at", "is", null)
    .where("expires_at", ">", p.now)
    .returning("code_hash"),
);

/** The audit's entry that a code was used. */
const auditedUse = statement("code_use_in_audit", (db, p: { readonly event: string; readonly detail: string }) =>
  db.selectFrom("audit").select("seq").where("event", "=", p.event).where("detail", "=", p.detail).limit(1),
);
