/** How a withdrawal ends that had been unclear: somebody has to read it. */
import type { Event } from "../state/events.ts";
import type { Decision, Input } from "../state/inputs.ts";
import { activeWithdrawal, type Moment, type State } from "../state/state.ts";
import { screenName } from "../state/step.ts";

/** Whether nobody sees it end, or somebody was told that it is unclear. Before a confirm nothing was promised to anyone. */
const isUnwatched = (state: State, withdrawalId: string, moment: Moment): boolean => {
  const one = state.open.get(withdrawalId);
  if (one === undefined || !one.intended) return false;
  return activeWithdrawal(state) !== one || one.recovered || screenName(state, moment) === "unknown";
};

/** The decision with that mark on each end that the service's word brings. */
export const withMessages = (state: State, input: Input, decision: Decision, moment: Moment): Decision => {
  if (!input.type.endsWith("_answered")) return decision;
  const marked = (event: Event): Event =>
    (event.type === "closed" || event.type === "not_handed_out") && isUnwatched(state, event.of.withdrawalId, moment)
      ? { ...event, unwatched: true }
      : event;
  return { ...decision, events: decision.events.map(marked) };
};
