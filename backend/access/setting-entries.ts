/**
 * Settings in the audit: each change of a shop, a bank, a key or a permission writes an entry with the row's new values
 * in the same commit. A row that differs from its newest entry was changed behind the service's back; it goes on doing so
 * after later changes, as an entry repeats the one before in all that its change did not mean.
 */
import { createHmac } from "node:crypto";
import { sql } from "kysely";
import { allKeys, type ChainKeys } from "../context.ts";
import { formatAmount } from "../contract/money.ts";
import { toTime } from "../contract/times.ts";
import type { Clock } from "../ports.ts";
import type { RowOf } from "../store/schema.ts";
import { adhoc, type Store, type Tx, type Value } from "../store/store.ts";
import { foldedId } from "../store/user-key.ts";
import { type AuditEvent, appendAll, auditColumns, firstAudit, holdAudit, isChained } from "./audit.ts";
import {
  type Kind,
  kindOf,
  kinds,
  type Row,
  type Setting,
  type SettingTable,
  type Show,
  tables,
} from "./setting-kinds.ts";

/** The audit's event of such an entry. */
export const settingEvent = "setting";
/** The audit's event from which on every row has one. */
export const settingsEvent = "settings_recorded";
const asFound = "service, as found";
/** Whether an entry is of that first look, which ends with `settingsEvent`. */
export const isOfFirstLook = ({ event, actor }: Pick<RowOf<"audit">, "event" | "actor">): boolean =>
  event === settingEvent && actor === asFound;

/** What a commit means of a row: the columns that it writes, each with its value; null: to take the row away. */
export type Change = readonly [setting: Setting, values: Row | null];

/** The `object` of the entries on a shop, a bank, and a bank's permission for a shop (`*`: for every one). */
export const objectsOf = {
  shop: (id: string) => kinds.merchants.object([id]),
  bank: (id: string) => kinds.partners.object([id]),
  permission: (bank: string, shop: string) => kinds.partner_merchants.object([bank, shop]),
} as const;

/** Label and text of a column of a shop or a bank. @param row has the currency of its amounts. */
export const showSetting = (object: string, column: string, row: Row) => {
  const { columns }: Kind = object.startsWith("shop ") ? kinds.merchants : kinds.partners;
  const [word, show] = columns[column] ?? [column, "text"];
  return { word, text: (value: Value) => shown(show, value, row.currency ?? row.user_day_currency ?? null) };
};

/** Longer values are audited as a digest. */
const valueMax = 1_000;
const rowsPerPage = 200;

/** Digest of a secret, under the key of its entry. */
const digestOf = ({ history }: ChainKeys, column: string, value: Value): string =>
  `#${history(JSON.stringify(["setting", column, value])).slice(0, 22)}`;

/** Whether a text is kept as a digest, or is one. */
const isDigested = (value: Value): boolean =>
  typeof value === "string" && (value.length > valueMax || value.startsWith("#"));
const isHidden = (show: Show, value: Value): boolean => value !== null && (show === "secret" || isDigested(value));

const held = (keys: ChainKeys, column: string, show: Show, value: Value): Value =>
  isHidden(show, value) ? digestOf(keys, column, value) : value;

/** A user's id stays out of the audit, which is never erased. */
const namesOf = (keys: Pick<ChainKeys, "audit">, [table, ...key]: Setting): readonly string[] => {
  const [bank = "", user = ""] = key;
  if (table !== "customers") return key;
  return [bank, createHmac("sha256", keys.audit).update(foldedId(user)).digest("hex").slice(0, 16)];
};

/** The `object` of a row's entries. */
const objectOf = (keys: Pick<ChainKeys, "audit">, setting: Setting): string =>
  kindOf(setting[0]).object(namesOf(keys, setting));

/** What a user's block is called in the audit, under each key. @param userId in any case. */
export const blockObjects = (chain: readonly ChainKeys[], partnerId: string, userId: string): readonly string[] =>
  chain.map((keys) => objectOf(keys, ["customers", partnerId, userId]));
