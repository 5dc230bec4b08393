/** What every verb needs, and who may call it. */
import type { Money } from "./contract/money.ts";
import { scaTimeoutSeconds } from "./contract/sca.ts";
import type { Clock, Log, PartnerTransport, Random } from "./ports.ts";
import type { RowOf } from "./store/schema.ts";
import type { Store } from "./store/store.ts";
import type { Telemetry } from "./telemetry.ts";

/** The HMAC-SHA-256 of a text under a key that is known to it alone; base64url. */
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

/** The head office of a chain: it sees what its shops' terminals see, and changes nothing. */
export interface Chain {
  readonly chainId: string;
}

/** Whoever reads a withdrawal. */
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
  /** Addresses that the installation binds to a partner's id (PARTNER_ID, and the sandbox's bank); others need their own. */
  readonly boundPartners: ReadonlyMap<string, BoundPartner>;
  /** Reads the stored keys of banks; default: they are stored as they are. */
  readonly keyCipher: KeyReader;
  /** No real money: stored addresses in the open and keys that everybody knows may be used. Default: no. */
  readonly isSandbox: boolean;
  /** Settle orders in flight to one partner from this process. */
  readonly partnerInFlightMax: number;
  /** Start orders in flight to one partner from this process; beyond, a request is answered `unavailable`. */
  readonly startsInFlightMax: number;
  /** How often the outbox and the sweeper look for work of other processes; own work is known at once. Deadlines do not depend on it. */
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
  /** Under this name rows are leased by this process. */
  readonly workerId: string;
  /** Sends the order of a committed row that this process leased on insert. */
  send(order: RowOf<"outbox">): void;
  /** Claims no more; what callers still bring is sent only if its call can end by `untilMs`, else left to the next process. */
  drain(untilMs: number): void;
  /** Takes no more, lets what is in flight end. */
  stop(): Promise<void>;
}

/** Sends status events; made by `createService`. */
export interface StatusEvents {
  /** Sends the event of a committed move that this process leased on insert. */
  send(event: LeasedEvent): void;
  /** Wakes the sender after a commit whose event no process has leased. Cheap, and may be called without need. */
  wake(): void;
}

/** A status event as its move has written it. */
export type LeasedEvent = Pick<
  RowOf<"status_events">,
  "id" | "transaction_id" | "partner_id" | "body" | "partner_reference"
>;

/** Start orders under way from this process; made by `createService`. */
export interface StartSlots {
  /**
   * Takes a slot before anything is awaited, so that a burst cannot slip past the bound: a bank that hangs must not gather
   * requests without end, and what is refused here has left no trace.
   * @returns how to give it back. @throws ServiceError `unavailable` when all are taken or the service is stopping.
   */
  acquire(partnerId: string): () => void;
  /** Aborted by `stop`: no Start order may begin another try. */
  readonly stopping: AbortSignal;
  /** Refuses new ones; ends when those under way have their answer or have used up their try. */
  stop(): Promise<void>;
}

/** What chains the audit and the history; `access/secrets.ts` derives them from SERVICE_KEY. */
export interface ChainKeys {
  /** Chains the audit. */
  readonly audit: Buffer;
  /** Names the key in every entry of the audit, so that a change of SERVICE_KEY shows as one. */
  readonly auditKeyId: string;
  /** Chains the history of withdrawals, and makes the digests that the audit holds of it. */
  readonly history: Hmac;
  /** The other keys of the installation, oldest first: they open what was written under them. */
  readonly others?: readonly ChainKeys[];
  /**
   * The key of the next entry of the audit, by the name of the one that its head is under; from then on this process writes under it.
   * Without it, these. @throws StoreRefused where this process does not have that key.
   */
  readonly under?: (headKeyId: string | null) => Pick<ChainKeys, "audit" | "auditKeyId">;
}

/** The names of all keys that a process has, as it tells the others. */
export const keyNames = ({ auditKeyId, others = [] }: ChainKeys): string =>
  [auditKeyId, ...others.map((key) => key.auditKeyId)].join(" ");

/** What every verb is given. Made by `createService`; the parts of it are ports, so that a simulation can bring its own. */
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
  /** Whether this process of the fleet does the work of this name now; a preference, not a lock. */
  readonly owns: (work: string) => boolean;
}
