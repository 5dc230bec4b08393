/** The service's side of the history: the events of a withdrawal, and the reconciliation report of some days. */
import type { ServiceAvailability, StoryStep } from "../../../preload/contract.ts";
import { type ReportLine, reportLines } from "../books/report-lines.ts";
import { bodyOf, classifyAnswer, codeOf } from "../service/classify-answer.ts";
import type { ServiceClient } from "../service/client.ts";
import type { Answer } from "../state/inputs.ts";
import { stepsOfService } from "./story.ts";

/** How the service is reached, and as which device. */
export interface ServiceAccess {
  readonly client: Pick<ServiceClient, "getReport" | "getEvents">;
  readonly store: string | null;
  readonly deviceId: string | null;
  /** This terminal's clock minus the service's. */
  readonly offMs: number;
}

const dayMs = 86_400_000;
/** The report is read this much beyond the days, so that a withdrawal at midnight is on both sides. */
const marginMs = 10 * 60_000;

/** Why the service's side is missing, by the answer that should have held it. */
const whyUnavailable = (answer: Answer): Exclude<ServiceAvailability, "available"> => {
  const kind = classifyAnswer(answer);
  if (codeOf(answer) === "transaction_not_found") return "not_known";
  return kind === "missing" || kind === "refused" || kind === "misrouted" || kind === "done"
    ? "not_offered"
    : "offline";
};

/** A withdrawal's steps at the service, by its clock, or why there are none. */
export const readServiceSteps = async (
  { client }: ServiceAccess,
  transactionId: string,
): Promise<readonly StoryStep[] | Exclude<ServiceAvailability, "available">> => {
  const answer = await client.getEvents(transactionId);
  return (classifyAnswer(answer) === "done" ? stepsOfService(bodyOf(answer)) : null) ?? whyUnavailable(answer);
};

/**
 * The report's lines of a time range by this terminal's clock, and ten minutes beyond. Requested a day at a time, so that no
 * answer is too long; the first failure ends it.
 */
export const readReport = async (
  { client, store, offMs }: ServiceAccess,
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
