/** The commands `audit`, `audit days`, `audit verify` and `audit accept`. Not available over HTTP: the audit spans all shops and banks. */
import { auditPage, verifyAudit } from "../access/audit.ts";
import { settingEvent, settingsEvent } from "../access/setting-entries.ts";
import { allKeys } from "../context.ts";
import { dayMs, isDay, toTime } from "../contract/times.ts";
import { ServiceError } from "../service-error.ts";
import type { RowOf } from "../store/schema.ts";
import { UsageError } from "./arguments.ts";
import { operatorName } from "./audited-store.ts";
import type { CommandContext, CommandOutput } from "./context.ts";
import { createHistoryReader, historyEvents, noteVerified } from "./proof.ts";
import { createRestoreReader } from "./restore-proof.ts";
import { acceptFound, createAccessReader, createTermsCheck, listed, verifySettings } from "./setting-proof.ts";
import { verifyHistory } from "./verify-history.ts";
import { checked, textSchema, timeOf } from "./words.ts";

const pageSize = 1_000;
/** How often the verification is repeated when rows are purged meanwhile. */
const attemptsMax = 5;
/** Events of day lines, which `audit days` prints. */
const lineEvents: readonly string[] = [historyEvents.day, historyEvents.undated];
/** Events shown only with `--all`: day lines, seals of earlier releases, values of settings, times of retention. */
const quietEvents = [
  ...lineEvents,
  historyEvents.sealed,
  settingEvent,
  settingsEvent,
  historyEvents.forgotten,
  historyEvents.reportsForgotten,
];

/** Reads a day (UTC; for `--to` its end) or a time. */
const boundary = (flag: string, text: string | undefined, otherwise: number, isEnd: boolean): number => {
  if (text === undefined) return otherwise;
  const at = timeOf(flag, text);
  return isDay(text) && isEnd ? at + dayMs : at;
};

const entriesOf = async (
  { store }: Pick<CommandContext, "store">,
  flags: Readonly<Record<string, string>>,
  isAsked: (entry: RowOf<"audit">) => boolean,
): Promise<readonly RowOf<"audit">[]> => {
  const from = boundary("from", flags.from, 0, false);
  const until = boundary("to", flags.to, Number.MAX_SAFE_INTEGER, true);
  const entries: RowOf<"audit">[] = [];
  for (let after = 0; ; ) {
    const page = await store.read((tx) => tx.all(auditPage({ after, from, until, limit: pageSize })));
    entries.push(...page.filter(isAsked));
    if (page.length < pageSize) return entries;
    after = page.at(-1)?.seq ?? 0;
  }
};

/**
 * `audit`: the entries of a period, oldest first; day lines and values of settings only with `--all`. @throws
 * UsageError for an invalid `--from` or `--to`.
 */
export const readAudit = async (
  on: Pick<CommandContext, "store">,
  flags: Readonly<Record<string, string>>,
): Promise<CommandOutput> =>
  (await entriesOf(on, flags, ({ event }) => flags.all === "1" || !quietEvents.includes(event))).map(
    ({ seq, at, event, actor, address, object, detail }) => ({
      number: seq,
      time: toTime(at),
      event,
      actor,
      address,
      object,
      detail,
    }),
  );

/** A day line as releases before gave it to third parties: an audit that was cut off gets it again. */
const withoutEntry = ({ object, detail }: RowOf<"audit">): string => `${object} ${detail}`;
/** A day line as `--expect` takes it. It names its entry, which holds all that was in the audit before it. */
const lineOf = (entry: RowOf<"audit">): string => `${withoutEntry(entry)} in entry ${entry.seq}:${entry.hash}`;

/** `audit days`: the day lines of a period, oldest first, to be given to a third party. @throws UsageError as above. */
export const readDays = async (
  on: Pick<CommandContext, "store">,
  flags: Readonly<Record<string, string>>,
): Promise<CommandOutput> =>
  (await entriesOf(on, flags, ({ event }) => lineEvents.includes(event))).map((entry) => ({
    number: entry.seq,
    hash: entry.hash,
    line: lineOf(entry),
  }));

