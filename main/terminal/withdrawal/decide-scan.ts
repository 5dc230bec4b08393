/** Decisions from the scan of a barcode to the review: checks its form and whether the terminal is free, then looks it up. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { foreignIdFault } from "../../../backend/contract/foreign-ids.ts";
import { isTransactionId, normalizeTypedId } from "../../../backend/contract/ids.ts";
import { parseAmount } from "../../../backend/contract/money.ts";
import { isClosed } from "../../../backend/contract/transaction.ts";
import type { Command, Outcome } from "../../../preload/contract.ts";
import { clockResolutionMs, pollPauseMs, requestedPatienceMs, sameScanMs } from "../bounds.ts";
import { type Answer, bodyOf, classifyAnswer, noCurrency, type Reading, readTransaction } from "../service/answer.ts";
import { makeTerminalReference } from "./book.ts";
import { duplicateDeviceEvents } from "./decide-service.ts";
import { closedOutcome, takenOutcome } from "./decide-status.ts";
import { drawerCurrency } from "./drawer-day.ts";
import type { Event } from "./events.ts";
import { accept, type Decision, type Decisions, type EffectResult, type Input, refuse, type Turn } from "./inputs.ts";
import {
  activeWithdrawal,
  cashWasGiven,
  type Moment,
  openByTransaction,
  type State,
  serviceNowMs,
  shopOf,
} from "./state.ts";
import { isIn, offersCash } from "./withdrawal.ts";

type Scan = Extract<Command, { type: "scan" }>;

/** Control characters come from pasted text and scanners' suffixes; ids have none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to drop
const controls = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/g;

/** The id in a scanned or typed text; null, and no network call, for anything else. */
const idOf = (state: State, scan: Pick<Scan, "text" | "source">): string | null => {
  const raw = scan.text.replace(controls, "").trim();
  const byHand = scan.source === "typed" || scan.source === "pasted";
  const own = byHand ? normalizeTypedId(raw) : raw.toUpperCase();
  if (isTransactionId(own)) return own;
  const pattern = state.settings.foreignIds;
  if (pattern === null) return null;
  const candidates = byHand ? [raw, raw.replace(/[\s-]/g, ""), own] : [raw];
  return candidates.find((text) => foreignIdFault(text, pattern) === null) ?? null;
};

/** What the terminal is busy with, and the transaction on the screen. */
const occupation = (state: State): readonly ["free" | "lookup" | "review" | "money", string | null] => {
  const { activeScreen } = state;
  switch (activeScreen.kind) {
    case "idle":
    case "done":
    case "ended":
      return ["free", null];
    case "looking_up":
      return ["lookup", activeScreen.transactionId];
    case "withdrawal": {
      const one = activeWithdrawal(state);
      return [one?.stage.kind === "review" ? "review" : "money", one?.transactionId ?? null];
    }
    default:
      return assertNever(activeScreen);
  }
};

/** Decides about a scan: looks it up, shows an open withdrawal, ignores a duplicate, or refuses it with a toast. */
const decideScan = ({ state, moment }: Turn, scan: Scan): Decision => {
  if (state.phase === "starting" || state.credential !== "good") return refuse("not_enrolled");
  const [taken, shown] = occupation(state);
  const transactionId = idOf(state, scan);
  // With another withdrawal in front nobody is asked for a barcode.
  if (transactionId === null)
    return refuse("not_an_id", { type: "toast_shown", code: taken === "free" ? "not_an_id" : `busy_${taken}` });

  const seen: Event = { type: "scan_seen", transactionId };
  const again =
    state.lastScan?.transactionId === transactionId && moment.monotonicMs - state.lastScan.atMs < sameScanMs;
  if (again && state.activeScreen.kind !== "idle") return refuse("duplicate_scan", seen);
  switch (taken) {
    case "lookup":
      if (shown === transactionId) return refuse("duplicate_scan", seen);
      return refuse("busy", { type: "toast_shown", code: "busy_lookup" });
    case "review":
      if (shown === transactionId)
        return refuse("duplicate_scan", seen, { type: "toast_shown", code: "duplicate_scan" });
      return refuse("busy", { type: "toast_shown", code: "busy_review" });
    case "money":
      return refuse("busy", { type: "toast_shown", code: "busy_money" });
    case "free":
      return begin(state, transactionId, seen);
    default:
      return assertNever(taken);
  }
};

const begin = (state: State, transactionId: string, seen: Event): Decision => {
  const waiting = [...state.open.values()].find(offersCash);
  const known = openByTransaction(state, transactionId);
  if (cashWasGiven(state.cashGiven, transactionId) || (known !== null && isIn(known.stage, "reported")))
    return accept(seen, {
      type: "ended_shown",
      outcome: "already_used",
      transactionId,
      money: known === null ? null : { amount: known.amount, currency: known.currency },
      canRetry: false,
    });
  if (known !== null) return accept(seen, { type: "withdrawal_shown", withdrawalId: known.withdrawalId });
  if (waiting !== undefined)
    return refuse(
      "busy",
      { type: "withdrawal_shown", withdrawalId: waiting.withdrawalId },
      { type: "toast_shown", code: "busy_money" },
    );
  if (state.settings.drawerMoney.enabled && state.drawerMoney.kind === "closed")
    return refuse("no_day", { type: "toast_shown", code: "no_day" });
  return accept(seen, { type: "look_up_begun", transactionId });
};

