/** The steps of a withdrawal: the journal's entries and the service's history, on one clock. */
import { dayMs } from "../../../backend/contract/times.ts";
import { statuses } from "../../../backend/contract/transaction.ts";
import type { ServiceAvailability, StoryStep } from "../../../preload/contract.ts";
import type { StoryWord } from "../../../preload/enums.ts";
import type { JournalEntry } from "../ports.ts";
import { type Answer, bodyOf, classifyAnswer, codeOf, fieldsOf } from "../service/answer.ts";
import type { ServiceClient } from "../service/client.ts";
import { type AboutWithdrawal, type RecordedEvent, readRecorded } from "../withdrawal/events.ts";
import { marginMs, type ReportLine, reportLines } from "./books.ts";

type What = StoryStep["what"];
type StepText = Pick<StoryStep, "what" | "about">;

/** What an entry says about a withdrawal, and its detail; null: nothing. Details that are codes are words that the page can show. */
const textOf = (event: RecordedEvent): StepText | null => {
  if (event.type === "acknowledged") return { what: event.type, about: event.note };
  if (event.type === "receipt_requested")
    return { what: event.type, about: event.receipt.isReprint ? ("reprint" satisfies StoryWord) : null };
  if (!("withdrawal" in event)) return null;
  if (event.type === "report_accepted" || event.type === "report_refused")
    return { what: `${event.report}_${event.type === "report_accepted" ? "accepted" : "refused"}`, about: null };
  return { what: event.type, about: detailOf(event) };
};

const detailOf = (event: Exclude<AboutWithdrawal, { report: unknown }>): string | null => {
  switch (event.type) {
    case "reject_intended":
      return event.why satisfies StoryWord;
    case "drawer_unsure":
      return event.drawer satisfies StoryWord;
    case "handed_out":
      return event.by satisfies StoryWord;
    case "not_handed_out":
      return event.reason;
    case "closed":
      return event.outcome;
    case "decided":
      return event.note;
    case "discrepancy":
      return event.about;
    default:
      return null;
  }
};

const approvedBy = (event: RecordedEvent): string | null =>
  ("approvedBy" in event ? event.approvedBy : undefined) ?? null;

/** An entry as a step; null if it is not about a withdrawal. */
export const stepOfEntry = (entry: JournalEntry): StoryStep | null => {
  const event = readRecorded(entry);
  const said = event && textOf(event);
  return said && { side: "here", atMs: entry.at, ...said, by: event.actor ?? null, byName: approvedBy(event) };
};

const eventsMax = 500;
const text = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value.slice(0, 500) : null;

const notes = ["contradicted", "dispute_closed", "decided", "approved", "reported_again", "cash_reported"] as const;
const serviceStep = (kind: unknown, to: unknown): What | null => {
  const found = notes.find((word) => word === kind) ?? statuses.find((word) => word === to);
  return found === undefined ? null : `there_${found}`;
};

/** The service's history as steps, by its clock; unreadable ones are left out. Null if the body is not a history. */
const stepsOfService = (body: unknown): readonly StoryStep[] | null => {
  const { events } = fieldsOf(body);
  if (!Array.isArray(events)) return null;
  return events.slice(0, eventsMax).flatMap((event: unknown): readonly StoryStep[] => {
    const { kind, at, to, actor, actor_id: name, reason } = fieldsOf(event);
    const atMs = Date.parse(text(at) ?? "");
    const what = serviceStep(kind, to);
    if (!Number.isFinite(atMs) || what === null) return [];
    return [{ side: "there", atMs, what, about: text(reason), by: text(actor), byName: text(name) }];
  });
};

