/** From the press for the cash to the drawer: the order for it, at once or once the service was asked; and the hand-out's own name. */
import type { Event } from "../state/events.ts";
import type { Decision, Fresh } from "../state/inputs.ts";
import { factsOf, type State, type Withdrawal } from "../state/state.ts";

/** The order for the drawer; without one the press is the word that the cash is over the counter. */
export const handOut = ({ settings }: State, withdrawal: Withdrawal, approvedBy: string | null): readonly Event[] => {
  const of = factsOf(withdrawal);
  const intended = { type: "hand_out_intended", of, approvedBy } as const;
  return settings.drawer.kind === "none" ? [intended, { type: "handed_out", of, by: "cashier" }] : [intended];
};

/** The same for a press that waited for the service's word: the entries name who pressed. */
export const askedHandOut = (state: State, withdrawal: Withdrawal): readonly Event[] => {
  const { handOutAsked } = withdrawal;
  if (handOutAsked === null) return [];
  const { by: actor, approvedBy } = handOutAsked;
  return handOut(state, withdrawal, approvedBy).map((event) => ({ ...event, actor }));
};

/**
 * Gives each hand-out a name of its own before it is written: the service tells by it whether two programs on copies of one folder
 * have both given the cash.
 */
export const withHandOutId = (decision: Decision, fresh: Fresh): Decision => ({
  ...decision,
  events: decision.events.map((event) =>
    event.type === "handed_out" || (event.type === "decided" && event.decision === "handed_out")
      ? { ...event, handOutId: fresh.id }
      : event,
  ),
});
