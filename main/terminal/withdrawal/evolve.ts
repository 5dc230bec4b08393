/** Applies events: state and event in, state out. The only place where state changes, in replay as well as live. */
import { counterCode } from "../../../preload/choices.ts";
import {
  approvalMarginMs,
  clockResolutionMs,
  doneMs,
  headEveryMs,
  ownIdsMax,
  repeatPauseMs,
  shopAgainMs,
} from "../bounds.ts";
import * as drawer from "../day/drawer-money.ts";
import { addPrintTask, evolvePrinting, type PrintEvent, type PrintTask } from "../printing/queue.ts";
import { type Book, deviceOf, isSameDevice } from "./book.ts";
import { dayReportTask } from "./drawer-day.ts";
import {
  type AboutWithdrawal,
  type Event,
  fromCheckpoint,
  isDurable,
  isHandOut,
  type Recorded,
  type RecordedEvent,
  type TransientEvent,
} from "./events.ts";
import { arePeopleStrangers, headDue, isSomebodyElse, peopleAfter } from "./people-seen.ts";
import {
  acknowledgedAfter,
  drawerProblemsAfter,
  drawerTestAct,
  drawerTestIntended,
  expectedShownAct,
  journalProblemId,
  problemsAfter,
  putBackWithService,
} from "./problems.ts";
import { afterRestart, afterSleep, serviceResponded } from "./recovery.ts";
import { strictest, withProtected } from "./settings.ts";
import {
  type ActiveScreen,
  addCash,
  cashWasGiven,
  forgetReview,
  lookUp,
  type Message,
  type Moment,
  mayBeGiven,
  type Repeats,
  type State,
  shopOf,
  showScreen,
  unasked,
} from "./state.ts";
import {
  type Facts,
  factsOf,
  freshRequestState,
  isIn,
  mayHaveOpened,
  newWithdrawal,
  notSensed,
  offersCash,
  perhapsLeft,
  type RequestState,
  type Stage,
  toldToOpen,
  type Withdrawal,
  withoutPress,
} from "./withdrawal.ts";

/** One handler per event, from `On` to the changed fields of the state, or to the state itself if nothing changes. */
type Rows<E extends { readonly type: string }, On, Made extends Partial<State>> = {
  readonly [T in E["type"]]: (on: On, event: Extract<E, { type: T }>, moment: Moment) => Made;
};
type KeyOf<T> = T extends unknown ? keyof T : never;
/** Fields of `Made` that `Of` does not have: TypeScript itself accepts misspelt fields in a function's result. */
type Unknown<Made, Of> = { readonly [Field in Exclude<KeyOf<Made>, keyof Of>]?: never };

/** Checks that handlers set only fields of the state; others are a type error here. */
export const spelt = <R extends Readonly<Record<string, (...given: never) => object>>>(
  rows: R & { readonly [T in keyof R]: (...given: never) => Unknown<ReturnType<R[T]>, State> },
): R => rows;

const put = (state: State, withdrawal: Withdrawal): State => ({
  ...state,
  open: new Map(state.open).set(withdrawal.withdrawalId, withdrawal),
});

