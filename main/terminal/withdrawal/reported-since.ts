/** What this journal reported of cash and a service may have forgotten: repeated to one that was put back to a copy. */
import type { Journal } from "../ports.ts";
import { readRecorded } from "./events.ts";
import { isPersonCode } from "./people-seen.ts";
import type { Reported } from "./state.ts";

const sliceEntries = 200;
/** A withdrawal began so many slices before its report, at most: its own times are looked for no further back. */
const beganBeforeSlices = 10;

/** From where on a service may have forgotten. */
export interface ForgottenSince {
  /** The newest link of the journal that the service still has: what it had answered before is not forgotten. */
  readonly head: { readonly sequence: number; readonly hash: string } | null;
  /** By this terminal's clock: counts where the journal has no such link. */
  readonly atMs: number;
}

type Found = { -readonly [K in keyof Reported]: K extends "report" ? Reported["report"] | null : Reported[K] };

const personOf = (actor: string | undefined): string | null =>
  actor !== undefined && isPersonCode(actor) ? actor : null;

/** The oldest first. @param pause lets the program go on between two slices. */
export const reportedSince = async (
  journal: Pick<Journal, "head" | "readSlice">,
  since: ForgottenSince,
  pause: () => Promise<void>,
): Promise<readonly Reported[]> => {
  const { head, atMs } = since;
  const last = head === null ? null : journal.readSlice(head.sequence, 1).last;
  const isKnown = head !== null && last?.sequence === head.sequence && last.hash === head.hash;
  const mayBeForgotten = ({ sequence, at }: { readonly sequence: number; readonly at: number }): boolean =>
    isKnown ? sequence > head.sequence : at >= atMs;
  const found = new Map<string, Found>();
  let slicesBefore = 0;
  for (let end = journal.head()?.sequence ?? 0; end > 0; end -= sliceEntries) {
    const first = Math.max(1, end - sliceEntries + 1);
    const entries = journal.readSlice(first, sliceEntries).entries.filter(({ sequence }) => sequence <= end);
    for (const entry of entries.toReversed()) {
      const { at } = entry;
      const event = readRecorded(entry);
      if (event === null || !("withdrawal" in event)) continue;
      const { withdrawal: of } = event;
      const one: Found = found.get(of.withdrawalId) ?? {
        facts: of,
        report: null,
        reason: "",
        cashier: null,
        handOutId: null,
        confirmedAtMs: null,
        settledAtMs: null,
        reportedAtMs: null,
      };
      found.set(of.withdrawalId, one);
      const isReport = event.type === "report_accepted" || event.type === "report_refused";
      if (isReport && event.report !== "reject" && mayBeForgotten(entry)) one.report ??= event.report;
      if (event.type === "confirm_intended") one.confirmedAtMs = at;
      if (event.type === "settled") one.settledAtMs ??= at;
      const isWord =
        event.type === "handed_out" ||
        event.type === "not_handed_out" ||
        (event.type === "decided" && event.decision !== "leave_to_books");
      if (!isWord || one.reportedAtMs !== null) continue;
      one.reportedAtMs = at;
      one.cashier = personOf(event.actor);
      one.handOutId = (event.type === "not_handed_out" ? null : event.handOutId) ?? null;
      one.reason = event.type === "not_handed_out" ? event.reason : event.type === "decided" ? "other" : "";
    }
    if (entries.length > 0 && !entries.some(mayBeForgotten)) slicesBefore += 1;
    if (slicesBefore > beganBeforeSlices) break;
    await pause();
  }
  return [...found.values()].filter((one): one is Reported => one.report !== null).reverse();
};
