/** Which address and keys belong to a bank: its own, or those that the installation binds to its name. */
import type { BoundPartner, ServiceOptions } from "../context.ts";
import type { Partner } from "./partner-store.ts";

type OldKey = Pick<Partner, "previous_secret" | "previous_secret_until">;
type Options = Pick<ServiceOptions, "boundPartners" | "keyCipher">;

/** `null`: it has none, and nothing may be asked in its name; no order ever goes to another bank. */
export const partnerAddress = (
  { boundPartners, keyCipher }: Options,
  partnerId: string,
  row: Pick<Partner, "url" | "secret"> | undefined,
): BoundPartner | null => {
  if (row?.url && row.secret) return { url: row.url, secret: keyCipher.open(partnerId, row.secret) };
  return boundPartners.get(partnerId) ?? null;
};

/** Until when the key before the one in use signs beside it (ms); null when it does no more, or there is none. */
export const oldKeyUntil = (row: OldKey, nowMs: number): number | null =>
  row.previous_secret !== null && nowMs < (row.previous_secret_until ?? 0) ? row.previous_secret_until : null;

/** The keys that a call is signed with now: the one in use first, then the one before it while a rotation lasts. */
export const signingKeys = (
  { keyCipher }: Options,
  { secret }: BoundPartner,
  row: Partner | undefined,
  nowMs: number,
): readonly string[] =>
  row?.previous_secret && oldKeyUntil(row, nowMs) !== null
    ? [secret, keyCipher.open(row.id, row.previous_secret)]
    : [secret];
