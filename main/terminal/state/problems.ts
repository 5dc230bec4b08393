/** What the books must explain: it stays in the state, over restarts and checkpoints, until a manager has acknowledged it. */

import { assertNever } from "../../../backend/contract/assert-never.ts";
import { acknowledgedElsewhereMax } from "./bounds.ts";
import type { DurableEvent } from "./events.ts";
import { type Facts, factsOf } from "./facts.ts";
import type { Acknowledgements, ProblemRecord, Problems } from "./problem-record.ts";

/** Adds one word about a withdrawal; a word that is there already changes nothing. */
export const addProblem = (problems: Problems, facts: Facts, about: string, atWallMs: number): Problems => {
  const before = problems.get(facts.withdrawalId);
  if (before?.about.includes(about)) return problems;
  const record = {
    facts: factsOf(facts),
    about: [...(before?.about ?? []), about],
    sinceWallMs: before?.sinceWallMs ?? atWallMs,
    otherShop: before?.otherShop ?? null,
    otherBook: before?.otherBook ?? null,
  };
  return new Map(problems).set(facts.withdrawalId, record);
};

/** What an event adds to the problems, or takes away. */
export const problemsAfter = (problems: Problems, event: DurableEvent, atWallMs: number): Problems => {
  switch (event.type) {
    case "discrepancy":
      return addProblem(problems, event.of, event.about, atWallMs);
    case "report_refused":
      return event.report === "reject" ? problems : addProblem(problems, event.of, `${event.report}_refused`, atWallMs);
    case "closed":
      return event.outcome === "unclear" && !problems.has(event.of.withdrawalId)
        ? addProblem(problems, event.of, "unclear", atWallMs)
        : problems;
    case "decided":
      return event.decision === "leave_to_books" ? addProblem(problems, event.of, "left_to_books", atWallMs) : problems;
    case "acknowledged": {
      const left = new Map(problems);
      left.delete(event.withdrawalId);
      return left;
    }
    case "carried_over":
      return new Map([
        ...[...problems].filter(([withdrawalId]) => !event.resolved.includes(withdrawalId)),
        ...event.problems.map((one): [string, ProblemRecord] => [one.facts.withdrawalId, one]),
      ]);
    case "installed":
    case "book_opened":
    case "device_changed":
    case "checkpoint":
    case "journal_keyed":
    case "journal_archived":
    case "journal_forked":
    case "journal_missing":
    case "settings_recorded":
    case "journal_recovered":
    case "restore_answered":
    case "message_seen":
    case "confirm_intended":
    case "confirm_accepted":
    case "reject_intended":
    case "settled":
    case "hand_out_intended":
    case "drawer_reopened":
    case "drawer_unsure":
    case "drawer_opened":
    case "handed_out":
    case "not_handed_out":
    case "report_accepted":
    case "act":
    case "receipt_requested":
    case "day_opened":
    case "cash_moved":
    case "day_counted":
    case "day_recounted":
    case "day_closed":
      return problems;
    default:
      return assertNever(event);
  }
};

/** Acknowledgements of another book's problems, for that book; the latest of them. */
export const acknowledgedAfter = (
  before: Acknowledgements,
  problems: Problems,
  { withdrawalId, actor, note }: Extract<DurableEvent, { type: "acknowledged" }>,
): Acknowledgements =>
  problems.get(withdrawalId)?.otherShop == null
    ? before
    : new Map([...before, [withdrawalId, { actor, note }] as const].slice(-acknowledgedElsewhereMax));
