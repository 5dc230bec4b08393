/** Statements on credentials. A credential is one device of a merchant (terminal) or of a partner (client). */

import { statement } from "../store/statement.ts";
import type { CredentialKind } from "../store/tables/access.ts";

/** A device of a merchant (`terminal`) or of a partner (`client`). */
export interface CredentialKey {
  readonly kind: CredentialKind;
  readonly ownerId: string;
  readonly deviceId: string;
}

type KeyValues = { readonly kind: CredentialKind; readonly owner: string; readonly device: string };

/** The key as the statements below take it. */
export const valuesOf = (key: CredentialKey): KeyValues => ({
  kind: key.kind,
  owner: key.ownerId,
  device: key.deviceId,
});

/** The credential with its secret's hash, revoked or not. */
export const credentialByDevice = statement("credential_by_device", (db, p: KeyValues) =>
  db
    .selectFrom("credentials")
    .select(["id", "secret_hash", "scopes", "revoked_at"])
    .where("kind", "=", p.kind)
    .where("owner_id", "=", p.owner)
    .where("device_id", "=", p.device),
);

type NewCredential = KeyValues & { readonly id: string; readonly hash: string; readonly scopes: string; now: number };

/** Adds a credential, or brings a revoked one back with a new secret; no row comes back when it is in use. */
export const addCredentialRow = statement("credential_add", (db, p: NewCredential) =>
  db
    .insertInto("credentials")
    .values({
      id: p.id,
      kind: p.kind,
      owner_id: p.owner,
      device_id: p.device,
      secret_hash: p.hash,
      scopes: p.scopes,
      created_at: p.now,
      revoked_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(["kind", "owner_id", "device_id"])
        .doUpdateSet((set) => ({
          secret_hash: set.ref("excluded.secret_hash"),
          scopes: set.ref("excluded.scopes"),
          created_at: set.ref("excluded.created_at"),
          revoked_at: null,
        }))
        .where("credentials.revoked_at", "is not", null),
    )
    .returning("id"),
);

/** Replaces the secret's hash; no row comes back where it is revoked or unknown. */
export const rotateCredentialRow = statement("credential_rotate", (db, p: KeyValues & { readonly hash: string }) =>
  db
    .updateTable("credentials")
    .set({ secret_hash: p.hash })
    .where("kind", "=", p.kind)
    .where("owner_id", "=", p.owner)
    .where("device_id", "=", p.device)
    .where("revoked_at", "is", null)
    .returning("id"),
);

/** Ends a credential; no row comes back where it is revoked or unknown. */
export const revokeCredentialRow = statement("credential_revoke", (db, p: KeyValues & { readonly now: number }) =>
  db
    .updateTable("credentials")
    .set({ revoked_at: p.now })
    .where("kind", "=", p.kind)
    .where("owner_id", "=", p.owner)
    .where("device_id", "=", p.device)
    .where("revoked_at", "is", null)
    .returning("id"),
);

/** All, revoked ones too, without their secrets' hashes. */
export const allCredentials = statement("credentials_all", (db, _: Readonly<Record<never, never>>) =>
  db
    .selectFrom("credentials")
    .select(["kind", "owner_id", "device_id", "scopes", "created_at", "revoked_at"])
    .orderBy("kind")
    .orderBy("owner_id")
    .orderBy("device_id"),
);

/**
 * Holds the credential's row until the commit, without writing it, so that a rotation that comes meanwhile deletes the new
 * token too. SQLite has one writer at a time.
 */
export const lockCredential = statement("credential_lock", (db, p: { id: string; hash: string }, dialect) => {
  const credential = db
    .selectFrom("credentials")
    .select("id")
    .where("id", "=", p.id)
    .where("secret_hash", "=", p.hash)
    .where("revoked_at", "is", null);
  return dialect === "postgres" ? credential.forShare() : credential;
});
