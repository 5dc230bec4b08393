/** What happened, applied: state and event in, state out. The one place where state changes, for a replay as for a live event. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Book } from "./book.ts";
import { doneMs, ownIdsMax } from "./bounds.ts";
import { addCash } from "./cash-given.ts";
import { fromCheckpoint } from "./checkpoint.ts";
import { serviceResponded } from "./connection-state.ts";
import { type DurableEvent, type Event, isDurable } from "./events.ts";
import { change, drop, enterStage, findOrCreate, isActive, put } from "./open-withdrawals.ts";
import { problemsAfter } from "./problems.ts";
import { afterRestart, afterSleep } from "./recovery.ts";
import {
  type ActiveScreen,
  type Facts,
  factsOf,
  type Moment,
  notSensed,
  offersCash,
  type Stage,
  type State,
  type Withdrawal,
} from "./state.ts";

const showScreen = (state: State, activeScreen: ActiveScreen): State => ({
  ...state,
  activeScreen,
  screenNumber: state.screenNumber + 1,
});

const isPastPayable = (stage: Stage): boolean =>
  stage.kind === "opening" || stage.kind === "handed_out" || stage.kind === "not_handed_out";

type AboutWithdrawal = Extract<DurableEvent, { of: unknown }>;

const evolveDurable = (state: State, event: DurableEvent, moment: Moment): State => {
  switch (event.type) {
    case "installed":
      return { ...state, installation: { tag: event.tag, sinceWallMs: moment.wallMs } };
    case "book_opened":
      return inBook(
        { ...state, installation: state.installation ?? { tag: event.tag, sinceWallMs: moment.wallMs } },
        event.book,
      );
    case "device_changed":
      return inBook(state, event.book);
    case "checkpoint":
      return event.book === null
        ? fromCheckpoint(state, event, moment)
        : inBook(fromCheckpoint(state, event, moment), event.book);
    case "journal_recovered":
      return state;
    case "acknowledged":
    case "carried_over":
      return { ...state, problems: problemsAfter(state.problems, event, moment.wallMs) };
    default: {
      const problems = problemsAfter(state.problems, event, moment.wallMs);
      return evolveWithdrawal(problems === state.problems ? state : { ...state, problems }, event, moment);
    }
  }
};

/** Without a key the terminal still is who its journal says it is. */
const inBook = (state: State, book: Book): State => ({
  ...state,
  book,
  device:
    state.credential === "missing"
      ? { serviceUrl: book.serviceUrl, merchantId: book.merchantId, deviceId: book.deviceId }
      : state.device,
});

const evolveWithdrawal = (state: State, event: AboutWithdrawal, moment: Moment): State => {
  const facts = event.of;
  const before = findOrCreate(state, facts, moment);
  switch (event.type) {
    case "confirm_intended": {
      const totalMs = state.settings.scaTimeoutSeconds * 1000;
      return put(
        { ...state, ownIds: new Set([...state.ownIds, facts.partnerId].slice(-ownIdsMax)) },
        enterStage(before, moment, {
          stage: { kind: "confirming" },
          intended: true,
          approval: { untilMs: moment.monotonicMs + totalMs, totalMs, isService: false },
        }),
      );
    }
    case "confirm_accepted": {
      const accepted = { ...before, intended: true, confirmed: true };
      if (before.stage.kind !== "confirming" && before.stage.kind !== "review") return put(state, accepted);
      const phase = event.status === "settling" ? "payment" : "approval";
      return put(
        state,
        enterStage(accepted, moment, {
          stage: { kind: "waiting", phase },
          approval: phase === "payment" ? null : before.approval,
        }),
      );
    }
    case "reject_intended":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "rejecting", why: event.why },
          intended: before.intended || event.intended,
          reportDueSinceMs: moment.monotonicMs,
          approval: null,
        }),
      );
    case "settled":
      // Said again after the hand-out began: cash that moved is never offered a second time.
      if (isPastPayable(before.stage)) return state;
      return put(
        state,
        withAmbiguity(
          enterStage(before, moment, {
            stage: { kind: "payable" },
            intended: true,
            confirmed: true,
            approval: null,
            recovered: before.recovered || before.requestState.failures > 0 || !isActive(state, facts),
          }),
        ),
      );
    case "hand_out_intended":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "opening", drawer: "opening" },
          intended: true,
          confirmed: true,
          handOutBegun: true,
          drawerTries: before.drawerTries + 1,
        }),
      );
    case "drawer_unsure":
      return put(state, enterStage(before, moment, { stage: { kind: "opening", drawer: event.drawer } }));
    case "drawer_opened":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "opening", drawer: "open" },
          sensed: { ...notSensed, atMs: moment.monotonicMs },
        }),
      );
    case "handed_out": {
      const after = put(
        state,
        enterStage(before, moment, { stage: { kind: "handed_out" }, reportDueSinceMs: moment.monotonicMs }),
      );
      const marked = { ...after, cashGiven: addCash(after.cashGiven, facts.transactionId) };
      return isActive(state, facts)
        ? showScreen(marked, { kind: "done", facts: factsOf(before), untilMs: moment.monotonicMs + doneMs })
        : marked;
    }
    case "not_handed_out": {
      const after = put(
        state,
        enterStage(before, moment, {
          stage: { kind: "not_handed_out", reason: event.reason },
          reportDueSinceMs: moment.monotonicMs,
        }),
      );
      return isActive(state, facts) ? showScreen(after, ended("not_handed_out", facts)) : after;
    }
    case "report_accepted":
    case "report_refused":
      if (event.report === "reject")
        return put(state, {
          ...before,
          requestState: { ...before.requestState, rejectRefused: event.type === "report_refused" },
        });
      return drop(state, facts);
    case "closed": {
      const after = drop(state, facts);
      return isActive(state, facts) ? showScreen(after, ended(event.outcome, facts)) : after;
    }
    case "decided":
      return evolveDecided(state, event, moment);
    case "discrepancy":
      return state;
    default:
      return assertNever(event);
  }
};

