/** Checks that settings match the audit, and that each withdrawal used the settings audited at its time. */
import { LRUCache } from "lru-cache";
import { auditEntry, auditHead, earliestAuditSince, newestAudit } from "../access/audit.ts";
import { namedInAudit } from "../access/one-time-codes.ts";
import { lruBound } from "../access/rate-limits.ts";
import {
  acceptSettings,
  blockObjects,
  entriesOf,
  isAboutBlock,
  isOfFirstLook,
  objectsOf,
  readHeld,
  recordFound,
  type SettingEntry,
  settingFindings,
  settingsEvent,
  settingsRecordedSince,
  showSetting,
  unauditedEvent,
} from "../access/setting-entries.ts";
import { type Repeated, repeat } from "../background.ts";
import { allKeys, type ChainKeys, type Service } from "../context.ts";
import { dayMs, hourMs, minuteMs } from "../contract/times.ts";
import type { RowOf } from "../store/schema.ts";
import type { Store, Value } from "../store/store.ts";
import { opensDispute, unmarked } from "../withdrawals/closed.ts";
import { type EventRow, eventsOf } from "../withdrawals/history.ts";
import { confirmTermColumns, requestTermColumns, withoutDigest } from "../withdrawals/transition.ts";
import { acceptEvent } from "./proof.ts";
import type { ProvenRow } from "./proven-rows.ts";

/** Values read before a change may be written after it: a bank's answer waits up to two minutes for the database. */
const toleranceMs = 5 * minuteMs;
/** The audit grows daily: rows this much later than its end were written by a clock that was ahead, and are skipped. */
const aheadMs = 3 * dayMs;
const objectsMax = 2_000;
const findingsMax = 20;

/** The audited values of a setting between `from` and `until`, epoch milliseconds; null: it did not exist. */
interface AuditedValues {
  readonly values: Readonly<Record<string, Value>> | null;
  readonly from: number;
  readonly until: number;
}

