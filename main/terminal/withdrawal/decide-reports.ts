/** Decides about answers to reports: accepted, permanently refused, or to be retried; and about repeats after the service's restore. */
import type { ErrorCode } from "../../../backend/contract/errors.ts";
import { backOffMaxMs, misroutedReportTriesMax, reportPatienceMs } from "../bounds.ts";
import {
  type Answer,
  backOffMs,
  bodyOf,
  classifyAnswer,
  codeOf,
  fieldsOf,
  httpOf,
  isAboutAnother,
  namesOtherHandOut,
  readTransaction,
} from "../service/answer.ts";
import type { Report } from "../service/client.ts";
import { requestStateChanged } from "./decide-service.ts";
import { closedOutcome, confirmOwner, discrepancy, eventsFromStatus, failed } from "./decide-status.ts";
import type { Event } from "./events.ts";
import { accept, type Decision, type Decisions, type EffectResult, type Input, refuse, type Turn } from "./inputs.ts";
import { type Moment, mayHaveForgotten } from "./state.ts";
import { type Facts, pendingReport, type RequestState, type Withdrawal } from "./withdrawal.ts";

/**
 * `request`: this request is refused permanently. `call`: the service does not have this call, which is possible only
 * for extensions. `temporary`: people can fix the cause (scope, password, load), so the report has to be kept.
 */
const permanence: Readonly<Record<ErrorCode, "request" | "call" | "temporary">> = {
  validation_failed: "request",
  amount_out_of_range: "request",
  amount_step: "request",
  currency_mismatch: "request",
  store_unknown: "request",
  journal_forked: "request",
  limit_reached: "temporary",
  partner_not_configured: "temporary",
  transaction_not_found: "request",
  transaction_conflict: "request",
  payload_too_large: "request",
  unsupported_media_type: "request",
  idempotency_key_reused: "request",
  user_blocked: "temporary",
  cross_site_request: "temporary",
  not_found: "call",
  method_not_allowed: "call",
  unauthenticated: "temporary",
  insufficient_scope: "temporary",
  too_many_requests: "temporary",
  internal_error: "temporary",
  unavailable: "temporary",
};

/** Classes of refusals that may come from a gateway and say nothing about the withdrawal. */
const refusals: readonly string[] = ["missing", "refused", "misrouted"];

/** Whether the service itself has refused the report permanently. */
export const isRefusedForGood = (report: Report, answer: Answer): boolean => {
  const answerClass = classifyAnswer(answer);
  if (answerClass === "conflict") return true;
  const code = codeOf(answer);
  if (code === null || (answerClass !== "missing" && answerClass !== "refused")) return false;
  return permanence[code] === "request" || (permanence[code] === "call" && report === "undelivered");
};

/**
 * Whether to give up a report about cash and leave it to the manager. A server of the plain specification has no call for
 * `undelivered` and refuses it with an error of its own: give up after a few attempts. Anything else is retried for days.
 */
export const isGivenUp = (withdrawal: Withdrawal, report: Report, answer: Answer, moment: Moment): boolean => {
  if (isRefusedForGood(report, answer)) return true;
  if (!refusals.includes(classifyAnswer(answer)) || withdrawal.requestState.failures + 1 < misroutedReportTriesMax)
    return false;
  if (report === "undelivered" && codeOf(answer) === null) return true;
  return moment.monotonicMs - (withdrawal.reportDueSinceMs ?? withdrawal.beganMs) > reportPatienceMs;
};

type ReportAnswered = Extract<EffectResult, { type: "report_answered" }>;

/** The answer to a link, a reject or an undelivered report (interface 4.6 and 4.7, conventions' undelivered). */
const decideReport = (turn: Turn, input: ReportAnswered): Decision => {
  const { state } = turn;
  const withdrawal = state.open.get(input.withdrawalId);
  if (
    withdrawal === undefined ||
    pendingReport(withdrawal) !== input.report ||
    withdrawal.requestState.number !== input.number
  )
    return refuse("stale");
  const answered = input.report === "reject" ? rejectAnswered : cashReportAnswered;
  return accept(...answered(turn, withdrawal, input));
};

/** Answers to link and undelivered, which only tell the service about cash. */
const cashReportAnswered = (turn: Turn, withdrawal: Withdrawal, input: ReportAnswered): readonly Event[] => {
  const { state, moment, fresh } = turn;
  const { answer, report } = input;
  const failures = withdrawal.requestState.failures + 1;
  // A restore became known meanwhile: an acceptance may be lost, and a refusal may come from lost data.
  if ((state.serviceRestore?.restoredAt ?? null) !== input.restoredAt)
    return [requestStateChanged(withdrawal, { failures, notBeforeMs: moment.monotonicMs })];
  const isTaken = classifyAnswer(answer) === "done" && !isAboutAnother(bodyOf(answer), withdrawal.transactionId);
  if (isTaken || confirmsReport(withdrawal.transactionId, report, answer))
    return [
      ...problemsIn(withdrawal, report, answer, withdrawal.handOutId),
      { type: "report_accepted", withdrawal, report },
      // The service saved the journal's head in the same commit.
      ...(fieldsOf(bodyOf(answer)).journal_kept === true ? [{ type: "head_answered", outcome: "taken" } as const] : []),
    ];
  // Until that is said the report lacks what a service that was put back needs to take it.
  const isFinal = !isRefusedForGood(report, answer) || !mayHaveForgotten(state);
  if (isFinal && isGivenUp(withdrawal, report, answer, moment))
    return [{ type: "report_refused", withdrawal, report, http: httpOf(answer) ?? 0 }];
  const notBeforeMs = moment.monotonicMs + backOffMs(failures, backOffMaxMs, fresh.fraction, answer);
  return [requestStateChanged(withdrawal, { failures, notBeforeMs })];
};