/** `--expect 1234:HASH`, as the service's log keeps it, or a line of a day. @throws UsageError. */
const readExpected = (text: string | undefined): ((entry: RowOf<"audit">) => boolean) | null => {
  if (text === undefined) return null;
  const [, number, hash] = /^(\d+):([\w-]{43})$/.exec(text) ?? [];
  if (number !== undefined) return (entry) => entry.seq === Number(number) && entry.hash === hash;
  if (!/^\d{4}-\d\d-\d\d \d{4}-\d\d \d+ rows /.test(text))
    throw new UsageError(
      "--expect must be an entry's number and hash, as in the log (1234:HASH), or a line of audit days",
    );
  return (entry) => lineEvents.includes(entry.event) && [lineOf(entry), withoutEntry(entry)].includes(text);
};

type Keyed = Pick<CommandContext, "store" | "keys" | "clock">;

/**
 * Verifies audit, history and settings. @param flags `expect`: an entry noted elsewhere, which an older restored database
 * lacks. `new`: check only the history after the newest day that an earlier `--new` verified; each verified day gets an entry.
 * @throws ServiceError `internal_error` with the first entry or row that fails.
 */
export const checkAudit = async (on: Keyed, flags: Readonly<Record<string, string>> = {}) => {
  const { store } = on;
  const isExpected = readExpected(flags.expect);
  const chain = allKeys(on.keys);
  for (let tries = 1; ; tries += 1) {
    const reading = createHistoryReader();
    const restores = createRestoreReader();
    const access = createAccessReader();
    let isThere = isExpected === null;
    const result = await verifyAudit(store, chain, (entry) => {
      isThere ||= isExpected?.(entry) === true;
      reading.visit(entry);
      restores.visit(entry);
      access.visit(entry);
    });
    if (result.kind === "broken")
      throw new ServiceError("internal_error", `The audit does not hold: entry ${result.at} ${result.why}.`);
    if (!isThere)
      throw new ServiceError(
        "internal_error",
        `The audit does not hold: entry ${flags.expect?.split(":")[0]} is not the expected one.`,
      );
    const terms = await createTermsCheck(store, chain, access, on.clock.now());
    const note = async (day: number) =>
      terms.found.length === 0 && terms.unmarked.length === 0 ? noteVerified(on, day) : undefined;
    const resume = flags.new === "1" ? note : null;
    const newer = on.keys.rotation?.to.auditKeyId ?? null;
    const history = await verifyHistory(store, chain, reading.result(), { newer, visit: terms.visit, resume });
    const restored = await restores.verify(store);
    const isPurged = history === null || restored === null;
    if (isPurged && tries < attemptsMax) continue;
    if (isPurged) throw new ServiceError("unavailable", "The history was purged meanwhile. Ask again.");
    const settings = await verifySettings(store, chain);
    const found = [...access.found, ...settings.found, ...terms.found];
    const broken = [
      ...(history.kind === "broken" ? [`The history does not hold: ${history.what}.`] : []),
      ...(terms.unmarked.length > 0 ? [`The history does not hold: ${listed(terms.unmarked)}.`] : []),
      ...(restored.found.length > 0 ? [`The restores do not hold: ${listed(restored.found)}.`] : []),
      ...(found.length > 0 ? [`The settings do not hold: ${listed(found)}.`] : []),
    ];
    if (history.kind === "broken" || broken.length > 0) throw new ServiceError("internal_error", broken.join(" "));
    const before = result.underEarlierKeys === 0 ? {} : { before_this_service_key: result.underEarlierKeys };
    const { rows, open, unchained } = history;
    return {
      audit: "whole",
      entries: result.entries,
      ...before,
      head: result.head,
      history: "whole",
      rows,
      ...(open === 0 ? {} : { in_open_days: open }),
      ...(unchained === 0 ? {} : { before_the_chain: unchained }),
      ...(restored.unrecorded === 0 ? {} : { reports_not_recorded: restored.unrecorded }),
      settings: "whole",
      ...(settings.unrecorded === 0 ? {} : { settings_not_recorded_yet: settings.unrecorded }),
    };
  }
};

/** Accepts unchained rows of the history, and all settings as they are; the audit records who did. @param note why; required. */
export const acceptHistory = async (on: Keyed, note: string | undefined) => {
  checked(textSchema("--note", 500), note, "audit accept --note TEXT");
  await on.store.write(async () => {});
  const settings = await acceptFound(on, `${operatorName()}, as found`);
  return { history: "accepted", settings };
};
