/** The terminal's state: what the journal says plus what only this run knows. Plain data, replaced and never changed in place. */
import type {
  JournalOrigin,
  Outcome,
  OwnServiceStatus,
  PeopleView,
  Settings,
  ShopProfile,
  Toast,
} from "../../../preload/contract.ts";
import { nobodyYet } from "../../../preload/people.ts";
import { beforeDays, type DrawerMoney } from "../day/drawer-money.ts";
import type { DrawerState, VerifyProgress } from "../ports.ts";
import type { Book, Device } from "./book.ts";
import type { Facts } from "./facts.ts";
import type { HeadReport, JournalFork } from "./head-report.ts";
import { noPrinting, type Printing } from "./printing.ts";
import type { Acknowledgements, Problems } from "./problem-record.ts";

export type { Device } from "./book.ts";
export { type Facts, factsOf } from "./facts.ts";

/** Which moment it is: the terminal's wall clock for the journal, the monotonic one for every wait. Both in milliseconds. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/**
 * What the service is told about a withdrawal: `POST /transaction/reject`, `/transaction/link`, or the undelivered
 * report.
 */
export type Report = "reject" | "link" | "undelivered";
/** Who rejected: the cashier, the terminal's time-out, or the terminal because its confirm did not get through. */
export type RejectWhy = "cashier" | "time_out" | "given_up";

/** Where an open withdrawal stands. */
export type Stage =
  /** Looked up, the cashier decides. Nothing of it is in the journal. */
  | { readonly kind: "review" }
  /** The intent is in the journal, the service has not said yes. */
  | { readonly kind: "confirming" }
  | { readonly kind: "waiting"; readonly phase: "approval" | "payment" }
  | { readonly kind: "rejecting"; readonly why: RejectWhy }
  | { readonly kind: "payable" }
  /** Hand-out intended: the drawer moves, or the cashier is asked about it; once it is `open`, the cash is counted. */
  | { readonly kind: "opening"; readonly drawer: "opening" | "failed" | "unknown" | "open" }
  /** Cash is with the customer; the link is in the outbox. */
  | { readonly kind: "handed_out" }
  /** The cashier declared that no cash was handed out; the report is in the outbox. */
  | { readonly kind: "not_handed_out"; readonly reason: string };

/** How the calls to the service about one withdrawal go. Lost in a crash, on purpose: after a restart everything is asked again. */
export interface RequestState {
  /** Answers and silences so far: part of the effects' keys. */
  readonly number: number;
  readonly failures: number;
  readonly notBeforeMs: number;
  /** Ask before repeating: set by silence, conflict and restart. */
  readonly checkFirst: boolean;
  /** The service answered a confirm with 409. */
  readonly conflict: boolean;
  readonly confirms: number;
  /** Confirms that may have been done although no answer came. */
  readonly silentConfirms: number;
  /** The service refused the reject for good: only asking is left. */
  readonly rejectRefused: boolean;
}

/** A withdrawal from its look-up until the service has taken its end. */
export interface Withdrawal extends Facts {
  readonly stage: Stage;
  /** Whether a confirm was ever intended: before it no money can move through this terminal. */
  readonly intended: boolean;
  /** The service has said that it took this terminal's confirm. */
  readonly confirmed: boolean;
  /** An entry that cannot be read may be about it: cash is not offered, a manager says what became of it. */
  readonly doubtful: boolean;
  /** A manager has said what became of it: another device, shop or service may be enrolled over it. */
  readonly decided: boolean;
  /** Found so after a restart or a silence. */
  readonly recovered: boolean;
  /** A hand-out was begun and its end is not known: the cash may be with the customer. */
  readonly handOutBegun: boolean;
  /** The code of whoever said what became of the cash; null until then. */
  readonly saidBy: string | null;
  /** Service's times, milliseconds since the epoch; null when it does not say. */
  readonly createdAtMs: number | null;
  readonly expiresAtMs: number | null;
  /** Monotonic. */
  readonly beganMs: number;
  readonly stageSinceMs: number;
  /** When its barcode was scanned; monotonic. Null after a restart. */
  readonly scannedMs: number | null;
  /** Since when the service is owed a report about it; monotonic, and kept over restarts. */
  readonly reportDueSinceMs: number | null;
  /** Until when the terminal waits for the customer's approval; monotonic, with its length. `isService`: by the service's deadline. */
  readonly approval: { readonly untilMs: number; readonly totalMs: number; readonly isService: boolean } | null;
  readonly drawerTries: number;
  /** What the drawer's sensor said last while the cash is counted, and how often it was asked. */
  readonly sensed: { readonly drawer: DrawerState; readonly checks: number; readonly atMs: number };
  readonly requestState: RequestState;
}

