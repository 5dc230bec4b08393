/**
 * The proof of what restores leave behind: which there were, and the reports that match no withdrawal. The audit names each of them,
 * and who closed one; a terminal repeats for a restore, and each report is a line of the reconciliation report.
 */
import { newestAudit } from "../access/audit.ts";
import { normalizeTypedId } from "../contract/ids.ts";
import { toTime } from "../contract/times.ts";
import { allRestores, correctedEvent, restoredEvent } from "../store/restores.ts";
import type { RowOf } from "../store/schema.ts";
import type { Store } from "../store/store.ts";
import { ofReport, otherHandOutEvent } from "../withdrawals/dispute.ts";
import { entryOfLine, orderedEvent, reportedEvent, reportsAfter } from "../withdrawals/restored-reports.ts";
import { acceptedBy, historyEvents, type Moment } from "./proof.ts";

const closingEvents: readonly string[] = ["reports close", "withdrawals resolve"];
const limit = 1_000;

/** A report as its entry names it. */
interface Reported {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly detail: string | null;
  /** It is what a bank was asked to pay, and no terminal's report. */
  readonly isOrder: boolean;
  isClosed: boolean;
  isFound: boolean;
}

/** Collects what the audit says about restores; pass `visit` to `verifyAudit`. */
export const createRestoreReader = () => {
  const restores: { readonly seq: number; readonly at: number; readonly forgotSince: number }[] = [];
  const reported = new Map<string, Reported[]>();
  /** Since when closed reports are deleted with an entry, and from before when they may be. */
  let forgotten: { readonly seq: number; readonly until: number } | null = null;
  let head = 0;
  let accepted: Moment = { seq: 0, at: Number.NEGATIVE_INFINITY };

  /** What is otherwise than the audit says, and how many reports it does not know: a process without its key takes reports, too. */
  const compare = async (store: Store) => {
    const found: string[] = [];
    let unrecorded = 0;
    const known = new Map(restores.map((each) => [`${each.at} ${each.forgotSince}`, each]));
    for (const { restored_at: at, forgot_since: since } of await store.read((tx) => tx.all(allRestores({}))))
      if (!known.delete(`${at} ${since}`) && at > accepted.at)
        found.push(`the restore of ${toTime(at)} is in no entry of the audit`);
    for (const { seq } of known.values())
      if (seq > accepted.seq) found.push(`the restore that entry ${seq} of the audit names is gone, or was changed`);
    for (let id = ""; ; ) {
      const page = await store.read((tx) => tx.all(reportsAfter({ id, limit })));
      for (const row of page) {
        const { transaction_id: of, device_id: device, created_at: at, closed_at: closedAt } = row;
        const entries = [true, false].map((hasTime) => entryOfLine(row, hasTime));
        const entry = reported
          .get(of)
          ?.find(
            (one) =>
              one.at === at &&
              one.isOrder === (device === "") &&
              entries.some((e) => one.detail === e.detail && (one.isOrder || one.actor === e.actor)),
          );
        if (entry !== undefined) entry.isFound = true;
        if (at <= accepted.at) continue;
        if (!reported.has(of)) unrecorded += 1;
        else if (entry === undefined)
          found.push(`the report of ${of} after a restore is in no entry of the audit: it was changed`);
        else if (closedAt !== null && !entry.isClosed)
          found.push(`nobody has closed the report of ${of} after a restore`);
      }
      const last = page.at(-1);
      if (last === undefined) break;
      id = last.id;
    }
    const mayBeGone = ({ seq, at, isClosed }: Reported): boolean =>
      isClosed && (forgotten === null || seq < forgotten.seq || at < forgotten.until);
    for (const [of, entries] of reported)
      for (const entry of entries)
        if (!entry.isFound && !mayBeGone(entry) && entry.seq > accepted.seq)
          found.push(`the report of ${of} after a restore, which entry ${entry.seq} of the audit names, is gone`);
    return { found, unrecorded };
  };

  return {
    visit(entry: RowOf<"audit">): void {
      const { seq, at, event, actor, object, detail } = entry;
      head = seq;
      accepted = acceptedBy(accepted, entry);
      if (event === historyEvents.reportsForgotten)
        forgotten = { seq: forgotten?.seq ?? seq, until: Math.max(forgotten?.until ?? 0, Date.parse(object)) };
      if (event === restoredEvent || event === correctedEvent) {
        const last = (event === correctedEvent ? restores.pop() : restores.at(-1))?.at ?? 0;
        const [, since = ""] = /^copy of ([^;,]+)/.exec(detail ?? "") ?? [];
        restores.push({ seq, at: Math.max(at, last + 1), forgotSince: Date.parse(since) });
      }
      if (event === reportedEvent || event === orderedEvent)
        reported.set(object, [
          ...(reported.get(object) ?? []),
          { seq, at, actor, detail, isOrder: event === orderedEvent, isClosed: false, isFound: false },
        ]);
      if (closingEvents.includes(event))
        for (const each of reported.get(normalizeTypedId(object)) ?? []) each.isClosed = true;
      if (event === otherHandOutEvent && detail?.endsWith(ofReport)) {
        // One before it of the same terminal was purged, else there would be no second.
        const opened = reported.get(object)?.findLast((each) => each.actor === actor);
        if (opened !== undefined) opened.isClosed = false;
      }
    },
    /** @returns what is otherwise than the audit says; null where it has gone on meanwhile, which may have caused that: verify again. */
    async verify(store: Store) {
      const compared = await compare(store);
      if (compared.found.length === 0) return compared;
      const events = [
        restoredEvent,
        correctedEvent,
        reportedEvent,
        orderedEvent,
        otherHandOutEvent,
        historyEvents.reportsForgotten,
        ...closingEvents,
      ];
      const newest = await store.read((tx) => Promise.all(events.map((event) => tx.first(newestAudit({ event })))));
      return newest.some((entry) => (entry?.seq ?? 0) > head) ? null : compared;
    },
  };
};
