/** Partners (banks): their rows, allowed shops, addresses and keys. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Repeated, repeat } from "../background.ts";
import type { BoundPartner, KeyReader, Service, ServiceOptions } from "../context.ts";
import { isServiceUrl } from "../contract/service-url.ts";
import { isUnsafeHost } from "../network.ts";
import type { Clock } from "../ports.ts";
import { messageOf } from "../service-error.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { servedWithSetting, setSetting } from "../store/settings.ts";
import { adhoc, type Query, type Store, StoreRefused, statement, type Tx, type Value } from "../store/store.ts";
import { isSealed, type KeyCipher, keyProblem, plainKeys } from "./keys.ts";

/** Means every shop in `partner_merchants`. */
export const everyMerchant = "*";

/** Adds a partner; no row comes back where the id is taken. */
export const insertPartner = statement(
  "partner_insert",
  (db, p: { id: string; url: string | null; secret: string | null; now: number }) =>
    db
      .insertInto("partners")
      .values({ id: p.id, url: p.url, secret: p.secret, created_at: p.now })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id"),
);

const columns = columnsOf("partners", "created_at");
/** A partner's columns except its id, for joins. */
export const columnsBeside = columnsOf("partners", "created_at", "id").map((column) => `partners.${column}` as const);

/** A partner as calls to it and the operator's commands see it. */
export type Partner = Omit<RowOf<"partners">, "created_at">;

/** One partner. */
export const partnerById = statement("partner_by_id", (db, p: { id: string }) =>
  db.selectFrom("partners").select(columns).where("id", "=", p.id),
);

/** All partners, by id. */
export const allPartners = statement("partners_all", (db) => db.selectFrom("partners").select(columns).orderBy("id"));

/** Changes the given columns; no row comes back when there is no such partner. */
export const updatePartner = (id: string, changes: Partial<Omit<Partner, "id">>): Query<Partner> =>
  adhoc((db) => db.updateTable("partners").set(changes).where("id", "=", id).returning(columns));

/** Replaces the key that was read, which stays valid beside the new one; no row comes back when it has changed meanwhile. */
export const rotateKey = (id: string, p: { secret: string; previous: string; until: number }): Query<{ id: string }> =>
  adhoc((db) =>
    db
      .updateTable("partners")
      .set({ secret: p.secret, previous_secret: p.previous, previous_secret_until: p.until })
      .where((row) => row.and({ id, secret: p.previous }))
      .returning("id"),
  );

/** Replaces a stored key by its encrypted form, unless it has changed since it was read. */
const replaceKey = (column: "secret" | "previous_secret", id: string, plain: string, sealed: string) =>
  adhoc((db) => db.updateTable("partners").set(column, sealed).where("id", "=", id).where(column, "=", plain));

type Allowance = { readonly partner: string; readonly merchant: string };

/** @param merchant a shop's id, or `everyMerchant`. */
export const allowMerchant = statement("partner_merchant_allow", (db, p: Allowance & { readonly now: number }) =>
  db
    .insertInto("partner_merchants")
    .values({ partner_id: p.partner, merchant_id: p.merchant, created_at: p.now })
    .onConflict((conflict) => conflict.columns(["partner_id", "merchant_id"]).doNothing()),
);

/** Removes a shop, or `everyMerchant`, from a partner's list. */
export const disallowMerchant = statement("partner_merchant_disallow", (db, p: Allowance) =>
  db.deleteFrom("partner_merchants").where("partner_id", "=", p.partner).where("merchant_id", "=", p.merchant),
);