/** What may have been handed out already is not offered, however often the service says that it was paid. */
const withAmbiguity = (one: Withdrawal): Withdrawal =>
  one.doubtful ? { ...one, requestState: { ...one.requestState, checkFirst: true } } : one;

/** What the manager said goes the way of the cashier's own word; what is left to the books is the terminal's no more. */
const evolveDecided = (state: State, event: Extract<DurableEvent, { type: "decided" }>, moment: Moment): State => {
  const facts = event.of;
  const { decision } = event;
  if (decision === "leave_to_books") {
    const after = drop(state, facts);
    return isActive(state, facts) ? showScreen(after, { kind: "idle" }) : after;
  }
  const stage: Stage = decision === "handed_out" ? { kind: "handed_out" } : { kind: "not_handed_out", reason: "other" };
  const before = findOrCreate(state, facts, moment);
  const after = put(state, enterStage(before, moment, { stage, decided: true, reportDueSinceMs: moment.monotonicMs }));
  const marked =
    decision === "handed_out" ? { ...after, cashGiven: addCash(after.cashGiven, facts.transactionId) } : after;
  return isActive(state, facts) ? showScreen(marked, { kind: "idle" }) : marked;
};

const ended = (outcome: Extract<ActiveScreen, { kind: "ended" }>["outcome"], facts: Facts): ActiveScreen => ({
  kind: "ended",
  outcome,
  transactionId: facts.transactionId,
  money: { amount: facts.amount, currency: facts.currency },
  canRetry: false,
});

