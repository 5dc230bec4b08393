/** The terminal's state: what the journal says plus what only this run knows. Plain data, replaced and never changed in place. */
import { z } from "zod";
import {
  type JournalOrigin,
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
import { cashGivenOlderMax, cashGivenRecentMax } from "../bounds.ts";
import { beforeDays, type DrawerMoney, type DrawerProblem } from "../day/drawer-money.ts";
import type { Device, VerifyProgress } from "../ports.ts";
import { noPrinting } from "../printing/queue.ts";
import type { ServiceRestore } from "../service/answer.ts";
import type { Book } from "./book.ts";
import { type Facts, factsSchema, type Withdrawal } from "./withdrawal.ts";

/** A union by a table: each of its kinds under its name, with what it holds. */
export type Tagged<Tag extends string, Held> = {
  readonly [Kind in keyof Held]: Readonly<Record<Tag, Kind> & Held[Kind]>;
}[keyof Held];

/** The newest link that the service holds: asked for before a run's first report, which says whether the journal holds it too. */
export type ServiceHead =
  | { readonly kind: "not_asked" | "compared" }
  | { readonly kind: "known"; readonly sequence: number; readonly hash: string };

/** Nothing was said of the journal's head under this enrolment. */
export const unasked = {
  /** Answers so far: part of the effect's key. */
  number: 0,
  /** Calls in a row that were in vain. */
  failures: 0,
  /** Monotonic. */
  dueMs: 0,
  serviceHead: { kind: "not_asked" } as ServiceHead,
  /** Whether the service has said in this run what it makes of this journal, or that it keeps none. */
  serviceResponded: false,
};

/**
 * Whether the service knows another journal under this terminal's name. `acknowledged` until it takes a head again; `serviceHash`
 * is the link that it held then, where that was known: over another one it is another fork.
 */
export const journalForkSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("none") }),
  z.object({ kind: z.literal("found"), sinceWallMs: z.number(), serviceHash: z.string().optional() }),
  z.object({ kind: z.literal("acknowledged"), serviceHash: z.string().optional() }),
]);
/** See `journalForkSchema`. */
export type JournalFork = Readonly<z.infer<typeof journalForkSchema>>;

/** Something about a withdrawal that the books must explain. */
export const problemSchema = z.object({
  facts: factsSchema,
  /** The core's words, in the order in which they came. */
  about: z.array(z.string()).readonly(),
  sinceWallMs: z.number(),
  /** The shop whose journal it came from; null for this one's. */
  otherShop: z.string().nullable(),
  /** The name of the book whose journal it is in; null for this one's, and where an earlier version did not say. */
  otherBook: z.string().nullable().default(null),
});
/** As `problemSchema` has it. */
export type ProblemRecord = Readonly<z.infer<typeof problemSchema>>;

/** What a manager acknowledged about another book, by withdrawal: written to that book when it is in use again. */
export type Acknowledgements = ReadonlyMap<string, { readonly actor: string; readonly note: string }>;

/** By the terminal's own id of the withdrawal. */
export type Problems = ReadonlyMap<string, ProblemRecord>;

/** A report that the service was given, with its times by this terminal's clock. */
export interface Reported {
  readonly facts: Facts;
  readonly report: "link" | "undelivered";
  /** Why nothing was handed out; empty for a link. */
  readonly reason: string;
  /** The code of whoever said what became of the cash; null where nobody is named. */
  readonly cashier: string | null;
  /** The name of the hand-out; null for none, and of one that an earlier version wrote. */
  readonly handOutId: string | null;
  readonly confirmedAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly reportedAtMs: number | null;
}

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
      readonly drawer?: "opened";
      /** The message that it is, by its withdrawal; `isLate`: about an earlier customer's. */
      readonly message: { readonly withdrawalId: string; readonly isLate: boolean } | null;
    };

/** Transactions for which this terminal has handed out cash. Two sets, so that adding one copies little. */
export interface CashGiven {
  readonly recent: ReadonlySet<string>;
  readonly older: ReadonlySet<string>;
}

/** Why nothing can be begun. */
type Blocked =
  | { readonly why: "journal_unavailable" | "journal_newer" }
  | { readonly why: "other_journal"; readonly found: JournalOrigin & { readonly open: number } };

/** How a withdrawal ended that had been unclear; `atWallMs`: when it began. */
export const messageSchema = z.object({ facts: factsSchema, outcome: z.enum(outcomes), atWallMs: z.number() });
/** See `messageSchema`. */
export type Message = Readonly<z.infer<typeof messageSchema>>;

/** Reports under way to a service that may have forgotten them. */
export interface Repeats {
  readonly restoredAt: string;
  readonly left: readonly Reported[];
  /** Answers so far: part of the effect's key. */
  readonly number: number;
  readonly failures: number;
  readonly notBeforeMs: number;
}

/** What a drawer said to an order. */
export type DrawerResult = "opened" | "failed" | "unknown";

/** What the host says of what is around the terminal: for the screens alone. */
export interface Surroundings {
  readonly people: PeopleView;
  /** The service that this terminal runs itself; null where it runs none. */
  readonly ownService: OwnServiceStatus | null;
  /** Where a real phone finds the customer's pages in training; null while none can. */
  readonly phoneAccess: PhoneAccess | null;
  /** How far updates of the program are; null where it takes none. */
  readonly update: UpdateStatus | null;
}

/** All that a host knows, out of the state. */
export const surroundingsOf = ({ people, ownService, phoneAccess, update }: Surroundings): Surroundings => ({
  people,
  ownService,
  phoneAccess,
  update,
});

