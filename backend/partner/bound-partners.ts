/** Which address and keys belong to a bank: its own, or those that the installation binds to its name. */
import type { BoundPartner, ServiceOptions } from "../context.ts";
import type { Partner } from "./partner-store.ts";

/** `null`: it has none, and nothing may be asked in its name; no order ever goes to another bank. */
export const partnerAddress = (
  options: ServiceOptions,
  partnerId: string,
  row: Pick<Partner, "url" | "secret"> | undefined,
): BoundPartner | null => {
  if (row?.url && row.secret) return { url: row.url, secret: row.secret };
  return options.boundPartners.get(partnerId) ?? null;
};

type Keys = Pick<Partner, "previous_secret" | "previous_secret_until">;

/** The keys that a call is signed with now: the one in use first, then the one before it while a rotation lasts. */
export const signingKeys = (secret: string, row: Keys | undefined, nowMs: number): readonly string[] =>
  row?.previous_secret && nowMs < (row.previous_secret_until ?? 0) ? [secret, row.previous_secret] : [secret];
