/** What the service's answer to the journal's newest link means: taken, not known there, or that it knows another journal. */
import { newestAnchor } from "../journal/anchors.ts";
import { bodyOf, classifyAnswer, codeOf } from "../service/classify-answer.ts";
import type { DurableEvent } from "../state/events.ts";
import { type Answer, accept, type Decision } from "../state/inputs.ts";
import type { State } from "../state/state.ts";
import { contactEvents } from "./contact.ts";

/** What the service holds, before the first report of a run; without it nothing is reported. */
export const decideServiceHead = (state: State, answer: Answer): Decision => {
  if (answer.ofEarlierKey) return accept({ type: "head_answered", outcome: "failed" });
  const contact = contactEvents(state, answer, "doubtful");
  const answerClass = classifyAnswer(answer);
  const body = bodyOf(answer);
  const head = answerClass === "done" ? newestAnchor(body) : null;
  if (head !== null) return accept(...contact, { type: "service_head_read", head });
  const isFailure =
    answerClass === "later" || answerClass === "unknown" || (answerClass === "done" && body === undefined);
  return accept(...contact, { type: "head_answered", outcome: isFailure ? "failed" : "unsupported" });
};

const newFork = ({ journalFork, headReport: { serviceHead } }: State): DurableEvent | null => {
  const serviceHash = serviceHead.kind === "known" ? serviceHead.hash : undefined;
  const isSaid =
    journalFork.kind === "found" ||
    (journalFork.kind === "acknowledged" && (serviceHash === undefined || serviceHash === journalFork.serviceHash));
  return isSaid ? null : { type: "journal_forked", ...(serviceHash === undefined ? {} : { serviceHash }) };
};

/**
 * A fork is written down once, until a manager has acknowledged it and the service has taken a link again, or holds another one
 * than it did.
 */
export const decideJournalHead = (state: State, answer: Answer | null): Decision => {
  if (answer === null || answer.ofEarlierKey) return accept({ type: "head_answered", outcome: "failed" });
  const contact = contactEvents(state, answer, "doubtful");
  if (codeOf(answer) === "journal_forked") {
    const fork = newFork(state);
    return accept(...contact, ...(fork === null ? [] : [fork]), { type: "head_answered", outcome: "forked" });
  }
  switch (classifyAnswer(answer)) {
    case "done":
      return accept(...contact, { type: "head_answered", outcome: "taken" });
    case "later":
    case "unknown":
      return accept(...contact, { type: "head_answered", outcome: "failed" });
    default:
      // Another server of the interface has no such call.
      return accept(...contact, { type: "head_answered", outcome: "unsupported" });
  }
};
