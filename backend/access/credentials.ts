/** Credentials, whose secrets are returned once and kept as hashes: adding, rotating and revoking them; their tokens, and what a process keeps of them. */
import { createHmac, createSecretKey } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Service } from "../context.ts";
import { tokenLifetimeSeconds } from "../contract/pos.ts";
import { type Scope, scopes } from "../contract/scopes.ts";
import { hourMs, minuteMs } from "../contract/times.ts";
import { ServiceError } from "../service-error.ts";
import type { CredentialKind, Database, RowOf } from "../store/schema.ts";
import { adhoc, insertRow, type Query, statement, type Tx, type UnitOfWork } from "../store/store.ts";
import { type AuditEvent, appendAuditIfKeyed, auditColumns } from "./audit.ts";
import { lruBound } from "./rate-limits.ts";
import { hashGeneratedSecret, makeSecret, type SecretHasher } from "./secrets.ts";
import { type AuditedFrom, auditedFrom, newestAccessEntry, unauditedUse, writeSettings } from "./setting-entries.ts";
import type { Setting } from "./setting-kinds.ts";

/** Who may hold a scope; leaving one out is a type error. */
const holderOf: Readonly<Record<Scope, CredentialKind>> = {
  transactions: "terminal",
  checkin: "client",
  users: "client",
  withdrawals: "client",
  reconciliation: "client",
  reports: "chain",
  terminals: "chain",
};

/** All that a key of each kind may be granted. */
export const scopesOfKind: Readonly<Record<CredentialKind, readonly Scope[]>> = {
  terminal: scopes.filter((scope) => holderOf[scope] === "terminal"),
  client: scopes.filter((scope) => holderOf[scope] === "client"),
  chain: scopes.filter((scope) => holderOf[scope] === "chain"),
};

type Owned = Pick<Service, "store" | "clock" | "random" | "keys">;

/** The row of a key as the audit names it. */
export const accessOf = ({ kind, ownerId, deviceId }: CredentialKey): Setting => [
  "credentials",
  kind,
  ownerId,
  deviceId,
];

const describe = (key: CredentialKey) => `${key.kind} ${key.ownerId} / ${key.deviceId}`;

/**
 * @param chosen by the caller (the sandbox's), else a random one. @param inSameTransaction what belongs to it.
 * @throws ServiceError `validation_failed` when the device already has a credential.
 */
