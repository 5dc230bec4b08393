/** Adding, rotating and revoking credentials: what the command line does. Secrets are returned once and kept as hashes. */

import type { Service } from "../context.ts";
import { type Scope, scopes } from "../contract/scopes.ts";
import { ServiceError } from "../service-error.ts";
import { all, one, run } from "../store/store.ts";
import type { CredentialKind } from "../store/tables/access.ts";
import {
  addCredentialRow,
  allCredentials,
  type CredentialKey,
  revokeCredentialRow,
  rotateCredentialRow,
  valuesOf,
} from "./credential-store.ts";
import { hashGeneratedSecret, makeSecret } from "./generated-secret.ts";
import type { SecretHasher } from "./secrets.ts";
import { deleteTokensOf } from "./token-store.ts";

/** Who may hold a scope; leaving one out is a type error. */
const holderOf: Readonly<Record<Scope, CredentialKind>> = {
  transactions: "terminal",
  checkin: "client",
  users: "client",
  withdrawals: "client",
  reconciliation: "client",
};

/** All that a key of each kind may be granted. */
export const scopesOfKind: Readonly<Record<CredentialKind, readonly Scope[]>> = {
  terminal: scopes.filter((scope) => holderOf[scope] === "terminal"),
  client: scopes.filter((scope) => holderOf[scope] === "client"),
};

type Owned = Pick<Service, "store" | "clock" | "random">;

const describe = (key: CredentialKey) => `${key.kind} ${key.ownerId} / ${key.deviceId}`;

/**
 * @param chosen by the caller (the sandbox's), else a random one.
 * @throws ServiceError `validation_failed` when the device already has a credential.
 */
export const addCredential = async (
  { store, clock, random }: Owned,
  secrets: SecretHasher,
  key: CredentialKey,
  granted: readonly Scope[] = scopesOfKind[key.kind],
  chosen?: string,
): Promise<string> => {
  const secret = chosen ?? makeSecret(random);
  const hash = chosen === undefined ? hashGeneratedSecret(random, secret) : await secrets.hash(chosen);
  const id = Buffer.from(random.bytes(12)).toString("base64url");
  const added = await store.write(function* () {
    const row = yield* one(
      addCredentialRow({ ...valuesOf(key), id, hash, scopes: granted.join(" "), now: clock.now() }),
    );
    if (row !== undefined) yield* run(deleteTokensOf({ credential: row.id }));
    return row;
  });
  if (added === undefined) throw new ServiceError("validation_failed", `${describe(key)} already has a credential`);
  return secret;
};

/** A new secret; the old one and all tokens stop working. */
export const rotateCredential = async (
  { store, random }: Pick<Owned, "store" | "random">,
  key: CredentialKey,
): Promise<string> => {
  const secret = makeSecret(random);
  const hash = hashGeneratedSecret(random, secret);
  const found = await store.write(function* () {
    const row = yield* one(rotateCredentialRow({ ...valuesOf(key), hash }));
    if (row !== undefined) yield* run(deleteTokensOf({ credential: row.id }));
    return row !== undefined;
  });
  if (!found) throw new ServiceError("not_found", `${describe(key)} has no credential in use`);
  return secret;
};

/** The secret and all tokens stop working, in every process within a second. */
export const revokeCredential = async ({ store, clock }: Owned, key: CredentialKey): Promise<void> => {
  const found = await store.write(function* () {
    const row = yield* one(revokeCredentialRow({ ...valuesOf(key), now: clock.now() }));
    if (row !== undefined) yield* run(deleteTokensOf({ credential: row.id }));
    return row !== undefined;
  });
  if (!found) throw new ServiceError("not_found", `${describe(key)} has no credential in use`);
};

/** All credentials, in the order of their owners; secrets are never read. */
export const listCredentials = ({ store }: Owned) =>
  store.read(function* () {
    return yield* all(allCredentials({}));
  });
