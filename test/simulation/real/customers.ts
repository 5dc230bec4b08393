/** Lets customers in one after another, so that the cashier always has one and few wait in vain. */
import { isFinal } from "../../../backend/contract/transaction.ts";
import { type BankCall, type Customer, startCustomer } from "../customer.ts";
import type { ServiceRow } from "../evidence.ts";
import type { Plan, PlannedWithdrawal } from "../plan.ts";
import type { Scheduler } from "../scheduler.ts";
import { pause } from "./paced-clock.ts";
import { tillCredential } from "./shop.ts";

/** In the shop at once: one at the till, one behind. */
const insideMax = 2;
const lookMs = 200;
/** In customers' time. Whose order was on the screen of a till that died shows the barcode once more. */
const showAgainMs = 30_000;

/** Who came in. */
export interface Doors {
  /** Customers so far. */
  readonly count: number;
  /** Who has come to the till and not gone away. */
  readonly atTill: ReadonlySet<string>;
  /** Lets nobody in any more, nor to the till who has not come yet. */
  close(): Promise<void>;
}

/** Deadlines are not paced, so customers who play with them have no part here. */
const paced = (planned: PlannedWithdrawal, atMs: number): PlannedWithdrawal => ({
  ...planned,
  startMs: atMs,
  till: 0,
  alsoAtTill: null,
  customer: planned.customer === "approves_late" || planned.customer === "ignores" ? "approves" : planned.customer,
  cashier: planned.cashier === "unplugs" ? "plain" : planned.cashier,
});

/** Customers come as the plan has them, until it is used up or the doors are closed. */
export const openDoors = (options: {
  readonly plan: Plan;
  readonly scheduler: Pick<Scheduler, "now" | "after" | "at">;
  readonly call: BankCall;
  readonly rowOf: (transactionId: string) => ServiceRow | null;
  readonly cashier: { arrive(customer: Customer): void; leave(customer: Customer): void };
}): Doors => {
  const { plan, scheduler, cashier, rowOf } = options;
  const atTill = new Set<string>();
  /** Those who asked and have not come to the till, by index of their plan. */
  const onTheWay = new Set<number>();
  let count = 0;
  let isOpen = true;

  const comeAgain = (customer: Customer): void => {
    const { transactionId } = customer;
    if (!atTill.has(transactionId) || rowOf(transactionId)?.status !== "ready") return;
    cashier.arrive(customer);
    scheduler.after(showAgainMs, () => comeAgain(customer));
  };

  const letIn = (planned: PlannedWithdrawal): void => {
    onTheWay.add(planned.index);
    // Whom the bank has declined never comes.
    scheduler.after(60_000, () => onTheWay.delete(planned.index));
    startCustomer({
      seed: plan.seed,
      planned: paced(planned, scheduler.now()),
      store: tillCredential.merchantId,
      currency: "EUR",
      scheduler,
      call: options.call,
      rowOf,
      serviceNow: Date.now,
      arrive: (customer) => {
        onTheWay.delete(planned.index);
        // On a slow machine somebody may come when the books are read already.
        if (!isOpen) return;
        atTill.add(customer.transactionId);
        cashier.arrive(customer);
        scheduler.after(showAgainMs, () => comeAgain(customer));
      },
      leave: (customer) => {
        atTill.delete(customer.transactionId);
        cashier.leave(customer);
      },
    });
  };
  const isServed = (transactionId: string): boolean => isFinal(rowOf(transactionId)?.status ?? "ready");
  const inside = (): number => onTheWay.size + [...atTill].filter((id) => !isServed(id)).length;

  const running = (async () => {
    while (isOpen) {
      const planned = plan.withdrawals[count];
      if (!planned) return;
      if (inside() < insideMax) {
        count += 1;
        letIn(planned);
      }
      await pause(lookMs);
    }
  })();

  return {
    get count() {
      return count;
    },
    atTill,
    close: () => {
      isOpen = false;
      return running;
    },
  };
};
