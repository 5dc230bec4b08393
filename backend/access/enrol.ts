/** Enrolment by code: a one-time code, made by the operator, turns into a terminal's access key (conventions, "Extensions"). */
import { createHmac } from "node:crypto";
import type { z } from "zod";
import type { Service } from "../context.ts";
import { isEnrolmentCode, makeEnrolmentCode, normalizeTypedId } from "../contract/ids.ts";
import type { enrolmentReplySchema } from "../contract/terminal.ts";
import { merchantById } from "../merchants/merchant-store.ts";
import { ServiceError } from "../service-error.ts";
import { statement } from "../store/statement.ts";
import type { Tx } from "../store/store.ts";
import type { Access } from "./access.ts";
import {
  addCredentialRow,
  type CredentialKey,
  hashGeneratedSecret,
  makeSecret,
  rotateCredentialRow,
  scopesOfKind,
  valuesOf,
} from "./credentials.ts";
import { newJournalEpoch } from "./journal-heads.ts";
import type { ServiceKeys } from "./secrets.ts";
import { deleteTokensOf } from "./token-store.ts";

/** Milliseconds that a code is good for: 24 hours (conventions, "Extensions"). */
export const enrolmentLifetimeMs = 24 * 3_600_000;

const codeHash = ({ enrolment }: Pick<ServiceKeys, "enrolment">, code: string): string =>
  createHmac("sha256", enrolment).update(code).digest("base64url");

/**
 * Makes a code for a terminal, valid once and for 24 h; earlier ones for the same device end.
 * @param replaces whether the key that the device has now is replaced when the code is used.
 */
export const createEnrolment = async (
  { store, clock, random }: Pick<Service, "store" | "clock" | "random">,
  keys: Pick<ServiceKeys, "enrolment">,
  device: { readonly merchantId: string; readonly deviceId: string },
  replaces: boolean,
): Promise<{ readonly code: string; readonly expiresAt: number }> => {
  const code = makeEnrolmentCode(random.bytes(11));
  const now = clock.now();
  const names = { merchant: device.merchantId, device: device.deviceId };
  const expires = now + enrolmentLifetimeMs;
  await store.write(async (tx) => {
    await tx.run(endEnrolments(names));
    await tx.run(insertEnrolment({ ...names, hash: codeHash(keys, code), replaces: replaces ? 1 : 0, now, expires }));
  });
  return { code, expiresAt: expires };
};

/** The key of the device: a new one, or the one in its place where the code was made for that. */
async function keepKey(
  tx: Tx,
  key: CredentialKey,
  id: string,
  hash: string,
  replaces: boolean,
  now: number,
): Promise<void> {
  const scopes = scopesOfKind.terminal.join(" ");
  const row =
    (await tx.first(addCredentialRow({ ...valuesOf(key), id, hash, scopes, now }))) ??
    (replaces ? await tx.first(rotateCredentialRow({ ...valuesOf(key), hash })) : undefined);
  if (row === undefined) throw unknownCode();
  await tx.run(deleteTokensOf({ credential: row.id }));
}

const unknownCode = () => new ServiceError("not_found", "The code is unknown, used or older than 24 hours");

/**
 * Uses a code, in any case and with spaces or hyphens as a person types it. Guessing is slowed down by address, like sign-in.
 * @throws ServiceError `not_found` for a code that is wrong, used or too old; `too_many_requests`.
 */
export const enrol = async (
  access: Access,
  typed: string,
  address: string,
): Promise<z.infer<typeof enrolmentReplySchema>> => {
  const { service, throttle, audit } = access;
  const attempt = { credential: "enrolment", address, apart: true } as const;
  const retryAfterSeconds = throttle.reserve(attempt);
  if (retryAfterSeconds > 0) throw new ServiceError("too_many_requests", "Too many wrong codes", { retryAfterSeconds });
  const code = normalizeTypedId(typed);
  const secret = makeSecret(service.random);
  const hash = hashGeneratedSecret(service.random, secret);
  const id = Buffer.from(service.random.bytes(12)).toString("base64url");
  const now = service.clock.now();
  const used = !isEnrolmentCode(code)
    ? null
    : await service.store.write(async (tx) => {
        const row = await tx.first(useEnrolment({ hash: codeHash(access.keys, code), now }));
        if (row === undefined) return null;
        const [merchantId, deviceId] = [row.merchant_id, row.device_id];
        const merchant = await tx.first(merchantById({ id: merchantId }));
        if (merchant === undefined) return null;
        await keepKey(tx, { kind: "terminal", ownerId: merchantId, deviceId }, id, hash, row.replaces === 1, now);
        await newJournalEpoch(tx, merchantId, deviceId, now);
        const name = `terminal ${merchantId}/${deviceId}`;
        const entry = { event: "enrolled", actor: name, address, object: name, detail: null };
        await audit.append(tx, entry);
        return { merchant, deviceId, entry };
      });
  if (used === null) {
    audit.recordRefusal({ event: "enrolment_refused", actor: "unknown", address, object: "enrolment", detail: null });
    throw unknownCode();
  }
  throttle.succeeded(attempt);
  audit.logged(used.entry);
  const { merchant, deviceId } = used;
  return { merchant_id: merchant.id, store_name: merchant.name, device_id: deviceId, password: secret };
};

type NewEnrolment = {
  readonly hash: string;
  readonly merchant: string;
  readonly device: string;
  readonly replaces: number;
  readonly now: number;
  readonly expires: number;
};

/** Keeps a code's HMAC with what it enrols. */
const insertEnrolment = statement("enrolment_insert", (db, p: NewEnrolment) =>
  db.insertInto("enrolments").values({
    code_hash: p.hash,
    merchant_id: p.merchant,
    device_id: p.device,
    replaces: p.replaces,
    created_at: p.now,
    expires_at: p.expires,
    used_at: null,
  }),
);

/** Ends the codes for a device that were not used, whatever the time is where they are tried: the newest is the one that counts. */
const endEnrolments = statement("enrolments_end", (db, p: { merchant: string; device: string }) =>
  db
    .updateTable("enrolments")
    .set({ expires_at: 0 })
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("used_at", "is", null),
);

/** The compare-and-set that lets a code work once. */
const useEnrolment = statement("enrolment_use", (db, p: { hash: string; now: number }) =>
  db
    .updateTable("enrolments")
    .set({ used_at: p.now })
    .where("code_hash", "=", p.hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", p.now)
    .returning(["merchant_id", "device_id", "replaces"]),
);