/** What is in front; everything else goes on behind it. */
export type ActiveScreen =
  | { readonly kind: "idle" }
  | {
      readonly kind: "looking_up";
      readonly transactionId: string;
      readonly sinceMs: number;
      readonly tries: number;
      readonly notBeforeMs: number;
    }
  | { readonly kind: "withdrawal"; readonly withdrawalId: string }
  | { readonly kind: "done"; readonly facts: Facts; readonly untilMs: number }
  | {
      readonly kind: "ended";
      readonly outcome: Outcome;
      readonly transactionId: string | null;
      readonly money: { readonly amount: string; readonly currency: string } | null;
      readonly canRetry: boolean;
    };

/** Transactions for which this terminal has handed out cash. Two sets, so that adding one copies little. */
export interface CashGiven {
  readonly recent: ReadonlySet<string>;
  readonly older: ReadonlySet<string>;
}

/** Why nothing can be begun. */
export type Blocked =
  | { readonly why: "journal_unavailable" | "journal_newer" }
  | { readonly why: "other_journal"; readonly found: JournalOrigin & { readonly open: number } };

/** All that the terminal knows. Times that end in `Ms` are monotonic unless their comment says otherwise. */
export interface State {
  readonly phase: "starting" | "running";
  readonly blocked: Blocked | null;
  /** Whose journal this is; null while it is new, or of a version that did not say. */
  readonly book: Book | null;
  /** What the books must explain and nobody has acknowledged yet. */
  readonly problems: Problems;
  readonly acknowledgedElsewhere: Acknowledgements;
  readonly headReport: HeadReport;
  readonly journalFork: JournalFork;
  /** Names this journal in every partner id, so that a second terminal with the same credentials shows. */
  readonly installation: { readonly tag: string; readonly sinceWallMs: number } | null;
  /** The partner ids of this journal's latest confirms. */
  readonly ownIds: ReadonlySet<string>;
  readonly open: ReadonlyMap<string, Withdrawal>;
  readonly cashGiven: CashGiven;
  readonly activeScreen: ActiveScreen;
  readonly screenNumber: number;
  readonly toast: Toast | null;
  readonly lastScan: { readonly transactionId: string; readonly atMs: number } | null;
  readonly device: Device | null;
  /** What the service said last about a shop, in this run or an earlier one: read it through `shopOf`. */
  readonly shop: ShopProfile | null;
  /** When it was asked last in this run; monotonic. */
  readonly shopAskedMs: number | null;
  readonly credential: "missing" | "good" | "refused";
  /** Counts the keys of this run: an answer to an earlier one says nothing about the present one. */
  readonly keyNumber: number;
  readonly connection: "starting" | "online" | "offline";
  /** The service's clock as its last answer showed it. */
  readonly serviceClock: { readonly dateMs: number; readonly atMs: number; readonly offMs: number } | null;
  readonly respondedAtMs: number;
  /** Since when nothing but silence came. */
  readonly silentSinceMs: number | null;
  readonly probes: number;
  readonly sameDeviceElsewhere: boolean;
  readonly duplicateCheckedMs: number | null;
  readonly damagedEntries: number;
  /** How far the manager's check of the journal has come; null while none is under way. */
  readonly journalCheck: VerifyProgress | null;
  /** Entries that this version cannot read are in the journal: no checkpoint may stand for them. */
  readonly hasUnreadEntries: boolean;
  /** The last entry was refused by the journal. */
  readonly journalFailing: boolean;
  readonly drawerMoney: DrawerMoney;
  readonly printing: Printing;
  readonly settings: Settings;
  /** Settings in the host's file that cannot be used, as paths. */
  readonly wrongSettings: readonly string[];
  /** Who is here, as the host says it: for the screens alone. */
  readonly people: PeopleView;
  /** The highest number of a person's code in the journal; 0 while nobody was ever known. */
  readonly peopleSeen: number;
  /** The service that this terminal runs itself, as the host says it: for the screens alone. */
  readonly ownService: OwnServiceStatus | null;
  readonly training: boolean;
}

