/** The terminal's state, from the journal and from this run. Immutable plain data. */
import { z } from "zod";
import {
  type DrawerResult,
  type JournalOrigin,
  type KeptDrawerProblem,
  type Outcome,
  type OwnServiceStatus,
  outcomes,
  type PeopleView,
  type PhoneAccess,
  type ProtectedSettings,
  type Settings,
  type ShopProfile,
  type Toast,
  type UpdateStatus,
} from "../../../preload/contract.ts";
import { nobodyYet } from "../../../preload/people.ts";
import { cashGivenOlderMax, cashGivenRecentMax, shopAgainMs } from "../bounds.ts";
import { beforeDays, type DrawerMoney } from "../day/drawer-money.ts";
import type { Device, VerifyProgress } from "../ports.ts";
import { noPrinting } from "../printing/queue.ts";
import type { ServiceRestore } from "../service/answer.ts";
import type { Book } from "./book.ts";
import { type Facts, factsSchema, isIn, type Withdrawal } from "./withdrawal.ts";

/** A discriminated union from a table of its kinds. */
export type Tagged<Tag extends string, Held> = {
  readonly [Kind in keyof Held]: Readonly<Record<Tag, Kind> & Held[Kind]>;
}[keyof Held];

/** The newest link that the service has; read before a run's first report, to compare it with the journal. */
export type ServiceHead =
  | { readonly kind: "not_asked" | "compared" }
  | { readonly kind: "known"; readonly sequence: number; readonly hash: string };

/** Before anything was reported about the journal's head under this enrolment. */
export const unasked = {
  /** Answers so far: part of the effect's key. */
  number: 0,
  /** Failed calls in a row. */
  failures: 0,
  /** Monotonic. */
  dueMs: 0,
  /** How often it became due at once, as for a change of who may do what: an answer counts for those that it was asked after. */
  changes: 0,
  serviceHead: { kind: "not_asked" } as ServiceHead,
  /** Whether the service has answered about this journal in this run, even if only that it does not support links. */
  serviceResponded: false,
};

/**
 * Whether the service knows another journal under this terminal's name. `acknowledged` lasts until it accepts a head
 * again. `serviceHash` is the link that it had, if known: a different one means another fork.
 */
export const journalForkSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  z.object({ kind: z.literal("found"), sinceWallMs: z.number(), serviceHash: z.string().optional() }),
  z.object({ kind: z.literal("acknowledged"), serviceHash: z.string().optional() }),
]);
/** See `journalForkSchema`. */
type JournalFork = Readonly<z.infer<typeof journalForkSchema>>;

/** Problems of a withdrawal for the books. */
export const problemSchema = z.object({
  facts: factsSchema,
  /** The problems' names, in the order of occurrence. */
  about: z.array(z.string()).readonly(),
  sinceWallMs: z.number(),
  /** The shop whose journal it is from; null: this one. */
  otherShop: z.string().nullable(),
  /** The book whose journal it is in; null: this one, or not stated by an earlier version. */
  otherBook: z.string().nullable().default(null),
});
/** See `problemSchema`. */
export type ProblemRecord = Readonly<z.infer<typeof problemSchema>>;

/** Acknowledgements for another book, by withdrawal; written to that book when it is in use again. `about`: the problems that were read. */
export type Acknowledgements = ReadonlyMap<
  string,
  { readonly actor: string; readonly note: string; readonly about: readonly string[] }
>;

/** By the terminal's own id of the withdrawal. */
export type Problems = ReadonlyMap<string, ProblemRecord>;

/** A report sent to the service, with times by this terminal's clock. */
export interface Reported {
  readonly facts: Facts;
  readonly report: "link" | "undelivered";
  /** Why nothing was handed out; empty for a link. */
  readonly reason: string;
  /** Code of the person who stated what became of the cash, or null. */
  readonly cashier: string | null;
  /** Id of the hand-out; null: none, or from an earlier version. */
  readonly handOutId: string | null;
  readonly confirmedAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly reportedAtMs: number | null;
}

/** A point in time in milliseconds: by the wall clock for the journal, by the monotonic clock for waits. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** The active screen; everything else continues in the background. */
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
      readonly drawer?: "opened";
      /** The message being shown, by its withdrawal; `isLate`: about an earlier customer's. */
      readonly message: { readonly withdrawalId: string; readonly isLate: boolean } | null;
    };

/** Transactions whose cash this terminal has handed out. Two sets, so that adding one copies little. */
export interface CashGiven {
  readonly recent: ReadonlySet<string>;
  readonly older: ReadonlySet<string>;
}

/** Why the terminal is blocked. */
type Blocked =
  | { readonly why: "journal_unavailable" | "journal_newer" }
  | { readonly why: "other_journal"; readonly found: JournalOrigin & { readonly open: number } };

