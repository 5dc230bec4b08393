/** What is written about the one withdrawal of flow-stage.ts, by the name of its kind. */
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { of } from "./flow-stage.ts";

type Told<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>;

/** Written before the confirm goes out. */
export const confirmIntended = { type: "confirm_intended", withdrawal: of } as const;
/** The service has taken it; null: its body did not say how it stands. */
export const confirmAccepted = (status: string | null) =>
  ({ type: "confirm_accepted", withdrawal: of, status }) as const;
/** `intended`: a confirm may have gone out before. */
export const rejectIntended = (why: Told<"reject_intended">["why"], intended = true) =>
  ({ type: "reject_intended", withdrawal: of, why, intended }) as const;
/** The money was faster, or whose confirm it was is to be learnt. */
export const rejectOvertaken = (to: Told<"reject_overtaken">["to"]) =>
  ({ type: "reject_overtaken", withdrawalId: "W1", to }) as const;
/** How far the customer or the bank is. */
export const phaseSeen = (phase: Told<"phase_seen">["phase"]) =>
  ({ type: "phase_seen", withdrawalId: "W1", phase }) as const;
/** It is paid. */
export const settled = { type: "settled", withdrawal: of } as const;
/** Written before the drawer is told to open. */
export const handOutIntended = { type: "hand_out_intended", withdrawal: of } as const;
/** The drawer is open. */
export const drawerOpened = { type: "drawer_opened", withdrawal: of } as const;
/** Written before it is told so again. */
export const drawerReopened = { type: "drawer_reopened", withdrawal: of } as const;
/** It did not open. */
export const drawerFailed = { type: "drawer_unsure", withdrawal: of, drawer: "failed" } as const;
/** Whose word it is that the cash is with the customer. */
export const handedOutBy = (by: Told<"handed_out">["by"]) => ({ type: "handed_out", withdrawal: of, by }) as const;
/** The cash stayed in the drawer. */
export const notHandedOut = (reason: Told<"not_handed_out">["reason"]) =>
  ({ type: "not_handed_out", withdrawal: of, reason }) as const;
/** It is over without cash from here. */
export const closedAs = (outcome: Told<"closed">["outcome"]) => ({ type: "closed", withdrawal: of, outcome }) as const;
/** The service has taken the report. */
export const reportAccepted = (report: Told<"report_accepted">["report"]) =>
  ({ type: "report_accepted", withdrawal: of, report }) as const;
/** It refuses the report for good, with 409. */
export const reportRefused = (report: Told<"report_refused">["report"]) =>
  ({ type: "report_refused", withdrawal: of, report, http: 409 }) as const;
/** What the books must explain. */
export const discrepancy = (about: Told<"discrepancy">["about"]) =>
  ({ type: "discrepancy", withdrawal: of, about, http: null }) as const;
/** A manager's word, without a note. */
export const decidedAs = (decision: Told<"decided">["decision"]) =>
  ({ type: "decided", withdrawal: of, decision, actor: "M1", note: "" }) as const;
