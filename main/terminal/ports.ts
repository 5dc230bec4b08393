/** What the terminal's core needs from the world. Adapters live beside the hosts; the simulation brings its own. */
import type { Credential, PrintTrouble, Settings, ShopProfile } from "../../preload/contract.ts";
import type { JournalDatabase } from "./database-port.ts";
import type { Journal } from "./journal-port.ts";
import type { PaperLine } from "./paper/paper-line.ts";

export type * from "./journal-port.ts";

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

/** One call to the service. `timeoutMs` bounds it from the connection to the last byte; `authorized` adds the token. */
export interface ServiceRequest {
  readonly method: "GET" | "POST";
  /** Below the service's address, with the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly authorized: boolean;
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
  send(request: ServiceRequest & { readonly baseUrl: string; readonly token: string | null }): Promise<ServiceAnswer>;
}

/** What a drawer's sensor says; `unknown` where there is none, or it does not answer. */
export type DrawerState = "open" | "closed" | "unknown";

/** Opens the drawer. `unknown` when the command may or may not have reached it. */
export interface Drawer {
  open(): Promise<"opened" | "failed" | "unknown">;
  state(): Promise<DrawerState>;
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
  print(lines: readonly PaperLine[]): Promise<PrintAnswer>;
}

export type { Credential };

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
  /** Throws it away. */
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