/** Whether an entry is about a user's block. */
export const isAboutBlock = ({ event, object }: Pick<RowOf<"audit">, "event" | "object">): boolean =>
  event === settingEvent && object.startsWith("block of user ");

/** The existing rows among these keys; a user counts as existing while blocked. */
const rowsWith = (table: SettingTable, keys: readonly (readonly string[])[]) =>
  selectRows(table, (columns) => {
    const list = keys.map((key) => sql`(${sql.join(key)})`);
    return sql`(${columns}) in (values ${sql.join(list)})`;
  });

/** A page of rows, ordered by key. */
const rowsAfter = (table: SettingTable, after: readonly string[]) =>
  selectRows(table, (columns) => sql`(${columns}) > (${sql.join(after)})`, rowsPerPage);

const selectRows = (
  table: SettingTable,
  where: (columns: ReturnType<typeof sql.join>) => ReturnType<typeof sql<boolean>>,
  limit = Number.MAX_SAFE_INTEGER,
) =>
  adhoc((db) => {
    const { key, columns } = kindOf(table);
    const named = [...new Set([...key, ...Object.keys(columns)])].map((column) => sql.ref(column));
    const order = sql.join(key.map((column) => sql.ref(column)));
    const blocked = table === "customers" ? sql` and blocked_at is not null` : sql``;
    return {
      compile: () =>
        sql<Row>`select ${sql.join(named)} from ${sql.table(table)} where ${where(order)}${blocked} order by ${order} limit ${sql.lit(limit)}`.compile(
          db,
        ),
    };
  });

/** An entry, as far as rows are compared with it. */
export type SettingEntry = Pick<RowOf<"audit">, "seq" | "at" | "object" | "detail" | "key_id">;

/** The values that an entry has recorded of its row. */
interface Held {
  readonly of: SettingTable;
  readonly gone?: true;
  readonly [column: string]: Value | true | undefined;
}

/** @returns null for what no release has written. */
export const readHeld = ({ detail }: Pick<SettingEntry, "detail">): Held | null => {
  const held = JSON.parse(detail ?? "null") as Held | null;
  return held !== null && held.of in kinds ? held : null;
};

const entryColumns = auditColumns.filter((column) =>
  ["seq", "at", "object", "detail", "key_id"].includes(column),
) as (keyof SettingEntry)[];
/** Written so that this condition uses no index: the planner is to take `audit_by_object`, not the index by event. */
const isSetting = (of: string) => sql<boolean>`(${sql.ref(`${of}.event`)} = ${sql.lit(settingEvent)}) is true`;

const settingEntries = (db: Parameters<Parameters<typeof adhoc>[0]>[0]) =>
  db
    .selectFrom("audit as a")
    .select(entryColumns.map((column) => `a.${column}` as const))
    .where(isSetting("a"))
    .orderBy("a.object")
    .orderBy("a.seq");

const newestEntries = (db: Parameters<Parameters<typeof adhoc>[0]>[0]) =>
  settingEntries(db).where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom("audit as later")
          .select("later.seq")
          .where(isSetting("later"))
          .whereRef("later.object", "=", "a.object")
          .whereRef("later.seq", ">", "a.seq"),
      ),
    ),
  );

/** All entries of these rows, oldest first. */
export const entriesOf = (objects: readonly string[]) =>
  adhoc<SettingEntry>((db) => settingEntries(db).where("a.object", "in", objects));

const newestOf = (objects: readonly string[]) =>
  adhoc<SettingEntry>((db) => newestEntries(db).where("a.object", "in", objects));

/** An entry with the hash of the entry before it. */
type Chained = RowOf<"audit"> & { readonly hash_before: string | null };

const newestChained = (objects: readonly string[]) =>
  adhoc<Chained>((db) =>
    newestEntries(db)
      .leftJoin("audit as before", (join) => join.on("before.seq", "=", sql<number>`a.seq - 1`))
      .clearSelect()
      .select(auditColumns.map((column) => `a.${column}` as const))
      .select("before.hash as hash_before")
      .where("a.object", "in", objects),
  );

