/**
 * Access tokens: 256 random bits, opaque to everybody. The database holds HMAC-SHA256(TOKEN_SECRET, token), so neither a
 * copy of it nor a look at it lets anybody in. They survive a restart and end with their credential.
 */
import { createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Service } from "../context.ts";
import { tokenLifetimeSeconds } from "../contract/pos.ts";
import { type Scope, scopes } from "../contract/scopes.ts";
import type { CredentialKind, RowOf } from "../store/schema.ts";
import { deleteExpired, deleteSurplus, insertToken, lockCredential, tokenByHash } from "./credentials.ts";
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
const tokenCacheEntriesMax = 20_000;
const tokenForm = /^[A-Za-z0-9_-]{43}$/;

/** The scopes in a stored text, separated by spaces; unknown words are left out. */
export const scopesFrom = (text: string): readonly Scope[] => {
  const words = text.split(" ");
  return scopes.filter((scope) => words.includes(scope));
};

/** One for each process: what was looked up counts for a second. @param tokenSecret TOKEN_SECRET. */
export const createTokens = ({ store, clock, random }: Service, tokenSecret: string) => {
  const cache = new LRUCache<string, { readonly session: Session; readonly readAt: number }>(
    lruBound(tokenCacheEntriesMax),
  );
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
    cache.set(token, { session, readAt });
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
        await tx.run(deleteSurplus({ credential: credential.id, now }));
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
      if (known !== undefined && now - known.readAt < tokenCacheMs && now >= known.readAt)
        return known.session.expiresAt > now ? known.session : null;
      return tokenForm.test(token) ? findSession(token) : null;
    },
  };
};

/** Issues access tokens and finds whose they are. */
export type Tokens = ReturnType<typeof createTokens>;