export const addCredential = async (
  on: Owned,
  secrets: SecretHasher,
  key: CredentialKey,
  granted: readonly Scope[] = scopesOfKind[key.kind],
  chosen?: string,
  inSameTransaction: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<string> => {
  const { clock, random } = on;
  const secret = chosen ?? makeSecret(random);
  const hash = chosen === undefined ? hashGeneratedSecret(random, secret) : await secrets.hash(chosen);
  const id = Buffer.from(random.bytes(12)).toString("base64url");
  await writeSettings(on, async (tx, changed) => {
    const now = clock.now();
    const scopes = granted.join(" ");
    const row = await tx.first(addCredentialRow({ ...key, id, hash, scopes, now }));
    if (row === undefined) throw new ServiceError("validation_failed", `${describe(key)} already has a credential`);
    changed.push([accessOf(key), addedValues(row, { id, hash, scopes })]);
    await endTokensOf(tx, row.id, now);
    await inSameTransaction(tx);
  });
  return secret;
};

/** A new secret; the old one and all tokens stop working. */
export const rotateCredential = async (on: Owned, key: CredentialKey) => {
  const secret = makeSecret(on.random);
  const hash = hashGeneratedSecret(on.random, secret);
  await writeSettings(on, async (tx, changed) => {
    // An open enrolment code would replace the new secret.
    if (key.kind === "terminal") await tx.run(endEnrolments({ merchant: key.ownerId, device: key.deviceId }));
    await changeInUse(tx, key, rotateCredentialRow({ ...key, hash }), on.clock.now());
    changed.push([accessOf(key), { secret_hash: hash }]);
  });
  return secret;
};

/** The secret and all tokens stop working, in every process within a second; so do codes that would enrol the device again. */
export const revokeCredential = (on: Owned, key: CredentialKey): Promise<void> =>
  writeSettings(on, async (tx, changed) => {
    const device = { merchant: key.ownerId, device: key.deviceId };
    const codes = key.kind === "terminal" ? await tx.run(endEnrolments(device)) : 0;
    const now = on.clock.now();
    const isRevoked = await changeInUse(tx, key, revokeCredentialRow({ ...key, now }), now, codes > 0);
    const isThere = async () => (await tx.first(credentialByDevice(key))) !== undefined;
    // An entry also where a code alone was ended: it is worth nothing from then on.
    changed.push([accessOf(key), isRevoked ? { revoked_at: now } : (await isThere()) ? {} : null]);
  });

const changeInUse = async (
  tx: Tx,
  key: CredentialKey,
  change: Query<{ readonly id: string }>,
  now: number,
  mayLack = false,
) => {
  const row = await tx.first(change);
  if (row !== undefined) {
    await tx.run(deleteTokensOf({ credential: row.id }));
    // Always: a failover or a restore may have forgotten tokens that a process still knows.
    await tx.run(countEnd(now));
  } else if (!mayLack) throw new ServiceError("not_found", `${describe(key)} has no credential in use`);
  return row !== undefined;
};

/** All credentials, ordered by owner, without secrets. */
export const listCredentials = ({ store }: Pick<Owned, "store">) => store.read((tx) => tx.all(allCredentials({})));

/** A device of a merchant (`terminal`) or of a partner (`client`); a chain has one, its `officeDevice`. */
export type CredentialKey = { readonly kind: CredentialKind; readonly ownerId: string; readonly deviceId: string };

/** The device id of every chain's credential. */
export const officeDevice = "office";

/** The credential with its secret's hash, revoked or not. */
export const credentialByDevice = statement("credential_by_device", (db, p: CredentialKey) =>
  db
    .selectFrom("credentials")
    .select(["id", "secret_hash", "scopes", "revoked_at"])
    .where((row) => row.and({ kind: p.kind, owner_id: p.ownerId, device_id: p.deviceId })),
);

type NewCredential = CredentialKey & {
  readonly id: string;
  readonly hash: string;
  readonly scopes: string;
  now: number;
};

/** Adds a credential, or brings a revoked one back with a new secret; no row comes back when it is in use. */
export const addCredentialRow = statement("credential_add", (db, p: NewCredential) =>
  db
    .insertInto("credentials")
    .values({
      id: p.id,
      kind: p.kind,
      owner_id: p.ownerId,
      device_id: p.deviceId,
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

/** What such an addition has written: a key that was revoked keeps its number. */
export const addedValues = (added: { readonly id: string }, p: Pick<NewCredential, "id" | "hash" | "scopes">) => ({
  ...(added.id === p.id ? { id: p.id } : {}),
  secret_hash: p.hash,
  scopes: p.scopes,
  revoked_at: null,
});

const updateInUse = (db: Kysely<Database>, p: CredentialKey) =>
  db
    .updateTable("credentials")
    .where((row) => row.and({ kind: p.kind, owner_id: p.ownerId, device_id: p.deviceId }))
    .where("revoked_at", "is", null)
    .returning("id");
/** Replaces the secret's hash; no row comes back where it is revoked or unknown. */
export const rotateCredentialRow = statement("credential_rotate", (db, p: CredentialKey & { readonly hash: string }) =>
  updateInUse(db, p).set({ secret_hash: p.hash }),
);
/** Ends a credential; no row comes back where it is revoked or unknown. */
const revokeCredentialRow = statement("credential_revoke", (db, p: CredentialKey & { readonly now: number }) =>
  updateInUse(db, p).set({ revoked_at: p.now }),
);

/** Ends a terminal's unused codes by setting their end to 0, which no clock has before it. */
export const endCodes = (table: "enrolments" | "manager_resets") =>
  statement(`${table}_end`, (db, p: { readonly merchant: string; readonly device: string }) =>
    db
      .updateTable(table)
      .set({ expires_at: 0 })
      .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device }))
      .where("used_at", "is", null)
      .where("expires_at", ">", 0),
  );
/** For both kinds of code: how many can still be used, and ending all of them. A restored copy does not know which were used. */
export const allCodes = (["enrolments", "manager_resets"] as const).map((table) => ({
  waiting: statement(`${table}_waiting`, (db, p: { now: number }) =>
    db
      .selectFrom(table)
      .select((row) => row.fn.countAll<number>().as("count"))
      .where("used_at", "is", null)
      .where("expires_at", ">", p.now),
  ),
  end: statement(`${table}_end_all`, (db) =>
    db.updateTable(table).set({ expires_at: 0 }).where("used_at", "is", null).where("expires_at", ">", 0),
  ),
}));
/** Ends a terminal's enrolment codes that were not used. */
export const endEnrolments = endCodes("enrolments");

/** All credentials, revoked ones too, without their hashes. */
const allCredentials = statement("credentials_all", (db) =>
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
export const lockCredential = statement("credential_lock", (db, p: { id: string; hash: string }) =>
  db
    .selectFrom("credentials")
    .select("id")
    .where((row) => row.and({ id: p.id, secret_hash: p.hash }))
    .where("revoked_at", "is", null)
    .forShare(),
);

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
        .limit(liveTokensMax - 1),
    ),
);

