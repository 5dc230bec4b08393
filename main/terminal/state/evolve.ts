/** What happened, applied: state and event in, state out. The one place where state changes, for a replay as for a live event. */
import type { ProtectedSettings } from "../../../preload/contract.ts";
import type { Book } from "./book.ts";
import { fromCheckpoint } from "./checkpoint.ts";
import { dayReportTask } from "./day-report-task.ts";
import { drawerProblemsAfter } from "./drawer-problems.ts";
import { messageScreen } from "./ended-screen.ts";
import { type DurableEvent, type Event, isDurable, type RecordedEvent, type TransientEvent } from "./events.ts";
import { drawerMoneyAfter, evolveDay } from "./evolve-day.ts";
import { evolvePrinting } from "./evolve-printing.ts";
import { evolveProgram } from "./evolve-program.ts";
import { evolveProgress } from "./evolve-progress.ts";
import { evolveScreen } from "./evolve-screen.ts";
import { evolveWithdrawal } from "./evolve-withdrawal.ts";
import { forkAcknowledged, headDueNow, journalProblemId } from "./journal-head.ts";
import { arePeopleStrangers, peopleAfter } from "./people-seen.ts";
import { addPrintTask } from "./printing.ts";
import { acknowledgedAfter, problemsAfter } from "./problems.ts";
import { strictest, withProtected } from "./protected-settings.ts";
import { showScreen } from "./show-screen.ts";
import { isIn, type Moment, offersCash, type State } from "./state.ts";

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
    case "journal_recovered":
    case "journal_missing":
    case "act":
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
    case "day_opened":
    case "cash_moved":
    case "day_counted":
    case "day_recounted":
      return { ...state, drawerMoney: evolveDay(state.drawerMoney, event) };
    case "day_closed": {
      const after = { ...state, drawerMoney: evolveDay(state.drawerMoney, event) };
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
    default:
      return evolveProgram(state, event, moment);
  }
};

/** Applies one event at one moment. Never throws for an entry that the journal's schema lets through. */
export const evolve = (state: State, event: Event, moment: Moment): State =>
  showNext(isDurable(event) ? evolveRecorded(state, event, moment) : evolveTransient(state, event, moment));
