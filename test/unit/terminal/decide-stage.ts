/** The core's decisions with all that they say, also how the next call goes: whole events, where flow-stage.ts tells their kinds. */
import { decide } from "../../../main/terminal/flow.ts";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { type Actor, counterActor, type Decision, type Input } from "../../../main/terminal/withdrawal/inputs.ts";
import { stepOf } from "../../../main/terminal/withdrawal/screens.ts";
import type { Moment, State } from "../../../main/terminal/withdrawal/state.ts";
import type { RequestState, Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { drawerOpened, handedOutBy, handOutIntended, notHandedOut, settled } from "./entries.ts";
import { answer, begun, moment, numberOf, of, paying } from "./flow-stage.ts";

/** Half of the spread of a back-off, so that a pause is three quarters of its full length. */
const fresh = { id: "W2", fraction: 0.5 };

/** That an answer came, with no Date. */
export const responded: Event = { type: "service_responded", dateMs: null };

/** The events of a decision; whether somebody has to be told of an end is looked at in unclear-ends.test.ts. */
export const eventsOf = (state: State, input: Input, at: Moment = moment): readonly Event[] =>
  decide(state, input, at, fresh).events.map((event) => {
    if (event.type !== "closed" && event.type !== "not_handed_out") return event;
    const { unwatched, ...told } = event;
    return told;
  });
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
/** The next call after so many failures: after a pause, counted from `at`. */
export const again = (failures: number, pauseMs = 750, at: Moment = moment): Event =>
  next({ failures, notBeforeMs: at.monotonicMs + pauseMs });
/** The next call after an answer that was none of a failure. */
export const askedOn = (pauseMs: number, at: Moment = moment): Event =>
  next({ failures: 0, checkFirst: false, notBeforeMs: at.monotonicMs + pauseMs });
/** The number of the present call, as an input about the withdrawal carries it. */
export const present = (state: State) => ({ withdrawalId: "W1", number: numberOf(state) }) as const;

/** Seven seconds from now. */
export const later: Moment = { wallMs: moment.wallMs + 7_000, monotonicMs: moment.monotonicMs + 7_000 };
/** The withdrawal. Throws when it is not open, or not alone. */
export const only = ({ open }: State): Withdrawal => {
  const [one, ...more] = open.values();
  if (one === undefined || more.length > 0) throw new Error("not one withdrawal");
  return one;
};
/** So many minutes from now. */
export const minutes = (count: number): Moment => ({ ...moment, monotonicMs: moment.monotonicMs + count * 60_000 });
/** The events after an answer to the present question about the withdrawal, without that the service is there. */
export const asked = (state: State, said: Answer, at: Moment = moment, tookMs = 5): readonly Event[] =>
  eventsOf(state, { type: "status_answered", ...present(state), answer: said, tookMs }, at).slice(1);
/** The withdrawal is over. */
export const closed = (outcome: string): Event => ({ type: "closed", withdrawal: of, outcome }) as Event;
/** What the books must clear up. */
export const books = (about: string, http: number | null = null): Event =>
  ({ type: "discrepancy", withdrawal: of, about, http }) as Event;
/** Left to the books, and off the screen: nobody can tell here what became of it. */
export const leftToBooks = (about: string, http: number | null = null): readonly Event[] => [
  books(about, http),
  closed("unclear"),
];
/** The confirm was taken. */
export const accepted = (status: string | null): Event =>
  ({ type: "confirm_accepted", withdrawal: of, status }) as Event;
/** No answer in time. */
export const silence: Answer = { kind: "silence", why: "timeout" };
/** The service knows no such withdrawal. */
export const unknown: Answer = answer(404, { code: "transaction_not_found" });
/** The program runs, with a whole journal. */
export const started: Event = { type: "started", damagedEntries: 0 };
/** A receipt to print. */
export const receipt = {
  transactionId: "t",
  terminalReference: "p",
  amount: "1.00",
  currency: "EUR",
  atMs: 1,
  shop: "s",
  terminal: "t",
  cashier: null,
  training: false,
  isReprint: false,
} as const;

/** Nothing is under way. */
export const installed: readonly Event[] = begun.slice(0, 2);
/** The cash can be handed out. */
export const payable: readonly Event[] = [...paying, settled];
/** The cash is with the customer. */
export const handedOut: readonly Event[] = [...payable, handedOutBy("cashier")];
/** The cash stayed in the drawer. */
export const kept: readonly Event[] = [...payable, notHandedOut("other")];
/** The drawer was told to open. */
export const opening: readonly Event[] = [...payable, handOutIntended];
/** It is open, and the cash is counted. */
export const counting: readonly Event[] = [...opening, drawerOpened];
/** Nothing is on the screen any more. */
export const cleared: Event = { type: "screen_cleared" };

/** What a person's command leads to; it names the screen that is shown. */
export const press = (state: State, command: object, actor: Actor = counterActor, at: Moment = moment): Decision =>
  decide(state, { step: stepOf(state, at), ...command } as Input, at, fresh, actor);
/** Taken, with these events. */
export const ok = (...events: readonly Event[]): Decision => ({ events, reply: { ok: true } });
/** Refused. */
export const no = (code: string, ...events: readonly Event[]) => ({ events, reply: { ok: false, code } }) as Decision;
