/**
 * Access tokens: 256 random bits, opaque to everybody. The database holds HMAC-SHA256(TOKEN_SECRET, token), so neither a
 * copy of it nor a look at it lets anybody in. They survive a restart and end with their credential.
 */
import { createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Service } from "../context.ts";
import { tokenLifetimeSeconds } from "../contract/pos.ts";
import { type Scope, scopes } from "../contract/scopes.ts";
import { minuteMs } from "../contract/times.ts";
import type { CredentialKind, RowOf } from "../store/schema.ts";
import {
  deleteExpired,
  deleteSurplus,
  endTokens,
  insertToken,
  lockCredential,
  tokenByHash,
  tokenEnds,
} from "./credentials.ts";
import { lruBound } from "./rate-limits.ts";

/** Who is calling: a terminal (`ownerId` is its merchant) or a partner's server (`ownerId` is the partner). */
export interface Session {
  readonly kind: CredentialKind;
  readonly ownerId: string;
  readonly deviceId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
}

/** A revocation, by any process, takes effect within this time. */
export const tokenCacheMs = 1_000;
/** What was looked up counts so long as no token has ended before its time: that is asked once a second, for all of them. */
export const tokenKeptMs = 10 * minuteMs;
const tokenCacheEntriesMax = 50_000;

interface Known {
  readonly session: Session;
  readonly readAt: number;
  /** As `tokenEnds` had it; null: counts for `tokenCacheMs` alone. */
  readonly ends: string | null;
}
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

/** The scopes in a stored text, separated by spaces; unknown words are left out. */
export const scopesFrom = (text: string): readonly Scope[] => {
  const words = text.split(" ");
  return scopes.filter((scope) => words.includes(scope));
};

/** One for each process. @param tokenSecret TOKEN_SECRET. */
export const createTokens = ({ store, clock, random }: Service, tokenSecret: string) => {
  const cache = new LRUCache<string, Known>(lruBound(tokenCacheEntriesMax));
  const isWithin = (ms: number, at: number, now: number): boolean => now - at < ms && now >= at;

  let asked: { readonly at: number; readonly ends: Promise<string | null> } | null = null;
  const endsNow = (now: number): Promise<string | null> => {
    if (asked !== null && isWithin(tokenCacheMs, asked.at, now)) return asked.ends;
    const ends = store.read((tx) => tx.first(tokenEnds({})), true).then((row) => row?.ends ?? null);
    const latest = { at: now, ends };
    asked = latest;
    ends.catch(() => {
      if (asked === latest) asked = null;
    });
    return ends;
  };
  const stillCounts = async ({ readAt, ends }: Known, now: number): Promise<boolean> => {
    if (isWithin(tokenCacheMs, readAt, now)) return true;
    return ends !== null && isWithin(tokenKeptMs, readAt, now) && (await endsNow(now)) === ends;
  };

  /** The form in which the secret of a token or an address is kept. */
  const hash = (secret: string): string => createHmac("sha256", tokenSecret).update(secret).digest("base64url");

  const findSession = async (token: string): Promise<Session | null> => {
    const readAt = clock.now();
    const row = await store.read((tx) => tx.first(tokenByHash({ hash: hash(token) })), true);
    if (row === undefined || row.expires_at <= clock.now()) {
      cache.delete(token);
      return null;
    }
    const session: Session = {
      kind: row.kind,
      ownerId: row.owner_id,
      deviceId: row.device_id,
      scopes: scopesFrom(row.scopes),
      expiresAt: row.expires_at,
    };
    cache.set(token, { session, readAt, ends: row.ends });
    return session;
  };

  return {
    hash,
    /** `null` when the credential was rotated or revoked since its `secret_hash` was read. */
    issue(credential: Pick<RowOf<"credentials">, "id" | "secret_hash">, granted: readonly Scope[]) {
      const token = Buffer.from(random.bytes(32)).toString("base64url");
      const now = clock.now();
      return store.write(async (tx) => {
        const held = await tx.first(lockCredential({ id: credential.id, hash: credential.secret_hash }));
        if (held === undefined) return null;
        await tx.run(deleteExpired({ credential: credential.id, now }));
        await endTokens(tx, deleteSurplus({ credential: credential.id, now }));
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
    },
    /** `null` for anything but a token that is good now. */
    async find(token: string): Promise<Session | null> {
      const now = clock.now();
      const known = cache.get(token);
      if (known !== undefined && (await stillCounts(known, now)))
        return known.session.expiresAt > now ? known.session : null;
      return tokenForm.test(token) ? findSession(token) : null;
    },
  };
};

/** Issues access tokens and finds whose they are. */
export type Tokens = ReturnType<typeof createTokens>;
