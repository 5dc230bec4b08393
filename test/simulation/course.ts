/** The course of a story: customers and clock jumps as planned, faults for a while longer than customers, then calm until all is done. */
import { backOffMaxMs } from "../../main/terminal/bounds.ts";
import { shop } from "./boot-service.ts";
import { bankCaller } from "./carrier.ts";
import { type Customer, startCustomer } from "./customer.ts";
import { type InstallationLife, playLife } from "./installation/life.ts";
import { createManager } from "./installation/manager.ts";
import type { Plan } from "./plan.ts";
import { playWrongTimes } from "./play-wrong-times.ts";
import { planServicePutBack } from "./service-put-back.ts";
import type { Stage } from "./stage.ts";

/** After the last customer: faults go on this long, then stop, then all must drain. */
const restlessMs = 15 * 60_000;
const drainMs = 45 * 60_000;
/** When nothing has been open for so long after the faults, no late message can be under way any more. */
const quietMs = 5 * 60_000;
/** The same where a fork has to be told: its report comes again so long after one that failed in the last moment. */
const quietAfterForkMs = quietMs + backOffMaxMs;
const lookAtWorkMs = 5_000;
const stepsMax = 200_000_000;

const planCustomers = (plan: Plan, stage: Stage): void => {
  const { scheduler, network, service, cashiers, watch, eventLog, administration } = stage;
  const call = bankCaller(
    network,
    service,
    () => administration.credential,
    (transactionId) => {
      eventLog.note(`the approval of ${transactionId} reaches the service`);
      watch.approvalArrived(transactionId);
    },
  );
  const customers = new Map<string, { readonly customer: Customer; readonly till: number }>();
  planServicePutBack(plan.putBack, stage, customers);
  for (const planned of plan.withdrawals)
    startCustomer({
      seed: plan.seed,
      planned,
      store: shop,
      currency: plan.currency,
      scheduler,
      call,
      rowOf: watch.row,
      serviceNow: service.now,
      arrive: (customer, till) => {
        eventLog.note(`customer ${planned.index} is at till ${till} with ${customer.transactionId}`);
        customers.set(customer.transactionId, { customer, till });
        cashiers[till]?.arrive(customer);
      },
      leave: (customer) => {
        for (const cashier of cashiers) cashier.leave(customer);
      },
    });
};

/** Who says at each till what became of cash that an operator has decided about, where nobody looks after the installation. */
const planManagers = ({ tills, scheduler, watch, eventLog }: Stage): void => {
  const nobody = async (): Promise<null> => null;
  for (const till of tills)
    createManager({
      scheduler,
      till,
      renewKey: nobody,
      resetCode: nobody,
      wasGiven: watch.wasGiven,
      onTrace: (text) => eventLog.note(`till ${till.index} ${text}`),
    }).attend("cash");
};

/** What the installation lives through besides its withdrawals; null in most stories. */
const planLife = (plan: Plan, stage: Stage): InstallationLife | null => {
  if (plan.turns.length === 0 || stage.sandbox === null) return null;
  const { watch } = stage;
  return playLife({
    ...stage,
    seed: plan.seed,
    turns: plan.turns,
    sandbox: stage.sandbox,
    wasGiven: (transactionId) => watch.wasGiven(transactionId),
    note: stage.eventLog.note,
    forked: stage.forked,
    addTwin: stage.addTwin,
  });
};

const planClockJumps = (plan: Plan, { scheduler, service, tills, eventLog }: Stage): void => {
  for (const { machine, atMs, byMs } of plan.clockJumps)
    scheduler.at(atMs, () => {
      eventLog.note(`the clock of ${machine === "service" ? "the service" : `till ${machine}`} jumps by ${byMs} ms`);
      (machine === "service" ? service : tills[machine])?.jumpClock(byMs);
    });
};

/** 16. Looked at every few seconds, without end. */
const watchWork = (stage: Stage): void => {
  const left = stage.service.workLeft();
  if (left !== null) stage.watch.report(16, "", `no process of the service takes its ${left} for its own`);
  stage.scheduler.after(lookAtWorkMs, () => watchWork(stage));
};

/** Runs it, until a promise is broken or all has drained; says how many steps it took. */
export const runCourse = async (
  plan: Plan,
  stage: Stage,
): Promise<{
  readonly steps: number;
  readonly turns: Readonly<Record<string, number>>;
  readonly wrongTimes: Readonly<Record<string, number>>;
}> => {
  const { scheduler, injector, tills, watch, occupancy, bank, administration } = stage;
  planCustomers(plan, stage);
  planClockJumps(plan, stage);
  const wrongTimes = playWrongTimes({ ...stage, planned: plan.wrongTimes, note: stage.eventLog.note });
  const life = planLife(plan, stage);
  if (life === null && plan.acts !== null) planManagers(stage);
  administration.start();
  watchWork(stage);
  injector.start();
  const lastAt = Math.max(plan.withdrawals.at(-1)?.startMs ?? 0, life?.endsAtMs ?? 0, administration.endsAtMs);
  const calmAt = lastAt + (plan.restlessMs ?? restlessMs);
  scheduler.at(calmAt, injector.stop);

  let steps = 0;
  /** Quiet is counted from the calm on: until then a machine may be off and a message under way. */
  let busyAt = calmAt;
  /** Settled, and open at no till any more: a line of the report that nobody can settle from here. */
  const isLeft = (id: string): boolean => watch.row(id)?.status === "settled";
  const isBusy = (): boolean =>
    [...watch.unfinished].some((id) => !isLeft(id)) ||
    [...bank.ledger.openHolds].some((id) => !watch.lost.has(id)) ||
    life?.isSettled === false ||
    !administration.isSettled ||
    tills.some(
      ({ snapshot }) =>
        snapshot?.screen.kind !== "ready" || snapshot.header.open.length > 0 || snapshot.header.pendingReports !== null,
    );
  await scheduler.run(() => {
    if (watch.violations.length > 0 || occupancy.tooLong().length > 0) return false;
    steps += 1;
    const nowMs = scheduler.now();
    if (nowMs < calmAt) return true;
    if (isBusy()) busyAt = nowMs;
    return (
      steps < stepsMax &&
      nowMs - busyAt < (stage.forked.size > 0 ? quietAfterForkMs : quietMs) &&
      nowMs < calmAt + drainMs
    );
  });
  injector.stop();
  return { steps, turns: life?.counts ?? {}, wrongTimes };
};