/** The number of the newest entry on a key, in a statement on `credentials`. */
export const newestAccessEntry = sql<number>`(select max(newest.seq) from audit as newest where newest.object =
  'access of ' || credentials.kind || ' ' || credentials.owner_id || '/' || credentials.device_id and ${isSetting("newest")})`;

const newestAfter = (object: string) =>
  adhoc<SettingEntry>((db) => newestEntries(db).where("a.object", ">", object).limit(rowsPerPage));

const keyOf = (table: SettingTable, row: Row): Setting => [
  table,
  ...kindOf(table).key.map((column) => String(row[column])),
];

const describeGone = (of: SettingTable, names: Partial<Row>) => {
  const key = Object.fromEntries(kindOf(of).key.map((column) => [column, names[column]]));
  return JSON.stringify({ of, ...key, gone: true });
};

const settingEvents = (actor: string, of: readonly { readonly object: string; readonly detail: string }[]) =>
  of.map(
    ({ object, detail }) => ({ event: settingEvent, actor, address: null, object, detail, isBounded: true }) as const,
  );

/** What the audit says of a row. */
interface AuditedRow {
  /** Whether its newest entry says that it is there, or is no entry to go by. */
  readonly isThere: boolean;
  /** Whether this is the audited value of a column. */
  has(column: string, value: Value): boolean;
}

interface Said extends AuditedRow {
  /** The audited values; none where there is no entry to go by. */
  readonly values: Row;
}

/** By the names of the rows. Before all settings were audited, and under a key that is lost, each value is the audited one. */
async function readSaid(tx: Tx, keys: ChainKeys, settings: readonly Setting[]): Promise<ReadonlyMap<string, Said>> {
  if (settings.length === 0) return new Map();
  const from = await auditedFrom(tx, keys, {});
  const entries = await tx.all(newestChained(settings.map((setting) => objectOf(keys, setting))));
  const newest = new Map(entries.map((entry) => [entry.object, entry]));
  return new Map(
    settings.map((setting) => {
      const [object, columns] = [objectOf(keys, setting), kindOf(setting[0]).columns];
      const entry = newest.get(object);
      const doubt = entry === undefined ? null : doubtOf(keys, entry, from.ownSeq);
      const said = entry === undefined || doubt !== null ? null : readHeld(entry);
      const values = said === null || said.gone ? {} : (said as Row);
      const isFound = doubt === "older" || (entry === undefined && !from.isRecorded);
      const under = allKeys(keys).find(({ auditKeyId }) => auditKeyId === entry?.key_id) ?? keys;
      const has = (column: string, value: Value) =>
        isFound || held(under, column, columns[column]?.[1] ?? "text", value) === (values[column] ?? null);
      return [object, { isThere: entry !== undefined && said?.gone !== true, has, values }];
    }),
  );
}

/** For units that change rows elsewhere. */
export const settingsAudit = ({ keys, clock }: { readonly keys: ChainKeys; readonly clock: Clock }) => ({
  audited: async (tx: Tx, setting: Setting): Promise<AuditedRow> =>
    (await readSaid(tx, keys, [setting])).values().next().value as Said,
  record: (tx: Tx, changes: readonly Change[]) => recordSettings(tx, keys, clock.now(), changes),
});

/**
 * Writes an entry for each of these rows: what the commit means, and for the rest what the newest entry says, so that what
 * somebody else or a trigger has changed goes on being named. Call it after the changes, in the same commit.
 */
export const recordSettings = (tx: Tx, keys: ChainKeys, now: number, changes: readonly Change[]): Promise<void> =>
  writeEntries(tx, keys, now, changes, "service");

/** Writes an entry for each of these rows, as the rows are now. @param actor author of these entries. */
export const recordAsFound = (tx: Tx, keys: ChainKeys, now: number, found: readonly Setting[], actor: string) =>
  writeEntries(
    tx,
    keys,
    now,
    found.map((setting) => [setting, undefined]),
    actor,
  );

