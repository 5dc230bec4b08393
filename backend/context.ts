/** What every verb needs, and who may call it. */
import type { Money } from "./contract/money.ts";
import { scaTimeoutSeconds } from "./contract/sca.ts";
import type { Clock, Log, PartnerTransport, Random } from "./ports.ts";
import type { RowOf } from "./store/schema.ts";
import type { Store } from "./store/store.ts";
import type { Telemetry } from "./telemetry.ts";

/** HMAC-SHA-256 of a text under a bound key; base64url. */
export type Hmac = (text: string) => string;

/** A terminal: its credential's merchant and device. */
export interface Terminal {
  readonly merchantId: string;
  readonly deviceId: string;
  /** The `X-Request-Id` of the call it makes, for the history. */
  readonly requestId?: string | undefined;
}

/** A partner's server: a client credential's `merchant_id`. It sees only the withdrawals it asked for. */
export interface Client {
  readonly partnerId: string;
  /** The `X-Request-Id` of the call it makes, for the history. */
  readonly requestId?: string | undefined;
}

/** The head office of a chain: it sees what its shops' terminals see, read-only. */
export interface Chain {
  readonly chainId: string;
}

/** Anyone who may read withdrawals. */
export type Reader = Terminal | Client | Chain;

/** Where a bank's server is and the key that signs the calls to it. */
export interface BoundPartner {
  readonly url: string;
  readonly secret: string;
}

/** Opens a stored key of a bank. @throws Error when it cannot be read with this SERVICE_KEY. */
export interface KeyReader {
  open(partnerId: string, stored: string): string;
}

/** What an installation or a test may choose; see `defaultOptions`. */
export interface ServiceOptions {
  /** 40,000 by the interface. */
  readonly scaTimeoutMs: number;
  /** 900,000. */
  readonly orderTtlMs: number;
  /** Whether a withdrawal needs SCA when its request does not say. */
  readonly scaRequiredByDefault: (money: Money) => boolean;
  /** Bank addresses from the configuration (PARTNER_ID, the sandbox's bank); other banks have theirs in the database. */
  readonly boundPartners: ReadonlyMap<string, BoundPartner>;
  /** Reads the stored keys of banks; default: they are stored as they are. */
  readonly keyCipher: KeyReader;
  /** No real money: plain http addresses and published keys are allowed. Default: no. */
  readonly isSandbox: boolean;
  /** Settle orders in flight to one partner from this process. */
  readonly partnerInFlightMax: number;
  /** Start orders in flight to one partner from this process; beyond, a request is answered `unavailable`. */
  readonly startsInFlightMax: number;
  /** How often the outbox and the sweeper look for other processes' work (own work is known at once). Deadlines do not depend on it. */
  readonly pollMs: number;
}

/** The interface's times, and bounds for one process. */
export const defaultOptions: ServiceOptions = {
  scaTimeoutMs: scaTimeoutSeconds * 1000,
  orderTtlMs: 900_000,
  scaRequiredByDefault: () => true,
  boundPartners: new Map(),
  keyCipher: { open: (_, stored) => stored },
  isSandbox: false,
  partnerInFlightMax: 64,
  startsInFlightMax: 500,
  pollMs: 250,
};

/** Sends Settle orders; made by `createService`. */
export interface SettleQueue {
  /** The name under which this process leases rows. */
  readonly workerId: string;
  /** Sends a committed order that this process leased on insert. */
  send(order: RowOf<"outbox">): void;
  /** Claims no more; an order of a running call is sent only if that can finish by `untilMs`, else left to other processes. */
  drain(untilMs: number): void;
  /** Stops sending; resolves when nothing is in flight. */
  stop(): Promise<void>;
}

/** Sends status events; made by `createService`. */
export interface StatusEvents {
  /** Sends the event of a committed transition that this process leased on insert. */
  send(event: LeasedEvent): void;
  /** Wakes the sender for an event that no process has leased. Cheap; needless calls are harmless. */
  wake(): void;
}

/** A status event as its transition wrote it. */
export type LeasedEvent = Pick<
  RowOf<"status_events">,
  "id" | "transaction_id" | "partner_id" | "body" | "partner_reference"
>;

/** Start orders under way from this process; made by `createService`. */
export interface StartSlots {
  /**
   * Takes a slot before anything is awaited, so that a burst cannot exceed the bound: requests to a bank that hangs
   * must not pile up. A refusal leaves no trace.
   * @returns a function that releases the slot. @throws ServiceError `unavailable` when all are taken or the service is
   * stopping.
   */
  acquire(partnerId: string): () => void;
  /** Aborted by `stop`: no Start order may be tried again. */
  readonly stopping: AbortSignal;
  /** Refuses new ones; resolves when those under way have an answer or their try is over. */
  stop(): Promise<void>;
}

/** The keys that chain audit and history; `access/secrets.ts` derives them from SERVICE_KEY. */
export interface ChainKeys {
  /** Chains the audit. */
  readonly audit: Buffer;
  /** Names the key in every entry of the audit, so that a change of SERVICE_KEY shows as one. */
  readonly auditKeyId: string;
  /** Chains the history of withdrawals, and makes the digests that the audit holds of it. */
  readonly history: Hmac;
  /** Other keys of the installation, oldest first, for reading what was written under them. */
  readonly others?: readonly ChainKeys[];
  /**
   * Returns the key for the next audit entry, given the key id of the head; this process writes under it from then on.
   * Absent: these keys.
   * @throws StoreRefused where this process does not have that key.
   */
  readonly under?: (headKeyId: string | null) => Pick<ChainKeys, "audit" | "auditKeyId">;
}

/** All keys of a process, the current one last. */
export const allKeys = (keys: ChainKeys): readonly ChainKeys[] => [...(keys.others ?? []), keys];

/** The ids of all keys of a process, as it announces them to the others. */
export const keyNames = ({ auditKeyId, others = [] }: ChainKeys): string =>
  [auditKeyId, ...others.map((key) => key.auditKeyId)].join(" ");

/** What every verb is given. Made by `createService`; its parts are ports that a simulation can replace. */
export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: PartnerTransport;
  readonly options: ServiceOptions;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly keys: ChainKeys;
  readonly settleQueue: SettleQueue;
  readonly statusEvents: StatusEvents;
  readonly startSlots: StartSlots;
  /** Milliseconds between two signs of life of a process in a fleet. */
  readonly beatMs: number;
  /** Whether this process should do the named work now; a preference, not a lock. */
  readonly owns: (work: string) => boolean;
}