/** The state before anything was read from the journal. Times that end in `Ms` are monotonic unless their comment says otherwise. */
export const initialState = (
  settings: Settings,
  device: Device | null,
  training: boolean,
  /** What the service said last about a shop, in this run or an earlier one: read it through `shopOf`. */
  shop: ShopProfile | null = null,
) => ({
  phase: "starting" as "starting" | "running",
  blocked: null as Blocked | null,
  /** Whose journal this is; null while it is new, or of a version that did not say. */
  book: null as Book | null,
  /** What the books must explain and nobody has acknowledged yet. */
  problems: new Map() as Problems,
  acknowledgedElsewhere: new Map() as Acknowledgements,
  /** As `problems`, about the drawer itself. */
  drawerProblems: [] as readonly DrawerProblem[],
  headReport: unasked as Readonly<typeof unasked>,
  journalFork: { kind: "none" } as JournalFork,
  /** Names this journal in every reference, so that a second terminal with the same credentials shows. */
  installation: null as Readonly<{ tag: string; sinceWallMs: number }> | null,
  /** The references of this journal's latest confirms. */
  ownIds: new Set() as ReadonlySet<string>,
  open: new Map() as ReadonlyMap<string, Withdrawal>,
  cashGiven: { recent: new Set(), older: new Set() } as CashGiven,
  activeScreen: { kind: "idle" } as ActiveScreen,
  screenNumber: 0,
  toast: null as Toast | null,
  lastScan: null as Readonly<{ transactionId: string; atMs: number }> | null,
  device,
  shop,
  /** When it was asked last in this run. */
  shopAskedMs: null as number | null,
  credential: (device === null ? "missing" : "good") as "missing" | "good" | "refused" | "unsafe",
  /** Counts the keys of this run: an answer to an earlier one says nothing about the present one. */
  keyNumber: 0,
  connection: "starting" as "starting" | "online" | "offline",
  /** What the service said in this run of a copy that it was put back to; null where it says nothing of that. */
  serviceRestore: null as ServiceRestore | null,
  /** The restore after which everything was reported again, by its time; null while none was. */
  restoreAnswered: null as string | null,
  /** How withdrawals ended that had been unclear, by their ids, until somebody has read it. */
  messages: new Map() as ReadonlyMap<string, Message>,
  /** What is reported again after a restore, in turn. */
  repeats: null as Repeats | null,
  /** The service's clock as its last answer showed it. */
  serviceClock: null as Readonly<{ dateMs: number; atMs: number; offMs: number }> | null,
  respondedAtMs: 0,
  /** Since when nothing but silence came. */
  silentSinceMs: null as number | null,
  /** Whether the service is there is asked at once: an answer was lost, others came. */
  isDoubted: false,
  probes: 0,
  /** Probes without an answer since the service went silent. */
  silentProbes: 0,
  /** In [0, 1), drawn at each probe: where in its spread the next pause lies. */
  probeFraction: 0.5,
  sameDeviceElsewhere: false,
  duplicateCheckedMs: null as number | null,
  damagedEntries: 0,
  /** Entries that this version cannot read are in the journal: no checkpoint may stand for them. */
  hasUnreadEntries: false,
  /** How far the manager's check of the journal has come; null while none is under way. */
  journalCheck: null as VerifyProgress | null,
  /** The last entry was refused by the journal. */
  journalFailing: false,
  drawerMoney: beforeDays as DrawerMoney,
  /** The latest order of this run without a withdrawal: what came of it, `opening` until the drawer has answered. */
  noSale: { number: 0, result: "none" as DrawerResult | "none" | "opening" | "by_hand" },
  printing: noPrinting,
  settings,
  /** Those of them that are the journal's, as it has them; null before its first word about them. */
  protectedSettings: null as ProtectedSettings | null,
  /** Those that are otherwise in the host's file, which is not obeyed there, by name. */
  changedSettings: [] as readonly string[],
  /** Settings in the host's file that cannot be used, as paths. */
  wrongSettings: [] as readonly string[],
  people: nobodyYet,
  /** The highest number of a person's code in the journal; 0 while nobody was ever known. */
  peopleSeen: 0,
  /** This terminal had a journal before this one: its files, or the service, say so. */
  hadEarlierLife: false,
  /** The first manager set a PIN without the operator's code, and the service has taken no withdrawal since. */
  isManagerUnproven: false,
  ...({ ownService: null, phoneAccess: null, update: null } as Omit<Surroundings, "people">),
  training,
});
/** All that the terminal knows. */
export type State = Readonly<ReturnType<typeof initialState>>;

/** What is known about the shop of this terminal; what was said about another one is not about it. */
export const shopOf = ({ shop, device }: State): ShopProfile | null =>
  shop !== null && shop.merchantId === device?.merchantId ? shop : null;

/** What people call this terminal: its name, or the id that the service knows it by. */
export const terminalNameOf = ({ settings, device }: State): string =>
  settings.terminalName || (device?.deviceId ?? "");

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

/** Adds a transaction; the oldest ones are dropped when there are too many. */
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

/** A review that leaves the screen leaves no trace: nothing of it was promised to anyone. */
export const forgetReview = (state: State): State => {
  const before = activeWithdrawal(state);
  if (before?.stage.kind !== "review") return state;
  return { ...state, open: new Map([...state.open].filter(([id]) => id !== before.withdrawalId)) };
};

/** The state in which a barcode is looked up, in place of what is on the screen. */
export const lookUp = (state: State, transactionId: string, { monotonicMs: sinceMs }: Moment): State =>
  showScreen(forgetReview(state), { kind: "looking_up", transactionId, sinceMs, tries: 0, notBeforeMs: sinceMs });