type Wanted = Change | readonly [setting: Setting, asFound: undefined];

async function writeEntries(tx: Tx, keys: ChainKeys, now: number, of: readonly Wanted[], actor: string): Promise<void> {
  if (of.length === 0) return;
  // The digests are under the key of the entries.
  await holdAudit(tx, keys);
  const wanted = new Map<string, Wanted>();
  for (const [setting, values] of of) {
    const name = JSON.stringify(setting);
    wanted.set(name, [setting, values && { ...wanted.get(name)?.[1], ...values }]);
  }
  const entries: { object: string; detail: string }[] = [];
  for (const [table, some] of Map.groupBy(wanted.values(), ([[table]]) => table)) {
    const { key, columns } = kindOf(table);
    const settings = some.map(([setting]) => setting);
    const changed = some.flatMap(([setting, values]) => (values ? [setting] : []));
    const audited = await readSaid(tx, keys, changed);
    const wantedKeys = settings.map(([, ...each]) => each);
    const rows = await tx.all(rowsWith(table, wantedKeys));
    const found = new Map(rows.map((row) => [JSON.stringify(keyOf(table, row)), row]));
    for (const [setting, meant] of some) {
      const row = found.get(JSON.stringify(setting));
      const said = audited.get(objectOf(keys, setting));
      const name = namesOf(keys, setting);
      const names = Object.fromEntries(key.map((column, at) => [column, name[at]]));
      const values = Object.entries(columns).map(([column, [, show]]) => {
        const isMeant = meant && column in meant;
        const is = (isMeant ? meant : row)?.[column] ?? null;
        const isAudited = isMeant || said === undefined || said.has(column, is);
        return [column, isAudited ? held(keys, column, show, is) : (said.values[column] ?? null)];
      });
      const isThere = meant === undefined ? row !== undefined : meant !== null;
      const detail = isThere
        ? JSON.stringify({ of: table, ...names, ...Object.fromEntries(values.filter(([, value]) => value !== null)) })
        : describeGone(table, names);
      entries.push({ object: objectOf(keys, setting), detail });
    }
    if (table === "customers") entries.push(...(await renamedEntries(tx, keys, settings)));
  }
  await appendAll(tx, keys, now, settingEvents(actor, entries));
}

/** Runs a unit that changes such rows, and audits in its commit what it adds to `changed`. */
export const writeSettings = <T>(
  { store, clock, keys }: { readonly store: Store; readonly clock: Clock; readonly keys: ChainKeys },
  unit: (tx: Tx, changed: Change[]) => Promise<T>,
): Promise<T> =>
  store.write(async (tx) => {
    const changed: Change[] = [];
    const result = await unit(tx, changed);
    await recordSettings(tx, keys, clock.now(), changed);
    return result;
  });

/** A user has another name in the audit under each service key: closes the newest entry under the old names. */
async function renamedEntries(tx: Tx, keys: ChainKeys, settings: readonly Setting[]) {
  const others = settings.flatMap((setting) => (keys.others ?? []).map((other) => objectOf(other, setting)));
  if (others.length === 0) return [];
  const newest = await tx.all(newestOf(others));
  return newest.flatMap((entry) => {
    const said = readHeld(entry);
    return said === null || said.gone ? [] : [{ object: entry.object, detail: describeGone(said.of, said as Row) }];
  });
}

/** A row that is not as its newest entry says, or the newest entry of a row that is gone. */
type SettingFinding = { readonly message: string } & (
  | {
      /** `unrecorded` (no entry at all) is usual before `settingsEvent`. */
      readonly why: "unrecorded" | "changed";
      readonly of: Setting;
    }
  | { readonly why: "gone"; readonly of: SettingEntry }
);

