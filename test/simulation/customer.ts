/** A customer: asks for a withdrawal in the bank app, goes to the till, approves or not, and does not wait for ever. */

import { formatAmount } from "../../backend/contract/money.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { type Chance, createChance, seedOf } from "../random.ts";
import type { CustomerWay, PlannedWithdrawal } from "./plan.ts";
import type { Scheduler } from "./scheduler.ts";

/** One call of the bank's server to the service, over the network; null for silence. */
export type BankCall = (
  scope: string,
  path: string,
  body: unknown,
  idempotencyKey?: string,
) => Promise<{ readonly status: number; readonly body: unknown } | null>;

/** What the customer wants, and the way to bank and till. */
export interface CustomerOptions {
  readonly seed: number;
  readonly planned: PlannedWithdrawal;
  /** The shop's `merchant_id`, and its currency. */
  readonly store: string;
  readonly currency: string;
  readonly scheduler: Pick<Scheduler, "at" | "after">;
  readonly call: BankCall;
  /** What the bank app shows of the transaction: read from the service's database. */
  readonly rowOf: (transactionId: string) => { readonly status: string; readonly scaExpiresAtMs: number | null } | null;
  readonly serviceNow: () => number;
  /** The customer stands at the till with the barcode in hand. */
  readonly arrive: (customer: Customer, till: number) => void;
  readonly leave: (customer: Customer) => void;
}

/** A customer who has got a barcode. */
export interface Customer {
  readonly planned: PlannedWithdrawal;
  readonly transactionId: string;
  /** Gone customers take no cash. */
  present: boolean;
  /** Looks at the phone again, as one who wants to approve once more. */
  comeAgain(): void;
  /** The service was put back to a copy: the bank repeats an approval that it had, until it is answered definitely. */
  repeatApproval(hasPaid: boolean): void;
}

const retryMs = 2_000;
const triesMax = 40;
const checkEveryMs = 1_500;
const patienceMs = 6 * 60_000;
/** Who shows the barcode at a second till has somebody there already, or walks. */
const secondTillMs = [1_000, 30_000] as const;
/** Whatever the service's clock says, nobody looks at a phone for longer. */
const lookMsMax = 5 * 60_000;

/** Nobody has said no: it may be sent again. A key that was taken back will be replaced. */
const isUndecided = (answer: { readonly status: number } | null): boolean =>
  answer === null || answer.status >= 500 || [401, 403, 408, 429].includes(answer.status);

/** Customers come more than once. */
const users = 60;
/** A customer's user id at the bank. */
export const userOf = (index: number): string => `user-${index % users}`;
/** The bank's own name for a withdrawal. */
export const referenceAtBank = (index: number): string => `w-${index}`;

/** Plans the whole visit; it begins at its time in the plan. */
export const startCustomer = (options: CustomerOptions): void => {
  const { planned, currency, scheduler, call } = options;
  const chance = createChance(seedOf(options.seed, "customer", planned.index));
  const scope = `withdrawal ${planned.index}`;
  let hasApproved = false;

  const requestCash = async (tries: number): Promise<void> => {
    const order = {
      user_id: userOf(planned.index),
      partner_reference: referenceAtBank(planned.index),
      amount: formatAmount(planned.amountMinor, currency),
      currency,
      store: options.store,
      sca_required: planned.customer !== "no_sca",
    };
    const answer = await call(scope, "/ext/v1/withdrawals", order, `key-${planned.index}`);
    if (answer?.status !== 201) {
      if (isUndecided(answer) && tries < triesMax) scheduler.after(retryMs, () => void requestCash(tries + 1));
      return;
    }
    const transaction = answer.body as Transaction;
    if (transaction.status !== "ready") return;
    const customer: Customer = {
      planned,
      transactionId: transaction.transaction_id,
      present: true,
      comeAgain() {
        customer.present = true;
        watch(customer, chance, planned.customer);
      },
      repeatApproval(hasPaid) {
        if (hasPaid || hasApproved) void send(customer, "sca", { outcome: "approved" }, Number.POSITIVE_INFINITY);
      },
    };
    options.arrive(customer, planned.till);
    const { alsoAtTill } = planned;
    if (alsoAtTill !== null)
      scheduler.after(chance.between(0, chance.pick(secondTillMs)), () => options.arrive(customer, alsoAtTill));
    scheduler.after(patienceMs, () => {
      customer.present = false;
      options.leave(customer);
    });
    if (planned.customer === "cancels")
      scheduler.after(chance.between(0, 8_000), () => void send(customer, "cancel", {}));
    else watch(customer, chance, planned.customer);
  };

  const send = async (customer: Customer, verb: string, body: unknown, triesLeft = triesMax): Promise<void> => {
    const answer = await call(scope, `/ext/v1/withdrawals/${customer.transactionId}/${verb}`, body);
    if (isUndecided(answer) && triesLeft > 0)
      scheduler.after(retryMs, () => void send(customer, verb, body, triesLeft - 1));
  };

  /** Looks at the phone until the bank app asks, or until it is over. */
  const watch = (customer: Customer, chance: Chance, way: CustomerWay): void => {
    const seen = options.rowOf(customer.transactionId);
    if (!seen || !["ready", "awaiting_sca"].includes(seen.status)) return;
    if (seen.status === "ready") {
      scheduler.after(checkEveryMs, () => watch(customer, chance, way));
      return;
    }
    const leftMs = (seen.scaExpiresAtMs ?? 0) - options.serviceNow();
    if (way === "approves") answerAfter(customer, chance.between(300, 9_000), "approved");
    else if (way === "denies") answerAfter(customer, chance.between(300, 9_000), "denied");
    else if (way === "says_both") {
      // On two phones, or a thumb that slips: both are under way at once.
      const firstMs = chance.between(300, 9_000);
      answerAfter(customer, firstMs, "approved");
      answerAfter(customer, Math.max(0, firstMs + chance.between(-40, 40)), "denied");
    } else if (way === "cancels_late") {
      const approvesMs = chance.between(300, 9_000);
      answerAfter(customer, approvesMs, "approved");
      scheduler.after(approvesMs + chance.between(-40, 40), () => void send(customer, "cancel", {}));
    } else if (way === "approves_late")
      answerAfter(customer, Math.max(0, Math.min(lookMsMax, leftMs) + chance.between(-1_500, 1_500)), "approved");
  };

  const answerAfter = (customer: Customer, delayMs: number, outcome: "approved" | "denied"): void => {
    scheduler.after(delayMs, () => {
      if (outcome === "approved") hasApproved = true;
      void send(customer, "sca", { outcome });
    });
  };

  scheduler.at(planned.startMs, () => void requestCash(0));
};
