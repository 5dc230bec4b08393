/** What a manager says about open and unresolved withdrawals: always with a reason, always an entry of the journal. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Actor } from "../state/actor.ts";
import { accept, type Decision, type ManagerCommand, refuse } from "../state/inputs.ts";
import { journalProblemId } from "../state/journal-head.ts";
import { decisionsFor } from "../state/manager-problems.ts";
import { activeWithdrawal, factsOf, type State } from "../state/state.ts";

/**
 * Decides about a manager's word. Refused as `stale` for what is not open any more, `invalid` for a decision that is
 * not offered.
 */
export const decideManager = (state: State, command: ManagerCommand, { code: actor }: Actor): Decision => {
  switch (command.type) {
    case "decide_withdrawal": {
      const withdrawal = state.open.get(command.withdrawalId);
      if (withdrawal === undefined) return refuse("stale");
      if (!decisionsFor(withdrawal).includes(command.decision)) return refuse("invalid");
      const isShown = activeWithdrawal(state)?.withdrawalId === withdrawal.withdrawalId;
      // What the cashier has before them is the cashier's, as long as the service can be asked about it.
      if (isShown && state.credential === "good") return refuse("busy");
      const { decision, note } = command;
      return accept({ type: "decided", of: factsOf(withdrawal), decision, actor, note });
    }
    case "acknowledge_problem":
      if (!hasProblem(state, command.withdrawalId)) return refuse("stale");
      return accept({ type: "acknowledged", withdrawalId: command.withdrawalId, actor, note: command.note });
    default:
      return assertNever(command);
  }
};

const hasProblem = ({ problems, drawerProblems, journalFork }: State, withdrawalId: string): boolean =>
  withdrawalId === journalProblemId
    ? journalFork.kind === "found"
    : problems.has(withdrawalId) || drawerProblems.some(({ id }) => id === withdrawalId);