/** A message about how an unclear withdrawal ended; `atWallMs`: when it began. */
export const messageSchema = z.object({ facts: factsSchema, outcome: z.enum(outcomes), atWallMs: z.number() });
/** See `messageSchema`. */
export type Message = Readonly<z.infer<typeof messageSchema>>;

/** Reports being repeated to a service that may have lost them. */
export interface Repeats {
  readonly restoredAt: string;
  /** `failures`: of this report. One that failed goes behind the others, which it must not keep back. */
  readonly left: readonly (Reported & { readonly failures: number })[];
  /** Answers so far: part of the effect's key. */
  readonly number: number;
  /** In a row, of any report. */
  readonly failures: number;
  readonly notBeforeMs: number;
}

/** What the host knows about the terminal's surroundings; only for the screens. */
export interface Surroundings {
  readonly people: PeopleView;
  /** Status of the service that this terminal runs itself; null: none. */
  readonly ownService: OwnServiceStatus | null;
  /** Address of the customer's phone in training; null before its service listens, and outside of training. */
  readonly sandboxUrl: string | null;
  /** Address of the customer's pages for a real phone in training; null while closed. */
  readonly phoneAccess: PhoneAccess | null;
  /** Status of program updates; null if it does not update itself. */
  readonly update: UpdateStatus | null;
}

/** The state before the journal was read. Times that end in `Ms` are monotonic unless noted otherwise. */
export const initialState = (
  settings: Settings,
  device: Device | null,
  training: boolean,
  /** The last profile of a shop, perhaps from an earlier run; read it by `shopOf`. */
  shop: ShopProfile | null = null,
) => ({
  phase: "starting" as "starting" | "running",
  blocked: null as Blocked | null,
  /** The journal's owner; null if new or of an early version. */
  book: null as Book | null,
  /** Unacknowledged problems for the books. */
  problems: new Map() as Problems,
  acknowledgedElsewhere: new Map() as Acknowledgements,
  /** Like `problems`, about the drawer itself. */
  drawerProblems: [] as readonly KeptDrawerProblem[],
  headReport: unasked as Readonly<typeof unasked>,
  journalFork: { kind: "none" } as JournalFork,
  /** Identifies this journal in every reference, so that a second terminal with the same credential is detected. */
  installation: null as Readonly<{ tag: string; sinceWallMs: number }> | null,
  /** References of this journal's latest confirms. */
  ownIds: new Set() as ReadonlySet<string>,
  open: new Map() as ReadonlyMap<string, Withdrawal>,
  cashGiven: { recent: new Set(), older: new Set() } as CashGiven,
  activeScreen: { kind: "idle" } as ActiveScreen,
  screenNumber: 0,
  toast: null as Toast | null,
  lastScan: null as Readonly<{ transactionId: string; atMs: number }> | null,
  device,
  shop,
  /** When the shop was last requested in this run. */
  shopAskedMs: null as number | null,
  credential: (device === null ? "missing" : "good") as "missing" | "good" | "refused" | "unsafe",
  /** Number of credentials so far in this run, to recognise answers to an earlier one. */
  keyNumber: 0,
  connection: "starting" as "starting" | "online" | "offline",
  /** The service's last restore from a backup, as stated in this run; null if not stated. */
  serviceRestore: null as ServiceRestore | null,
  /** The key (`keyNumber`) under which the service said last, in this run, whether it was put back, or that it cannot say; null: not yet. */
  restoreSaidUnder: null as number | null,
  /** How often in a row it has not said so, and the pause before it is asked again where cash waits for that. */
  shopUnsaid: { times: 0, againMs: shopAgainMs } as Readonly<{ times: number; againMs: number }>,
  /** Time of the restore after which everything was reported again, or null. */
  restoreAnswered: null as string | null,
  /** Unread messages about unclear endings, by withdrawal. */
  messages: new Map() as ReadonlyMap<string, Message>,
  /** Reports being repeated after a restore. */
  repeats: null as Repeats | null,
  /** The service's clock by its last answer. */
  serviceClock: null as Readonly<{ dateMs: number; atMs: number; offMs: number }> | null,
  respondedAtMs: 0,
  /** Since when there was no answer. */
  silentSinceMs: null as number | null,
  /** Probe at once: an answer was lost although others came. */
  isDoubted: false,
  probes: 0,
  /** Unanswered probes since the service became silent. */
  silentProbes: 0,
  /** Jitter of the next pause in [0, 1), drawn at each probe. */
  probeFraction: 0.5,
  sameDeviceElsewhere: false,
  duplicateCheckedMs: null as number | null,
  damagedEntries: 0,
  /** The journal has entries that this version cannot read, so no checkpoint may be written. */
  hasUnreadEntries: false,
  /** Progress of the manager's check of the journal, or null. */
  journalCheck: null as VerifyProgress | null,
  /** The last write to the journal failed. */
  journalFailing: false,
  drawerMoney: beforeDays as DrawerMoney,
  /** The latest opening of this run without a withdrawal; `opening` until the drawer has answered. */
  noSale: { number: 0, result: "none" as DrawerResult | "none" | "opening" | "by_hand" },
  printing: noPrinting,
  settings,
  /** The settings that are kept in the journal; null before its first entry about them. */
  protectedSettings: null as ProtectedSettings | null,
  /** Names of settings whose value in the host's file differs and is ignored. */
  changedSettings: [] as readonly string[],
  /** Paths of invalid settings in the host's file. */
  wrongSettings: [] as readonly string[],
  people: nobodyYet,
  /** Highest number of a person's code in the journal, or 0. */
  peopleSeen: 0,
  /** By its files or the service, this terminal had an earlier journal. */
  hadEarlierLife: false,
  /** The first manager set a PIN without the operator's code, and the service has not accepted a confirm since. */
  isManagerUnproven: false,
  ...({ ownService: null, sandboxUrl: null, phoneAccess: null, update: null } as Omit<Surroundings, "people">),
  training,
});
/** See `initialState`. */
export type State = Readonly<ReturnType<typeof initialState>>;

