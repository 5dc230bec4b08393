/** A service without HTTP on a real store, a shop, a bank that does what a test says, and a log of what was counted. */
import { serviceKeysFrom } from "../../backend/access/secrets.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import type { Client, ServiceOptions, Terminal } from "../../backend/context.ts";
import type { SettleOrder, StartOrder } from "../../backend/contract/partner.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import type { StatusEvent } from "../../backend/contract/webhook-events.ts";
import { allowMerchant, everyMerchant } from "../../backend/partner/partners.ts";
import type { Clock, Log, PartnerReply, PartnerRequest, PartnerTransport } from "../../backend/ports.ts";
import { adhoc, type Store, statement } from "../../backend/store/store.ts";
import type { Telemetry, UnlinkedCounts } from "../../backend/telemetry.ts";
import { confirmTransaction } from "../../backend/withdrawals/confirm.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { createService, type RunningService } from "../../backend/withdrawals/service.ts";
import { bothTables, type Row, withdrawalColumns } from "../../backend/withdrawals/store.ts";

/** The shop of most tests. */
export const shop = "corner-shop";
/** Its first terminal. */
export const till: Terminal = { merchantId: shop, deviceId: "till-1" };
/** Its second terminal. */
export const secondTill: Terminal = { merchantId: shop, deviceId: "till-2" };
/** A terminal of another shop with the first one's device id. */
export const otherShop: Terminal = { merchantId: "other-shop", deviceId: "till-1" };
/** The bank of most tests. */
export const bank: Client = { partnerId: "bank" };
/** A bank that has nothing to do with them. */
export const otherBank: Client = { partnerId: "other-bank" };

/** What the bank answers to one call. */
export type BankReply = PartnerReply;
/** A definite yes. */
export const accepted: BankReply = { status: 200, body: '{"status":"accepted"}' };
/** A definite no with its reason. */
export const declined: BankReply = { status: 200, body: '{"status":"declined","reason":"limit"}' };

/** What a bank got, and what it answers; the default says yes to all. */
export class Bank implements PartnerTransport {
  readonly starts: StartOrder[] = [];
  readonly settles: SettleOrder[] = [];
  readonly requests: PartnerRequest[] = [];
  onStart: (order: StartOrder, request: PartnerRequest) => BankReply | Promise<BankReply> = () => accepted;
  onSettle: (order: SettleOrder, request: PartnerRequest) => BankReply | Promise<BankReply> = () => accepted;

  onEvent: (event: StatusEvent, request: PartnerRequest) => BankReply | Promise<BankReply> = () => accepted;

  async post(partnerRequest: PartnerRequest): Promise<BankReply> {
    this.requests.push(partnerRequest);
    const body: unknown = JSON.parse(partnerRequest.body);
    if (partnerRequest.url.endsWith("/startwithdrawal")) {
      this.starts.push(body as StartOrder);
      return this.onStart(body as StartOrder, partnerRequest);
    }
    if (partnerRequest.url.endsWith("/events")) return this.onEvent(body as StatusEvent, partnerRequest);
    this.settles.push(body as SettleOrder);
    return this.onSettle(body as SettleOrder, partnerRequest);
  }

  close(): void {}
}

/** Keeps every measurement for the test to look at. */
export class Counted implements Telemetry {
  readonly transitions: string[] = [];
  readonly calls: string[] = [];
  readonly alarms: string[] = [];
  readonly purgedRows: Record<string, number> = {};
  readonly depths: (number | null)[] = [];
  transition(from: string | null, to: string): void {
    this.transitions.push(`${from ?? ""}>${to}`);
  }
  /** How long each call took, in milliseconds. */
  readonly tookMs: number[] = [];
  partnerCall(call: string, outcome: string, durationMs: number): void {
    this.calls.push(`${call}:${outcome}`);
    this.tookMs.push(durationMs);
  }
  silentCount: number | null = null;
  silentTerminals(count: number | null): void {
    this.silentCount = count;
  }
  unlinkedCounts: UnlinkedCounts | null = null;
  unlinked(counts: UnlinkedCounts | null): void {
    this.unlinkedCounts = counts;
  }
  partnerAlarm(_: string, call: string, why: string): void {
    this.alarms.push(`${call}:${why}`);
  }
  lost = 0;
  commitsLost(): void {
    this.lost += 1;
  }
  readonly backups: number[] = [];
  backup(atMs: number): void {
    this.backups.push(atMs);
  }
  purged(what: string, rows: number): void {
    this.purgedRows[what] = (this.purgedRows[what] ?? 0) + rows;
  }
  outbox(state: { readonly depth: number } | null): void {
    this.depths.push(state?.depth ?? null);
  }
  unusable = 0;
  unusablePartners(count: number): void {
    this.unusable = count;
  }
  readonly eventDepths: (number | null)[] = [];
  statusEvents(state: { readonly depth: number } | null): void {
    this.eventDepths.push(state?.depth ?? null);
  }
}