const shown = (show: Show, value: Value, currency: Value): string => {
  if (value === null) return "none";
  if (show === "amount") return formatAmount(Number(value), String(currency ?? "EUR"));
  return show === "time" ? toTime(Number(value)) : String(value);
};

/** The differences between a row and its entry, in words. @param keys of the entry. */
const differences = (keys: ChainKeys, object: string, table: SettingTable, row: Row, said: Held): readonly string[] =>
  Object.entries(kindOf(table).columns).flatMap(([column, [word, show]]) => {
    const [is, was] = [held(keys, column, show, row[column] ?? null), (said[column] ?? null) as Value];
    if (is === was) return [];
    const currency = (of: Row) => of.currency ?? of.user_day_currency ?? null;
    if (is !== null && was !== null && (isHidden(show, row[column] ?? null) || isDigested(was)))
      return [`the ${word} of ${object} is not the one that was audited last`];
    const now = isHidden(show, row[column] ?? null) ? "set" : shown(show, is, currency(row));
    const then = isHidden(show, was) ? "set" : shown(show, was, currency(said as Row));
    return [`the ${word} of ${object} is ${now}, its last audited value is ${then}`];
  });

/** Compares a row with the newest entries under all of its names. */
const compare = (
  chain: readonly ChainKeys[],
  setting: Setting,
  row: Row,
  newest: ReadonlyMap<string, SettingEntry>,
): readonly SettingFinding[] => {
  const entries = chain.flatMap((keys) => newest.get(objectOf(keys, setting)) ?? []);
  const entry = entries.find((each) => readHeld(each)?.gone !== true) ?? entries.at(-1);
  const object = objectOf(chain.at(-1) as ChainKeys, setting);
  if (entry === undefined) return [{ why: "unrecorded", of: setting, message: `${object} has no entry in the audit` }];
  const said = readHeld(entry);
  if (said === null || said.gone)
    return [
      { why: "changed", of: setting, message: `${object} is there, and was taken away by its last audited entry` },
    ];
  const keys = chain.find(({ auditKeyId }) => auditKeyId === entry.key_id) ?? (chain.at(-1) as ChainKeys);
  return differences(keys, object, setting[0], row, said).map((message) => ({ why: "changed", of: setting, message }));
};

/** The audit's event of a key that was used while its row was not as the audit says. */
export const unauditedEvent = "unaudited_access";

type Nullable<Of> = { readonly [Each in keyof Of]: Of[Each] | null };
/** A key's row with its newest entry, and the hash of the entry before that; nulls where there is none. */
type AccessRow = Pick<RowOf<"credentials">, "id" | "kind" | "owner_id" | "device_id"> & Nullable<Chained>;

/** What a process knows of the audit beforehand: whoever writes the database could take these entries away for a moment. */
export interface AuditedFrom {
  /** All settings were audited. */
  readonly isRecorded?: boolean | undefined;
  /** The number of the first entry under a key of this process; undefined before it. Entries before it may be under a lost key. */
  readonly ownSeq?: number | undefined;
}

const firstUnder = (keyIds: readonly string[]) =>
  adhoc<Pick<RowOf<"audit">, "seq">>((db) =>
    db.selectFrom("audit").select("seq").where("key_id", "in", keyIds).orderBy("seq").limit(1),
  );

/** @param known what was read before; only what it lacks is read again. */
export const auditedFrom = async (
  tx: Tx,
  keys: ChainKeys,
  { isRecorded, ownSeq }: AuditedFrom,
): Promise<AuditedFrom> => ({
  isRecorded: isRecorded || (await areSettingsRecorded(tx)),
  ownSeq: ownSeq ?? (await tx.first(firstUnder(allKeys(keys).map(({ auditKeyId }) => auditKeyId))))?.seq,
});

/** Why an entry says nothing of its row; null where it does, `older` where it may be from before a key that is lost. */
const doubtOf = (keys: ChainKeys, { hash_before, ...entry }: Chained, ownSeq: number | undefined) => {
  const isOwn = isChained(keys, hash_before, entry);
  if (isOwn !== undefined) return isOwn ? null : "was not the audit's own";
  const isOlder = ownSeq === undefined || entry.seq < ownSeq;
  return isOlder ? "older" : "was under a SERVICE_KEY that this service does not have";
};

