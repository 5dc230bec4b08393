/** What the service adds to this terminal's half: a withdrawal's history, and its report of some days. */
import type { ServiceHalf, StoryStep } from "../../../preload/contract.ts";
import { type ReportLine, reportLines } from "../books/report-lines.ts";
import { bodyOf, classifyAnswer, codeOf } from "../service/classify-answer.ts";
import type { ServiceClient } from "../service/client.ts";
import type { Answer } from "../state/inputs.ts";
import { stepsOfService } from "./story.ts";

/** Who asks the service, and as whom. */
export interface AskedService {
  readonly client: Pick<ServiceClient, "getReport" | "getEvents">;
  readonly store: string | null;
  readonly deviceId: string | null;
  /** This terminal's clock minus the service's. */
  readonly offMs: number;
}

const dayMs = 86_400_000;
/** The report is read so far beyond the days, so that a withdrawal at midnight is on both sides. */
const marginMs = 10 * 60_000;

/** Why a half is missing, by the answer that should have brought it. */
const missing = (answer: Answer): Exclude<ServiceHalf, "available"> => {
  const kind = classifyAnswer(answer);
  if (codeOf(answer) === "transaction_not_found") return "not_known";
  return kind === "missing" || kind === "refused" || kind === "misrouted" || kind === "done"
    ? "not_offered"
    : "offline";
};

/** A withdrawal's steps by the service's clock, or why there are none. */
export const stepsThere = async (
  { client }: AskedService,
  transactionId: string,
): Promise<readonly StoryStep[] | Exclude<ServiceHalf, "available">> => {
  const answer = await client.getEvents(transactionId);
  return (classifyAnswer(answer) === "done" ? stepsOfService(bodyOf(answer)) : null) ?? missing(answer);
};

/**
 * The report's lines of some time by this terminal's clock, and somewhat beyond. Asked a day at a time, so that no answer is
 * too long; the first one that fails ends it.
 */
export const readReport = async (
  { client, store, offMs }: AskedService,
  fromMs: number,
  toMs: number,
): Promise<readonly ReportLine[] | "offline" | "not_offered"> => {
  if (store === null) return "offline";
  const lines: ReportLine[] = [];
  const [first, end] = [fromMs - offMs - marginMs, toMs - offMs + marginMs];
  for (let at = first; at < end; at += dayMs) {
    const answer = await client.getReport(store, at, Math.min(end, at + dayMs));
    const part = classifyAnswer(answer) === "done" ? reportLines(bodyOf(answer)) : null;
    if (part === null) return missing(answer) === "offline" ? "offline" : "not_offered";
    lines.push(...part);
  }
  return lines;
};
