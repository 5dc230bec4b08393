/** Statements on access tokens. */
import type { RowOf } from "../store/schema.ts";
import { insertRow, statement } from "../store/statement.ts";

/** A service of many processes has one credential and a token each; a terminal signs in once a day. */
export const liveTokensMax = 10;

/** Keeps a token's HMAC. */
export const insertToken = statement("token_insert", (db, p: RowOf<"tokens">) => insertRow(db, "tokens", p));

/** Deletes a credential's tokens that have ended. */
export const deleteExpired = statement("tokens_delete_expired", (db, p: { credential: string; now: number }) =>
  db.deleteFrom("tokens").where("credential_id", "=", p.credential).where("expires_at", "<=", p.now),
);

/** Makes room for one more token: those of a clock that was ahead end first, as they would outlive all others, then the oldest. */
export const deleteSurplus = statement("tokens_delete_surplus", (db, p: { credential: string; now: number }) =>
  db
    .deleteFrom("tokens")
    .where("credential_id", "=", p.credential)
    .where("token_hash", "not in", (newest) =>
      newest
        .selectFrom("tokens as live")
        .select("live.token_hash")
        .where("live.credential_id", "=", p.credential)
        .orderBy((eb) => eb.case().when("live.created_at", ">", p.now).then(1).else(0).end())
        .orderBy("live.created_at", "desc")
        .orderBy("live.token_hash")
        .limit(liveTokensMax - 1),
    ),
);

/** Whose token it is and until when; no row where it or its credential has ended. */
export const tokenByHash = statement("token_by_hash", (db, p: { hash: string }) =>
  db
    .selectFrom("tokens")
    .innerJoin("credentials", "credentials.id", "tokens.credential_id")
    .select(["credentials.kind", "credentials.owner_id", "credentials.device_id", "tokens.scopes", "tokens.expires_at"])
    .where("tokens.token_hash", "=", p.hash)
    .where("credentials.revoked_at", "is", null),
);

/** Ends all tokens of a credential. */
export const deleteTokensOf = statement("tokens_delete_of_credential", (db, p: { readonly credential: string }) =>
  db.deleteFrom("tokens").where("credential_id", "=", p.credential),
);

/** Tokens that were granted after `future`, by a clock that was ahead, last no longer than one of now: `expires`. */
export const shortenFutureTokens = statement("tokens_shorten_future", (db, p: { future: number; expires: number }) =>
  db
    .updateTable("tokens")
    .set({ expires_at: p.expires })
    .where("created_at", ">", p.future)
    .where("expires_at", ">", p.expires),
);

/** Access tokens that ended so long ago; one that works is never touched. */
export const purgeTokens = statement("tokens_purge", (db, p: { before: number; limit: number }) =>
  db
    .deleteFrom("tokens")
    .where("token_hash", "in", (old) =>
      old
        .selectFrom("tokens")
        .select("token_hash")
        .where("expires_at", "<", p.before)
        .orderBy("expires_at")
        .limit(p.limit),
    ),
);