/**
 * Name of the counter: the time, epoch milliseconds, at which tokens were last revoked, or a later number. A value
 * never repeats, not even after a restore.
 */
const endsSetting = "tokens_ended";
/** Null while a process of an older release may run, which does not count. */
const ends = sql<string | null>`(select coalesce((select value from settings where name = ${sql.lit(endsSetting)}), '0')
  from settings where name = 'ended_apart')`.as("ends");

/** Counts a revocation: cached tokens are not used any more. */
export const countEnd = (now: number) =>
  adhoc((db) => {
    const before = sql`cast(settings.value as bigint)`;
    return {
      compile: () =>
        sql`insert into settings (name, value) values (${endsSetting}, ${String(now)}) on conflict (name) do update
          set value = cast(case when ${before} < cast(excluded.value as bigint) then cast(excluded.value as bigint)
            else ${before} + 1 end as text)`.compile(db),
    };
  });

/** The counter, which increases whenever tokens are revoked. */
export const tokenEnds = statement("token_ends", (db) => db.selectNoFrom(ends));

/** Credentials in use, each with its newest entry of the audit and the hash before that. */
const inUse = (db: Kysely<Database>) =>
  db
    .selectFrom("credentials")
    .leftJoin("audit", (join) => join.on("audit.seq", "=", newestAccessEntry))
    .leftJoin("audit as before", (join) => join.on("before.seq", "=", sql<number>`audit.seq - 1`))
    .select(["credentials.id", "kind", "owner_id", "device_id", "secret_hash", "credentials.scopes", "revoked_at"])
    .select(auditColumns.map((column) => `audit.${column}` as const))
    .select("before.hash as hash_before")
    .where("revoked_at", "is", null);

/** A credential in use with its entry, in one statement: no change comes in between. */
export const credentialInUse = statement("credential_in_use", (db, p: { readonly id: string }) =>
  inUse(db).where("credentials.id", "=", p.id),
);

/** The same of a token, with what that grants and until when; no row if it was deleted or its credential revoked. */
export const tokenByHash = statement("token_by_hash", (db, p: { hash: string }) =>
  inUse(db)
    .innerJoin("tokens", "tokens.credential_id", "credentials.id")
    .select(["tokens.scopes as granted", "tokens.expires_at"])
    .where("tokens.token_hash", "=", p.hash),
);

