/** What happened, applied: state and event in, state out. The one place where state changes, for a replay as for a live event. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { ProtectedSettings } from "../../../preload/contract.ts";
import { repeatPauseMs } from "../bounds.ts";
import {
  closed,
  counted,
  type DrawerMoney,
  expectedShown,
  handedOut,
  moved,
  opened,
  openedWithoutSale,
  recounting,
} from "../day/drawer-money.ts";
import {
  addPrintTask,
  dropPrints,
  notPrinted,
  type Printing,
  printed,
  printUnclear,
  retryPrint,
} from "../printing/queue.ts";
import type { Book } from "./book.ts";
import { fromCheckpoint } from "./checkpoint.ts";
import { dayReportTask } from "./drawer-day.ts";
import {
  type AboutWithdrawal,
  type DurableEvent,
  type Event,
  isDurable,
  isHandOut,
  type PrintEvent,
  type ProgramEvent,
  type RecordedEvent,
  type ScreenEvent,
  type TransientEvent,
} from "./events.ts";
import { evolveProgress, evolveWithdrawal, findOrCreate, messageScreen, put } from "./evolve-withdrawal.ts";
import { forkAcknowledged, headAnswered, headDueNow, journalProblemId, serviceHeadRead } from "./journal-head.ts";
import { arePeopleStrangers, peopleAfter } from "./people-seen.ts";
import { acknowledgedAfter, drawerProblemsAfter, expectedShownAct, problemsAfter } from "./problems.ts";
import { afterRestart, afterSleep, serviceResponded } from "./recovery.ts";
import { strictest, withProtected } from "./settings.ts";
import { activeWithdrawal, cashWasGiven, type Moment, type Repeats, type State, showScreen } from "./state.ts";
import { isIn, offersCash } from "./withdrawal.ts";

/** A hand-out of this terminal lowers what its drawer holds, once a withdrawal. @param state as it was before the event. */
const drawerMoneyAfter = (state: State, event: AboutWithdrawal): DrawerMoney => {
  if (!isHandOut(event) || cashWasGiven(state.cashGiven, event.of.transactionId)) return state.drawerMoney;
  const shown = event.type === "handed_out" ? event.pieces : null;
  return handedOut(state.drawerMoney, event.of.amount, event.of.currency, shown);
};

/** The state after an event of the printer. */
export const evolvePrinting = (
  printing: Printing,
  event: Exclude<PrintEvent, { type: "print_asked" }>,
  { monotonicMs }: Moment,
): Printing => {
  switch (event.type) {
    case "print_retried":
      return retryPrint(printing, monotonicMs);
    case "prints_dropped":
      return dropPrints(printing);
    case "print_ended": {
      const { answer, number } = event;
      switch (answer.kind) {
        case "printed":
          return printed(printing, number, answer.paperLow, monotonicMs);
        case "not_printed":
          return notPrinted(printing, answer.why, monotonicMs);
        case "unclear":
          return printUnclear(printing, answer.why);
        default:
          return assertNever(answer);
      }
    }
    default:
      return assertNever(event);
  }
};

/** A review that leaves the screen leaves no trace: nothing of it was promised to anyone. */
const forgetReview = (state: State): State => {
  const before = activeWithdrawal(state);
  if (before?.stage.kind !== "review") return state;
  const open = new Map(state.open);
  open.delete(before.withdrawalId);
  return { ...state, open };
};

/** The state after an event that changes what is in front. */
const evolveScreen = (state: State, event: ScreenEvent, moment: Moment): State => {
  switch (event.type) {
    case "scan_seen":
      return { ...state, lastScan: { transactionId: event.transactionId, atMs: moment.monotonicMs } };
    case "toast_shown":
      return { ...state, toast: { id: (state.toast?.id ?? 0) + 1, code: event.code } };
    case "look_up_begun":
      return showScreen(forgetReview(state), {
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
          scannedMs: state.activeScreen.kind === "looking_up" ? state.activeScreen.sinceMs : null,
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
        message: null,
      });
    case "screen_cleared":
      return showScreen(forgetReview(state), { kind: "idle" });
    case "withdrawal_shown":
      return showScreen(state, { kind: "withdrawal", withdrawalId: event.withdrawalId });
    default:
      return assertNever(event);
  }
};

const changeRepeats = (state: State, change: (repeats: Repeats) => Partial<Repeats>): State =>
  state.repeats === null
    ? state
    : { ...state, repeats: { ...state.repeats, ...change(state.repeats), number: state.repeats.number + 1 } };