/**
 * Whoever writes the database can put a key there, use it and put back what was there: so each use of a key looks whether
 * its row is as it was audited last, by an entry under the audit's key. @returns the entry that says how it is not, for the
 * commit or call that uses the key; null where it is, or where that entry may be from before a key that is lost.
 * @param from read before the row was.
 */
export function unauditedUse(keys: ChainKeys, row: AccessRow, { isRecorded, ownSeq }: AuditedFrom): AuditEvent | null {
  const setting = keyOf("credentials", row);
  const object = objectOf(keys, setting);
  const use = (detail: string): AuditEvent => {
    const actor = `${row.kind} ${row.owner_id}/${row.device_id}`;
    return { event: unauditedEvent, actor, address: null, object, detail };
  };
  if (row.seq === null) return isRecorded ? use(`${object} had no entry in the audit`) : null;
  const { seq, at, event, actor, address, detail, key_id, hash, hash_before } = row as Chained;
  const entry = { seq, at, event, actor, address, object, detail, key_id, hash, hash_before };
  const doubt = doubtOf(keys, entry, ownSeq);
  if (doubt === "older") return null;
  if (doubt !== null) return use(`the newest entry on ${object} ${doubt}`);
  const found = compare(allKeys(keys), setting, row, new Map([[object, entry]]));
  return found.length === 0 ? null : use(found.map(({ message }) => message).join("; "));
}

/** Findings are checked again this often, since a change between two statements can cause one. */
const looksMax = 3;

interface Page<Key> {
  readonly findings: readonly SettingFinding[];
  /** Null: it was the last page. */
  readonly next: Key | null;
}

async function* pages<Key>(
  store: Store,
  first: Key,
  unit: (tx: Tx, after: Key) => Promise<Page<Key>>,
): AsyncGenerator<readonly SettingFinding[]> {
  for (let after = first; ; ) {
    const from = after;
    let page = await store.read((tx) => unit(tx, from));
    for (let looks = 1; page.findings.length > 0 && looks < looksMax; looks += 1)
      page = await store.read((tx) => unit(tx, from));
    yield page.findings;
    if (page.next === null) return;
    after = page.next;
  }
}

/**
 * Rows that differ from their newest entry or have none, and entries whose row is gone. Reads page by page; only the
 * names of blocked users are all held in memory.
 * @param chain all keys, the current one last.
 */
export async function* settingFindings(
  store: Store,
  chain: readonly ChainKeys[],
): AsyncGenerator<readonly SettingFinding[]> {
  const blocked = new Set<string>();
  for (const table of tables) {
    const first: readonly string[] = kindOf(table).key.map(() => "");
    yield* pages(store, first, async (tx, after) => {
      const rows = await tx.all(rowsAfter(table, after));
      if (rows.length === 0) return { findings: [], next: null };
      const settings = rows.map((row) => keyOf(table, row));
      const objects = [...new Set(settings.flatMap((setting) => chain.map((keys) => objectOf(keys, setting))))];
      const entries = await tx.all(newestOf(objects));
      const newest = new Map(entries.map((entry) => [entry.object, entry]));
      if (table === "customers") for (const object of objects) blocked.add(object);
      return {
        findings: rows.flatMap((row, at) => compare(chain, settings[at] as Setting, row, newest)),
        next: rows.length < rowsPerPage ? null : (settings.at(-1)?.slice(1) ?? null),
      };
    });
  }
  yield* pages(store, "", async (tx, after) => {
    const entries = await tx.all(newestAfter(after));
    const next = entries.length < rowsPerPage ? null : (entries.at(-1)?.object ?? null);
    return { findings: await goneAmong(tx, entries, blocked), next };
  });
}