/** A log that nobody reads. */
export const quiet: Log = { info() {}, warn() {}, error() {} };

const addMerchant = statement("test_merchant", (db, p: { id: string }) =>
  db
    .insertInto("merchants")
    .values({
      id: p.id,
      name: "Corner Shop",
      currency: "EUR",
      amount_min: 1_000,
      amount_max: 50_000,
      amount_step: 1_000,
      created_at: 0,
    })
    .onConflict((same) => same.doNothing()),
);
const addPartner = statement("test_partner", (db, p: { id: string; url: string | null; secret: string | null }) =>
  db
    .insertInto("partners")
    .values({ id: p.id, url: p.url, secret: p.secret, created_at: 0 })
    .onConflict((same) => same.doNothing()),
);

/** Empties what the tests of this folder write, so that one database serves many tests. */
export const clear = (store: Store): Promise<void> =>
  store.write(async (tx) => {
    for (const table of [
      ...(["outbox", "status_events", "idempotency_keys", "terminal_references"] as const),
      ...bothTables,
    ])
      await tx.run(adhoc((db) => db.deleteFrom(table)));
  });

/** Every withdrawal, open and ended. */
export const everyWithdrawal = (store: Store): Promise<readonly Row[]> =>
  store.read(async (tx) => {
    const rows: Row[] = [];
    for (const table of bothTables)
      rows.push(...(await tx.all(adhoc((db) => db.selectFrom(table).select(withdrawalColumns).orderBy("id")))));
    return rows;
  });

/** From now on ended ones stay among the open ones, as before a database is taken over from an earlier release. */
export const keepTogether = (store: Store): Promise<unknown> =>
  store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("settings").where("name", "=", "ended_apart"))));

/** Puts shops, banks and terminals into an empty store. */
export const seed = (store: Store): Promise<void> =>
  store.write(async (tx) => {
    await tx.run(addMerchant({ id: shop }));
    await tx.run(addMerchant({ id: otherShop.merchantId }));
    await tx.run(addPartner({ id: bank.partnerId, url: null, secret: null }));
    await tx.run(addPartner({ id: otherBank.partnerId, url: "http://other.bank", secret: "other secret" }));
    for (const { partnerId } of [bank, otherBank])
      await tx.run(allowMerchant({ partner: partnerId, merchant: everyMerchant, now: 0 }));
  });

/** The keys of every test's service that does not bring its own. */
export const testKeys = serviceKeysFrom("a service key of the tests", false);

/** A running service and the bank behind it. */
export interface World {
  readonly service: RunningService;
  readonly bank: Bank;
  readonly counted: Counted;
}

/** What to put in the place of the usual parts. */
export interface WorldParts {
  readonly clock?: Clock;
  readonly transport?: PartnerTransport;
  readonly options?: Partial<ServiceOptions>;
  readonly log?: Log;
}

/** The service has begun its background work; stop it before the store is closed. */
export const createWorld = async (store: Store, parts: WorldParts = {}): Promise<World> => {
  const theBank = new Bank();
  const counted = new Counted();
  await seed(store);
  const service = createService({
    store,
    clock: parts.clock ?? systemClock,
    random: systemRandom,
    transport: parts.transport ?? theBank,
    log: parts.log ?? quiet,
    telemetry: counted,
    keys: testKeys,
    options: {
      boundPartners: new Map([[bank.partnerId, { url: "http://bank", secret: "secret" }]]),
      // Banks of the tests have addresses in the open.
      isSandbox: true,
      pollMs: 20,
      ...parts.options,
    },
  });
  service.start();
  return { service, bank: theBank, counted };
};

let keys = 0;
/** A key that no other call of this process has. */
export const freshKey = (): string => {
  keys += 1;
  return `key-${keys}`;
};

/** A withdrawal of 50.00 EUR as it is after Start order. */
export const placeOrder = (
  service: RunningService,
  more: { sca_required?: boolean; amount?: string; user_id?: string } = {},
) =>
  requestWithdrawal(
    service,
    bank,
    { user_id: "ann", amount: "50.00", currency: "EUR", store: shop, ...more },
    freshKey(),
  );

/** Confirms at `till` under a fresh id unless told otherwise. */
export const confirmIt = (
  service: RunningService,
  { transaction_id }: Transaction,
  terminal = till,
  posId = freshKey(),
) => confirmTransaction(service, terminal, { transaction_id, transaction_id_partner: posId });

/** The customer approves, as the bank reports it. */
export const approve = (service: RunningService, { transaction_id }: Transaction) =>
  resolveSca(service, bank, transaction_id, "approved");
