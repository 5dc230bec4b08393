/** Runs one plan to its end: real terminals, real service, simulated everything else; then asks the checker. */
import type { Snapshot } from "../../preload/contract.ts";
import { shop, tillDevice, tillSecret } from "./boot-service.ts";
import { serviceUrl } from "./carrier.ts";
import { runCourse } from "./course.ts";
import type { Evidence } from "./evidence.ts";
import type { FaultInjector } from "./fault-injector.ts";
import { checkAtEnd, tillsStayFree, type Violation, violation } from "./invariants.ts";
import { pastIsSo } from "./past-check.ts";
import type { FaultName, Plan } from "./plan.ts";
import { type Programs, realPrograms } from "./programs.ts";
import { NoAnswer, type Past, readReportPast, readTillPast, type TillPast } from "./read-past.ts";
import { readRows } from "./read-service.ts";
import type { Scheduler } from "./scheduler.ts";
import { buildStage, type Stage } from "./stage.ts";
import { onStrayProblem } from "./stray-problems.ts";
import { assertSameRows, sharedBy } from "./watch.ts";

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

const mayBeAsked = ({ screen }: Snapshot): boolean => screen.kind !== "setup" && screen.kind !== "blocked";

/** What all tills that can be asked, and the service, say of the past; 5: each of them writes and answers again. */
const readPast = async (
  { turns }: Plan,
  { scheduler, service, tills, twins, administration }: Stage,
): Promise<Past & { readonly stuck: readonly Violation[] }> => {
  const pause = (forMs: number) => new Promise<void>((resolve) => void scheduler.after(forMs, resolve));
  const stuck: Violation[] = [];
  const report = await readReportPast(service.fetch, serviceUrl, administration.credential).catch(
    (problem: unknown) => {
      if (!(problem instanceof NoAnswer)) throw problem;
      stuck.push(violation(5, null, `the service ${problem.message}`));
      return { lines: [], csv: "", byDay: [] };
    },
  );
  const pasts = tills.map(async (till): Promise<readonly TillPast[]> => {
    const { index, dispatch, snapshot } = till;
    if (snapshot === null || !mayBeAsked(snapshot)) return [];
    const clockOffMs = (): number => till.snapshot?.header.clockOffMs ?? 0;
    try {
      const past = await readTillPast({ dispatch, clockOffMs, pause }, snapshot.settings);
      const deviceId = till.credential?.deviceId ?? "";
      const hasStrangeEntries = turns.some((turn) => turn.till === index && turn.kind === "careless_program");
      const twin = twins.twinOf(index);
      return [
        {
          till: index,
          drawers: twin === null ? [index] : [index, twin],
          deviceId,
          hasStrangeEntries,
          clockOffMs: till.clock() - service.now(),
          ...past,
        },
      ];
    } catch (problem) {
      if (!(problem instanceof NoAnswer)) throw problem;
      stuck.push(violation(5, null, `till ${index} ${problem.message}`));
      return [];
    }
  });
  return { tills: (await Promise.all(pasts)).flat(), report, stuck };
};

/** A terminal of the shop that no till is. */
const auditor = { merchantId: shop, deviceId: tillDevice(15), secret: tillSecret } as const;

/** The shop's lines of what its tills have reported again; no bank knows these. */
const readRestored = async ({ service, watch }: Stage): Promise<ReadonlySet<string>> => {
  if (watch.lost.size === 0) return new Set();
  const { lines } = await readReportPast(service.fetch, serviceUrl, auditor, "terminal");
  return new Set(lines.filter(({ finding }) => finding === "restored").map((line) => String(line.transaction_id)));
};

const evidenceOf = (stage: Stage, report: ReadonlyMap<string, string>, restored: ReadonlySet<string>): Evidence => {
  const { watch, bank, service, tills, journals, occupancy } = stage;
  return {
    offers: watch.offers,
    cash: watch.cash,
    approvals: watch.approvals,
    approvalSlackMs: stage.approvalSlackMs,
    journals: tills.flatMap((till, index) => {
      const open = new Set(till.snapshot?.header.open.map((one) => one.withdrawalId));
      const screen = till.snapshot?.screen;
      const onScreen = screen?.kind === "unknown" ? screen.transactionId : null;
      return [...(journals[index]?.accounts().entries() ?? [])].map(([withdrawalId, account]) => ({
        ...account,
        open: open.has(withdrawalId) || account.transactionId === onScreen,
      }));
    }),
    rows: readRows(service.database),
    ledger: bank.ledger,
    report,
    closed: stage.administration.closed,
    decided: stage.administration.decided,
    lost: watch.lost,
    restored,
    settledOnce: watch.settledOnce,
    problemsShown: tills.flatMap(({ index, snapshot }) =>
      snapshot === null ? [] : [{ till: index, count: snapshot.header.problems }],
    ),
    unreported: tills.flatMap(({ index, snapshot }) =>
      (snapshot?.header.pendingReports ?? null) === null ? [] : [index],
    ),
    forked: [...stage.forked],
    shared: sharedBy(stage.journals, stage.twins),
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
  if (past.stuck.length > 0) return past.stuck;
  const report = new Map(past.report.lines.map((line) => [String(line.transaction_id), String(line.finding)]));
  const evidence = evidenceOf(stage, report, await until(scheduler, readRestored(stage)));
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