const without = <T>(all: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> =>
  new Map([...all].filter(([one]) => one !== key));

const drop = (state: State, { withdrawalId }: Facts): State => ({ ...state, open: without(state.open, withdrawalId) });
const isActive = ({ activeScreen }: State, { withdrawalId }: Facts): boolean =>
  activeScreen.kind === "withdrawal" && activeScreen.withdrawalId === withdrawalId;

/** The withdrawal of an entry, created from the entry's facts if its first entry is lost. */
const findOrCreate = (state: State, facts: Facts, { monotonicMs }: Moment): Withdrawal =>
  state.open.get(facts.withdrawalId) ?? newWithdrawal(facts, monotonicMs, state.restoreAnswered);

/** Enters a stage: a press that waited for the service is over, and calls start afresh, but the counters of confirms stay. */
const entering = ({ requestState }: Withdrawal, { monotonicMs }: Moment, stage: Stage) => ({
  stage,
  stageSinceMs: monotonicMs,
  handOutAsked: null,
  requestState: {
    ...freshRequestState(monotonicMs, false),
    number: requestState.number + 1,
    confirms: requestState.confirms,
    silentConfirms: requestState.silentConfirms,
  },
});

/** Continues calls under a new number, so that answers to earlier ones are recognised. */
const renumbered = ({ requestState }: Withdrawal, changes: Partial<RequestState>): RequestState => ({
  ...requestState,
  ...changes,
  number: requestState.number + 1,
});

/** Changes an open withdrawal; does nothing if there is none with this id. */
const change = <Made extends object>(
  state: State,
  { withdrawalId }: { readonly withdrawalId: string },
  changes: (before: Withdrawal) => Made & Partial<Withdrawal> & Unknown<Made, Withdrawal>,
): State => {
  const before = state.open.get(withdrawalId);
  return before === undefined ? state : put(state, { ...before, ...changes(before) });
};

/** The screen of a withdrawal that has ended. */
const endedScreen = (
  { facts, outcome }: Pick<Message, "facts" | "outcome">,
  message: Extract<ActiveScreen, { kind: "ended" }>["message"],
): Extract<ActiveScreen, { kind: "ended" }> => {
  const { transactionId, amount, currency } = facts;
  return { kind: "ended", outcome, transactionId, money: { amount, currency }, canRetry: false, message };
};

/** The terminal's own time-out, which stays below the service's if that is known. */
const ownApprovalMs = (state: State): number => {
  const ownMs = state.settings.scaTimeoutSeconds * 1000;
  const serviceSeconds = shopOf(state)?.scaTimeoutSeconds;
  return serviceSeconds == null
    ? ownMs
    : Math.min(ownMs, Math.max(clockResolutionMs, serviceSeconds * 1000 - approvalMarginMs));
};

const repeatsAfter = <Made extends object>(
  state: State,
  changes: (repeats: Repeats) => Made & Partial<Repeats> & Unknown<Made, Repeats>,
): Partial<State> => {
  const { repeats } = state;
  return repeats === null ? state : { repeats: { ...repeats, ...changes(repeats), number: repeats.number + 1 } };
};

const print = ({ printing }: State, task: PrintTask, { monotonicMs }: Moment): Partial<State> => ({
  printing: addPrintTask(printing, task, monotonicMs),
});

const printed = ({ printing }: State, event: PrintEvent, moment: Moment): Partial<State> => ({
  printing: evolvePrinting(printing, event, moment),
});

const transient = {
  scan_seen: (_, { transactionId }, { monotonicMs }) => ({ lastScan: { transactionId, atMs: monotonicMs } }),
  toast_shown: ({ toast }, { code }) => ({ toast: { id: (toast?.id ?? 0) + 1, code } }),
  // A customer is there: probe an unreachable service frequently again.
  look_up_begun: (state, { transactionId }, moment) => lookUp({ ...state, silentProbes: 0 }, transactionId, moment),
  look_up_postponed(state, { notBeforeMs }) {
    const { activeScreen } = state;
    if (activeScreen.kind !== "looking_up") return state;
    return { activeScreen: { ...activeScreen, tries: activeScreen.tries + 1, notBeforeMs } };
  },
  review_opened(state, { facts, createdAtMs, expiresAtMs }, moment) {
    const scannedMs = state.activeScreen.kind === "looking_up" ? state.activeScreen.sinceMs : null;
    const review = { ...findOrCreate(state, facts, moment), createdAtMs, expiresAtMs, scannedMs };
    return showScreen(put(state, review), { kind: "withdrawal", withdrawalId: facts.withdrawalId });
  },
  ended_shown: (state, { type: _, ...ended }) =>
    showScreen(forgetReview(state), { kind: "ended", ...ended, message: null }),
  screen_cleared: (state) => showScreen(forgetReview(state), { kind: "idle" }),
  withdrawal_shown: (state, { withdrawalId }) => showScreen(state, { kind: "withdrawal", withdrawalId }),

  phase_seen: (state, event, moment) =>
    change(state, event, (before) => ({
      ...entering(before, moment, { kind: "waiting", phase: event.phase }),
      approval: event.phase === "payment" ? null : before.approval,
    })),
  reject_overtaken: (state, event, moment) =>
    change(state, event, (before) => ({
      ...entering(
        before,
        moment,
        event.to === "payment" ? { kind: "waiting", phase: "payment" } : { kind: "confirming" },
      ),
      recovered: true,
    })),
  approval_deadline_known: (state, event) =>
    change(state, event, ({ approval }) => ({
      approval: approval && { untilMs: event.untilMs, totalMs: event.totalMs, isService: true },
    })),
  drawer_sensed: (state, event, { monotonicMs }) =>
    change(state, event, ({ sensed }) => ({
      sensed: { drawer: event.drawer, checks: sensed.checks + 1, atMs: monotonicMs },
    })),
  hand_out_asked: (state, event, { monotonicMs }) =>
    change(state, event, (before) => ({
      handOutAsked: { by: event.by, approvedBy: event.approvedBy, atMs: monotonicMs },
      requestState: renumbered(before, { notBeforeMs: monotonicMs }),
    })),
  recheck_needed: (state, event, { monotonicMs }) =>
    change({ ...state, shopAskedMs: null }, event, () => ({ stageSinceMs: monotonicMs, handOutAsked: null })),
  // What waits for the shop's word has that asked, too.
  retry_requested: (state, event, { monotonicMs: notBeforeMs }) =>
    change({ ...state, ...(state.restoreSaidUnder === null && { shopAskedMs: null }) }, event, ({ requestState }) => ({
      requestState: { ...requestState, notBeforeMs },
    })),
  request_state_changed: (state, event) =>
    change(state, event, (before) => ({ requestState: renumbered(before, event.requestState) })),

  started: (state, event, moment) =>
    afterRestart({ ...state, phase: "running", damagedEntries: state.damagedEntries + event.damagedEntries }, moment),
  resumed: (state, _, moment) => afterSleep(state, moment),
  service_responded: (state, { dateMs }, moment) => serviceResponded(state, dateMs, moment),
  service_silent: ({ connection, silentProbes, silentSinceMs }, _, { monotonicMs }) => ({
    connection: "offline",
    silentProbes: connection === "offline" ? silentProbes : 0,
    respondedAtMs: monotonicMs,
    silentSinceMs: silentSinceMs ?? monotonicMs,
    isDoubted: false,
  }),
  service_doubted: () => ({ isDoubted: true }),
  probed: ({ probes, connection, silentProbes }, { fraction }, { monotonicMs }) => ({
    probes: probes + 1,
    silentProbes: connection === "offline" ? silentProbes + 1 : 0,
    probeFraction: fraction,
    respondedAtMs: monotonicMs,
  }),
  credential_checked: (state, { verdict }) => (state.credential === "missing" ? state : { credential: verdict }),
  enrolled: ({ keyNumber, headReport }, { device }) => ({
    device,
    shopAskedMs: null,
    serviceRestore: null,
    repeats: null,
    credential: "good",
    keyNumber: keyNumber + 1,
    connection: "starting",
    respondedAtMs: 0,
    // The links were another device's or another enrolment's.
    headReport: { ...unasked, number: headReport.number },
  }),
  shop_read: (state, event, { monotonicMs }) => ({
    shop: event.profile ?? state.shop,
    shopAskedMs: monotonicMs,
    serviceRestore: event.restore ?? state.serviceRestore,
    restoreSaidUnder: event.isSaid ? state.keyNumber : state.restoreSaidUnder,
    shopUnsaid: event.isSaid
      ? { times: 0, againMs: shopAgainMs }
      : { times: state.shopUnsaid.times + 1, againMs: event.againMs ?? shopAgainMs },
  }),
  repeats_begun: (_, { restoredAt, left }, { monotonicMs }) => ({
    repeats: { restoredAt, left, number: 0, failures: 0, notBeforeMs: monotonicMs },
  }),
  repeat_ended: (state, _, { monotonicMs }) =>
    repeatsAfter(state, ({ left }) => ({
      left: left.slice(1),
      failures: 0,
      notBeforeMs: monotonicMs + repeatPauseMs,
    })),
  repeat_postponed: (state, { notBeforeMs }) =>
    repeatsAfter(state, ({ left, failures }) => ({
      left: [...left.slice(1), ...left.slice(0, 1).map((first) => ({ ...first, failures: first.failures + 1 }))],
      failures: failures + 1,
      notBeforeMs,
    })),
  // A press is for the drawer that was set then.
  settings_changed: ({ open: of }, { settings }) => {
    return { settings, wrongSettings: [], changedSettings: [], open: withoutPress(of) };
  },
  surroundings_changed: ({ open, people }, { changed }) =>
    isSomebodyElse(people, changed.people) ? { ...changed, open: perhapsLeft(open) } : changed,
  counter_locked: ({ open }) => ({ open: perhapsLeft(open) }),
  journal_check_moved: (_, { progress }) => ({ journalCheck: progress }),
  blocked: (_, { blocked }) => ({ blocked }),
  journal_health_changed: (state, { isWritable }, moment) => ({
    journalFailing: !isWritable,
    open: isWritable ? state.open : perhapsLeft(state.open),
    // What had to wait for the disk may have been such a change.
    headReport: isWritable ? headDue(state, moment) : state.headReport,
  }),
  // The report is due at once.
  service_head_read: ({ headReport }, { head: serviceHead }) => ({
    headReport: { ...headReport, number: headReport.number + 1, failures: 0, serviceHead },
  }),
  head_answered: ({ headReport, journalFork }, { outcome, changes }, { monotonicMs }) => ({
    headReport: {
      ...headReport,
      number: headReport.number + 1,
      failures: 0,
      dueMs: (changes ?? headReport.changes) < headReport.changes ? monotonicMs : monotonicMs + headEveryMs,
      serviceHead: outcome === "unsupported" ? headReport.serviceHead : { kind: "compared" },
      serviceResponded: true,
    },
    journalFork: outcome === "taken" && journalFork.kind === "acknowledged" ? { kind: "none" } : journalFork,
  }),
  head_failed: ({ headReport }, { notBeforeMs }) => ({
    headReport: {
      ...headReport,
      number: headReport.number + 1,
      failures: headReport.failures + 1,
      dueMs: notBeforeMs,
    },
  }),
  duplicate_device_found: () => ({ sameDeviceElsewhere: true }),
  duplicate_device_checked: (_, __, { monotonicMs }) => ({ duplicateCheckedMs: monotonicMs }),

  print_asked: (state, { task }, moment) => print(state, task, moment),
  print_ended: printed,
  print_retried: printed,
  prints_dropped: printed,
  no_sale_ended: (state, { number, result }) =>
    number === state.noSale.number && state.noSale.result === "opening" ? { noSale: { number, result } } : state,
} satisfies Rows<TransientEvent, State, Partial<State>>;

/** Without a credential the terminal keeps the identity from its journal. */
const inBook = (state: State, book: Book): State => {
  const device = state.credential === "missing" ? deviceOf(book) : state.device;
  return { ...state, book, device };
};

const unchanged = (state: State): State => state;

/** Entries that are not about a withdrawal. */
const durable = {
  installed: (_, { tag }, { wallMs }) => ({ installation: { tag, sinceWallMs: wallMs } }),
  book_opened(state, { tag, book, settings }, { wallMs }) {
    const installation = state.installation ?? { tag, sinceWallMs: wallMs };
    const after = inBook({ ...state, installation }, book);
    return settings === undefined ? after : withProtected(after, settings);
  },
  settings_recorded: (state, { settings }) => withProtected(state, settings),
  device_changed(state, { book }) {
    const isSame = state.book !== null && isSameDevice(state.book, book);
    // Earlier versions wrote nothing more about what a manager had left to the books; under another name nothing is reported.
    const open = isSame ? state.open : new Map([...state.open].filter(([, one]) => !one.decided));
    return { ...inBook(state, book), open };
  },
  checkpoint(state, event, moment) {
    const before = fromCheckpoint(state, event, moment);
    const after = event.settings === null ? before : withProtected(before, event.settings);
    return event.book === null ? after : inBook(after, event.book);
  },
  act(state, { act, about, actor = counterCode }, { wallMs }) {
    const { drawerMoney } = state;
    if (act === expectedShownAct) return { drawerMoney: drawer.expectedShown(drawerMoney, about ?? actor, wallMs) };
    if (act !== drawerTestAct || !about?.startsWith(drawerTestIntended)) return state;
    const place = about.slice(drawerTestIntended.length).trim();
    return { drawerMoney: drawer.tested(drawerMoney, { by: actor, atMs: wallMs, place }) };
  },
  journal_recovered: unchanged,
  journal_missing: unchanged,
  journal_keyed: unchanged,
  journal_archived: unchanged,
  // In a replay nothing is printed.
  receipt_requested: (state, { receipt, copies }, moment) =>
    state.phase === "running" ? print(state, { kind: "receipt", receipt, copies }, moment) : state,
  message_seen: ({ messages }, { withdrawalId }) => ({ messages: without(messages, withdrawalId) }),
  restore_answered: (_, { restoredAt }) => ({ restoreAnswered: restoredAt, repeats: null }),
  journal_forked(state, { serviceHash }, { wallMs }) {
    const after: State = { ...state, journalFork: { kind: "found", sinceWallMs: wallMs, serviceHash } };
    const { protectedSettings } = state;
    // Whoever started this journal may have chosen its settings, too.
    return arePeopleStrangers(state) && protectedSettings !== null
      ? withProtected(after, strictest(protectedSettings))
      : after;
  },
  no_sale(state, event) {
    const drawerMoney = drawer.openedWithoutSale(state.drawerMoney, event.noSale);
    // In a replay the drawer is not opened.
    if (state.phase !== "running") return { drawerMoney };
    const result = state.settings.drawer.kind === "none" ? "by_hand" : "opening";
    return { drawerMoney, noSale: { number: state.noSale.number + 1, result } };
  },
  day_opened: ({ drawerMoney }, event) => ({ drawerMoney: drawer.opened(drawerMoney, event) }),
  cash_moved: ({ drawerMoney }, { move, count }) => ({ drawerMoney: drawer.moved(drawerMoney, move, count) }),
  day_counted: ({ drawerMoney }, event) => ({ drawerMoney: drawer.counted(drawerMoney, event) }),
  day_recounted: ({ drawerMoney }) => ({ drawerMoney: drawer.recounting(drawerMoney) }),
  day_closed(state, { report }, moment) {
    const isPrinted = state.phase === "running" && state.settings.printer.kind !== "none";
    const printed = isPrinted ? print(state, dayReportTask(state, report, false), moment) : {};
    return { drawerMoney: drawer.closed(report), ...printed };
  },
  acknowledged: ({ problems, acknowledgedElsewhere, journalFork }, event, { wallMs }) => ({
    problems: problemsAfter(problems, event, wallMs),
    acknowledgedElsewhere: acknowledgedAfter(acknowledgedElsewhere, problems, event),
    // Not reported again while the service has the same link.
    journalFork:
      event.withdrawalId === journalProblemId
        ? { kind: "acknowledged", serviceHash: "serviceHash" in journalFork ? journalFork.serviceHash : undefined }
        : journalFork,
  }),
  carried_over: ({ problems }, event, { wallMs }) => ({ problems: problemsAfter(problems, event, wallMs) }),
} satisfies Rows<Exclude<RecordedEvent, AboutWithdrawal>, State, Partial<State>>;

/** Context for an entry about a withdrawal: the withdrawal before it, and how to enter its next stage. */
interface Found {
  readonly state: State;
  readonly before: Withdrawal;
  enter(stage: Stage, changes?: Partial<Withdrawal>): State;
}

/** Shows the ending if the withdrawal is on the screen; else it ends silently, or with a message until somebody has read it. */
const ended = (
  after: State,
  { state, before }: Found,
  { withdrawal: of, unwatched }: { readonly withdrawal: Facts; readonly unwatched?: boolean | undefined },
  outcome: Message["outcome"],
  moment: Moment,
  more: { readonly drawer?: "opened" } = {},
): State => {
  const { withdrawalId } = of;
  const atWallMs = moment.wallMs - (moment.monotonicMs - before.beganMs);
  const message: Message = { facts: factsOf(of), outcome, atWallMs };
  const kept = unwatched ? { ...after, messages: new Map(after.messages).set(withdrawalId, message) } : after;
  if (!isActive(state, of)) return kept;
  return showScreen(kept, { ...endedScreen(message, unwatched ? { withdrawalId, isLate: false } : null), ...more });
};

type CashDeclared = Extract<AboutWithdrawal, { type: "handed_out" | "not_handed_out" | "decided" }>;

/**
 * A manager's decision is handled like the cashier's statement. What is left to the books leaves the terminal, but a service
 * that was put back may not know it: a waiting report of its cash is still sent, unless this is another device by now.
 */
const cashDeclared = (found: Found, event: CashDeclared & Recorded, moment: Moment): State => {
  const { state, before, enter } = found;
  const { withdrawal: of } = event;
  const idleAfter = (after: State): State => (isActive(state, of) ? showScreen(after, { kind: "idle" }) : after);
  const said = event.type === "decided" ? event.decision : event.type;
  if (said === "leave_to_books") {
    const isSent = isIn(before.stage, "reported") && event.actor !== "terminal";
    return idleAfter(isSent ? put(state, { ...before, decided: true }) : drop(state, of));
  }
  const reported = {
    saidBy: event.actor ?? null,
    reportDueSinceMs: moment.monotonicMs,
    ...(event.type === "decided" && { decided: true }),
    handOutId: "handOutId" in event ? (event.handOutId ?? null) : null,
  };
  if (said === "not_handed_out") {
    const reason = event.type === "not_handed_out" ? event.reason : "other";
    const after = enter({ kind: said, reason }, reported);
    if (event.type === "decided") return idleAfter(after);
    return ended(after, found, event, said, moment, mayHaveOpened(before) ? { drawer: "opened" } : {});
  }
  const after = enter({ kind: said }, reported);
  const given = { ...after, cashGiven: addCash(after.cashGiven, of.transactionId) };
  if (event.type === "decided" || !isActive(state, of)) return idleAfter(given);
  return showScreen(given, { kind: "done", facts: factsOf(before), untilMs: moment.monotonicMs + doneMs });
};

/** After each report, a report of the journal's head is due. */
const reported = (
  { state, before }: Found,
  event: Extract<AboutWithdrawal, { report: unknown }>,
  moment: Moment,
): State => {
  const { requestState } = before;
  const rejectRefused = event.type === "report_refused";
  const after =
    event.report === "reject"
      ? put(state, { ...before, requestState: { ...requestState, rejectRefused } })
      : drop(state, event.withdrawal);
  const dueMs = Math.min(state.headReport.dueMs, moment.monotonicMs);
  return { ...after, headReport: { ...state.headReport, dueMs } };
};

const opening = { kind: "opening", drawer: "opening" } as const;
/** Each entry from the hand-out's intent on says so, as that one may be lost: cash that may be gone is not offered like new. */
const begun = { confirmAttempted: true, confirmed: true, handOutBegun: true } as const;

/** Entries about one withdrawal: add it, change its stage, or remove it. */
const aboutOne = {
  confirm_intended({ state, enter }, { withdrawal: of }, { monotonicMs }) {
    const totalMs = ownApprovalMs(state);
    const approval = { untilMs: monotonicMs + totalMs, totalMs, isService: false };
    const after = enter({ kind: "confirming" }, { confirmAttempted: true, approval });
    return { ...after, ownIds: new Set([...state.ownIds, of.terminalReference].slice(-ownIdsMax)) };
  },
  confirm_accepted({ state, before, enter }, { status }) {
    const accepted = { confirmAttempted: true, confirmed: true };
    if (before.stage.kind !== "confirming" && before.stage.kind !== "review")
      return put(state, { ...before, ...accepted });
    const phase = status === "settling" ? "payment" : "approval";
    return enter({ kind: "waiting", phase }, { ...accepted, approval: phase === "payment" ? null : before.approval });
  },
  reject_intended: ({ before, enter }, { why, intended }, { monotonicMs }) =>
    enter(
      { kind: "rejecting", why },
      {
        confirmAttempted: before.confirmAttempted || intended,
        rejectedHere: before.rejectedHere || why === "cashier",
        reportDueSinceMs: monotonicMs,
        approval: null,
      },
    ),
  settled({ state, before }, { withdrawal: of }, moment) {
    // Repeated after the hand-out began: never offer the cash a second time.
    if (isIn(before.stage, "hand_out", "reported")) return state;
    const entered = entering(before, moment, { kind: "payable" });
    return put(state, {
      ...before,
      ...entered,
      confirmAttempted: true,
      confirmed: true,
      approval: null,
      settledMs: moment.monotonicMs,
      recovered: before.recovered || before.requestState.failures > 0 || !isActive(state, of),
      // If it may have been handed out already it is not offered, however often the service says `settled`.
      requestState: { ...entered.requestState, checkFirst: mayBeGiven(state, before) },
    });
  },
  hand_out_intended: ({ state, before, enter }) => enter(opening, { ...begun, ...toldToOpen(before, state.settings) }),
  drawer_reopened: ({ state, before }) =>
    put(state, { ...before, ...begun, ...toldToOpen(before, state.settings), stage: opening }),
  drawer_unsure: ({ enter }, { drawer }) => enter({ kind: "opening", drawer }, begun),
  drawer_opened: ({ enter }, _, { monotonicMs }) =>
    enter({ kind: "opening", drawer: "open" }, { ...begun, sensed: { ...notSensed, atMs: monotonicMs } }),
  handed_out: cashDeclared,
  not_handed_out: cashDeclared,
  decided: cashDeclared,
  report_accepted: reported,
  report_refused: reported,
  closed: (found, event, moment) => ended(drop(found.state, event.withdrawal), found, event, event.outcome, moment),
  discrepancy: ({ state, before }, { withdrawal: { withdrawalId }, about }) =>
    about === putBackWithService && state.open.has(withdrawalId)
      ? put(state, {
          ...before,
          doubtful: true,
          handOutAsked: null,
          requestState: { ...before.requestState, checkFirst: true },
        })
      : state,
} satisfies Rows<AboutWithdrawal & Recorded, Found, State>;

const evolveAboutOne = (state: State, event: AboutWithdrawal & Recorded, moment: Moment): State => {
  const { withdrawal } = event;
  const before = findOrCreate(state, withdrawal, moment);
  // A hand-out lowers the drawer's sum once per withdrawal.
  const isFirst = isHandOut(event) && !cashWasGiven(state.cashGiven, withdrawal.transactionId);
  const shown = event.type === "handed_out" ? event.pieces : null;
  const noted: State = {
    ...state,
    problems: problemsAfter(state.problems, event, moment.wallMs),
    drawerMoney: isFirst
      ? drawer.handedOut(state.drawerMoney, withdrawal.amount, withdrawal.currency, shown)
      : state.drawerMoney,
  };
  const enter: Found["enter"] = (stage, changes) =>
    put(noted, { ...before, ...entering(before, moment, stage), ...changes });
  return spelt(aboutOne)[event.type]({ state: noted, before, enter }, event as never, moment);
};

/** Changes that apply to every entry. */
const evolveRecorded = (state: State, event: RecordedEvent, moment: Moment): State => {
  const drawerProblems = drawerProblemsAfter(state, event, moment.wallMs);
  const before: State = { ...state, drawerProblems, ...peopleAfter(state, event, moment) };
  return "withdrawal" in event
    ? evolveAboutOne(before, event, moment)
    : changed(before, spelt(durable)[event.type], event, moment);
};

const changed = <E>(
  state: State,
  changes: (state: State, event: never, moment: Moment) => Partial<State>,
  event: E,
  moment: Moment,
): State => {
  const made = changes(state, event as never, moment);
  return made === state ? state : { ...state, ...made };
};

/** While the terminal is idle, shows a settled withdrawal, the oldest first; then messages about unclear endings. */
const showNext = (state: State): State => {
  if (state.phase !== "running" || state.activeScreen.kind !== "idle" || state.credential === "missing") return state;
  for (const one of state.open.values())
    if (offersCash(one) || isIn(one.stage, "hand_out"))
      return showScreen(state, { kind: "withdrawal", withdrawalId: one.withdrawalId });
  const [message] = state.messages.values();
  if (message === undefined) return state;
  return showScreen(state, endedScreen(message, { withdrawalId: message.facts.withdrawalId, isLate: true }));
};

/** Applies one event. Never throws for an entry that the schema accepts. */
export const evolve = (state: State, event: Event, moment: Moment): State =>
  showNext(
    isDurable(event)
      ? evolveRecorded(state, event, moment)
      : changed(state, spelt(transient)[event.type], event, moment),
  );