/** The state after an event that concerns the program and its surroundings. */
const evolveProgram = (state: State, event: ProgramEvent, moment: Moment): State => {
  switch (event.type) {
    case "started":
      return afterRestart(
        { ...state, phase: "running", damagedEntries: state.damagedEntries + event.damagedEntries },
        moment,
      );
    case "resumed":
      return afterSleep(state, moment);
    case "service_responded":
      return serviceResponded(state, event.dateMs, moment);
    case "service_silent":
      return {
        ...state,
        connection: "offline",
        respondedAtMs: moment.monotonicMs,
        silentSinceMs: state.silentSinceMs ?? moment.monotonicMs,
        isDoubted: false,
      };
    case "service_doubted":
      return { ...state, isDoubted: true };
    case "probed":
      return { ...state, probes: state.probes + 1, respondedAtMs: moment.monotonicMs };
    case "credential_checked":
      return state.credential === "missing" ? state : { ...state, credential: event.verdict };
    case "enrolled":
      return {
        ...state,
        device: event.device,
        shopAskedMs: null,
        serviceRestore: null,
        repeats: null,
        credential: "good",
        keyNumber: state.keyNumber + 1,
        connection: "starting",
        respondedAtMs: 0,
        // Another device's links, or those of another enrolment.
        headReport: { ...state.headReport, serviceHead: { kind: "not_asked" }, isHeard: false },
      };
    case "shop_read":
      return {
        ...state,
        shop: event.profile ?? state.shop,
        shopAskedMs: moment.monotonicMs,
        serviceRestore: event.restore ?? state.serviceRestore,
      };
    case "repeats_begun":
      return {
        ...state,
        repeats: {
          restoredAt: event.restoredAt,
          left: event.left,
          number: 0,
          failures: 0,
          notBeforeMs: moment.monotonicMs,
        },
      };
    case "repeat_ended":
      return changeRepeats(state, ({ left }) => ({
        left: left.slice(1),
        failures: 0,
        notBeforeMs: moment.monotonicMs + repeatPauseMs,
      }));
    case "repeat_postponed":
      return changeRepeats(state, ({ failures }) => ({ failures: failures + 1, notBeforeMs: event.notBeforeMs }));
    case "settings_changed":
      return { ...state, settings: event.settings, wrongSettings: [], changedSettings: [] };
    case "surroundings_changed":
      return { ...state, ...event.changed };
    case "journal_check_moved":
      return { ...state, journalCheck: event.progress };
    case "blocked":
      return { ...state, blocked: event.blocked };
    case "journal_health_changed":
      return {
        ...state,
        journalFailing: !event.isWritable,
        // What could not be written is decided again later: nobody knows who stands there then.
        open: event.isWritable
          ? state.open
          : new Map([...state.open].map(([id, one]) => [id, { ...one, scannedMs: null }])),
      };
    case "service_head_read":
      return serviceHeadRead(state, event.head);
    case "head_answered":
      return headAnswered(state, event.outcome, moment);
    case "duplicate_device_found":
      return { ...state, sameDeviceElsewhere: true };
    case "duplicate_device_checked":
      return { ...state, duplicateCheckedMs: moment.monotonicMs };
    default:
      return assertNever(event);
  }
};

/** What every entry says, whatever it is about. */
const evolveRecorded = (state: State, event: RecordedEvent, moment: Moment): State => {
  const drawerProblems = drawerProblemsAfter(state, event, moment.wallMs);
  const before = drawerProblems === state.drawerProblems ? state : { ...state, drawerProblems };
  return evolveDurable(peopleAfter(before, event), event, moment);
};