type Pairs = readonly (readonly [here: What, there: What])[];
/** Steps at the terminal and the steps at the service that they cause. */
const causes: Pairs = [
  ["confirm_intended", "there_awaiting_sca"],
  ["confirm_intended", "there_settling"],
  ["handed_out", "there_linked"],
  ["not_handed_out", "there_undelivered"],
  ["reject_intended", "there_rejected"],
];
/** Steps at the terminal that follow from steps at the service. */
const effects: Pairs = [
  ["confirm_accepted", "there_awaiting_sca"],
  ["settled", "there_settled"],
  ["link_accepted", "there_linked"],
  ["undelivered_accepted", "there_undelivered"],
];

/** Shift of the service's times so that no step comes before its cause: as close to `offMs` as possible. */
export const clockShift = (here: readonly StoryStep[], there: readonly StoryStep[], offMs: number): number => {
  const gaps = (pairs: Pairs): readonly number[] =>
    pairs.flatMap(([ours, theirs]) => {
      const [own, its] = [here.find(({ what }) => what === ours), there.find(({ what }) => what === theirs)];
      return own === undefined || its === undefined ? [] : [own.atMs - its.atMs];
    });
  const [least, most] = [Math.max(...gaps(causes)), Math.min(...gaps(effects))];
  return least > most ? offMs : Math.min(Math.max(offMs, least), most);
};

/** Merges both lists by time; at equal times the service's step comes first unless the other caused it. */
export const mergeSteps = (
  here: readonly StoryStep[],
  there: readonly StoryStep[],
  shiftMs: number,
): readonly StoryStep[] => {
  const rest = there.map((step) => ({ ...step, atMs: step.atMs + shiftMs }));
  const isCause = (own: StoryStep, theirs: StoryStep): boolean =>
    own.atMs === theirs.atMs && causes.some(([ours, its]) => ours === own.what && its === theirs.what);
  const merged: StoryStep[] = [];
  for (const [index, own] of here.entries()) {
    const isBefore = (theirs: StoryStep): boolean =>
      theirs.atMs < own.atMs ||
      (theirs.atMs === own.atMs && !here.slice(index).some((later) => isCause(later, theirs)));
    for (let next = rest[0]; next !== undefined && isBefore(next); next = rest[0]) {
      merged.push(next);
      rest.shift();
    }
    merged.push(own);
  }
  return [...merged, ...rest];
};

/** Why the service's side is missing, from its answer. */
const whyUnavailable = (answer: Answer): Exclude<ServiceAvailability, "available"> => {
  if (codeOf(answer) === "transaction_not_found") return "not_known";
  const kind = classifyAnswer(answer);
  return kind === "later" || kind === "unknown" ? "offline" : "not_offered";
};

/** Steps of a withdrawal at the service, by its clock, or why there are none. */
export const readServiceSteps = async (
  client: Pick<ServiceClient, "getEvents">,
  transactionId: string,
): Promise<readonly StoryStep[] | Exclude<ServiceAvailability, "available">> => {
  const answer = await client.getEvents(transactionId);
  return (classifyAnswer(answer) === "done" ? stepsOfService(bodyOf(answer)) : null) ?? whyUnavailable(answer);
};

/**
 * Report lines of a time range by this terminal's clock, plus ten minutes at each end; read day by day until one fails.
 * @param offMs this terminal's clock minus the service's.
 */
export const readReport = async (
  client: Pick<ServiceClient, "getReport">,
  store: string | null,
  offMs: number,
  fromMs: number,
  toMs: number,
): Promise<readonly ReportLine[] | "offline" | "not_offered"> => {
  if (store === null) return "offline";
  const lines: ReportLine[] = [];
  const [first, end] = [fromMs - offMs - marginMs, toMs - offMs + marginMs];
  for (let at = first; at < end; at += dayMs) {
    const answer = await client.getReport(store, at, Math.min(end, at + dayMs));
    const part = classifyAnswer(answer) === "done" ? reportLines(bodyOf(answer)) : null;
    if (part === null) return whyUnavailable(answer) === "offline" ? "offline" : "not_offered";
    lines.push(...part);
  }
  return lines;
};
