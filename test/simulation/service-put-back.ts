/** The service's database is put back to a copy of some minutes ago, whatever was asked for, paid and handed out since. */
import type { Customer } from "./customer.ts";
import type { PlannedPutBack } from "./plan.ts";
import { readRows } from "./read-service.ts";
import type { Stage } from "./stage.ts";

/** So long after it, whose withdrawal is open again shows the barcode once more: soon, before its time is over. */
const comeAgainMs = { first: 8_000, apart: 2_000 } as const;

/** @param customers by transaction, with the till that they were at. */
export const planServicePutBack = (
  planned: PlannedPutBack | null,
  stage: Stage,
  customers: ReadonlyMap<string, { readonly customer: Customer; readonly till: number }>,
): void => {
  if (planned === null) return;
  const { scheduler, service, watch, bank, administration, cashiers, eventLog } = stage;

  const comeAgain = (): void => {
    const open = watch.cash.filter(({ transactionId }) => watch.unfinished.has(transactionId));
    for (const [index, { transactionId }] of open.entries()) {
      const known = customers.get(transactionId);
      if (known === undefined) continue;
      scheduler.after(comeAgainMs.first + index * comeAgainMs.apart, () => {
        const till = (known.till + 1) % cashiers.length;
        eventLog.note(`the customer of ${transactionId} comes again, to till ${till}`);
        known.customer.comeAgain();
        cashiers[till]?.arrive(known.customer);
      });
    }
  };

  bank.onRestored((transactionId, hasPaid) => customers.get(transactionId)?.customer.repeatApproval(hasPaid));
  scheduler.at(planned.copyAtMs, () => {
    eventLog.note("the service's database is copied");
    service.copy();
  });
  scheduler.at(planned.putBackAtMs, () => {
    eventLog.note("the service's database is put back");
    service.putBack();
    watch.putBack(readRows(service.database));
    bank.forgetHeard();
    administration.putBack();
    comeAgain();
  });
};