/** Problems in the answer to an accepted report: another program handed out this cash, too, or an operator had decided otherwise. */
const problemsIn = (of: Facts, report: Report, answer: Answer, handOutId: string | null): readonly Event[] => {
  if (namesOtherHandOut(bodyOf(answer), handOutId)) return [discrepancy(of, "linked_by_another")];
  const status = readTransaction(bodyOf(answer), of.transactionId)?.status;
  return status === (report === "link" ? "undelivered" : "linked") ? [discrepancy(of, "decided_otherwise")] : [];
};

/** A conflict whose body says that the report was accepted before. */
const confirmsReport = (transactionId: string, report: Report, answer: Answer): boolean => {
  const said = readTransaction(fieldsOf(bodyOf(answer)).transaction, transactionId);
  return classifyAnswer(answer) === "conflict" && said?.status === (report === "link" ? "linked" : "undelivered");
};

/** The customer's approval can overtake a reject: then the withdrawal goes on with its real status. */
const rejectAnswered = (turn: Turn, withdrawal: Withdrawal, { answer }: ReportAnswered): readonly Event[] => {
  const again = (changes: Partial<RequestState> = {}): Event => failed(turn, withdrawal, answer, changes);
  switch (classifyAnswer(answer)) {
    case "done": {
      const body = bodyOf(answer);
      if (isAboutAnother(body, withdrawal.transactionId)) return [again()];
      const reading = readTransaction(body, withdrawal.transactionId);
      if (reading === null || reading.status === null) {
        // An unknown status may be that server's word for "paid": ask for the status first.
        if (reading?.hasStatus) return [again({ checkFirst: true, rejectRefused: true })];
        const why = withdrawal.stage.kind === "rejecting" ? withdrawal.stage.why : null;
        return [{ type: "closed", withdrawal, outcome: closedOutcome("rejected", null, why) }];
      }
      const learned = eventsFromStatus(turn, withdrawal, reading);
      const unsaid = learned.length === 0 && confirmOwner(withdrawal, reading) === "unsaid";
      return [...learned, again(unsaid ? { rejectRefused: true } : {})];
    }
    case "conflict":
    case "missing":
    case "refused": {
      const isOver = withdrawal.requestState.failures + 1 >= misroutedReportTriesMax;
      if (!isOver && !isRefusedForGood("reject", answer)) return [again()];
      return [again({ checkFirst: true, rejectRefused: true, notBeforeMs: turn.moment.monotonicMs })];
    }
    default:
      return [again()];
  }
};

type Collected = Extract<EffectResult, { type: "reports_collected" }>;
type Repeated = Extract<EffectResult, { type: "report_repeated" }>;

const decideCollected = ({ state }: Turn, { restoredAt, keyNumber, reports }: Collected): Decision => {
  if (state.serviceRestore?.restoredAt !== restoredAt || state.keyNumber !== keyNumber) return refuse("stale");
  return accept(
    reports.length === 0
      ? { type: "restore_answered", restoredAt }
      : { type: "repeats_begun", restoredAt, left: reports.map((one) => ({ ...one, failures: 0 })) },
  );
};

/** Decides about the answer to a repeated report; a permanent refusal becomes a problem for the manager. */
const decideRepeated = ({ state, moment, fresh }: Turn, { answer, number, restoredAt }: Repeated): Decision => {
  const { repeats } = state;
  // Repeats are numbered from 0 for each restore and each key, so check that the answer belongs to these.
  const isOfThese = repeats?.restoredAt === restoredAt && repeats.number === number && !answer.ofEarlierKey;
  const one = repeats?.left[0];
  if (repeats === null || one === undefined || !isOfThese) return refuse("stale");
  const ended: readonly Event[] = [
    { type: "repeat_ended" },
    ...(repeats.left.length === 1 ? [{ type: "restore_answered", restoredAt: repeats.restoredAt } as const] : []),
  ];
  const { facts, report } = one;
  const answerClass = classifyAnswer(answer);
  const isTaken = answerClass === "done" && !isAboutAnother(bodyOf(answer), facts.transactionId);
  if (isTaken || confirmsReport(facts.transactionId, report, answer))
    return accept(...problemsIn(facts, report, answer, one.handOutId), ...ended);
  const isRefused = answerClass === "missing" || answerClass === "refused";
  if (isRefusedForGood(report, answer) || (isRefused && one.failures + 1 >= misroutedReportTriesMax))
    return accept(discrepancy(facts, "forgotten", httpOf(answer)), ...ended);
  const notBeforeMs = moment.monotonicMs + backOffMs(repeats.failures + 1, backOffMaxMs, fresh.fraction, answer);
  return accept({ type: "repeat_postponed", notBeforeMs });
};

/** Decisions about answers to reports. */
export const reportDecisions = {
  report_answered: decideReport,
  reports_collected: decideCollected,
  report_repeated: decideRepeated,
} satisfies Partial<Decisions<Input>>;