/** Replaces the address by what `storedAddress` returns. */
const withAddress = (values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> => ({
  ...values,
  url: values.url && values.secret ? values.url : "",
});

/** When an entry of the audit may have begun to hold, by whatever clock; epoch milliseconds. */
type BeginningOf = (entry: Pick<SettingEntry, "seq" | "at">) => number;

/**
 * An entry that is later than now, or than an entry after it, is of a clock that was ahead and was set right: it may hold since the last
 * one before it that is not, or since ever where there is none. @param times of all entries, in their order.
 */
const beginningsOf = (times: readonly number[], now: number): BeginningOf => {
  const after = new Float64Array(times.length + 1).fill(now);
  for (let n = times.length - 1; n >= 0; n -= 1) after[n] = Math.min(after[n + 1] ?? now, times[n] ?? now);
  const beginnings = Float64Array.from(times);
  let before = Number.NEGATIVE_INFINITY;
  for (const [n, at] of times.entries()) {
    const setRight = after[n + 1] ?? now;
    if (at <= setRight) continue;
    const last = times[n - 1] ?? Number.POSITIVE_INFINITY;
    // Else the one before is of that clock, too.
    if (last <= setRight) before = last;
    beginnings[n] = before;
  }
  return ({ seq, at }) => beginnings[seq - 1] ?? at;
};

/** Periods in which each entry may have been valid; a clock that was ahead can leave times out of order. */
const timelineOf = (entries: readonly SettingEntry[], beginningOf: BeginningOf): readonly AuditedValues[] =>
  entries.map((entry, at) => {
    const held = readHeld(entry);
    return {
      values: held === null || held.gone ? null : withAddress(held as Readonly<Record<string, Value>>),
      from: at === 0 ? Number.NEGATIVE_INFINITY : Math.min(...entries.slice(at).map(beginningOf)),
      until: at === entries.length - 1 ? Infinity : Math.max(...entries.slice(0, at + 2).map((each) => each.at)),
    };
  });

/** Settings that a row of the history claims to have used. */
interface Claim {
  /** Names of the setting; any one of several is enough. */
  readonly objects: readonly string[];
  readonly values: Readonly<Record<string, Value>>;
  /** The beginning of a finding about a row. */
  readonly sentence: (row: EventRow) => string;
}

/** Whether a row has terms of a shop or a bank. */
const hasTerms = (row: EventRow): row is EventRow & { readonly terms: string } =>
  row.terms !== null && (row.sequence === 1 || row.from_status === "ready");

/** Nothing where somebody has written what no release does: that row is named as changed. */
const termsIn = (text: string): readonly Value[] => {
  try {
    const terms: unknown = JSON.parse(text);
    return Array.isArray(terms) ? terms : [];
  } catch {
    return [];
  }
};

/** What rows have in common that claim the same. */
const claimKey = ({ event: { sequence, terms, address }, withdrawal }: ProvenRow): string =>
  JSON.stringify([
    sequence === 1,
    terms === null ? null : withoutDigest(terms),
    address,
    withdrawal?.merchant_id,
    withdrawal?.partner_id,
    withdrawal?.currency,
  ]);

const claimsOf = ({ event: row, withdrawal }: ProvenRow): readonly Claim[] => {
  if (withdrawal === null) return [];
  const { merchant_id: shop, partner_id: bank } = withdrawal;
  const isRequest = row.sequence === 1;
  const claims: Claim[] = [];
  if (hasTerms(row)) {
    const columns = isRequest ? requestTermColumns : confirmTermColumns;
    const checked = termsIn(row.terms);
    const of = (table: "merchants" | "partners") =>
      Object.fromEntries(
        columns.flatMap(([owner, column], at) => (owner === table ? [[column, checked[at] ?? null]] : [])),
      );
    const sentence = ({ transaction_id: id }: EventRow) =>
      `the withdrawal ${id} was ${isRequest ? "asked for" : "confirmed"} under`;
    const more = isRequest ? { currency: withdrawal.currency, disabled_at: null } : {};
    claims.push({ objects: [objectsOf.shop(shop)], values: { ...of("merchants"), ...more }, sentence });
    if (isRequest) {
      claims.push({ objects: [objectsOf.bank(bank)], values: of("partners"), sentence });
      claims.push({
        objects: [objectsOf.permission(bank, shop), objectsOf.permission(bank, "*")],
        values: {},
        sentence,
      });
    }
  }
  if (row.address !== null)
    claims.push({
      objects: [objectsOf.bank(bank)],
      values: { url: row.address },
      sentence: ({ sequence, transaction_id: id }) => `the bank's answer in row ${sequence} of ${id} came from`,
    });
  return claims;
};

const covers = ({ from, until }: AuditedValues, at: number): boolean =>
  from <= at + toleranceMs && until >= at - toleranceMs;

/** What an entry says otherwise than a claim; undefined: they agree. */
const wrongIn = (of: Readonly<Record<string, Value>>, { values }: Claim) =>
  Object.entries(values).find(([column, value]) => (of[column] ?? null) !== value);

/**
 * Of rows that claim the same those that the audit contradicts, each with how; none where it does not cover the claim.
 * @param recordedAt since when all rows are audited, epoch milliseconds.
 */
const contradictions = (
  claim: Claim,
  rows: readonly EventRow[],
  timelines: ReadonlyMap<string, readonly AuditedValues[]>,
  recordedAt: number,
): readonly string[] => {
  const { objects, sentence } = claim;
  const audited = objects.flatMap((object) => timelines.get(object) ?? []);
  const agreeing = audited.filter(({ values }) => values !== null && wrongIn(values, claim) === undefined);
  return rows
    .filter(({ at }) => !agreeing.some((each) => covers(each, at)) && (audited.length > 0 || at > recordedAt))
    .map((row) => {
      const of = audited.findLast((each) => each.values !== null && covers(each, row.at))?.values;
      const wrong = of && wrongIn(of, claim);
      if (!wrong) return `${sentence(row)} what the audit did not have: ${objects[0]}`;
      const [column, value] = wrong;
      const { word, text } = showSetting(objects[0] ?? "", column, { ...of, [column]: value });
      return `${sentence(row)} ${word} ${text(value)} of ${objects[0]}, audited was ${text(of[column] ?? null)}`;
    });
};

/** Withdrawals disputed by their history but not marked as such, which the report would miss. */
const lostMarks = async (store: Store, rows: readonly ProvenRow[]): Promise<readonly string[]> => {
  const opening = rows.filter(({ event }) => opensDispute(event));
  const marked = new Map(opening.map((row) => [row.event.transaction_id, row]));
  if (marked.size === 0) return [];
  const lost = await store.read(async (tx) => {
    const ids = [...marked.keys()];
    const unmarkedRows = [...(await tx.all(unmarked[0](ids))), ...(await tx.all(unmarked[1](ids)))];
    const open: string[] = [];
    for (const { id } of unmarkedRows) {
      const { event, withdrawal } = marked.get(id) as ProvenRow;
      const { sequence } = event;
      const askedAt = withdrawal?.created_at ?? 0;
      const events = await tx.all(eventsOf({ id, askedAt }));
      // No bank's answer ends what a second hand-out has opened.
      const isTwice = events.some(({ kind }) => kind === "reported_again");
      const ends = ({ kind, actor, ...event }: (typeof events)[number]) =>
        kind === "dispute_closed" && event.sequence > sequence && (actor === "operator" || !isTwice);
      if (!events.some(ends)) open.push(id);
    }
    return open;
  });
  return lost.map((id) => `the withdrawal ${id} is disputed by its history, and not marked as it`);
};

/** An entry on a user's block. A clock that was ahead can leave the times of the audit out of order. */
interface BlockEntry extends Pick<SettingEntry, "seq" | "at"> {
  readonly isEnd: boolean;
  /** The latest time in the audit up to this entry. */
  readonly latest: number;
}

/** Whether a user was blocked at a time and five minutes before and after it, by whatever clock. @param entries oldest first. */
const wasBlocked = (entries: readonly BlockEntry[], at: number, beginningOf: BeginningOf): boolean =>
  entries.some(({ isEnd, latest }, n) => {
    const next = entries[n + 1];
    const until = next === undefined ? Infinity : beginningOf(next);
    return !isEnd && latest + toleranceMs <= at && at <= until - toleranceMs;
  });

/**
 * Checks rows of the history against the settings audited at their time, except rows accepted by an operator.
 * @param chain all keys. @param access what `createAccessReader` has collected. @param now epoch milliseconds.
 */
export const createTermsCheck = async (
  store: Store,
  chain: readonly ChainKeys[],
  { blocks, times }: Pick<ReturnType<typeof createAccessReader>, "blocks" | "times">,
  now: number,
) => {
  const beginningOf = beginningsOf(times, now);
  const recordedAt = (await settingsRecordedSince(store)) ?? Number.POSITIVE_INFINITY;
  const { accepted, newest } = await store.read(async (tx) => {
    const head = await tx.first(auditHead({}));
    const entry = await tx.first(auditEntry({ seq: head?.seq ?? 0 }));
    const accept = await tx.first(newestAudit({ event: acceptEvent }));
    // As `acceptedBy` has it: the clock may have been ahead then.
    const accepted = accept && (await tx.first(earliestAuditSince({ seq: accept.seq })))?.at;
    return { accepted: accepted ?? 0, newest: entry?.at ?? 0 };
  });
  const cached = new LRUCache<string, readonly AuditedValues[]>(lruBound(objectsMax));
  const [found, unmarked]: [string[], string[]] = [[], []];
  const timelinesOf = async (objects: readonly string[]) => {
    const timelines = new Map(objects.map((object) => [object, cached.get(object)]));
    const unknown = objects.filter((object) => timelines.get(object) === undefined);
    const entries = unknown.length === 0 ? [] : await store.read((tx) => tx.all(entriesOf(unknown)));
    const byObject = Map.groupBy(entries, ({ object }) => object);
    for (const object of unknown) {
      const timeline = timelineOf(byObject.get(object) ?? [], beginningOf);
      timelines.set(object, timeline);
      cached.set(object, timeline);
    }
    return new Map([...timelines].flatMap(([object, said]) => (said?.length ? [[object, said] as const] : [])));
  };
  return {
    found: found as readonly string[],
    unmarked: unmarked as readonly string[],
    async visit(rows: readonly ProvenRow[]): Promise<void> {
      if (found.length + unmarked.length > findingsMax) return;
      unmarked.push(...(await lostMarks(store, rows)));
      const said = rows.filter(
        ({ event }) =>
          event.at > accepted && event.at <= newest + aheadMs && (hasTerms(event) || event.address !== null),
      );
      const claims = [...Map.groupBy(said, claimKey).values()].flatMap((of) =>
        claimsOf(of[0] as ProvenRow).map((claim) => [claim, of.map(({ event }) => event)] as const),
      );
      for (const { event, withdrawal } of blocks.size === 0 ? [] : said) {
        if (withdrawal === null || !hasTerms(event)) continue;
        const objects = blockObjects(chain, withdrawal.partner_id, withdrawal.user_id);
        const object = objects.find((each) => wasBlocked(blocks.get(each) ?? [], event.at, beginningOf));
        const verb = event.sequence === 1 ? "asked for" : "confirmed";
        if (object !== undefined)
          found.push(`the withdrawal ${event.transaction_id} was ${verb} in spite of the ${object}`);
      }
      const timelines = await timelinesOf([...new Set(claims.flatMap(([{ objects }]) => objects))]);
      for (const [claim, of] of claims) found.push(...contradictions(claim, of, timelines, recordedAt));
    },
  };
};

/**
 * Compares shops, banks and keys with their newest entries.
 * @param chain all keys, the current one last.
 * @returns the first findings, and the number of rows without an entry in a database that has none yet.
 */
export const verifySettings = async (store: Store, chain: readonly ChainKeys[]) => {
  const isRecorded = (await settingsRecordedSince(store)) !== null;
  const found: string[] = [];
  let unrecorded = 0;
  for await (const page of settingFindings(store, chain))
    for (const { why, message } of page) {
      if (why === "unrecorded" && !isRecorded) unrecorded += 1;
      else found.push(message);
      if (found.length > findingsMax) return { found, unrecorded };
    }
  return { found, unrecorded };
};

/**
 * Names what the audit itself says, since the last acceptance: a key that was used while its row was not as audited, a
 * one-time code that was used twice, a row that the service recorded as found once more. Pass `visit` to `verifyAudit`.
 */
export const createAccessReader = () => {
  const used = new Set<string>();
  const found: string[] = [];
  const blocks = new Map<string, BlockEntry[]>();
  const times: number[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  let isRecorded = false;
  return {
    visit(entry: RowOf<"audit">): void {
      const { seq, at, event, detail, object } = entry;
      latest = Math.max(latest, at);
      times.push(at);
      if (isAboutBlock(entry)) {
        const known = { seq, at, isEnd: readHeld(entry)?.gone === true, latest };
        blocks.set(object, [...(blocks.get(object) ?? []), known]);
      }
      if (event === acceptEvent) found.length = 0;
      // Somebody had taken the entry away that all settings were recorded.
      if (isRecorded && isOfFirstLook(entry))
        found.push(`${object} was recorded as found, after all were (entry ${seq} of the audit)`);
      isRecorded ||= event === settingsEvent;
      if (event === unauditedEvent) found.push(`${detail}, when it was used (entry ${seq} of the audit)`);
      if (!detail?.startsWith(namedInAudit(""))) return;
      const name = `${event} ${detail}`;
      if (used.has(name)) found.push(`entry ${seq} of the audit uses a code that was used before`);
      used.add(name);
    },
    found,
    /** The entries on each user's block, oldest first. */
    blocks: blocks as ReadonlyMap<string, readonly BlockEntry[]>,
    /** Of all entries, in their order. */
    times: times as readonly number[],
  };
};

/** Findings as the end of a sentence. */
export const listed = (found: readonly string[]): string =>
  [...found.slice(0, findingsMax), ...(found.length > findingsMax ? ["and more"] : [])].join("; ");

/** Accepts all settings as they are. @param actor author of the entries. @returns how many were not as the audit said. */
export const acceptFound = async (
  { store, clock, keys }: Pick<Service, "store" | "clock" | "keys">,
  actor: string,
): Promise<number> => {
  let accepted = 0;
  for await (const page of settingFindings(store, allKeys(keys))) {
    if (page.length > 0) await store.write((tx) => acceptSettings(tx, keys, clock.now(), page, actor));
    accepted += page.length;
  }
  return accepted;
};

const [lookAgainMs, nextLookMs] = [5_000, hourMs];

/** Records all settings as found, once, in a database from before they were audited; one process of a fleet does it. */
export const startSettingRecorder = (service: Service): Repeated =>
  repeat(service.clock, 0, async (isStopping) => {
    if (!service.owns("settings")) return lookAgainMs;
    try {
      const rows = await recordFound(service, isStopping);
      if (rows > 0) service.log.info({ rows }, "shops, banks and keys are in the audit as they were found");
      return nextLookMs;
    } catch (error) {
      service.log.warn({ err: error }, "shops, banks and keys could not be put into the audit and will be");
      return lookAgainMs;
    }
  });