/** Entries whose rows are gone. */
async function goneAmong(tx: Tx, entries: readonly SettingEntry[], blocked: ReadonlySet<string>) {
  const present = entries.flatMap((entry) => {
    const said = readHeld(entry);
    return said === null || said.gone ? [] : [{ entry, setting: keyOf(said.of, said as Row) }];
  });
  const gone: SettingFinding[] = [];
  for (const [table, some] of Map.groupBy(present, ({ setting }) => setting[0])) {
    const settings = some.map(({ setting }) => setting);
    const there = table === "customers" ? null : await namesThere(tx, table, settings);
    for (const { entry, setting } of some)
      if (!(there === null ? blocked.has(entry.object) : there.has(JSON.stringify(setting))))
        gone.push({ why: "gone", of: entry, message: `${entry.object} is gone, and the audit does not say why` });
  }
  return gone;
}

const namesThere = async (tx: Tx, table: SettingTable, settings: readonly Setting[]) => {
  const rows = await tx.all(
    rowsWith(
      table,
      settings.map(([, ...key]) => key),
    ),
  );
  return new Set(rows.map((row) => JSON.stringify(keyOf(table, row))));
};

/** Accepts rows as they are, with an entry for each. @param actor author of the entries. */
export async function acceptSettings(
  tx: Tx,
  keys: ChainKeys,
  now: number,
  findings: readonly SettingFinding[],
  actor: string,
): Promise<void> {
  const rows = findings.flatMap(({ why, of }) => (why === "gone" ? [] : [of]));
  await recordAsFound(tx, keys, now, rows, actor);
  const entries = findings.flatMap((one) => {
    if (one.why !== "gone") return [];
    const said = readHeld(one.of);
    return said === null ? [] : [{ object: one.of.object, detail: describeGone(said.of, said as Row) }];
  });
  await appendAll(tx, keys, now, settingEvents(actor, entries));
}

/** Records what has no entry yet; another process or a command may have done so meanwhile. */
async function recordUnrecorded(tx: Tx, keys: ChainKeys, now: number, settings: readonly Setting[]) {
  await holdAudit(tx, keys);
  // Another process was faster.
  if (await areSettingsRecorded(tx)) return 0;
  const entries = await tx.all(newestOf(settings.map((setting) => objectOf(keys, setting))));
  const known = new Set(entries.map(({ object }) => object));
  const left = settings.filter((setting) => !known.has(objectOf(keys, setting)));
  await recordAsFound(tx, keys, now, left, asFound);
  return left.length;
}

const recordedSince = async (tx: Tx) => (await tx.first(firstAudit({ event: settingsEvent })))?.at ?? null;
/** Whether every row has an entry. */
const areSettingsRecorded = async (tx: Tx): Promise<boolean> => (await recordedSince(tx)) !== null;
/** When every row had an entry, epoch milliseconds; null before. */
export const settingsRecordedSince = (store: Store): Promise<number | null> => store.read(recordedSince);

/** Runs once in a database from before these entries existed: records its rows as found. @returns how many rows. */
export const recordFound = async (
  { store, clock, keys }: { readonly store: Store; readonly clock: Clock; readonly keys: ChainKeys },
  isStopping?: () => boolean,
): Promise<number> => {
  if ((await settingsRecordedSince(store)) !== null) return 0;
  let found = 0;
  for await (const page of settingFindings(store, allKeys(keys))) {
    if (isStopping?.()) return found;
    const unrecorded = page.flatMap(({ why, of }) => (why === "unrecorded" ? [of] : []));
    if (unrecorded.length === 0) continue;
    found += await store.write((tx) => recordUnrecorded(tx, keys, clock.now(), unrecorded));
  }
  const detail = `${found} as found`;
  const what = { event: settingsEvent, actor: "service", address: null, object: "settings", detail };
  await store.write(async (tx) => {
    await holdAudit(tx, keys);
    if (!(await areSettingsRecorded(tx))) await appendAll(tx, keys, clock.now(), [what]);
  });
  return found;
};
