/** The terminal's state: what the journal says plus what only this run knows. Plain data, replaced and never changed in place. */
import type {
  JournalOrigin,
  Outcome,
  OwnServiceStatus,
  PeopleView,
  PhoneAccess,
  ProtectedSettings,
  Settings,
  ShopProfile,
  Toast,
  UpdateStatus,
} from "../../../preload/contract.ts";
import type { DrawerMoney } from "../day/drawer-money.ts";
import type { VerifyProgress } from "../ports.ts";
import type { Book, Device } from "./book.ts";
import type { DrawerProblem } from "./drawer-problem.ts";
import type { Facts } from "./facts.ts";
import type { HeadReport, JournalFork } from "./head-report.ts";
import type { Printing } from "./printing.ts";
import type { Acknowledgements, Problems } from "./problem-record.ts";
import type { Reported } from "./reported.ts";
import type { Withdrawal } from "./withdrawal.ts";

export type { Device } from "./book.ts";
export { type Facts, factsOf } from "./facts.ts";
export {
  awaitsApproval,
  awaitsService,
  freshRequestState,
  isCounting,
  isIn,
  mustAskFirst,
  needsRecheck,
  notSensed,
  offersCash,
  pendingReport,
  type RejectWhy,
  type Report,
  type RequestState,
  type Stage,
  type Withdrawal,
} from "./withdrawal.ts";

/** Which moment it is: the terminal's wall clock for the journal, the monotonic one for every wait. Both in milliseconds. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
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
      /** The message that it is, by its withdrawal; `isLate`: about an earlier customer's. */
      readonly message: { readonly withdrawalId: string; readonly isLate: boolean } | null;
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

/** How a withdrawal ended that had been unclear. */
export interface Message {
  readonly facts: Facts;
  readonly outcome: Outcome;
  /** When it began. */
  readonly atWallMs: number;
}

/** When a service was put back to a copy last, and from when on it may have forgotten what it was told. */
export interface ServiceRestore {
  /** As the service writes it: it names the restore. */
  readonly restoredAt: string | null;
  /** By the service's clock. */
  readonly forgotSinceMs: number | null;
  /** The newest link of this journal that the copy has; null where the service does not say or has none. */
  readonly keptHead: { readonly sequence: number; readonly hash: string } | null;
}

/** Reports under way to a service that may have forgotten them. */
export interface Repeats {
  readonly restoredAt: string;
  readonly left: readonly Reported[];
  /** Answers so far: part of the effect's key. */
  readonly number: number;
  readonly failures: number;
  readonly notBeforeMs: number;
}

/** All that the terminal knows. Times that end in `Ms` are monotonic unless their comment says otherwise. */
export interface State {
  readonly phase: "starting" | "running";
  readonly blocked: Blocked | null;
  /** Whose journal this is; null while it is new, or of a version that did not say. */
  readonly book: Book | null;
  /** What the books must explain and nobody has acknowledged yet. */
  readonly problems: Problems;
  readonly acknowledgedElsewhere: Acknowledgements;
  /** As `problems`, about the drawer itself. */
  readonly drawerProblems: readonly DrawerProblem[];
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
  readonly credential: "missing" | "good" | "refused" | "unsafe";
  /** Counts the keys of this run: an answer to an earlier one says nothing about the present one. */
  readonly keyNumber: number;
  readonly connection: "starting" | "online" | "offline";
  /** How withdrawals ended that had been unclear, by their ids, until somebody has read it. */
  readonly messages: ReadonlyMap<string, Message>;
  /** What the service said in this run of a copy that it was put back to; null where it says nothing of that. */
  readonly serviceRestore: ServiceRestore | null;
  /** The restore after which everything was reported again, by its time; null while none was. */
  readonly restoreAnswered: string | null;
  /** What is reported again after a restore, in turn. */
  readonly repeats: Repeats | null;
  /** The service's clock as its last answer showed it. */
  readonly serviceClock: { readonly dateMs: number; readonly atMs: number; readonly offMs: number } | null;
  readonly respondedAtMs: number;
  /** Since when nothing but silence came. */
  readonly silentSinceMs: number | null;
  /** Whether the service is there is asked at once: an answer was lost, others came. */
  readonly isDoubted: boolean;
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
  /** Those of them that are the journal's, as it has them; null before its first word about them. */
  readonly protectedSettings: ProtectedSettings | null;
  /** Those that are otherwise in the host's file, which is not obeyed there, by name. */
  readonly changedSettings: readonly string[];
  /** Settings in the host's file that cannot be used, as paths. */
  readonly wrongSettings: readonly string[];
  /** Who is here, as the host says it: for the screens alone. */
  readonly people: PeopleView;
  /** The highest number of a person's code in the journal; 0 while nobody was ever known. */
  readonly peopleSeen: number;
  /** This terminal had a journal before this one: its files, or the service, say so. */
  readonly hadEarlierLife: boolean;
  /** The first manager set a PIN without the operator's code, and the service has taken no withdrawal since. */
  readonly isManagerUnproven: boolean;
  /** The service that this terminal runs itself, as the host says it: for the screens alone. */
  readonly ownService: OwnServiceStatus | null;
  /** Where a real phone finds the customer's pages, as the host says it: for the screens alone. */
  readonly phoneAccess: PhoneAccess | null;
  /** How far updates of the program are, as the host says it: for the screens alone. */
  readonly update: UpdateStatus | null;
  readonly training: boolean;
}

/** What is known about the shop of this terminal; what was said about another one is not about it. */
export const shopOf = ({ shop, device }: State): ShopProfile | null =>
  shop !== null && shop.merchantId === device?.merchantId ? shop : null;

/** Whether the drawer says how it stands. */
export const hasSensor = ({ drawer }: Settings): boolean => "sensor" in drawer && drawer.sensor;

/** The withdrawal on the screen, or null. */
export const activeWithdrawal = (state: State): Withdrawal | null =>
  state.activeScreen.kind === "withdrawal" ? (state.open.get(state.activeScreen.withdrawalId) ?? null) : null;

/** The open withdrawal of a transaction, or null. */
export const openByTransaction = (state: State, transactionId: string): Withdrawal | null => {
  for (const withdrawal of state.open.values()) if (withdrawal.transactionId === transactionId) return withdrawal;
  return null;
};

/** The restore of the service that may have forgotten a withdrawal: one that this terminal had not answered when it began. */
export const restoreSince = ({ serviceRestore }: State, { afterRestore }: Withdrawal): string | null =>
  serviceRestore === null || serviceRestore.restoredAt === afterRestore ? null : serviceRestore.restoredAt;

/** The service's time now, as far as the terminal knows it. */
export const serviceNowMs = (state: State, moment: Moment): number =>
  state.serviceClock === null
    ? moment.wallMs
    : state.serviceClock.dateMs + (moment.monotonicMs - state.serviceClock.atMs);
