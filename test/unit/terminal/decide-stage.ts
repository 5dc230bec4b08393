/** The core's decisions with all that they say, also how the next call goes: whole events, where flow-stage.ts tells their kinds. */
import { decide } from "../../../main/terminal/flow.ts";
import type { Event } from "../../../main/terminal/state/events.ts";
import type { Input } from "../../../main/terminal/state/inputs.ts";
import type { Moment, RequestState, State } from "../../../main/terminal/state/state.ts";
import { moment, numberOf } from "./flow-stage.ts";

/** Half of the spread of a back-off, so that a pause is three quarters of its full length. */
const fresh = { id: "W2", fraction: 0.5 };

/** That an answer came, with no Date. */
export const responded: Event = { type: "service_responded", dateMs: null };

/** The events of a decision. */
export const eventsOf = (state: State, input: Input, at: Moment = moment): readonly Event[] =>
  decide(state, input, at, fresh).events;
/** The reply to whoever sent an input. */
export const replyOf = (state: State, input: Input, at: Moment = moment) => decide(state, input, at, fresh).reply;

/** How the next call about the withdrawal goes. */
export const next = (requestState: Partial<RequestState>): Event => ({
  type: "request_state_changed",
  withdrawalId: "W1",
  requestState,
});
/** So many milliseconds from now. */
export const inMs = (pauseMs: number): { readonly notBeforeMs: number } => ({
  notBeforeMs: moment.monotonicMs + pauseMs,
});
/** The number of the present call, as an input about the withdrawal carries it. */
export const present = (state: State) => ({ withdrawalId: "W1", number: numberOf(state) }) as const;
