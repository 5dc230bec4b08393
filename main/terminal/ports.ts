/** What the terminal's core needs from the world. Adapters live beside the hosts; the simulation brings its own. */
import type {
  Credential,
  Damage,
  FoundPrinter,
  PaperLine,
  PrintTrouble,
  Settings,
  ShopProfile,
} from "../../preload/contract.ts";

type Column = number | string | null;

/** What the journal asks of SQLite, so that a test can put one on a disk that loses power. */
export interface JournalDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...values: Column[]): Record<string, unknown>[];
    iterate(...values: Column[]): Iterable<Record<string, unknown>>;
    get(...values: Column[]): Record<string, unknown> | undefined;
    run(...values: Column[]): unknown;
    /** From then on `all`, `iterate` and `get` give a row as the array of its values, whatever their types say. */
    setReturnArrays(enabled: boolean): void;
  };
  readonly isTransaction: boolean;
  close(): void;
}

/** One line of the journal as it is kept: the hash covers the line before, the sequence, the time and the body. */
export interface JournalEntry {
  readonly sequence: number;
  readonly at: number;
  readonly body: string;
}

/** An entry of the journal that cannot be believed, and why. */
export interface DamagedEntry {
  readonly sequence: number;
  readonly why: Damage;
}

/** Whether a journal can be used now. */
export type JournalOpening =
  | { readonly kind: "open" }
  /** Locked, read-only, full, or not there: it may be so again later. */
  | { readonly kind: "unavailable"; readonly error: string }
  /** Written by a newer program: it is left as it is. */
  | { readonly kind: "newer"; readonly format: number };

/** How far a check of the journal has come, in entries. */
export interface VerifyProgress {
  readonly checked: number;
  readonly total: number;
}

/** What a check of the whole journal found. */
export interface Verified {
  /** Sound ones. */
  readonly entries: number;
  readonly damaged: readonly DamagedEntry[];
  /** Of the sound ones, those under a key that only the other host has. */
  readonly unchecked: number;
}

/** The newest link of the chain; `at` as the entry has it, `hash` in hex. */
export interface JournalHead {
  readonly sequence: number;
  readonly at: number;
  readonly hash: string;
}

/** What of a journal may be archived. */
export interface ArchivePlan {
  /** The wall clock, for the entry that a run writes at its end. */
  readonly now: () => number;
  /** Only entries behind which there is a checkpoint from before this time: the beginning of the present year. */
  readonly beforeMs: number;
  /** Withdrawals that are open, unresolved or owed a report, by id: their entries, and all behind them, stay in the live file. */
  readonly held: readonly string[];
}

/** What a run of the archive came to. `damaged`: the stretch does not check, so it stays where it is; `no_room`: on the disk. */
export type Archived =
  | { readonly kind: "nothing" | "damaged" | "no_room" }
  | { readonly kind: "archived"; readonly file: string; readonly entries: number };

/** A bounded part of a journal. */
export interface JournalSlice {
  /** The sound entries in order. */
  readonly entries: readonly JournalEntry[];
  /** The last one that was looked at, sound or not; null when there was none. */
  readonly last: JournalHead | null;
  readonly hasMore: boolean;
}

/** Append-only; `append` returns when the entries are on disk (synced), all of them or none. */
export interface Journal {
  /** Opens it, or says why it cannot be used now; asked again until it can. Nothing else is called before it is open. */
  open(): JournalOpening;
  append(at: number, bodies: readonly string[]): void;
  /** The sound entries in order, and what was quarantined: those that a start needs (from the last checkpoint on), or the latest so many. */
  read(latest?: number): { readonly entries: Iterable<JournalEntry>; readonly damaged: readonly DamagedEntry[] };
  /** At most `limit` entries from the sequence `from` on, archived years included; one of their files that is not there is left out. */
  readSlice(from: number, limit: number): JournalSlice;
  /** Journals of other books that lie beside this one, by name, the one that changed last first. */
  others(): readonly string[];
  /** The sound entries of one of them, from its last checkpoint on. */
  readOther(name: string): ReturnType<Journal["read"]>;
  /** Puts the book `name`, kept beside or new, in use, and this one `aside`; null throws an empty one away. */
  switchTo(name: string, aside: string | null): void;
  /**
   * Moves closed years into files of their own, a slice with each step; entries may be appended between two steps. Safe to
   * abandon at any step and to begin again; `return` gives back the room of what was begun. Throws when the disk takes nothing.
   */
  archiveSlices(plan: ArchivePlan): Generator<VerifyProgress, Archived>;
  /** Checks every entry ever written, a slice with each step: what lies between two steps is the caller's. */
  verifySlices(): Generator<VerifyProgress, Verified>;
  /** Null while nothing is in it. */
  head(): JournalHead | null;
  /** The hash of one entry as it is kept; null when there is none. */
  linkOf(sequence: number): string | null;
  close(): void;
}

/** Stops a timer; one that has fired is left alone. */
export type Cancel = () => void;

/** Time, for the core. */
export interface Clock {
  /** The terminal's wall clock in milliseconds since the epoch: for the journal and for people, never for a countdown. */
  now(): number;
  /** Never jumps, starts anywhere. */
  monotonicMs(): number;
  /** Calls once after this many milliseconds; never before, never within this call, and after what has come in by then. */
  after(delayMs: number, run: () => void): Cancel;
}