const evolveDurable = (state: State, event: DurableEvent, moment: Moment): State => {
  switch (event.type) {
    case "installed":
      return { ...state, installation: { tag: event.tag, sinceWallMs: moment.wallMs } };
    case "book_opened": {
      const installation = state.installation ?? { tag: event.tag, sinceWallMs: moment.wallMs };
      return withRecorded(inBook({ ...state, installation }, event.book), event.settings ?? null);
    }
    case "settings_recorded":
      return withProtected(state, event.settings);
    case "device_changed":
      return inBook(state, event.book);
    case "checkpoint": {
      const after = withRecorded(fromCheckpoint(state, event, moment), event.settings);
      return event.book === null ? after : inBook(after, event.book);
    }
    case "act":
      return event.act === expectedShownAct ? { ...state, drawerMoney: expectedShown(state.drawerMoney) } : state;
    case "journal_recovered":
    case "journal_missing":
    case "journal_keyed":
    case "journal_archived":
      return state;
    case "receipt_requested": {
      const { receipt, copies } = event;
      const printing = addPrintTask(state.printing, { kind: "receipt", receipt, copies }, moment.monotonicMs);
      // The journal being read again: what it asked for then is printed by nobody now.
      return state.phase === "running" ? { ...state, printing } : state;
    }
    case "message_seen": {
      const messages = new Map(state.messages);
      messages.delete(event.withdrawalId);
      return { ...state, messages };
    }
    case "restore_answered":
      return { ...state, restoreAnswered: event.restoredAt, repeats: null };
    case "journal_forked": {
      const { serviceHash } = event;
      const after: State = { ...state, journalFork: { kind: "found", sinceWallMs: moment.wallMs, serviceHash } };
      const { protectedSettings } = state;
      // Whoever began this journal may have chosen its settings as well.
      return arePeopleStrangers(state) && protectedSettings !== null
        ? withProtected(after, strictest(protectedSettings))
        : after;
    }
    case "no_sale": {
      const result = state.settings.drawer.kind === "none" ? "by_hand" : "opening";
      const after = { ...state, drawerMoney: openedWithoutSale(state.drawerMoney, event.noSale) };
      // The journal being read again: what was ordered then is ordered by nobody now.
      return state.phase === "running" ? { ...after, noSale: { number: state.noSale.number + 1, result } } : after;
    }
    case "day_opened":
      return { ...state, drawerMoney: opened(state.drawerMoney, event) };
    case "cash_moved":
      return { ...state, drawerMoney: moved(state.drawerMoney, event.move, event.count) };
    case "day_counted":
      return { ...state, drawerMoney: counted(state.drawerMoney, event) };
    case "day_recounted":
      return { ...state, drawerMoney: recounting(state.drawerMoney) };
    case "day_closed": {
      const after = { ...state, drawerMoney: closed(event.report) };
      if (state.phase !== "running" || state.settings.printer.kind === "none") return after;
      const task = dayReportTask(state, event.report, false);
      return { ...after, printing: addPrintTask(state.printing, task, moment.monotonicMs) };
    }
    case "acknowledged":
      return {
        ...state,
        problems: problemsAfter(state.problems, event, moment.wallMs),
        acknowledgedElsewhere: acknowledgedAfter(state.acknowledgedElsewhere, state.problems, event),
        journalFork: event.withdrawalId === journalProblemId ? forkAcknowledged(state.journalFork) : state.journalFork,
      };
    case "carried_over":
      return { ...state, problems: problemsAfter(state.problems, event, moment.wallMs) };
    default: {
      const problems = problemsAfter(state.problems, event, moment.wallMs);
      const drawerMoney = drawerMoneyAfter(state, event);
      const before =
        problems === state.problems && drawerMoney === state.drawerMoney ? state : { ...state, problems, drawerMoney };
      const after = evolveWithdrawal(before, event, moment);
      return event.type === "report_accepted" || event.type === "report_refused" ? headDueNow(after, moment) : after;
    }
  }
};

const withRecorded = (state: State, settings: ProtectedSettings | null): State =>
  settings === null ? state : withProtected(state, settings);

/** Without a key the terminal still is who its journal says it is. */
const inBook = (state: State, book: Book): State => ({
  ...state,
  book,
  device:
    state.credential === "missing"
      ? { serviceUrl: book.serviceUrl, merchantId: book.merchantId, deviceId: book.deviceId }
      : state.device,
});

/** When the terminal is free, a settled withdrawal is shown by itself, the oldest first; then how one ended that was unclear. */
const showNext = (state: State): State => {
  if (state.phase !== "running" || state.activeScreen.kind !== "idle" || state.credential === "missing") return state;
  for (const one of state.open.values())
    if (offersCash(one) || isIn(one.stage, "hand_out"))
      return showScreen(state, { kind: "withdrawal", withdrawalId: one.withdrawalId });
  const [message] = state.messages.values();
  return message === undefined ? state : showScreen(state, messageScreen(message));
};

const evolveTransient = (state: State, event: TransientEvent, moment: Moment): State => {
  switch (event.type) {
    case "scan_seen":
    case "toast_shown":
    case "look_up_begun":
    case "look_up_postponed":
    case "review_opened":
    case "ended_shown":
    case "screen_cleared":
    case "withdrawal_shown":
      return evolveScreen(state, event, moment);
    case "phase_seen":
    case "reject_overtaken":
    case "approval_deadline_known":
    case "drawer_sensed":
    case "hand_out_asked":
    case "recheck_needed":
    case "retry_requested":
    case "request_state_changed":
      return evolveProgress(state, event, moment);
    case "print_asked":
      return { ...state, printing: addPrintTask(state.printing, event.task, moment.monotonicMs) };
    case "print_ended":
    case "print_retried":
    case "prints_dropped":
      return { ...state, printing: evolvePrinting(state.printing, event, moment) };
    case "no_sale_ended":
      return event.number === state.noSale.number
        ? { ...state, noSale: { number: event.number, result: event.result } }
        : state;
    default:
      return evolveProgram(state, event, moment);
  }
};

/** Applies one event at one moment. Never throws for an entry that the journal's schema lets through. */
export const evolve = (state: State, event: Event, moment: Moment): State =>
  showNext(isDurable(event) ? evolveRecorded(state, event, moment) : evolveTransient(state, event, moment));
