/** What the terminal's core needs from outside. Adapters are beside the hosts; the simulation has its own. */
import type {
  Credential,
  Damage,
  DrawerResult,
  FoundPrinter,
  PaperLine,
  PrintTrouble,
  Settings,
  ShopProfile,
} from "../../preload/contract.ts";

type Column = number | string | null;

/** What the journal uses of SQLite, so that tests can simulate a disk that loses power. */
export interface JournalDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...values: Column[]): Record<string, unknown>[];
    iterate(...values: Column[]): Iterable<Record<string, unknown>>;
    get(...values: Column[]): Record<string, unknown> | undefined;
    run(...values: Column[]): unknown;
    /** Afterwards `all`, `iterate` and `get` return rows as arrays, contrary to their types. */
    setReturnArrays(enabled: boolean): void;
  };
  readonly isTransaction: boolean;
  close(): void;
}

/** One entry of the journal. */
export interface JournalEntry {
  readonly sequence: number;
  readonly at: number;
  readonly body: string;
}

/** A damaged entry, and why it counts as such. */
export interface DamagedEntry {
  readonly sequence: number;
  readonly why: Damage;
}

/** Result of opening a journal. */
export type JournalOpening =
  | { readonly kind: "open" }
  /** Locked, read-only, full or missing: may work later. */
  | { readonly kind: "unavailable"; readonly error: string }
  /** Written by a newer program; left unchanged. */
  | { readonly kind: "newer"; readonly format: number };

/** Progress of a check of the journal, in entries. */
export interface VerifyProgress {
  readonly checked: number;
  readonly total: number;
}

/** Result of a check of the whole journal. */
export interface Verified {
  /** Number of sound entries. */
  readonly entries: number;
  readonly damaged: readonly DamagedEntry[];
  /** Number of sound entries whose key only the other host has. */
  readonly unchecked: number;
}

/** The newest link of the chain; `at` is the entry's, `hash` is hex. */
export interface JournalHead {
  readonly sequence: number;
  readonly at: number;
  readonly hash: string;
}

/** Which entries may be archived. */
export interface ArchivePlan {
  /** Wall clock, for the marker that a run writes at its end. */
  readonly now: () => number;
  /** Only entries before a checkpoint that is older than this: the start of the current year. */
  readonly beforeMs: number;
  /** Ids of withdrawals that are open, unresolved or have unsent reports: their entries and all later ones stay in the live file. */
  readonly held: readonly string[];
}

/** Result of an archiving run. `damaged`: the rows failed the check and stay where they are; `no_room`: not enough disk space. */
export type Archived =
  | { readonly kind: "nothing" | "damaged" | "no_room" }
  | { readonly kind: "archived"; readonly file: string; readonly entries: number };

/** A bounded part of a journal. */
export interface JournalSlice {
  /** Sound entries in order. */
  readonly entries: readonly JournalEntry[];
  /** The last row read, sound or not; null: none. */
  readonly last: JournalHead | null;
  /** Also true without a row if so many in a row are unreadable: then more follows behind them. */
  readonly hasMore: boolean;
}

/** An append-only journal; `append` returns after all entries are synced to disk, or throws and none is. */
export interface Journal {
  /** Opens the journal, or says why it cannot be used now; call again until it can. Call nothing else before. */
  open(): JournalOpening;
  append(at: number, bodies: readonly string[]): void;
  /**
   * The sound entries in order, and the damaged ones: those needed at start (from the last checkpoint that is sound and usable on), or the
   * latest `latest`. @param isUsable Default: every one.
   */
  read(
    latest?: number,
    isUsable?: (checkpoint: JournalEntry) => boolean,
  ): { readonly entries: Iterable<JournalEntry>; readonly damaged: readonly DamagedEntry[] };
  /** At most `limit` entries from sequence `from` on, archives included; archives that are missing or no journal are left out. */
  readSlice(from: number, limit: number): JournalSlice;
  /** Names of other books' journals beside this one, last changed first. */
  others(): readonly string[];
  /** As `read`, of another book's journal. @returns also its newest link; null if empty. */
  readOther(
    name: string,
    isUsable?: (checkpoint: JournalEntry) => boolean,
  ): ReturnType<Journal["read"]> & { readonly head?: JournalHead | null };
  /** Switches to the book `name`, creating it if missing, and renames this one to `aside`; null deletes it, which is for an empty one. */
  switchTo(name: string, aside: string | null): void;
  /**
   * Moves closed years into archive files, a slice per step; entries may be appended in between. Can be abandoned at
   * any step and repeated; `return` removes a partial copy. Throws disk errors.
   */
  archiveSlices(plan: ArchivePlan): Generator<VerifyProgress, Archived>;
  /** Checks every entry, archives included, a slice per step; the caller decides what happens in between. */
  verifySlices(): Generator<VerifyProgress, Verified>;
  /** Null if empty. */
  head(): JournalHead | null;
  /** The stored hash of an entry, or null. */
  linkOf(sequence: number): string | null;
  close(): void;
}

/** Cancels a timer; no effect after it has fired. */
export type Cancel = () => void;

