/** What the answer to a look-up leads to: a review, or a screen that says why not. Nothing has been promised to anyone yet. */
import { isClosed } from "../../../backend/contract/transaction.ts";
import type { Outcome } from "../../../preload/contract.ts";
import { bodyOf, classifyAnswer } from "../service/classify-answer.ts";
import { noCurrency, type Reading, readTransaction } from "../service/reading.ts";
import { clockResolutionMs, pollPauseMs, requestedPatienceMs } from "../state/bounds.ts";
import type { Event } from "../state/events.ts";
import { type Answer, accept, type Decision, type Fresh, type Internal } from "../state/inputs.ts";
import { makePartnerId } from "../state/partner-id.ts";
import { type Moment, openByTransaction, type State, serviceNowMs, shopOf } from "../state/state.ts";
import { contactEvents, duplicateDeviceEvents } from "./contact.ts";
import { closedOutcome, takenOutcome } from "./status.ts";

type LookUpAnswered = Extract<Internal, { type: "look_up_answered" }>;

const failure = (answer: Answer): { readonly outcome: Outcome; readonly canRetry: boolean } => {
  if (answer.kind === "silence") {
    const noWay = ["unreachable", "refused", "timeout"].includes(answer.why);
    return { outcome: noWay ? "no_network" : "service_down", canRetry: true };
  }
  switch (classifyAnswer(answer)) {
    case "missing":
      return { outcome: "unknown_barcode", canRetry: false };
    case "refused":
    case "conflict":
      return { outcome: "service_refused", canRetry: false };
    default:
      return { outcome: "service_down", canRetry: true };
  }
};

const show = (transactionId: string, outcome: Outcome, canRetry: boolean, reading: Reading | null = null): Event => ({
  type: "ended_shown",
  outcome,
  transactionId,
  money: reading?.amount == null ? null : { amount: reading.amount, currency: reading.currency ?? noCurrency },
  canRetry,
});

/** The name that the customer reads; of a service that says only an id, the one it has said about this shop. */
const shopNameOf = (state: State, { store, storeName }: Reading): string => {
  const id = store ?? state.device?.merchantId ?? "";
  if (storeName !== null && storeName !== id) return storeName;
  const known = shopOf(state);
  return known?.merchantId === id ? known.name : id;
};

/** What the service's clock shows, by this answer or else by earlier ones; null while none has said it. */
const serviceClockOf = (state: State, answer: Answer, moment: Moment): number | null => {
  if (answer.kind === "answer" && answer.dateMs !== null) return answer.dateMs;
  return state.serviceClock === null ? null : serviceNowMs(state, moment);
};

/** Ready, with no time left for a confirm: the service closes it as soon as it tidies up. */
const isOver = ({ expiresAtMs }: Reading, serviceNow: number | null): boolean =>
  expiresAtMs !== null && serviceNow !== null && serviceNow + clockResolutionMs > expiresAtMs;

/** Decides about the answer; ignored when the cashier has left the look-up meanwhile. */
export const decideLookUp = (state: State, input: LookUpAnswered, moment: Moment, fresh: Fresh): Decision => {
  const contact = contactEvents(state, input.answer);
  const { activeScreen } = state;
  const { transactionId } = input;
  if (activeScreen.kind !== "looking_up" || activeScreen.transactionId !== transactionId) return accept(...contact);
  if (classifyAnswer(input.answer) !== "done") {
    const { outcome, canRetry } = failure(input.answer);
    return accept(...contact, show(transactionId, outcome, canRetry));
  }
  const reading = readTransaction(bodyOf(input.answer), transactionId);
  if (reading === null) return accept(...contact, show(transactionId, "service_down", true));

  const { status } = reading;
  if (status === "requested") {
    const overdue = moment.monotonicMs - activeScreen.sinceMs > requestedPatienceMs;
    if (overdue) return accept(...contact, show(transactionId, "service_down", true, reading));
    return accept(...contact, { type: "look_up_postponed", notBeforeMs: moment.monotonicMs + pollPauseMs });
  }
  if (status !== null && isClosed(status))
    return accept(...contact, show(transactionId, closedOutcome(status, reading.reason, null), false, reading));
  if ((status !== null && status !== "ready") || typeof reading.partnerId === "string")
    return accept(
      ...contact,
      ...duplicateDeviceEvents(state, reading, moment),
      show(transactionId, takenOutcome(status), false, reading),
    );
  if (reading.amount === null || state.device === null || state.installation === null)
    return accept(...contact, show(transactionId, "service_refused", false, reading));
  if (openByTransaction(state, transactionId) !== null) return accept(...contact, { type: "screen_cleared" });
  if (isOver(reading, serviceClockOf(state, input.answer, moment)))
    return accept(...contact, show(transactionId, "order_expired", false, reading));
  return accept(...contact, {
    type: "review_opened",
    facts: {
      withdrawalId: fresh.id,
      transactionId,
      partnerId: makePartnerId(state.device.deviceId, state.installation.tag, fresh.id),
      amount: reading.amount,
      currency: reading.currency ?? noCurrency,
      shop: shopNameOf(state, reading),
    },
    createdAtMs: reading.createdAtMs,
    expiresAtMs: reading.expiresAtMs,
  });
};
