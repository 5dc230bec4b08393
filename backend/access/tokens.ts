/**
 * Access tokens: the id of their credential and 138 random bits, opaque for callers. The database holds
 * HMAC-SHA256(TOKEN_SECRET, token), so nobody can sign in with what they read there, and nobody who writes there gives
 * their own token somebody else's rights. Tokens survive a restart and end with their credential.
 */
import { createHmac, createSecretKey } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Service } from "../context.ts";
import { tokenLifetimeSeconds } from "../contract/pos.ts";
import { type Scope, scopes } from "../contract/scopes.ts";
import { hourMs } from "../contract/times.ts";
import type { CredentialKind, RowOf } from "../store/schema.ts";
import type { Tx } from "../store/store.ts";
import { type AuditEvent, appendAuditIfKeyed } from "./audit.ts";
import { createCache } from "./cache.ts";
import {
  credentialInUse,
  deleteExpired,
  deleteSurplus,
  endTokens,
  insertToken,
  lockCredential,
  tokenByHash,
  tokenEnds,
} from "./credentials.ts";
import { lruBound } from "./rate-limits.ts";
import { type AuditedFrom, auditedFrom, unauditedUse } from "./setting-entries.ts";

/** Who is calling: a terminal (`ownerId` is its merchant) or a partner's server (`ownerId` is the partner). */
export interface Session {
  readonly kind: CredentialKind;
  readonly ownerId: string;
  readonly deviceId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
}

/** What the cache holds of a token. */
interface Found {
  readonly session: Session;
  readonly unaudited: AuditEvent | null;
}

const cachedTokensMax = 50_000;
const noteAgainMs = hourMs;
/**
 * How the secrets of this release begin, so that the hash of one opens nothing when it is written beside another. They are as long
 * as those of releases before, which are random throughout; one in 8 million of these begins so too, and is refused.
 */
export const marks = { token: "tc1_", checkin: "cb1_" } as const;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;
const tokenLength = 43;
/** Whether a token may be one of this credential. */
const mayBeOf = (token: string, credential: string): boolean =>
  token.startsWith(marks.token) ? token.startsWith(`${marks.token}${credential}`) : !token.startsWith(marks.checkin);

/** The scopes in a stored text, separated by spaces; unknown words are left out. */
export const scopesFrom = (text: string): readonly Scope[] => {
  const words = text.split(" ");
  return scopes.filter((scope) => words.includes(scope));
};

/** One for each process. @param tokenSecret TOKEN_SECRET. */
export const createTokens = (service: Service, tokenSecret: string) => {
  const { store, clock, random } = service;
  const endsNow = async (tx: Tx) => (await tx.first(tokenEnds({})))?.ends ?? null;
  const kept = createCache<Found>(service, endsNow, cachedTokensMax);
  const noted = new LRUCache<string, number>(lruBound(cachedTokensMax));
  const key = createSecretKey(tokenSecret, "utf8");
  /** The form in which the secret of a token or an address is kept. */
  const hash = (secret: string): string => createHmac("sha256", key).update(secret).digest("base64url");

  let known: AuditedFrom = { isRecorded: false, ownSeq: undefined };
  const audited = async (tx: Tx): Promise<AuditedFrom> => {
    const found = await auditedFrom(tx, service.keys, known);
    // A call that began later may have read more by now.
    known = { isRecorded: known.isRecorded || found.isRecorded, ownSeq: known.ownSeq ?? found.ownSeq };
    return found;
  };

  const sessionOf =
    (token: string) =>
    async (tx: Tx): Promise<Found | undefined> => {
      const from = await audited(tx);
      const row = await tx.first(tokenByHash({ hash: hash(token) }));
      if (row === undefined || !mayBeOf(token, row.id)) return undefined;
      const owned = scopesFrom(row.scopes);
      const session = {
        kind: row.kind,
        ownerId: row.owner_id,
        deviceId: row.device_id,
        scopes: scopesFrom(row.granted).filter((scope) => owned.includes(scope)),
        expiresAt: row.expires_at,
      };
      return { session, unaudited: unauditedUse(service.keys, row, from) };
    };

  /** Before the call goes on: a line says that its key was not as the audit has it, once an hour for the same. */
  const noteUnaudited = async (what: AuditEvent): Promise<void> => {
    const now = clock.now();
    const about = `${what.object}\n${what.detail}`;
    if (Math.abs(now - (noted.get(about) ?? Number.NEGATIVE_INFINITY)) < noteAgainMs) return;
    await store.write((tx) => appendAuditIfKeyed(tx, service, now, what));
    noted.set(about, now);
    service.log.warn({ ...what }, "audit");
  };

  return {
    hash,
    /** `null` when the credential was rotated or revoked since its `secret_hash` was read. */
    async issue(credential: Pick<RowOf<"credentials">, "id" | "secret_hash">, granted: readonly Scope[]) {
      const secret = Buffer.from(random.bytes(32)).toString("base64url");
      const token = `${marks.token}${credential.id}${secret}`.slice(0, tokenLength);
      const now = clock.now();
      let unaudited: AuditEvent | null = null;
      const issued = await store.write(async (tx) => {
        const held = await tx.first(lockCredential({ id: credential.id, hash: credential.secret_hash }));
        if (held === undefined) return null;
        const from = await audited(tx);
        const row = await tx.first(credentialInUse({ id: credential.id }));
        unaudited = row === undefined ? null : unauditedUse(service.keys, row, from);
        if (unaudited !== null) await appendAuditIfKeyed(tx, service, now, unaudited);
        await tx.run(deleteExpired({ credential: credential.id, now }));
        await endTokens(tx, deleteSurplus({ credential: credential.id, now }), now);
        await tx.run(
          insertToken({
            token_hash: hash(token),
            credential_id: credential.id,
            scopes: granted.join(" "),
            created_at: now,
            expires_at: now + tokenLifetimeSeconds * 1000,
          }),
        );
        return token;
      });
      if (unaudited !== null) service.log.warn({ ...(unaudited as AuditEvent) }, "audit");
      return issued;
    },
    /** `null` unless the token is valid now. */
    async find(token: string): Promise<Session | null> {
      if (!tokenForm.test(token)) return null;
      const found = await kept(token, sessionOf(token));
      if (found === undefined || found.session.expiresAt <= clock.now()) return null;
      if (found.unaudited !== null) await noteUnaudited(found.unaudited);
      return found.session;
    },
  };
};

/** Issues access tokens and finds their owners. */
export type Tokens = ReturnType<typeof createTokens>;
