/** `audit` and `audit verify`. No call over HTTP: the audit spans all shops and banks. */
import { auditPage } from "../access/audit-store.ts";
import { verifyAudit } from "../access/audit-verify.ts";
import { serviceKeysFrom } from "../access/service-keys.ts";
import { loadKeptServiceKey } from "../access/stored-secrets.ts";
import { ServiceError } from "../service-error.ts";
import { all } from "../store/store.ts";
import type { AuditTable } from "../store/tables/access.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext, CommandOutput } from "./context.ts";

const dayMs = 86_400_000;
const pageSize = 1_000;

/** A day (UTC; `--to` is its end) or a time. */
const boundary = (flag: string, text: string | undefined, otherwise: number, isEnd: boolean): number => {
  if (text === undefined) return otherwise;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const at = isDay || /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new UsageError(`--${flag} must be a day (2026-11-20) or a time (2026-11-20T18:00:00Z)`);
  return isDay && isEnd ? at + dayMs : at;
};

/** `audit`: the entries in a time, oldest first. @throws UsageError for a `--from` or `--to` that is no time. */
export const readAudit = async (
  { store }: Pick<CommandContext, "store">,
  flags: Readonly<Record<string, string>>,
): Promise<CommandOutput> => {
  const from = boundary("from", flags.from, 0, false);
  const until = boundary("to", flags.to, Number.MAX_SAFE_INTEGER, true);
  const entries: AuditTable[] = [];
  for (;;) {
    const after = entries.at(-1)?.seq ?? 0;
    const page = await store.read(() => all(auditPage({ after, from, until, limit: pageSize })));
    entries.push(...page);
    if (page.length < pageSize) break;
  }
  return entries.map(({ seq, at, event, actor, address, object, detail }) => ({
    number: seq,
    time: new Date(at).toISOString(),
    event,
    actor,
    address,
    object,
    detail,
  }));
};

/** @throws ServiceError `internal_error` with the first entry that does not hold: the exit code says it too. */
export const checkAudit = async ({ store, keys, database, isKeyGiven }: CommandContext) => {
  // A SERVICE_KEY that came later: what was written before is under the key that the service had made for itself.
  const kept = isKeyGiven ? await loadKeptServiceKey(store, database) : null;
  const earlier = kept === null ? [] : [serviceKeysFrom(kept, false)];
  const result = await verifyAudit(store, [...earlier, keys]);
  if (result.kind === "broken")
    throw new ServiceError("internal_error", `The audit does not hold: entry ${result.at} ${result.why}.`);
  const before = result.underEarlierKeys === 0 ? {} : { before_this_service_key: result.underEarlierKeys };
  return { audit: "whole", entries: result.entries, ...before, head: result.head };
};