/** Deletes tokens before their time; every process notices within a second. */
export async function endTokens(tx: Tx, tokens: Query<unknown>, now: number): Promise<void> {
  if ((await tx.run(tokens)) > 0) await tx.run(countEnd(now));
}

/** Ends all tokens of a credential. */
export const endTokensOf = (tx: Tx, credential: string, now: number) =>
  endTokens(tx, deleteTokensOf({ credential }), now);

const deleteTokensOf = statement("tokens_delete_of_credential", (db, p: { readonly credential: string }) =>
  db.deleteFrom("tokens").where("credential_id", "=", p.credential),
);

/** Tokens issued after `future`, by a clock that was ahead, end at `expires` at the latest. */
export const shortenFutureTokens = statement("tokens_shorten_future", (db, p: { future: number; expires: number }) =>
  db
    .updateTable("tokens")
    .set({ expires_at: p.expires })
    .where("created_at", ">", p.future)
    .where("expires_at", ">", p.expires),
);

/** Deletes tokens that ended before `before`; valid ones are never touched. */
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

/**
 * Access tokens: the id of their credential and 138 random bits, opaque for callers. The database holds
 * HMAC-SHA256(TOKEN_SECRET, token), so nobody can sign in with what they read there, and nobody who writes there gives
 * their own token somebody else's rights. Tokens survive a restart and end with their credential. One for each process.
 * @param tokenSecret TOKEN_SECRET.
 */
export const createTokens = (service: Service, tokenSecret: string) => {
  const { store, clock, random } = service;
  const endsNow = async (tx: Tx) => (await tx.first(tokenEnds({})))?.ends ?? null;
  const kept = createCache<Found>(service, endsNow, cachedTokensMax);
  const noted = new LRUCache<string, number>(lruBound(cachedTokensMax));
  const key = createSecretKey(tokenSecret, "utf8");
  /** The form in which the secret of a token or an address is kept. */
  const hash = (secret: string): string => createHmac("sha256", key).update(secret).digest("base64url");

  let known: AuditedFrom = {};
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

/** A change, by any process, takes effect within this time. */
export const changeSeenMs = 1_000;
/** Maximum age, for changes made directly in the database. */
export const maxAgeMs = 10 * minuteMs;

const isWithin = (ms: number, at: number, now: number): boolean => now - at < ms && now >= at;

/**
 * @param version changes with every change of the data, in the same commit; read at most once a second for the whole
 * cache. Null: not all processes maintain it, so entries are used for one second only.
 * @param entriesMax least recently used entries are dropped.
 * @returns reads an entry by its key, from the cache if possible; missing ones are not cached.
 */
export const createCache = <Value extends object>(
  { store, clock }: Pick<Service, "store" | "clock">,
  version: UnitOfWork<string | null>,
  entriesMax: number,
) => {
  const kept = new LRUCache<
    string,
    { readonly value: Value; readonly readAt: number; readonly version: string | null }
  >(lruBound(entriesMax));
  let asked: { readonly at: number; readonly version: Promise<string | null> } | null = null;
  const versionNow = (): Promise<string | null> => {
    const at = clock.now();
    if (asked !== null && isWithin(changeSeenMs, asked.at, at)) return asked.version;
    const latest = { at, version: store.read(version, true) };
    asked = latest;
    latest.version.catch(() => {
      if (asked === latest) asked = null;
    });
    return latest.version;
  };
  return async (key: string, read: UnitOfWork<Value | undefined>): Promise<Value | undefined> => {
    const now = clock.now();
    const known = kept.get(key);
    if (known !== undefined && isWithin(changeSeenMs, known.readAt, now)) return known.value;
    // Read before the value: a change in between gives the next version.
    const current = await versionNow();
    if (known !== undefined && current !== null && known.version === current && isWithin(maxAgeMs, known.readAt, now))
      return known.value;
    const value = await store.read(read, true);
    if (value === undefined) kept.delete(key);
    else kept.set(key, { value, readAt: now, version: current });
    return value;
  };
};
