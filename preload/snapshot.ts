/** Everything the screens know, and the lists that a manager asks for. */
import type { ManagerDecision } from "./commands.ts";
import type { NoSale } from "./drawer-money.ts";
import type { OwnServiceStatus } from "./own-service.ts";
import type { PeopleView } from "./people.ts";
import type { PhoneAccess } from "./phone-access.ts";
import type { OfWithdrawal, Screen } from "./screens.ts";
import type { Settings } from "./settings.ts";
import type { ShopProfile } from "./shop.ts";
import type { UpdateStatus } from "./updates.ts";
import type { damages, discrepancies, printTroubles, toastCodes } from "./words.ts";

/** Something open that is not in front: the header counts them, the list shows them. */
export interface OpenWithdrawal extends OfWithdrawal {
  readonly state: "unknown" | "payable" | "closing";
  readonly sinceMs: number;
}

/** What the top line shows, on every screen. */
export interface Header {
  /** What a person calls the shop; its `merchant_id` until the service has said a name. */
  readonly shop: string;
  /** What a person calls this terminal: the manager's name for it, else the one it was enrolled under. */
  readonly device: string;
  /** What support asks for: under which names the terminal was enrolled, and at which service; null before it was. */
  readonly identity: { readonly serviceUrl: string; readonly merchantId: string; readonly deviceId: string } | null;
  /** What the service says about the shop; null until it did, and for a service that does not. */
  readonly profile: ShopProfile | null;
  readonly training: boolean;
  /** Where a person plays the customer's phone in training (the sandbox's start page); null outside of training. */
  readonly sandboxUrl: string | null;
  /** Open to a real phone in the shop's network; null while it is not. */
  readonly phoneAccess: PhoneAccess | null;
  readonly connection: "online" | "offline" | "starting";
  /** Links, rejects and undelivered reports not yet accepted by the service. */
  readonly pendingReports: { readonly count: number; readonly oldestMs: number } | null;
  readonly open: readonly OpenWithdrawal[];
  /** What the books must explain and no manager has acknowledged yet: withdrawals, and the journal itself. */
  readonly problems: number;
  /** Withdrawals that may hold money or whose end the service has not taken, the one in front included: leaving the terminal asks. */
  readonly unfinished: number;
  /** Terminal clock minus service clock, when it is off by more than 60 s. */
  readonly clockOffMs: number | null;
  readonly sameDeviceElsewhere: boolean;
  readonly damagedEntries: number;
  /** How far a check of the journal has come, in entries; null while none is under way. */
  readonly journalCheck: { readonly checked: number; readonly total: number } | null;
  /** The journal takes no entry: nothing can be begun or ended until it does, and no cash may be given. */
  readonly journalFailing: boolean;
  /** Settings in the file that cannot be used and have their default until some are saved, as paths: `camera.deviceId`. */
  readonly wrongSettings: readonly string[];
  /** Settings that are otherwise in the file than a manager set them, by name: the file is not obeyed. */
  readonly changedSettings: readonly string[];
  /** The service that this terminal runs itself; null where it works with a provider's. */
  readonly ownService: OwnServiceStatus | null;
  /** Null where this program takes no updates: in the browser, in training, unpacked from an archive. */
  readonly update: UpdateStatus | null;
  /** The drawer's day; null where the shop counts in its own till system. `openForMs` by the terminal's clock. */
  readonly day: {
    readonly kind: "closed" | "open" | "counted";
    readonly number: number;
    readonly openForMs: number | null;
    /** What came of the latest order for the drawer without a withdrawal in this run. */
    readonly drawer?: "none" | "opening" | "opened" | "failed" | "unknown" | "by_hand";
  } | null;
  /** A receipt is not, or not surely, on paper; null otherwise. No money depends on it. */
  readonly printing: {
    readonly why: PrintTrouble;
    /** It may be on paper, or a part of it. */
    readonly isUnclear: boolean;
    /** The terminal tries again by itself. */
    readonly isRetried: boolean;
    /** Receipts that wait, this one included. */
    readonly waiting: number;
  } | null;
  /** The printer says that its paper comes to an end. */
  readonly paperLow: boolean;
}

/** Why a receipt is not, or not surely, on paper. */
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
  /** Names it where it is acknowledged. */
  readonly withdrawalId: string;
  readonly since: string;
  readonly about: "journal_forked";
}

/** Something about the drawer's money, or the drawer itself. */
export interface DrawerProblem {
  readonly kind: "drawer";
  /** Names it where it is acknowledged. */
  readonly withdrawalId: string;
  readonly since: string;
  /** The opening count is not what was left, the closing count not what was expected, or the drawer opened without an order. */
  readonly about: "night_differs" | "count_differs" | "drawer_opened" | "no_sale";
  /** Null for an opening. */
  readonly day: number | null;
  readonly differenceMinor: number;
  readonly currency: string | null;
  /** The code of who counted, or was signed in; null for nobody. */
  readonly who: string | null;
  /** Why the drawer was opened without a withdrawal. */
  readonly noSale?: Pick<NoSale, "reason" | "note"> | undefined;
}

/** An open withdrawal that can be decided, or one that the books must explain. */
interface WithdrawalProblem extends OfWithdrawal {
  readonly shop: string;
  readonly since: string;
  /** `open`: the terminal still works on it. `unresolved`: it stays until it is acknowledged. */
  readonly kind: "open" | "unresolved";
  /** What the books must explain, in the core's words, with commas between them; the stage of an open one. */
  readonly about: string;
  /** The shop whose journal it is in, when it is not this one's. */
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
  /** Compared with the links that the service was given: entries that it knows and that are not here, or not so. Null when it was not to be asked. */
  readonly anchors: {
    readonly compared: number;
    readonly missing: readonly number[];
    readonly different: readonly number[];
  } | null;
}

/** Where a report for support was saved, as a path of this machine. */
export interface SavedReport {
  readonly file: string;
}