/** The profile of this terminal's shop, or null if the known one is another shop's. */
export const shopOf = ({ shop, device }: State): ShopProfile | null =>
  shop !== null && shop.merchantId === device?.merchantId ? shop : null;

/** The terminal's name, or its device id. */
export const terminalNameOf = ({ settings, device }: State): string =>
  settings.terminalName || (device?.deviceId ?? "");

/** Whether the drawer has a sensor. */
export const hasSensor = ({ drawer }: Settings): boolean => "sensor" in drawer && drawer.sensor;

/** The withdrawal on the screen, or null. */
export const activeWithdrawal = (state: State): Withdrawal | null =>
  state.activeScreen.kind === "withdrawal" ? (state.open.get(state.activeScreen.withdrawalId) ?? null) : null;

/** The open withdrawal of a transaction, or null. */
export const openByTransaction = (state: State, transactionId: string): Withdrawal | null => {
  for (const withdrawal of state.open.values()) if (withdrawal.transactionId === transactionId) return withdrawal;
  return null;
};

/**
 * Cash that may have been handed out is not offered: an unreadable entry may be about it, or it is an earlier run's, and this journal
 * and the service may both have been put back.
 */
export const mayBeGiven = (state: State, withdrawal: Withdrawal): boolean =>
  withdrawal.doubtful || waitsForRestore(state, withdrawal);

/** Whether it is asked first whether the service was put back, and this journal perhaps with it. */
export const waitsForRestore = ({ restoreSaidUnder }: State, { ofEarlierRun, stage }: Withdrawal): boolean =>
  ofEarlierRun && restoreSaidUnder === null && !isIn(stage, "reported");

/** Whether the service has yet to say, in this run and under this key, if it was put back: what it refuses it may have forgotten. */
export const mayHaveForgotten = ({ serviceRestore, restoreSaidUnder, keyNumber }: State): boolean =>
  serviceRestore === null && restoreSaidUnder !== keyNumber;

/** The restore by which the service may have lost a withdrawal: one that this terminal had not handled when the withdrawal began. */
export const restoreSince = ({ serviceRestore }: State, { afterRestore }: Withdrawal): string | null =>
  serviceRestore === null || serviceRestore.restoredAt === afterRestore ? null : serviceRestore.restoredAt;

/** Current time by the service's clock, as far as known. */
export const serviceNowMs = (state: State, moment: Moment): number =>
  state.serviceClock === null
    ? moment.wallMs
    : state.serviceClock.dateMs + (moment.monotonicMs - state.serviceClock.atMs);

/** Adds a transaction, dropping the oldest if there are too many. */
export const addCash = (given: CashGiven, transactionId: string): CashGiven => {
  const recent = new Set(given.recent).add(transactionId);
  if (recent.size < cashGivenRecentMax) return { ...given, recent };
  return { recent: new Set(), older: new Set([...given.older, ...recent].slice(-cashGivenOlderMax)) };
};

/** Whether this terminal has handed out cash for a transaction. */
export const cashWasGiven = (given: CashGiven, transactionId: string): boolean =>
  given.recent.has(transactionId) || given.older.has(transactionId);

/** The state with `activeScreen` and the next screen number. */
export const showScreen = (state: State, activeScreen: ActiveScreen): State => ({
  ...state,
  activeScreen,
  screenNumber: state.screenNumber + 1,
});

/** Removes a review that leaves the screen: nothing was promised to anyone. */
export const forgetReview = (state: State): State => {
  const before = activeWithdrawal(state);
  if (before?.stage.kind !== "review") return state;
  return { ...state, open: new Map([...state.open].filter(([id]) => id !== before.withdrawalId)) };
};

/** Starts a look-up in place of the current screen. */
export const lookUp = (state: State, transactionId: string, { monotonicMs: sinceMs }: Moment): State =>
  showScreen(forgetReview(state), { kind: "looking_up", transactionId, sinceMs, tries: 0, notBeforeMs: sinceMs });