type LookUpAnswered = Extract<EffectResult, { type: "look_up_answered" }>;

const failure = (answer: Answer): Outcome => {
  if (answer.kind === "silence")
    return ["unreachable", "refused", "timeout"].includes(answer.why) ? "no_network" : "service_down";
  switch (classifyAnswer(answer)) {
    case "missing":
      return "unknown_barcode";
    case "refused":
    case "conflict":
      return "service_refused";
    default:
      return "service_down";
  }
};

/** The shop's name; if the answer has only an id, the name from the shop's profile. */
const shopNameOf = (state: State, merchantId: string, { store, storeName }: Reading): string => {
  const id = store ?? merchantId;
  if (storeName !== null && storeName !== id) return storeName;
  const known = shopOf(state);
  return known?.merchantId === id ? known.name : id;
};

/** Time by the service's clock, from this answer or earlier ones; null if unknown. */
const serviceClockOf = (state: State, answer: Answer, moment: Moment): number | null => {
  if (answer.kind === "answer" && answer.dateMs !== null) return answer.dateMs;
  return state.serviceClock === null ? null : serviceNowMs(state, moment);
};

/** Whether it has expired although its status is still `ready`: the service closes expired orders later. */
const isOver = ({ expiresAtMs }: Reading, serviceNow: number | null): boolean =>
  expiresAtMs !== null && serviceNow !== null && serviceNow + clockResolutionMs > expiresAtMs;

/**
 * Whether the drawer's limit could not count it: no cash makes the amount up in its currency, or, where the drawer is
 * counted here, that cannot be read. A body without one, where none is usual, is no case of it: no day was opened here.
 */
const isBeyondCounting = ({ settings }: State, { currency, isCurrencyUnread }: Reading, amount: string): boolean =>
  currency === null ? isCurrencyUnread && settings.drawerMoney.enabled : parseAmount(amount, currency) === null;

/** Decides about a look-up's answer; ignored if the cashier has left the look-up. */
const decideLookUp = (turn: Turn, input: LookUpAnswered): Decision => {
  const { state, moment, fresh } = turn;
  const { activeScreen } = state;
  const { transactionId } = input;
  if (activeScreen.kind !== "looking_up" || activeScreen.transactionId !== transactionId) return accept();
  const isDone = classifyAnswer(input.answer) === "done";
  const lookUp = { usualCurrency: drawerCurrency(state) };
  const reading = isDone ? readTransaction(bodyOf(input.answer), transactionId, lookUp) : null;
  const end = (outcome: Outcome, ...before: readonly Event[]): Decision => {
    const money = reading?.amount == null ? null : { amount: reading.amount, currency: reading.currency ?? noCurrency };
    const canRetry = outcome === "no_network" || outcome === "service_down";
    return accept(...before, { type: "ended_shown", outcome, transactionId, money, canRetry });
  };
  if (reading === null) return end(isDone ? "service_down" : failure(input.answer));

  const { status } = reading;
  if (status === "requested") {
    if (moment.monotonicMs - activeScreen.sinceMs > requestedPatienceMs) return end("service_down");
    return accept({ type: "look_up_postponed", notBeforeMs: moment.monotonicMs + pollPauseMs });
  }
  if (status !== null && isClosed(status)) return end(closedOutcome(status, reading.reason, null));
  if ((status !== null && status !== "ready") || typeof reading.terminalReference === "string")
    return end(takenOutcome(status), ...duplicateDeviceEvents(turn, reading));
  if (reading.amount === null || state.device === null || state.installation === null) return end("service_refused");
  if (isBeyondCounting(state, reading, reading.amount)) return end("service_refused");
  if (openByTransaction(state, transactionId) !== null) return accept({ type: "screen_cleared" });
  if (isOver(reading, serviceClockOf(state, input.answer, moment))) return end("order_expired");
  return accept({
    type: "review_opened",
    facts: {
      withdrawalId: fresh.id,
      transactionId,
      terminalReference: makeTerminalReference(state.device.deviceId, state.installation.tag, fresh.id),
      amount: reading.amount,
      currency: reading.currency ?? noCurrency,
      shop: shopNameOf(state, state.device.merchantId, reading),
    },
    createdAtMs: reading.createdAtMs,
    expiresAtMs: reading.expiresAtMs,
  });
};

/** Decisions about a scan and its look-up. */
export const scanDecisions = { scan: decideScan, look_up_answered: decideLookUp } satisfies Partial<Decisions<Input>>;