/** SQL condition: the partner may use the shop, and the shop is not disabled. */
export const partnerMayUse = (partner: RawBuilder<unknown>, merchant: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`(exists (select 1 from partner_merchants as allowed where allowed.partner_id = ${partner}
    and (allowed.merchant_id = ${merchant} or allowed.merchant_id = ${sql.lit(everyMerchant)}))
    and not exists (select 1 from merchants as closed where closed.id = ${merchant} and closed.disabled_at is not null))`;

/** Which partner may use which shops. */
export const allAllowances = statement("partner_merchants_all", (db) =>
  db.selectFrom("partner_merchants").select(["partner_id", "merchant_id"]).orderBy("partner_id").orderBy("merchant_id"),
);

/**
 * What is wrong with an address of a bank, as the end of a sentence; `null` when it may be called.
 * @param sandbox plain http is allowed to every host: no real money moves there.
 */
export const addressProblem = (text: string, sandbox: boolean): string | null => {
  if (!URL.canParse(text)) return "must be an address that begins with https://";
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return "must be an address that begins with https://";
  if (username !== "" || password !== "") return "must not hold a user or a password";
  if (search !== "" || hash !== "") return "must not hold ? or #";
  if (isUnsafeHost(hostname)) return `must not point to ${hostname}, where no bank can be`;
  if (!sandbox && !isServiceUrl(text)) return "must be https (plain http is for this very machine alone)";
  return null;
};

/** A bank's stored addresses and key. */
type Stored = Pick<Partner, "url" | "secret"> & Partial<Pick<Partner, "events_url">>;
type OldKey = Pick<Partner, "previous_secret" | "previous_secret_until">;
type Options = Pick<ServiceOptions, "boundPartners" | "keyCipher" | "isSandbox">;

/**
 * Problems with a bank's stored settings, which an older program may have written or which were damaged. Nothing is
 * sent to such an address or signed with such a key until an operator has fixed it.
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
    return messageOf(error);
  }
};

/** A bank's address and key. `null`: it has no usable one and cannot request anything; its orders never go to another bank. */
export const partnerAddress = (
  options: Options,
  partnerId: string,
  row: Pick<Partner, "url" | "secret"> | undefined,
): BoundPartner | null => {
  if (!row?.url || !row.secret) return options.boundPartners.get(partnerId) ?? null;
  if (partnerProblems(partnerId, { url: row.url, secret: row.secret }, options).length > 0) return null;
  return { url: row.url, secret: options.keyCipher.open(partnerId, row.secret) };
};

/** The stored address of calls; empty where it comes from the installation's settings. */
export const storedAddress = (row: Pick<Partner, "url" | "secret"> | undefined): string =>
  row?.url && row.secret ? row.url : "";

/** Until when the previous key still signs (ms); null when it does not, or there is none. */
export const oldKeyUntil = (row: OldKey, nowMs: number): number | null =>
  row.previous_secret !== null && nowMs < (row.previous_secret_until ?? 0) ? row.previous_secret_until : null;

/** The keys that sign a call: the current one first, then during a rotation the previous one, if readable. */
export const signingKeys = (
  { keyCipher }: Options,
  { secret }: BoundPartner,
  row: Partner | undefined,
  nowMs: number,
): readonly string[] => {
  if (!row?.previous_secret || oldKeyUntil(row, nowMs) === null) return [secret];
  const previous = tryOpen(keyCipher, row.id, row.previous_secret);
  return previous === null ? [secret] : [secret, previous];
};

/** What a unit changes of these tables, as `recordSettings` takes it. */
type Change = readonly [
  setting: readonly ["partners" | "partner_merchants", ...string[]],
  values: Readonly<Record<string, Value>>,
];

/** What the audit says of a bank, and how it is told of a change, in its commit. */
interface SettingsAudit {
  audited(
    tx: Tx,
    bank: readonly ["partners", id: string],
  ): Promise<{ readonly isThere: boolean; has(column: string, value: Value): boolean }>;
  record(tx: Tx, changes: readonly Change[]): Promise<unknown>;
}

interface Prepared {
  /** The bank of PARTNER_ID. */
  readonly partner: { readonly id: string } | null;
  readonly keyCipher?: KeyCipher;
  /** Names of the service's keys, where no other process uses the database. */
  readonly servedWith?: string | null;
  /** Whether to encrypt keys from before SERVICE_KEY. Default: no, so that processes without it can read them. */
  readonly seal?: boolean;
  /** Default: none. */
  readonly audit?: SettingsAudit;
}

const noAudit: SettingsAudit = { audited: async () => ({ isThere: false, has: () => true }), record: async () => {} };

/**
 * Adds the bank of PARTNER_ID, allowed every shop, where it is missing; the audit goes on saying what it said of one that
 * somebody has taken away.
 * @returns how many stored keys are not encrypted although they could be.
 * @throws StoreRefused where no encrypted key can be read: SERVICE_KEY is missing, or another installation's.
 */
export const preparePartners = async (
  store: Store,
  clock: Clock,
  { partner, keyCipher = plainKeys, seal = false, servedWith = null, audit = noAudit }: Prepared,
): Promise<number> => {
  const now = clock.now();
  const stored = await store.write(async (tx) => {
    if (partner !== null) {
      const added = await tx.first(insertPartner({ id: partner.id, url: null, secret: null, now }));
      if (added !== undefined) {
        await tx.run(allowMerchant({ partner: partner.id, merchant: everyMerchant, now }));
        if (!(await audit.audited(tx, ["partners", partner.id])).isThere)
          await audit.record(tx, [
            [["partners", partner.id], { url: null, secret: null }],
            [["partner_merchants", partner.id, everyMerchant], {}],
          ]);
      }
    }
    if (servedWith !== null) await tx.run(setSetting({ name: servedWithSetting, value: servedWith }));
    return tx.all(allPartners({}));
  });
  refuseOtherServiceKey(stored, keyCipher);
  if (keyCipher === plainKeys) return 0;
  return seal ? (await sealKeys(store, keyCipher, audit)).left : plainCount(stored);
};

/** Columns with a bank's keys. */
export const keyColumns = ["secret", "previous_secret"] as const;

/** Refuses if no encrypted key can be read. A single unreadable one is damaged and stops only its bank (`partnerProblems`). */
const refuseOtherServiceKey = (rows: readonly Partner[], keyCipher: KeyCipher): void => {
  const unread: string[] = [];
  for (const row of rows) {
    for (const column of keyColumns) {
      const key = row[column];
      if (key === null || !isSealed(key)) continue;
      try {
        keyCipher.open(row.id, key);
        return;
      } catch (error) {
        unread.push(messageOf(error));
      }
    }
  }
  if (unread.length > 0) throw new StoreRefused([...new Set(unread)].join("\n"));
};

const plainKeysOf = (row: Partner) =>
  keyColumns.flatMap((column) => {
    const key = row[column];
    return key === null || isSealed(key) ? [] : [{ column, key }];
  });

const plainCount = (rows: readonly Partner[]): number => rows.reduce((sum, row) => sum + plainKeysOf(row).length, 0);

/**
 * Encrypts the keys that were stored before SERVICE_KEY was set, but for one that changes meanwhile, and one that is not as
 * it was audited. @returns how many, and how many are left.
 */
export const sealKeys = async (store: Store, keyCipher: KeyCipher, audit: SettingsAudit) => {
  let sealed = 0;
  const rows = await store.read((tx) => tx.all(allPartners({})));
  for (const row of rows) {
    for (const { column, key } of plainKeysOf(row))
      sealed += await store.write(async (tx) => {
        if (!(await audit.audited(tx, ["partners", row.id])).has(column, key)) return 0;
        const encrypted = keyCipher.seal(row.id, key);
        const replaced = await tx.run(replaceKey(column, row.id, key, encrypted));
        if (replaced > 0) await audit.record(tx, [[["partners", row.id], { [column]: encrypted }]]);
        return replaced;
      });
  }
  return { sealed, left: plainCount(rows) - sealed };
};

/** Re-encrypts keys under another service key, in one unit of work; keys that neither can read are damaged and left alone. */
export const rewrapKeys = async (tx: Tx, from: KeyCipher, to: KeyCipher, audit: SettingsAudit) => {
  let [done, unreadable] = [0, 0];
  const changes: Change[] = [];
  for (const row of await tx.all(allPartners({}))) {
    for (const column of keyColumns) {
      const stored = row[column];
      if (stored === null || (isSealed(stored) && tryOpen(to, row.id, stored) !== null)) continue;
      const key = tryOpen(from, row.id, stored);
      if (key === null) unreadable += 1;
      else {
        const encrypted = to.seal(row.id, key);
        done += await tx.run(replaceKey(column, row.id, stored, encrypted));
        const isOwn = (await audit.audited(tx, ["partners", row.id])).has(column, stored);
        changes.push([["partners", row.id], isOwn ? { [column]: encrypted } : {}]);
      }
    }
  }
  await audit.record(tx, changes);
  return { done, unreadable };
};

/** Decrypts a bank's stored key; null where it cannot be read. */
export const tryOpen = (cipher: KeyReader, id: string, stored: string): string | null => {
  try {
    return cipher.open(id, stored);
  } catch {
    return null;
  }
};

const everyMs = 60_000;

/** Logs at start, and when it is new, which banks cannot be called because of their stored settings; counts them every minute. */
export const watchPartners = async (service: Service): Promise<Repeated> => {
  const { store, clock, log, telemetry, options } = service;
  let known = new Set<string>();
  const look = async (): Promise<number> => {
    try {
      const rows = await store.read((tx) => tx.all(allPartners({})));
      const bad = rows.map((row) => ({ id: row.id, problems: partnerProblems(row.id, row, options) }));
      const problems = bad.flatMap((each) => each.problems.map((problem) => ({ id: each.id, problem })));
      for (const { id, problem } of problems)
        if (!known.has(problem)) log.error({ partner: id }, `this bank is not called: ${problem}`);
      known = new Set(problems.map(({ problem }) => problem));
      telemetry.unusablePartners(new Set(problems.map(({ id }) => id)).size);
    } catch (error) {
      log.warn({ err: error }, "the banks could not be looked at and will be again");
    }
    return everyMs;
  };
  await look();
  return repeat(clock, everyMs, look);
};
