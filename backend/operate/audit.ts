/** The commands `audit`, `audit verify` and `audit accept`. Not available over HTTP: the audit spans all shops and banks. */
import { auditPage, verifyAudit } from "../access/audit.ts";
import { loadKeptServiceKey, serviceKeysFrom } from "../access/secrets.ts";
import { dayMs } from "../contract/durations.ts";
import { ServiceError } from "../service-error.ts";
import type { RowOf } from "../store/schema.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext, CommandOutput } from "./context.ts";
import { createHistoryReader, sealBatch, sealEvent, verifyHistory } from "./proof.ts";
import { checked, isDay, textSchema, timeOf } from "./words.ts";

const pageSize = 1_000;
/** How often the verification is repeated when a purge or a seal changes the audit meanwhile. */
const attemptsMax = 5;
const rowsPerSeal = 500;

/** A day (UTC; `--to` is its end) or a time. */
const boundary = (flag: string, text: string | undefined, otherwise: number, isEnd: boolean): number => {
  if (text === undefined) return otherwise;
  const at = timeOf(flag, text);
  return isDay(text) && isEnd ? at + dayMs : at;
};

/** `audit`: the entries in a time, oldest first; seals of the history, one an hour, with `--all` alone. @throws UsageError for a `--from` or `--to` that is no time. */
export const readAudit = async (
  { store }: Pick<CommandContext, "store">,
  flags: Readonly<Record<string, string>>,
): Promise<CommandOutput> => {
  const from = boundary("from", flags.from, 0, false);
  const until = boundary("to", flags.to, Number.MAX_SAFE_INTEGER, true);
  const entries: RowOf<"audit">[] = [];
  for (;;) {
    const after: number = entries.at(-1)?.seq ?? 0;
    const page = await store.read((tx) => tx.all(auditPage({ after, from, until, limit: pageSize })));
    entries.push(...page);
    if (page.length < pageSize) break;
  }
  return entries
    .filter(({ event }) => flags.all === "1" || event !== sealEvent)
    .map(({ seq, at, event, actor, address, object, detail }) => ({
      number: seq,
      time: new Date(at).toISOString(),
      event,
      actor,
      address,
      object,
      detail,
    }));
};

/** `--expect 1234:HASH`, as the service's log keeps it. @throws UsageError. */
const readExpected = (text: string | undefined) => {
  if (text === undefined) return null;
  const found = /^(\d+):([\w-]{43})$/.exec(text);
  if (found === null) throw new UsageError("--expect must be an entry's number and hash, as in the log: 1234:HASH");
  return { number: Number(found[1]), hash: found[2] ?? "" };
};

/**
 * Verifies audit and history. @param flags `expect`: an entry noted earlier elsewhere; a restored older database lacks it.
 * @throws ServiceError `internal_error` with the first entry or row that fails.
 */
export const checkAudit = async (
  { store, keys, database, isKeyGiven }: Pick<CommandContext, "store" | "keys" | "database" | "isKeyGiven">,
  flags: Readonly<Record<string, string>> = {},
) => {
  const expected = readExpected(flags.expect);
  // Entries from before a SERVICE_KEY was set are under the key that the service created for itself.
  const kept = isKeyGiven ? await loadKeptServiceKey(store, database) : null;
  const earlier = kept === null ? [] : [serviceKeysFrom(kept, false)];
  const others = (keys.others ?? []).filter((key) => key.auditKeyId !== earlier[0]?.auditKeyId);
  const chains = [...earlier, ...others, keys];
  for (let tries = 1; ; tries += 1) {
    const reading = createHistoryReader();
    let isThere = expected === null;
    const result = await verifyAudit(store, chains, (entry) => {
      isThere ||= entry.seq === expected?.number && entry.hash === expected.hash;
      reading.visit(entry);
    });
    if (result.kind === "broken")
      throw new ServiceError("internal_error", `The audit does not hold: entry ${result.at} ${result.why}.`);
    if (!isThere)
      throw new ServiceError(
        "internal_error",
        `The audit does not hold: entry ${expected?.number} is not the expected one.`,
      );
    const history = await verifyHistory(store, chains, reading.result());
    if (history === null && tries < attemptsMax) continue;
    if (history === null) throw new ServiceError("unavailable", "The history was purged meanwhile. Ask again.");
    if (history.kind === "broken")
      throw new ServiceError("internal_error", `The history does not hold: ${history.what}.`);
    const before = result.underEarlierKeys === 0 ? {} : { before_this_service_key: result.underEarlierKeys };
    const { rows, unsealed, unchained } = history;
    return {
      audit: "whole",
      entries: result.entries,
      ...before,
      head: result.head,
      history: "whole",
      rows,
      ...(unsealed === 0 ? {} : { not_sealed_yet: unsealed }),
      ...(unchained === 0 ? {} : { before_the_chain: unchained }),
    };
  }
};

/** Accepts every row of the history as it is now; the audit records who did. @param note why; required. */
export const acceptHistory = async (
  { store, clock, keys }: Pick<CommandContext, "store" | "clock" | "keys">,
  note: string | undefined,
) => {
  checked(textSchema("--note", 500), note, "audit accept --note TEXT");
  let sealed = 0;
  await store.write(async (tx) => {
    for (;;) {
      const entry = await sealBatch(tx, keys, clock.now(), rowsPerSeal);
      if (entry === null) return;
      sealed += 1;
    }
  });
  return { history: "accepted", sealed };
};
