/** Which address and keys belong to a bank: its own, or those that the installation binds to its name. */
import type { BoundPartner, KeyReader, ServiceOptions } from "../context.ts";
import { keyProblem } from "./keys.ts";
import { addressProblem, type Partner } from "./partner-store.ts";

/** What is stored of a bank's addresses and keys. */
type Stored = Pick<Partner, "url" | "secret"> & Partial<Pick<Partner, "events_url">>;
type OldKey = Pick<Partner, "previous_secret" | "previous_secret_until">;
type Options = Pick<ServiceOptions, "boundPartners" | "keyCipher" | "isSandbox">;

/**
 * What is wrong with what is stored of a bank (an older program may have stored it, or it was damaged), a sentence each. Nothing is
 * sent to such an address or signed with such a key until an operator has mended it; the other banks go on.
 */
export const partnerProblems = (
  id: string,
  { url, secret, events_url: eventsUrl }: Stored,
  { keyCipher, isSandbox }: Pick<Options, "keyCipher" | "isSandbox">,
): readonly string[] => {
  const address = url === null || isSandbox ? null : addressProblem(url, false);
  const events = !eventsUrl || isSandbox ? null : addressProblem(eventsUrl, false);
  const key = secret === null ? null : storedKeyProblem(id, secret, keyCipher, isSandbox);
  return [
    ...(address === null ? [] : [`the address of partner ${id} ${address}: partners set-url ${id} URL`]),
    ...(events === null
      ? []
      : [`the address for events of partner ${id} ${events}: partners set ${id} --events-url URL`]),
    ...(key === null ? [] : [`${key}: partners rotate ${id}`]),
  ];
};

const storedKeyProblem = (id: string, stored: string, keyCipher: KeyReader, isSandbox: boolean): string | null => {
  try {
    const key = keyCipher.open(id, stored);
    const problem = isSandbox ? null : keyProblem(key, false);
    return problem === null ? null : `the key of partner ${id} ${problem}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** `null`: it has none, or not one that may be used, and nothing may be asked in its name; no order ever goes to another bank. */
export const partnerAddress = (
  options: Options,
  partnerId: string,
  row: Pick<Partner, "url" | "secret"> | undefined,
): BoundPartner | null => {
  if (!row?.url || !row.secret) return options.boundPartners.get(partnerId) ?? null;
  if (partnerProblems(partnerId, { url: row.url, secret: row.secret }, options).length > 0) return null;
  return { url: row.url, secret: options.keyCipher.open(partnerId, row.secret) };
};

/** Until when the key before the one in use signs beside it (ms); null when it does no more, or there is none. */
export const oldKeyUntil = (row: OldKey, nowMs: number): number | null =>
  row.previous_secret !== null && nowMs < (row.previous_secret_until ?? 0) ? row.previous_secret_until : null;

/** The keys that a call is signed with now: the one in use first, then the one before it while a rotation lasts and it can be read. */
export const signingKeys = (
  { keyCipher }: Options,
  { secret }: BoundPartner,
  row: Partner | undefined,
  nowMs: number,
): readonly string[] => {
  if (!row?.previous_secret || oldKeyUntil(row, nowMs) === null) return [secret];
  try {
    return [secret, keyCipher.open(row.id, row.previous_secret)];
  } catch {
    return [secret];
  }
};
