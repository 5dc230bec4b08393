/** SERVICE_KEY, and the keys that are derived from it: one secret for an operator to keep, one key for each purpose. */
import { createHash, createHmac, hkdfSync } from "node:crypto";
import type { ChainKeys } from "../context.ts";

/** One key for each purpose, derived from SERVICE_KEY by HKDF. */
export interface ServiceKeys extends ChainKeys {
  /** The form in which enrolment codes are kept. */
  readonly enrolment: Buffer;
  /** Encrypts banks' keys; `null` where SERVICE_KEY did not come from the environment: beside the data it protects nothing. */
  readonly encryption: Buffer | null;
}

const derive = (root: string, purpose: string): Buffer =>
  Buffer.from(hkdfSync("sha256", root, "", `tillcash ${purpose}`, 32));

/** @param fromEnvironment whether `root` is the operator's SERVICE_KEY, kept apart from the database. */
export const serviceKeysFrom = (root: string, fromEnvironment: boolean): ServiceKeys => {
  const audit = derive(root, "audit");
  const history = derive(root, "history");
  return {
    audit,
    auditKeyId: createHash("sha256").update(audit).digest("hex").slice(0, 8),
    history: (text) => createHmac("sha256", history).update(text).digest("base64url"),
    enrolment: derive(root, "enrolment"),
    encryption: fromEnvironment ? derive(root, "encryption") : null,
  };
};