/** Nothing is known about the drawer yet. */
export const notSensed: Withdrawal["sensed"] = { drawer: "unknown", checks: 0, atMs: 0 };

/** How the calls of a stage start. `checkFirst`: the service is asked before anything is repeated or offered. */
export const freshRequestState = (notBeforeMs: number, checkFirst: boolean): RequestState => ({
  number: 0,
  failures: 0,
  notBeforeMs,
  checkFirst,
  conflict: false,
  confirms: 0,
  silentConfirms: 0,
  rejectRefused: false,
});

/** What is known about the shop of this terminal; what was said about another one is not about it. */
export const shopOf = ({ shop, device }: State): ShopProfile | null =>
  shop !== null && shop.merchantId === device?.merchantId ? shop : null;

/** The state before anything was read from the journal. */
export const initialState = (
  settings: Settings,
  device: Device | null,
  training: boolean,
  shop: ShopProfile | null = null,
): State => ({
  phase: "starting",
  blocked: null,
  book: null,
  problems: new Map(),
  acknowledgedElsewhere: new Map(),
  headReport: { number: 0, dueMs: 0 },
  journalFork: { kind: "none" },
  installation: null,
  ownIds: new Set(),
  open: new Map(),
  cashGiven: { recent: new Set(), older: new Set() },
  activeScreen: { kind: "idle" },
  screenNumber: 0,
  toast: null,
  lastScan: null,
  device,
  shop,
  shopAskedMs: null,
  credential: device === null ? "missing" : "good",
  keyNumber: 0,
  connection: "starting",
  serviceClock: null,
  respondedAtMs: 0,
  silentSinceMs: null,
  probes: 0,
  sameDeviceElsewhere: false,
  duplicateCheckedMs: null,
  damagedEntries: 0,
  hasUnreadEntries: false,
  journalCheck: null,
  journalFailing: false,
  drawerMoney: beforeDays,
  printing: noPrinting,
  settings,
  wrongSettings: [],
  people: nobodyYet,
  peopleSeen: 0,
  ownService: null,
  training,
});

/** Whether the customer's approval may still be missing: the only time in which the terminal's own time-out runs. */
export const awaitsApproval = (stage: Stage): boolean =>
  stage.kind === "confirming" || (stage.kind === "waiting" && stage.phase === "approval");

/** Whether the service's word decides what comes next; from `payable` on it is the cashier's, and no late answer undoes it. */
export const awaitsService = (stage: Stage): boolean =>
  stage.kind === "confirming" || stage.kind === "waiting" || stage.kind === "rejecting";

/** Paid, as this journal has it, but the service was not asked since the start: another journal may have handed it out. */
export const needsRecheck = (withdrawal: Withdrawal): boolean =>
  withdrawal.stage.kind === "payable" && withdrawal.requestState.checkFirst;

/** Whether it may be shown as payable. */
export const offersCash = (withdrawal: Withdrawal): boolean =>
  withdrawal.stage.kind === "payable" && !withdrawal.requestState.checkFirst;

/** Whether its drawer is open, so that the cashier counts the cash. */
export const isCounting = (one: Withdrawal | undefined): boolean =>
  one?.stage.kind === "opening" && one.stage.drawer === "open";

/** The withdrawal on the screen, or null. */
export const activeWithdrawal = (state: State): Withdrawal | null =>
  state.activeScreen.kind === "withdrawal" ? (state.open.get(state.activeScreen.withdrawalId) ?? null) : null;

/** The open withdrawal of a transaction, or null. */
export const openByTransaction = (state: State, transactionId: string): Withdrawal | null => {
  for (const withdrawal of state.open.values()) if (withdrawal.transactionId === transactionId) return withdrawal;
  return null;
};

/** What the outbox still owes the service about a withdrawal. */
export const pendingReport = (withdrawal: Withdrawal): Report | null => {
  switch (withdrawal.stage.kind) {
    case "rejecting":
      return withdrawal.requestState.rejectRefused ? null : "reject";
    case "handed_out":
      return "link";
    case "not_handed_out":
      return "undelivered";
    default:
      return null;
  }
};

/** The service's time now, as far as the terminal knows it. */
export const serviceNowMs = (state: State, moment: Moment): number =>
  state.serviceClock === null
    ? moment.wallMs
    : state.serviceClock.dateMs + (moment.monotonicMs - state.serviceClock.atMs);
