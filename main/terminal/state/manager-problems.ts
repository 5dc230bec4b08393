/** The manager's list of what is open and what is unresolved, and what may be said about each. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { ManagerDecision, Problem } from "../../../preload/contract.ts";
import { listDrawerProblems } from "./drawer-problems.ts";
import { journalProblemId } from "./journal-head.ts";
import type { Moment, State, Withdrawal } from "./state.ts";

/** A look at an amount binds nobody; before `settled` nothing can be declared about cash. */
export const decisionsFor = ({ stage, intended, handOutBegun }: Withdrawal): readonly ManagerDecision[] => {
  switch (stage.kind) {
    case "review":
      return [];
    case "payable":
    case "opening":
      return ["handed_out", "not_handed_out", "leave_to_books"];
    case "rejecting":
      return intended ? ["leave_to_books"] : [];
    case "confirming":
    case "waiting":
      return handOutBegun ? ["handed_out", "not_handed_out", "leave_to_books"] : ["leave_to_books"];
    case "handed_out":
    case "not_handed_out":
      return ["leave_to_books"];
    default:
      return assertNever(stage);
  }
};

/** Whether it stands in the way of enrolling as another device, shop or service. */
export const isUndecided = (withdrawal: Withdrawal): boolean =>
  !withdrawal.decided && decisionsFor(withdrawal).length > 0;

const ofJournal = ({ journalFork }: State): readonly Problem[] =>
  journalFork.kind === "found"
    ? [
        {
          kind: "journal",
          withdrawalId: journalProblemId,
          since: new Date(journalFork.sinceWallMs).toISOString(),
          about: "journal_forked",
        },
      ]
    : [];

/** Oldest first; the journal's own before open ones, those before unresolved ones, the drawer's last. */
export const problemsOf = (state: State, moment: Moment): readonly Problem[] => [
  ...ofJournal(state),
  ...[...state.open.values()].filter(isUndecided).map(
    (one): Problem => ({
      withdrawalId: one.withdrawalId,
      transactionId: one.transactionId,
      money: { amount: one.amount, currency: one.currency },
      shop: one.shop,
      since: new Date(moment.wallMs - Math.max(0, moment.monotonicMs - one.beganMs)).toISOString(),
      kind: "open",
      about: one.stage.kind,
      otherShop: null,
      decisions: decisionsFor(one),
    }),
  ),
  ...[...state.problems.values()].map(
    ({ facts, about, sinceWallMs, otherShop }): Problem => ({
      withdrawalId: facts.withdrawalId,
      transactionId: facts.transactionId,
      money: { amount: facts.amount, currency: facts.currency },
      shop: facts.shop,
      since: new Date(sinceWallMs).toISOString(),
      kind: "unresolved",
      about: about.join(", "),
      otherShop,
      decisions: [],
    }),
  ),
  ...listDrawerProblems(state.drawerProblems),
];