const evolveTransient = (state: State, event: Exclude<Event, DurableEvent>, moment: Moment): State => {
  switch (event.type) {
    case "started":
      return afterRestart(
        { ...state, phase: "running", damagedEntries: state.damagedEntries + event.damagedEntries },
        moment,
      );
    case "resumed":
      return afterSleep(state, moment);
    case "scan_seen":
      return { ...state, lastScan: { transactionId: event.transactionId, atMs: moment.monotonicMs } };
    case "toast_shown":
      return { ...state, toast: { id: (state.toast?.id ?? 0) + 1, code: event.code } };
    case "look_up_begun":
      return showScreen(state, {
        kind: "looking_up",
        transactionId: event.transactionId,
        sinceMs: moment.monotonicMs,
        tries: 0,
        notBeforeMs: moment.monotonicMs,
      });
    case "look_up_postponed":
      return state.activeScreen.kind === "looking_up"
        ? {
            ...state,
            activeScreen: {
              ...state.activeScreen,
              tries: state.activeScreen.tries + 1,
              notBeforeMs: event.notBeforeMs,
            },
          }
        : state;
    case "review_opened":
      return showScreen(
        put(state, {
          ...findOrCreate(state, event.facts, moment),
          createdAtMs: event.createdAtMs,
          expiresAtMs: event.expiresAtMs,
        }),
        { kind: "withdrawal", withdrawalId: event.facts.withdrawalId },
      );
    case "ended_shown":
      return showScreen(forgetReview(state), {
        kind: "ended",
        outcome: event.outcome,
        transactionId: event.transactionId,
        money: event.money,
        canRetry: event.canRetry,
      });
    case "screen_cleared":
      return showScreen(forgetReview(state), { kind: "idle" });
    case "withdrawal_shown":
      return showScreen(state, { kind: "withdrawal", withdrawalId: event.withdrawalId });
    case "phase_seen":
      return change(state, event.withdrawalId, (before) =>
        enterStage(before, moment, {
          stage: { kind: "waiting", phase: event.phase },
          approval: event.phase === "payment" ? null : before.approval,
        }),
      );
    case "reject_overtaken":
      return change(state, event.withdrawalId, (before) =>
        enterStage(before, moment, {
          stage: event.to === "payment" ? { kind: "waiting", phase: "payment" } : { kind: "confirming" },
          recovered: true,
        }),
      );
    case "approval_deadline_known":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        approval: before.approval === null ? null : { untilMs: event.untilMs, totalMs: event.totalMs, isService: true },
      }));
    case "drawer_tried_again":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        stage: { kind: "opening", drawer: "opening" },
        drawerTries: before.drawerTries + 1,
      }));
    case "drawer_sensed":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        sensed: { drawer: event.drawer, checks: before.sensed.checks + 1, atMs: moment.monotonicMs },
      }));
    case "retry_requested":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        requestState: { ...before.requestState, notBeforeMs: moment.monotonicMs },
      }));
    case "request_state_changed":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        requestState: { ...before.requestState, ...event.requestState, number: before.requestState.number + 1 },
      }));
    case "service_responded":
      return serviceResponded(state, event.dateMs, moment);
    case "service_silent":
      return {
        ...state,
        connection: "offline",
        respondedAtMs: moment.monotonicMs,
        silentSinceMs: state.silentSinceMs ?? moment.monotonicMs,
      };
    case "probed":
      return { ...state, probes: state.probes + 1, respondedAtMs: moment.monotonicMs };
    case "credential_checked":
      return state.credential === "missing" ? state : { ...state, credential: event.good ? "good" : "refused" };
    case "enrolled":
      return { ...state, device: event.device, credential: "good", connection: "starting", respondedAtMs: 0 };
    case "settings_changed":
      return { ...state, settings: event.settings };
    case "journal_check_moved":
      return { ...state, journalCheck: event.progress };
    case "blocked":
      return { ...state, blocked: event.blocked };
    case "journal_health_changed":
      return { ...state, journalFailing: !event.takes };
    case "duplicate_device_found":
      return { ...state, sameDeviceElsewhere: true };
    case "duplicate_device_checked":
      return { ...state, duplicateCheckedMs: moment.monotonicMs };
    default:
      return assertNever(event);
  }
};

/** A review that leaves the screen leaves no trace: nothing of it was promised to anyone. */
const forgetReview = (state: State): State => {
  if (state.activeScreen.kind !== "withdrawal") return state;
  const before = state.open.get(state.activeScreen.withdrawalId);
  if (before?.stage.kind !== "review") return state;
  const open = new Map(state.open);
  open.delete(before.withdrawalId);
  return { ...state, open };
};

/** When the terminal is free, a settled withdrawal is shown by itself, the oldest first. */
const showNextPayable = (state: State): State => {
  if (state.phase !== "running" || state.activeScreen.kind !== "idle" || state.credential === "missing") return state;
  for (const one of state.open.values())
    if (offersCash(one) || one.stage.kind === "opening")
      return showScreen(state, { kind: "withdrawal", withdrawalId: one.withdrawalId });
  return state;
};

/** Applies one event at one moment. Never throws for an entry that the journal's schema lets through. */
export const evolve = (state: State, event: Event, moment: Moment): State =>
  showNextPayable(isDurable(event) ? evolveDurable(state, event, moment) : evolveTransient(state, event, moment));
