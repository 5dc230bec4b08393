/** What every verb needs, and who may call it. */
import type { Clock, Log, PartnerTransport, Random, Telemetry } from "../ports.ts";
import type { Store } from "../store/store.ts";

/** A till: a terminal credential's merchant and device. */
export interface Terminal {
  readonly merchantId: string;
  readonly deviceId: string;
}

/** A partner's server: a client credential's `merchant_id`. It sees only the withdrawals it asked for. */
export interface Client {
  readonly partnerId: string;
}

export interface ServiceOptions {
  /** 40,000 by the interface. */
  readonly scaTimeoutMs: number;
  /** 900,000. */
  readonly orderTtlMs: number;
  /** For partners without an address of their own: PARTNER_URL and PARTNER_SECRET. */
  readonly defaultPartner: { readonly url: string; readonly secret: string } | null;
  /** Settle orders in flight to one partner from this process. */
  readonly partnerInFlightMax: number;
  /** How often the outbox and the sweeper look for work of other processes; own work is known at once. */
  readonly pollMs: number;
}

export const defaultOptions: ServiceOptions = {
  scaTimeoutMs: 40_000,
  orderTtlMs: 900_000,
  defaultPartner: null,
  partnerInFlightMax: 64,
  pollMs: 250,
};

/** Sends Settle orders; made by `createService`. */
export interface SettleQueue {
  /** A free place in flight to this partner, to be given back by `send` or `release`; false when there is none. */
  reserve(partnerId: string): boolean;
  release(partnerId: string): void;
  /** Sends the order of a committed outbox row that this process leased on insert; needs a reserved place. */
  send(order: SettleOrderRow): void;
  /** There may be something due now: looks at once. */
  wake(): void;
  /** Under this name rows are leased by this process. */
  readonly workerId: string;
}

export interface SettleOrderRow {
  readonly id: string;
  readonly transaction_id: string;
  readonly partner_id: string;
  readonly body: string;
  readonly attempts: number;
}

export interface Service {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: PartnerTransport;
  readonly options: ServiceOptions;
  readonly log: Log;
  readonly telemetry: Telemetry;
  readonly settleQueue: SettleQueue;
}
