/** The service's database is put back to copies of some minutes ago, whatever was asked for, paid and handed out since. */
import type { Customer } from "./customer.ts";
import type { PlannedPutBack } from "./plan.ts";
import { readRows } from "./read-service.ts";
import type { Stage } from "./stage.ts";

/** After a failover that was not said yet: as soon as a database that took no commit is there again. */
const unsaidMs = 9_000;
/** So long after it, whose withdrawal is open again shows the barcode once more: soon, before its time is over. */
const comeAgainMs = { first: 8_000, apart: 2_000 } as const;

/** @param customers by transaction, with the till that they were at. */
export const planServicePutBack = (
  planned: readonly PlannedPutBack[],
  stage: Stage,
  customers: ReadonlyMap<string, { readonly customer: Customer; readonly till: number }>,
): void => {
  if (planned.length === 0) return;
  const { scheduler, service, watch, bank, administration, cashiers, guard, journals, forked, eventLog } = stage;

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
  const forgets = (): void => {
    // A till whose folder was put back before it may never have met the entries that the service knew until now.
    for (const till of forked) if (journals[till]?.isForked === false) forked.delete(till);
    watch.putBack(readRows(service.database));
    bank.forgetHeard();
    administration.putBack();
  };
  for (const [n, { copyAtMs, putBackAtMs, saidAtMs }] of planned.entries()) {
    if (saidAtMs !== undefined) {
      let standby: ReturnType<typeof service.standby> | null = null;
      let ofGuard = (): void => {};
      scheduler.at(copyAtMs, () => {
        eventLog.note("the standby gets no commit any more");
        standby = service.standby();
        ofGuard = guard.copy();
      });
      scheduler.at(putBackAtMs, () => {
        eventLog.note("the standby is promoted");
        standby?.promote();
        ofGuard();
        forgets();
        // Who has died since has remembered nothing.
        scheduler.after(unsaidMs, () => {
          if (standby?.haveLivedOn() === true && scheduler.now() < saidAtMs) comeAgain();
        });
      });
      scheduler.at(saidAtMs, () => {
        eventLog.note("an operator says that the database was put back");
        standby?.say();
        watch.putBack(readRows(service.database));
        comeAgain();
      });
      continue;
    }
    let putBack = (): void => {};
    scheduler.at(copyAtMs, () => {
      eventLog.note(`the service's database is copied, copy ${n}`);
      const [ofService, ofGuard] = [service.copy(), guard.copy()];
      putBack = () => {
        ofService();
        ofGuard();
      };
    });
    scheduler.at(putBackAtMs, () => {
      eventLog.note(`the service's database is put back to copy ${n}`);
      putBack();
      forgets();
      comeAgain();
    });
  }
};
