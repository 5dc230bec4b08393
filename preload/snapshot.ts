/** Everything the screens know, and the lists that a manager asks for. */
import type { ManagerDecision } from "./commands.ts";
import type { KeptDrawerProblem } from "./drawer-money.ts";
import type { damages, discrepancies, printTroubles, toastCodes } from "./enums.ts";
import type { OwnServiceStatus } from "./own-service.ts";
import type { PeopleView } from "./people.ts";
import type { PhoneAccess } from "./phone-access.ts";
import type { OfWithdrawal, Screen } from "./screens.ts";
import type { Settings } from "./settings.ts";
import type { ShopProfile } from "./shop.ts";
import type { UpdateStatus } from "./updates.ts";

/** An open withdrawal in the background: the header counts them, the list shows them. */
export interface OpenWithdrawal extends OfWithdrawal {
  readonly state: "unknown" | "payable" | "closing";
  readonly sinceMs: number;
}

/** What the header shows, on every screen. */
export interface Header {
  /** What a person calls the shop; its `merchant_id` until the service has said a name. */
  readonly shop: string;
  /** What a person calls this terminal: the manager's name for it, else the one it was enrolled under. */
  readonly device: string;
  /** What support asks for: the ids under which the terminal was enrolled, and the service; null before the enrolment. */
  readonly identity: { readonly serviceUrl: string; readonly merchantId: string; readonly deviceId: string } | null;
  /** What the service says about the shop; null until it has, or if it never does. */
  readonly profile: ShopProfile | null;
  readonly training: boolean;
  /** Address of the customer's phone in training (the sandbox's start page); null before its service listens, and outside of training. */
  readonly sandboxUrl: string | null;
  /** Set while a real phone in the shop's network is let in. */
  readonly phoneAccess: PhoneAccess | null;
  readonly connection: "online" | "offline" | "starting";
  /** Links, rejects and undelivered reports not yet accepted by the service. */
  readonly pendingReports: { readonly count: number; readonly oldestMs: number } | null;
  readonly open: readonly OpenWithdrawal[];
  /** Number of problems that no manager has acknowledged yet: of withdrawals, the drawer and the journal. */
  readonly problems: number;
  /** Number of withdrawals that may hold money or whose end the service has not accepted, the one in front included: leaving the program asks first. */
  readonly unfinished: number;
  /** Terminal clock minus service clock, when it is off by more than 60 s. */
  readonly clockOffMs: number | null;
  readonly sameDeviceElsewhere: boolean;
  readonly damagedEntries: number;
  /** How far a check of the journal has come, in entries; null while none is under way. */
  readonly journalCheck: { readonly checked: number; readonly total: number } | null;
  /** The journal cannot be written: nothing can be started or ended, and no cash may be given. */
  readonly journalFailing: boolean;
  /** Paths of invalid settings in the file (`camera.deviceId`), which have their default until they are saved. */
  readonly wrongSettings: readonly string[];
  /** Names of settings that differ in the file from what a manager set: the file is not obeyed. */
  readonly changedSettings: readonly string[];
  /** The service that this terminal runs itself; null with a provider's service. */
  readonly ownService: OwnServiceStatus | null;
  /** Null where this program takes no updates: in the browser, in training, not installed. */
  readonly update: UpdateStatus | null;
  /** The drawer's day; null where the shop counts in its own till system. `openForMs` by the terminal's clock. */
  readonly day: {
    readonly kind: "closed" | "open" | "counted";
    readonly number: number;
    readonly openForMs: number | null;
    /** Of the running day. */
    readonly currency?: string;
    /** Result of the last opening without a withdrawal, in this run. */
    readonly drawer?: "none" | "opening" | "opened" | "failed" | "unknown" | "by_hand";
  } | null;
  /** Set when a receipt was not, or not surely, printed. No money depends on it. */
  readonly printing: {
    readonly why: PrintTrouble;
    /** It may be on paper, or a part of it. */
    readonly isUnclear: boolean;
    /** The terminal tries again by itself. */
    readonly isRetried: boolean;
    /** Receipts that wait, this one included. */
    readonly waiting: number;
  } | null;
  /** The printer reports that its paper is running out. */
  readonly paperLow: boolean;
}

/** Why a receipt was not, or not surely, printed. */
export type PrintTrouble = (typeof printTroubles)[number];

/** A one-off message about the last scan; `id` grows, so that the same toast twice is seen twice. */
export interface Toast {
  readonly id: number;
  readonly code: (typeof toastCodes)[number];
}

/** Everything the screens know. `revision` grows with each one. */
export interface Snapshot {
  readonly revision: number;
  readonly screen: Screen;
  readonly header: Header;
  readonly toast: Toast | null;
  readonly settings: Settings;
  readonly people: PeopleView;
}

/** What the books must explain about a withdrawal. */
export type Discrepancy = (typeof discrepancies)[number];

/** Something for the manager: it stays until it is decided or acknowledged with a note. */
export type Problem = WithdrawalProblem | JournalProblem | DrawerProblem;

/** The service knows another journal under this terminal's name: this one was cut, rewritten or restored from an older copy. */
interface JournalProblem {
  readonly kind: "journal";
  /** Its id, by which it is acknowledged. */
  readonly withdrawalId: string;
  readonly since: string;
  readonly about: "journal_forked";
}

/** A problem with the drawer's money or the drawer itself. */
interface DrawerProblem extends Omit<KeptDrawerProblem, "id" | "sinceWallMs"> {
  readonly kind: "drawer";
  /** Its id, by which it is acknowledged. */
  readonly withdrawalId: string;
  readonly since: string;
}

/** An open withdrawal that can be decided, or one that the books must explain. */
interface WithdrawalProblem extends OfWithdrawal {
  readonly shop: string;
  readonly since: string;
  /** `open`: the terminal still works on it. `unresolved`: it stays until it is acknowledged. */
  readonly kind: "open" | "unresolved";
  /** The discrepancies' codes, comma-separated; for an open one its stage. */
  readonly about: string;
  /** The other shop in whose journal it is; null for this shop's. */
  readonly otherShop: string | null;
  /** What a manager may say about it now; empty for an unresolved one. */
  readonly decisions: readonly ManagerDecision[];
}

/** What is wrong with an entry of the journal. */
export type Damage = (typeof damages)[number];

/** What a check of the journal found; `entries` counts the sound ones. */
export interface JournalHealth {
  readonly entries: number;
  readonly damaged: readonly { readonly sequence: number; readonly why: Damage }[];
  /** Compared with the links that the service has: entries that are missing or different here. Null when the service could not be asked. */
  readonly anchors: {
    readonly compared: number;
    readonly missing: readonly number[];
    readonly different: readonly number[];
  } | null;
}

/** Where a support report was saved: a path on this machine. */
export interface SavedReport {
  readonly file: string;
}
