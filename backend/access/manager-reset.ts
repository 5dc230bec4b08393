/** A forgotten manager's PIN: the operator makes a one-time code for one terminal, and that terminal redeems it. */
import { createHmac } from "node:crypto";
import type { z } from "zod";
import type { Service, Terminal } from "../context.ts";
import { isEnrolmentCode, makeEnrolmentCode, normalizeTypedId } from "../contract/ids.ts";
import type { managerResetReplySchema } from "../contract/terminal.ts";
import { ServiceError } from "../service-error.ts";
import { statement } from "../store/statement.ts";
import type { Access } from "./access.ts";
import type { ServiceKeys } from "./secrets.ts";

/** Milliseconds that a code is good for: 24 hours, as long as one that enrols. */
export const managerResetLifetimeMs = 24 * 3_600_000;

/** Never the hash of a code that enrols: neither works in the other's place. */
const codeHash = ({ enrolment }: Pick<ServiceKeys, "enrolment">, code: string): string =>
  createHmac("sha256", enrolment).update(`manager reset ${code}`).digest("base64url");

/** Makes a code for a terminal, valid once and for 24 h; earlier ones for the same terminal end. */
export const createManagerReset = async (
  { store, clock, random }: Pick<Service, "store" | "clock" | "random">,
  keys: Pick<ServiceKeys, "enrolment">,
  { merchantId, deviceId }: Terminal,
): Promise<{ readonly code: string; readonly expiresAt: number }> => {
  const code = makeEnrolmentCode(random.bytes(11));
  const now = clock.now();
  const names = { merchant: merchantId, device: deviceId };
  const expires = now + managerResetLifetimeMs;
  await store.write(async (tx) => {
    await tx.run(endManagerResets(names));
    await tx.run(insertManagerReset({ ...names, hash: codeHash(keys, code), now, expires }));
  });
  return { code, expiresAt: expires };
};

/**
 * Uses a code for the terminal that it was made for. No token is needed: a terminal whose key was lost has a manager too.
 * Guessing is slowed down by address, apart from sign-in.
 * @throws ServiceError `not_found` for a code that is wrong, used, too old or another terminal's; `too_many_requests`.
 */
export const redeemManagerReset = async (
  { service, throttle, audit, keys }: Access,
  terminal: Terminal,
  typed: string,
  address: string,
): Promise<z.infer<typeof managerResetReplySchema>> => {
  const attempt = { credential: "manager reset", address, apart: true } as const;
  const retryAfterSeconds = throttle.reserve(attempt);
  if (retryAfterSeconds > 0) throw new ServiceError("too_many_requests", "Too many wrong codes", { retryAfterSeconds });
  const code = normalizeTypedId(typed);
  const names = { merchant: terminal.merchantId, device: terminal.deviceId };
  const name = `terminal ${names.merchant}/${names.device}`;
  const entry = { event: "manager_pin_reset", actor: name, address, object: name, detail: null };
  const now = service.clock.now();
  const isUsed =
    isEnrolmentCode(code) &&
    (await service.store.write(async (tx) => {
      const row = await tx.first(useManagerReset({ ...names, hash: codeHash(keys, code), now }));
      if (row !== undefined) await audit.append(tx, entry);
      return row !== undefined;
    }));
  if (!isUsed) {
    audit.recordRefusal({ ...entry, event: "manager_reset_refused" });
    throw new ServiceError("not_found", "The code is unknown, used, older than 24 hours or for another terminal");
  }
  throttle.succeeded(attempt);
  audit.logged(entry);
  return { merchant_id: names.merchant, device_id: names.device };
};

type Names = { readonly merchant: string; readonly device: string };

/** Keeps a code's HMAC with the terminal that it is for. */
const insertManagerReset = statement(
  "manager_reset_insert",
  (db, p: Names & { hash: string; now: number; expires: number }) =>
    db.insertInto("manager_resets").values({
      code_hash: p.hash,
      merchant_id: p.merchant,
      device_id: p.device,
      created_at: p.now,
      expires_at: p.expires,
      used_at: null,
    }),
);

/** Ends a terminal's codes that were not used, whatever the time is where they are tried: the newest is the one that counts. */
const endManagerResets = statement("manager_resets_end", (db, p: Names) =>
  db
    .updateTable("manager_resets")
    .set({ expires_at: 0 })
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("used_at", "is", null),
);

/** The compare-and-set that lets a code work once, at its terminal alone. */
const useManagerReset = statement("manager_reset_use", (db, p: Names & { hash: string; now: number }) =>
  db
    .updateTable("manager_resets")
    .set({ used_at: p.now })
    .where("code_hash", "=", p.hash)
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("used_at", "is", null)
    .where("expires_at", ">", p.now)
    .returning(["code_hash"]),
);
