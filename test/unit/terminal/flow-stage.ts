/** One withdrawal before the pure core: where it stands, and what an input makes of it. */
import { decide } from "../../../main/terminal/flow.ts";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { Input } from "../../../main/terminal/withdrawal/inputs.ts";
import { initialState, type Moment, type State } from "../../../main/terminal/withdrawal/state.ts";
import type { Facts } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { idNumber } from "./rig.ts";

/** When everything happens. */
export const moment: Moment = { wallMs: 1_000_000, monotonicMs: 5_000 };
/** The one withdrawal. */
export const of: Facts = {
  withdrawalId: "W1",
  transactionId: idNumber(1),
  terminalReference: "till-1.tag.W1",
  amount: "50.00",
  currency: "EUR",
  shop: "demo-shop",
};
/** The terminal. */
export const device = { serviceUrl: "http://service", merchantId: "demo-shop", deviceId: "till-1" };

/** The state after these events. */
export const given = (...events: readonly Event[]): State =>
  events.reduce((state, event) => evolve(state, event, moment), initialState(settingsSchema.parse({}), device, true));

/** An answer of the service. */
export const answer = (status: number, body: unknown = null): ServiceAnswer => ({
  kind: "answer",
  status,
  body,
  dateMs: null,
  retryAfterMs: null,
});
/** An answer that shows the withdrawal. */
export const transaction = (status: string, fields: object = {}) =>
  answer(200, { transaction_id: of.transactionId, status, amount: "50.00", currency: "EUR", ...fields });
/** The service has this terminal's confirm. */
export const ours = { transaction_id_partner: of.terminalReference };
/** The service has another terminal's confirm. */
export const theirs = { transaction_id_partner: "till-2.tag.W1" };

/** What happened about the withdrawal; contact with the service and back-off are told elsewhere. */
const quiet = new Set([
  "service_responded",
  "service_silent",
  "service_doubted",
  "request_state_changed",
  "probed",
  "approval_deadline_known",
]);
/** The events that an input leads to, by their type and what matters of it. */
export const when = (state: State, input: Input): string[] => {
  const { events } = decide(state, input, moment, { id: "W2", fraction: 0.5 });
  return events
    .filter(({ type }) => !quiet.has(type))
    .map((event) => {
      if (event.type === "closed") return `closed:${event.outcome}`;
      if (event.type === "reject_overtaken") return `reject_overtaken:${event.to}`;
      if (event.type === "phase_seen") return `phase_seen:${event.phase}`;
      if (event.type === "discrepancy") return `discrepancy:${event.about}`;
      return event.type;
    });
};

/** In review. */
export const begun: readonly Event[] = [
  { type: "installed", tag: "tag" },
  { type: "started", damagedEntries: 0 },
  { type: "look_up_begun", transactionId: of.transactionId },
  { type: "review_opened", facts: of, createdAtMs: null, expiresAtMs: null },
];
/** The confirm is under way. */
export const confirming: readonly Event[] = [...begun, { type: "confirm_intended", withdrawal: of }];
/** The customer is to approve. */
export const waiting: readonly Event[] = [
  ...confirming,
  { type: "confirm_accepted", withdrawal: of, status: "awaiting_sca" },
];
/** The bank is paying. */
export const paying: readonly Event[] = [...waiting, { type: "phase_seen", withdrawalId: "W1", phase: "payment" }];
/** Rejected after the time-out. */
export const rejecting: readonly Event[] = [
  ...waiting,
  { type: "reject_intended", withdrawal: of, why: "time_out", intended: true },
];
/** Rejected while the confirm had no answer. */
export const rejectingUnsure: readonly Event[] = [
  ...confirming,
  { type: "reject_intended", withdrawal: of, why: "time_out", intended: true },
];
/** The service has no word on copies. */
export const shopSaid: Event = { type: "shop_read", profile: null, restore: null, isSaid: true };
/** Rejected before any confirm. */
export const rejectingUnseen: readonly Event[] = [
  ...begun,
  { type: "reject_intended", withdrawal: of, why: "cashier", intended: false },
];

/** The number of the present call. */
export const numberOf = (state: State): number => state.open.get("W1")?.requestState.number ?? 0;
/** The events after the answer to a status question. */
export const asked = (events: readonly Event[], reply: ServiceAnswer): string[] => {
  const state = given(...events);
  return when(state, {
    type: "status_answered",
    withdrawalId: "W1",
    number: numberOf(state),
    answer: reply,
    tookMs: 5,
  });
};
