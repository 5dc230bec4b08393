/** What the service's answer to the journal's newest link means: taken, not known there, or that it knows another journal. */
import { classifyAnswer, codeOf } from "../service/classify-answer.ts";
import { type Answer, accept, type Decision } from "../state/inputs.ts";
import type { State } from "../state/state.ts";
import { contactEvents } from "./contact.ts";

/** A fork is written down once, until a manager has acknowledged it and the service has taken a link again. */
export const decideJournalHead = (state: State, answer: Answer | null): Decision => {
  if (answer === null || answer.ofEarlierKey) return accept({ type: "head_answered", outcome: "failed" });
  const contact = contactEvents(state, answer, "doubtful");
  if (codeOf(answer) === "journal_forked")
    return accept(...contact, ...(state.journalFork.kind === "none" ? [{ type: "journal_forked" } as const] : []), {
      type: "head_answered",
      outcome: "forked",
    });
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