/** The core's clocks and timers. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: for the journal and for people, never for countdowns. */
  now(): number;
  /** Monotonic milliseconds from an arbitrary start. */
  monotonicMs(): number;
  /** Calls `run` once after the delay: never earlier, never synchronously, and after input that has arrived by then. */
  after(delayMs: number, run: () => void): Cancel;
}

/** The core's source of randomness. */
export interface Ids {
  /** A new unique id: at most 26 visible ASCII characters. */
  next(): string;
  /** Random number in [0, 1), for jitter only. */
  fraction(): number;
}

/** One call to the service. `timeoutMs` covers everything from connecting to the last byte; `token` is the access token, if any. */
export interface ServiceRequest {
  readonly baseUrl: string;
  readonly token?: string;
  readonly method: "GET" | "POST";
  /** Relative to the service's address, with the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why nothing is sent to a service when money is real: it has no bank, or its address is plain http. */
export type UnsafeService = "sandbox" | "plain_http";

/** Result of a call: an HTTP answer, or silence. After a silent POST the request may have been carried out. */
export type ServiceAnswer =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** Parsed JSON; null if the body was empty, undefined if it was not JSON. */
      readonly body: unknown;
      readonly dateMs: number | null;
      readonly retryAfterMs: number | null;
    }
  /** `unreachable`: no network or no such host; `garbled`: a success whose body cannot be read. */
  | {
      readonly kind: "silence";
      readonly why: "unreachable" | "refused" | "timeout" | "reset" | "garbled";
      /** The exact cause if known; for the person who sets the terminal up. */
      readonly because?: "name_not_found" | "no_route" | "certificate" | "proxy" | UnsafeService;
    };

/** Sends an HTTP request once. Never retries, never throws. */
export interface Transport {
  send(request: ServiceRequest): Promise<ServiceAnswer>;
}

/** State by the drawer's sensor; `unknown` without a sensor or an answer. */
export type DrawerState = "open" | "closed" | "unknown";

/** The configured drawer, or the one given in `tried` for a test. `unknown`: the command may or may not have arrived. */
export interface Drawer {
  open(tried?: Settings["drawer"]): Promise<DrawerResult>;
  state(tried?: Settings["drawer"]): Promise<DrawerState>;
}

/** Result of a print job. */
export type PrintAnswer =
  | { readonly kind: "printed"; readonly paperLow: boolean }
  /** Nothing was sent. */
  | { readonly kind: "not_printed"; readonly why: PrintTrouble }
  /** Some or all of it may be on paper. */
  | { readonly kind: "unclear"; readonly why: PrintTrouble };

/** Prints once. The result never affects money. */
export interface Printer {
  /** @param on a printer to test. Default: the configured one. */
  print(lines: readonly PaperLine[], on?: Settings["printer"]): Promise<PrintAnswer>;
}

export type { Credential };

/** A terminal's identity at its service. */
export type Device = Omit<Credential, "secret">;

/** The credential, stored by the host, encrypted if the machine can; never crosses the bridge. */
export interface Secrets {
  /** The credential as read at start or saved since. */
  load(): Credential | null;
  /** Resolves false without replacing anything if `mayReplace` returns false just before. Rejects if it cannot be saved. */
  save(credential: Credential, mayReplace: () => boolean): Promise<boolean>;
}

/** The terminal's settings, stored by the host. `save` throws if they cannot be saved. */
export interface SettingsStore {
  /** Paths of invalid settings, which have their default: `camera.deviceId`. */
  wrong(): readonly string[];
  load(): Settings;
  save(settings: Settings): void;
  /** Notifies the devices, which are outside of the core, of the settings in force. */
  hold?(settings: Settings): void;
}

/** The shop's last profile, so that a terminal whose credential is refused can still show the support contact. */
export interface ShopStore {
  load(): ShopProfile | null;
  /** Never throws: without the file, the next start has to ask the service. */
  save(profile: ShopProfile): void;
}

/** Storage of the history's index, which can be rebuilt from the journal. */
export interface IndexStore {
  /** Opens or creates the index. @throws if it is damaged or the disk is full. */
  open(): JournalDatabase;
  remove(): void;
  /** Whether it may grow: the last disk space is the journal's. */
  hasRoom(): boolean;
  /** Whether it survives a restart. */
  readonly isKept: boolean;
}

/** Everything that the core needs from outside. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly journal: Journal;
  /** Default: in memory. */
  readonly index?: IndexStore;
  readonly transport: Transport;
  readonly drawer: Drawer;
  readonly printer: Printer;
  /** Finds possible printers at this machine and in the shop's network. Default: none. */
  readonly findPrinters?: () => Promise<readonly FoundPrinter[]>;
  /** The terminal's time zone for printing: an IANA name. */
  readonly timeZone: string;
  readonly secrets: Secrets;
  readonly settings: SettingsStore;
  readonly shop: ShopStore;
  /** True: the bundled service with its sandbox, no real money. */
  readonly training: boolean;
  /** Whether the folder held files of an earlier installation before the journal was opened. Default: false. */
  readonly hasEarlierLife?: boolean;
  readonly log: (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;
}