/** Randomness, for the core. */
export interface Ids {
  /** A new id of 26 characters or fewer, unique on this terminal for ever, visible ASCII. */
  next(): string;
  /** In [0, 1), for jitter only. */
  fraction(): number;
}

/** One call to the service. `timeoutMs` bounds it from the connection to the last byte; `token` is sent along where there is one. */
export interface ServiceRequest {
  readonly baseUrl: string;
  readonly token?: string;
  readonly method: "GET" | "POST";
  /** Below the service's address, with the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Why nothing is sent to a service where money is real: it has no bank, or its address is plain http beyond this machine. */
export type UnsafeService = "sandbox" | "plain_http";

/** What came back: an HTTP answer, or silence. Silence after a POST means that it may have been done. */
export type ServiceAnswer =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** Parsed JSON; null when the body was empty, undefined when it was something else. */
      readonly body: unknown;
      readonly dateMs: number | null;
      readonly retryAfterMs: number | null;
    }
  /** `unreachable`: no way to the host (no network, no such name); `garbled`: an answer of success that cannot be read. */
  | {
      readonly kind: "silence";
      readonly why: "unreachable" | "refused" | "timeout" | "reset" | "garbled";
      /** Why more exactly, where the adapter can tell; for a person who sets the terminal up. */
      readonly because?: "name_not_found" | "no_route" | "certificate" | "proxy" | UnsafeService;
    };

/** Sends one HTTP request, once. Never retries, never throws. */
export interface Transport {
  send(request: ServiceRequest): Promise<ServiceAnswer>;
}

/** What a drawer's sensor says; `unknown` where there is none, or it does not answer. */
export type DrawerState = "open" | "closed" | "unknown";

/** The drawer of the settings, or one that is tried before it is chosen. `unknown` when the command may or may not have reached it. */
export interface Drawer {
  open(tried?: Settings["drawer"]): Promise<"opened" | "failed" | "unknown">;
  state(tried?: Settings["drawer"]): Promise<DrawerState>;
}

/** What became of a print job. */
export type PrintAnswer =
  | { readonly kind: "printed"; readonly paperLow: boolean }
  /** Nothing of it was sent. */
  | { readonly kind: "not_printed"; readonly why: PrintTrouble }
  /** Some of it, or all, may be on paper. */
  | { readonly kind: "unclear"; readonly why: PrintTrouble };

/** Prints once what is to stand on paper. Nothing about money follows from its answer. */
export interface Printer {
  /** @param on a printer that is tried; else the one of the settings. */
  print(lines: readonly PaperLine[], on?: Settings["printer"]): Promise<PrintAnswer>;
}

export type { Credential };

/** Who a terminal is at its service. */
export interface Device {
  readonly serviceUrl: string;
  readonly merchantId: string;
  readonly deviceId: string;
}

/** Kept by the host, encrypted where the machine can; never crosses the bridge. */
export interface Secrets {
  /** What was read when the host opened them, or saved since. */
  load(): Credential | null;
  /** Resolves false, and has replaced nothing, when `mayReplace` says no after all was ready. Rejects when it cannot be kept. */
  save(credential: Credential, mayReplace: () => boolean): Promise<boolean>;
}

/** The terminal's settings, kept by the host. Saving throws when they cannot be kept. */
export interface SettingsStore {
  /** Settings that cannot be used and have their default, as paths: `camera.deviceId`. */
  wrong(): readonly string[];
  load(): Settings;
  save(settings: Settings): void;
  /** Those that hold from now on, for what follows the settings outside of the core: the devices. */
  hold?(settings: Settings): void;
}

/** The last profile of the shop: a terminal that the service no longer lets in still shows the support contact. */
export interface ShopStore {
  load(): ShopProfile | null;
  /** Never throws: without it the next start only has to ask first. */
  save(profile: ShopProfile): void;
}

/** Where the history's index is kept. Derived from the journal: what is lost there is read again. */
export interface IndexStore {
  /** Opens it, or makes an empty one. Throws when it is damaged, or the disk takes nothing. */
  open(): JournalDatabase;
  remove(): void;
  /** Whether it may grow: on a disk that is nearly full what is left is the journal's. */
  hasRoom(): boolean;
  /** Whether the next start finds it. */
  readonly isKept: boolean;
}

/** All that the core needs from the world. */
export interface Ports {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly journal: Journal;
  /** In memory where the host has none. */
  readonly index?: IndexStore;
  readonly transport: Transport;
  readonly drawer: Drawer;
  readonly printer: Printer;
  /** What may be printers at this machine and in the shop's network. Default: none. */
  readonly findPrinters?: () => Promise<readonly FoundPrinter[]>;
  /** Where this terminal's clock hangs, for what is printed: an IANA name. */
  readonly timeZone: string;
  readonly secrets: Secrets;
  readonly settings: SettingsStore;
  readonly shop: ShopStore;
  /** The bundled service with its sandbox: no real money. */
  readonly training: boolean;
  /** What only an earlier life leaves behind lay in the folder before the journal was opened. Default: false. */
  readonly hasEarlierLife?: boolean;
  readonly log: (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;
}
