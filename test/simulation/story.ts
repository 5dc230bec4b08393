/** Runs one plan to its end: real terminals, real service, simulated everything else; then asks the checker. */
import { serviceUrl } from "./carrier.ts";
import { runCourse } from "./course.ts";
import type { Evidence } from "./evidence.ts";
import type { FaultInjector } from "./fault-injector.ts";
import { checkAtEnd, tillsStayFree, type Violation } from "./invariants.ts";
import { pastIsSo } from "./past-check.ts";
import type { FaultName, Plan } from "./plan.ts";
import { type Programs, realPrograms } from "./programs.ts";
import { type Past, readReportPast, readTillPast, type TillPast } from "./read-past.ts";
import { readRows } from "./read-service.ts";
import type { Scheduler } from "./scheduler.ts";
import { buildStage, type Stage } from "./stage.ts";
import { onStrayProblem } from "./stray-problems.ts";
import { assertSameRows } from "./watch.ts";

/** How a story went. */
export interface Story {
  readonly violations: readonly Violation[];
  readonly faults: Readonly<Record<FaultName, number>>;
  readonly steps: number;
  /** How often each turn of an installation's life began. */
  readonly turns: Readonly<Record<string, number>>;
  /** What operators did at the service. */
  readonly acts: Readonly<Record<string, number>>;
  /** How often the service's time was wrong, by how that came. */
  readonly wrongTimes: Readonly<Record<string, number>>;
  /** How the withdrawals ended, by the service's status. */
  readonly ends: Readonly<Record<string, number>>;
  /** Of all that was seen to happen, in order: the same for the same plan. */
  readonly traceHash: string;
  /** What people and machines did, line by line; empty unless asked for. */
  readonly trace: readonly string[];
}

/** Steps on until `work` is done. */
const until = async <T>(scheduler: Scheduler, work: Promise<T>): Promise<T> => {
  let isDone = false;
  const done = (): void => {
    isDone = true;
  };
  // Not finally(): the promise that it makes would be rejected beside `work`, and nobody would handle it.
  work.then(done, done);
  await scheduler.run(() => !isDone);
  return work;
};

/** What all tills that can be asked, and the service, say of the past. */
const readPast = async ({ turns }: Plan, { scheduler, service, tills, administration }: Stage): Promise<Past> => {
  const pause = (forMs: number) => new Promise<void>((resolve) => void scheduler.after(forMs, resolve));
  const report = await readReportPast(service.fetch, serviceUrl, administration.credential);
  const asked = tills.filter(
    ({ snapshot }) => snapshot !== null && !["setup", "blocked"].includes(snapshot.screen.kind),
  );
  const pasts = asked.map(async (till): Promise<TillPast> => {
    const past = await readTillPast({ dispatch: till.dispatch, pause });
    return {
      till: till.index,
      deviceId: till.credential?.deviceId ?? "",
      hasStrangeEntries: turns.some((turn) => turn.till === till.index && turn.kind === "careless_program"),
      clockOffMs: till.clock() - service.calendar(),
      ...past,
    };
  });
  return { tills: await Promise.all(pasts), report };
};

const evidenceOf = (stage: Stage, report: ReadonlyMap<string, string>): Evidence => {
  const { watch, bank, service, tills, journals, occupancy } = stage;
  return {
    offers: watch.offers,
    cash: watch.cash,
    approvals: watch.approvals,
    journals: tills.flatMap((till, index) => {
      const open = new Set(till.snapshot?.header.open.map((one) => one.withdrawalId));
      return [...(journals[index]?.accounts().entries() ?? [])].map(([withdrawalId, account]) => ({
        ...account,
        open: open.has(withdrawalId),
      }));
    }),
    rows: readRows(service.database),
    ledger: bank.ledger,
    report,
    closed: stage.administration.closed,
    problemsShown: tills.flatMap(({ index, snapshot }) =>
      snapshot === null ? [] : [{ till: index, count: snapshot.header.problems }],
    ),
    forked: [...stage.forked],
    blocked: occupancy.tooLong(),
  };
};

/** 10. Whatever the clock said, the audit and the history prove themselves. */
const booksAreProven = async ({ scheduler, service }: Stage): Promise<readonly Violation[]> => {
  let found: string | null = null;
  const isDone = await until(
    scheduler,
    service.operate(async (operator) => {
      found = await operator.verify();
    }),
  );
  if (!isDone) throw new Error("the service's books could not be verified");
  return found === null ? [] : [{ invariant: 10, transactionId: null, text: found }];
};

/** What was seen on the way, or else what the books say at the end. */
const findViolations = async (plan: Plan, stage: Stage): Promise<readonly Violation[]> => {
  const { scheduler, service, watch, occupancy } = stage;
  if (watch.violations.length > 0) return watch.violations;
  // Nobody may be there to give a report just now.
  const blocked = occupancy.tooLong();
  if (blocked.length > 0) return tillsStayFree({ blocked });
  // A service whose power was cut in the last moment is read once it is back.
  await until(scheduler, service.boot());
  const past = await until(scheduler, readPast(plan, stage));
  const report = new Map(past.report.lines.map((line) => [String(line.transaction_id), String(line.finding)]));
  const evidence = evidenceOf(stage, report);
  const violations = [...checkAtEnd(evidence), ...pastIsSo(past, evidence), ...(await booksAreProven(stage))];
  if (violations.length === 0) assertSameRows(watch.rows, evidence.rows);
  return violations;
};

/** Plays a plan to its end. With `trace` every event is kept as a line. */
export const runStory = async (
  plan: Plan,
  options: { readonly trace?: boolean; readonly programs?: Programs; readonly injector?: FaultInjector } = {},
): Promise<Story> => {
  const stage = buildStage(plan, options.programs ?? realPrograms, options.trace ?? false, options.injector);
  const { scheduler, service, tills, watch, injector, eventLog } = stage;
  const stopListening = onStrayProblem(scheduler.fail);
  try {
    await until(scheduler, service.boot());
    if (stage.sandbox) await until(scheduler, stage.sandbox.service.boot());
    for (const till of tills) till.boot();
    const { steps, turns, wrongTimes } = await runCourse(plan, stage);
    const violations = await findViolations(plan, stage);
    const ends: Record<string, number> = {};
    for (const row of watch.rows.values()) ends[row.status] = (ends[row.status] ?? 0) + 1;
    return {
      violations,
      faults: injector.counts,
      steps,
      turns,
      acts: stage.administration.counts,
      wrongTimes,
      ends,
      traceHash: eventLog.hash(),
      trace: eventLog.lines,
    };
  } finally {
    stopListening();
    for (const till of tills) till.dispose();
    service.dispose();
    stage.sandbox?.service.dispose();
  }
};
