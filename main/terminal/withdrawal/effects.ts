/** Runs effects: each key once at a time. An effect that is still due after its answer has failed, and pauses. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { AsReported } from "../../../backend/contract/pos.ts";
import type { RejectReason } from "../../../backend/contract/reasons.ts";
import type { DrawerResult, PaperLine, Reply, Settings } from "../../../preload/contract.ts";
import { namesOf } from "../../../preload/names.ts";
import {
  answerLastsMs,
  appendRetryMs,
  drawerTimeoutMs,
  duplicateAlongMs,
  duplicateWindowMs,
  lookForSleepMs,
  printTimeoutMs,
  wakeLateMs,
} from "../bounds.ts";
import type { Cancel, Clock, Drawer, Journal, JournalHead, Ports, PrintAnswer, Printer } from "../ports.ts";
import { printedLines } from "../printing/queue.ts";
import type { ServiceClient } from "../service/client.ts";
import { type Effect, effectsOf, type ForgottenSince, type Work } from "./effects-due.ts";
import { type Event, readRecorded } from "./events.ts";
import type { EffectResult } from "./inputs.ts";
import { isPersonCode } from "./people-seen.ts";
import { type Moment, type Reported, restoreSince, type ServiceHead, type State, serviceNowMs } from "./state.ts";
import type { Facts, RejectWhy, Stage, Withdrawal } from "./withdrawal.ts";

const sliceEntries = 200;
/** A withdrawal's own times are searched at most this many slices before its report. */
const beganBeforeSlices = 10;

type Found = { -readonly [K in keyof Reported]: K extends "report" ? Reported["report"] | null : Reported[K] };

/** A person's code, never a name; null: nobody signs in, or it was the terminal. */
const personOf = (actor: string | null | undefined): string | null => (isPersonCode(actor) ? actor : null);

/** Oldest first. @param pause yields to the event loop between slices. */
const reportedSince = async (
  journal: Pick<Journal, "head" | "readSlice">,
  since: ForgottenSince,
  pause: () => Promise<void>,
): Promise<readonly Reported[]> => {
  const { head, atMs } = since;
  const last = head === null ? null : journal.readSlice(head.sequence, 1).last;
  const isKnown = head !== null && last?.sequence === head.sequence && last.hash === head.hash;
  const mayBeForgotten = ({ sequence, at }: { readonly sequence: number; readonly at: number }): boolean =>
    isKnown ? sequence > head.sequence : at >= atMs;
  const found = new Map<string, Found>();
  let slicesBefore = 0;
  for (let end = journal.head()?.sequence ?? 0; end > 0; end -= sliceEntries) {
    const first = Math.max(1, end - sliceEntries + 1);
    const entries = journal.readSlice(first, sliceEntries).entries.filter(({ sequence }) => sequence <= end);
    for (const entry of entries.toReversed()) {
      const { at } = entry;
      const event = readRecorded(entry);
      if (event === null || !("withdrawal" in event)) continue;
      const { withdrawal: of } = event;
      const one: Found = found.get(of.withdrawalId) ?? {
        facts: of,
        report: null,
        reason: "",
        cashier: null,
        handOutId: null,
        confirmedAtMs: null,
        settledAtMs: null,
        reportedAtMs: null,
      };
      found.set(of.withdrawalId, one);
      const isReport = event.type === "report_accepted" || event.type === "report_refused";
      if (isReport && event.report !== "reject" && mayBeForgotten(entry)) one.report ??= event.report;
      if (event.type === "confirm_intended") one.confirmedAtMs = at;
      if (event.type === "settled") one.settledAtMs ??= at;
      const isWord =
        event.type === "handed_out" ||
        event.type === "not_handed_out" ||
        (event.type === "decided" && event.decision !== "leave_to_books");
      if (!isWord || one.reportedAtMs !== null) continue;
      one.reportedAtMs = at;
      one.cashier = personOf(event.actor);
      one.handOutId = (event.type === "not_handed_out" ? null : event.handOutId) ?? null;
      one.reason = event.type === "not_handed_out" ? event.reason : event.type === "decided" ? "other" : "";
    }
    if (entries.length > 0 && !entries.some(mayBeForgotten)) slicesBefore += 1;
    if (slicesBefore > beganBeforeSlices) break;
    await pause();
  }
  return [...found.values()].filter((one): one is Reported => one.report !== null).reverse();
};

/** What effects act on. */
export interface World extends Pick<Ports, "drawer" | "printer" | "timeZone" | "clock"> {
  readonly client: ServiceClient;
  readonly journal: Pick<Journal, "head" | "readSlice">;
}

/**
 * The journal's newest link. If the journal differs from the service's link at the same sequence, that link instead:
 * the service refuses it, while a newer one of a restored copy would pass for a continuation.
 */
export const linkToReport = (
  journal: Pick<Journal, "head" | "readSlice">,
  serviceHead: ServiceHead,
): JournalHead | null => {
  if (serviceHead.kind === "known") {
    const { last } = journal.readSlice(serviceHead.sequence, 1);
    // A missing sequence shows as a gap in the chain itself.
    if (last?.sequence === serviceHead.sequence && last.hash !== serviceHead.hash) return last;
  }
  return journal.head();
};

/** The driver's answer, or `unknown` if it throws or does not answer in time: it may have moved the drawer. */
const answerOf = <T>(call: () => Promise<T>, clock: Clock, timeoutMs = drawerTimeoutMs): Promise<T | "unknown"> =>
  new Promise((resolve) => {
    const cancel = clock.after(timeoutMs, () => resolve("unknown"));
    const end = (answer: T | "unknown"): void => {
      cancel();
      resolve(answer);
    };
    // A driver may throw before it returns a promise.
    Promise.resolve()
      .then(call)
      .then(end, () => end("unknown"));
  });

/** Opens the drawer once. If the result is unclear, reads its state; if that is unclear, too, the cashier is asked. */
export const openDrawer = async (drawer: Drawer, clock: Clock, tried?: Settings["drawer"]): Promise<DrawerResult> => {
  const result = await answerOf(() => drawer.open(tried), clock);
  if (result !== "unknown") return result;
  const state = await answerOf(() => drawer.state(tried), clock);
  return state === "open" ? "opened" : "unknown";
};

/** Prints once; a driver that throws or does not answer may have printed. */
export const printOnce = async (
  printer: Printer,
  lines: readonly PaperLine[],
  clock: Clock,
  on?: Settings["printer"],
): Promise<PrintAnswer> => {
  const printed = await answerOf(() => printer.print(lines, on), clock, printTimeoutMs);
  return printed === "unknown" ? { kind: "unclear", why: "unreachable" } : printed;
};

const print = async (number: number, state: State, world: World): Promise<EffectResult | null> => {
  const job = state.printing.jobs.find((one) => one.number === number);
  if (job === undefined) return null;
  const locale = { language: state.settings.language, timeZone: world.timeZone };
  const lines = printedLines(job.task, locale, namesOf(state.people.list));
  return { type: "print_answered", number, result: await printOnce(world.printer, lines, world.clock) };
};

/** The reason sent with each reject; empty: none. */
const rejectReasonOf: Readonly<Record<RejectWhy, RejectReason | "">> = {
  cashier: "",
  time_out: "sca_timeout",
  given_up: "",
};

/** The reason in a report; empty: none. */
const reasonOf = (stage: Stage): string => {
  if (stage.kind === "not_handed_out") return stage.reason;
  return stage.kind === "rejecting" ? rejectReasonOf[stage.why] : "";
};

type Times = Pick<Reported, "confirmedAtMs" | "settledAtMs" | "reportedAtMs">;

/** Times of a withdrawal that was not reported yet, as far as the state has them. */
const timesOfOpen = ({ beganMs, reportDueSinceMs }: Withdrawal, { wallMs, monotonicMs }: Moment): Times => ({
  confirmedAtMs: wallMs - (monotonicMs - beganMs),
  settledAtMs: null,
  reportedAtMs: wallMs - (monotonicMs - (reportDueSinceMs ?? monotonicMs)),
});

/** The withdrawal as known here, with times by the service's clock, for a service that may have lost it by a restore. */
const asReported = ({ serviceClock }: State, facts: Facts, times: Times, restoredAt: string | null): AsReported => {
  const at = (ms: number | null): string | undefined =>
    ms === null ? undefined : new Date(ms - (serviceClock?.offMs ?? 0)).toISOString();
  return {
    transaction_id_partner: facts.terminalReference,
    amount: facts.amount,
    currency: facts.currency,
    confirmed_at: at(times.confirmedAtMs),
    settled_at: at(times.settledAtMs),
    reported_at: at(times.reportedAtMs),
    ...(restoredAt === null ? {} : { restored_at: restoredAt }),
  };
};

/** Runs an effect. Null if its withdrawal is gone. Never rejects. */
export const run = async (
  work: Exclude<Work, { kind: "repaint" }>,
  state: State,
  moment: Moment,
  world: World,
): Promise<EffectResult | null> => {
  const { client, clock } = world;
  const of = (withdrawalId: string): Withdrawal | undefined => state.open.get(withdrawalId);
  switch (work.kind) {
    case "dispatch":
      return work.input;
    case "look_up": {
      const { transactionId } = work;
      return { type: "look_up_answered", transactionId, answer: await client.getTransaction(transactionId, null) };
    }
    case "probe":
      return { type: "probe_answered", answer: await client.probe() };
    case "read_shop": {
      const { merchantId } = work;
      const checkedMs = state.duplicateCheckedMs ?? Number.NEGATIVE_INFINITY;
      const looksForDuplicate = moment.monotonicMs - checkedMs > duplicateAlongMs;
      const answer = await client.getShop(looksForDuplicate ? serviceNowMs(state, moment) - duplicateWindowMs : null);
      return { type: "shop_answered", merchantId, answer };
    }
    case "read_service_head":
      return { type: "service_head_answered", answer: await client.listJournalHeads(1) };
    case "report_journal_head": {
      const { serviceHead, changes } = state.headReport;
      const head = linkToReport(world.journal, serviceHead);
      const answer = head === null ? null : await client.reportJournalHead(head);
      return { type: "journal_head_answered", changes, answer };
    }
    case "drawer":
      return {
        type: "drawer_answered",
        withdrawalId: work.withdrawalId,
        result: await openDrawer(world.drawer, clock),
      };
    case "no_sale":
      return { type: "no_sale_answered", number: work.number, result: await openDrawer(world.drawer, clock) };
    case "drawer_state": {
      const drawer = await world.drawer.state().catch(() => "unknown" as const);
      return { type: "drawer_state_answered", withdrawalId: work.withdrawalId, drawer };
    }
    case "print":
      return print(work.number, state, world);
    case "confirm": {
      const one = of(work.withdrawalId);
      if (one === undefined) return null;
      const answer = await client.confirmTransaction(one.transactionId, one.terminalReference);
      return { type: "confirm_answered", withdrawalId: one.withdrawalId, number: work.number, answer };
    }
    case "get_status": {
      const one = of(work.withdrawalId);
      if (one === undefined) return null;
      const answer = await client.getTransaction(one.transactionId, work.heldFor);
      const tookMs = clock.monotonicMs() - moment.monotonicMs;
      return { type: "status_answered", withdrawalId: one.withdrawalId, number: work.number, answer, tookMs };
    }
    case "send_report": {
      const one = of(work.withdrawalId);
      if (one === undefined) return null;
      const answer = await client.sendReport(
        work.report,
        one.transactionId,
        reasonOf(one.stage),
        personOf(one.saidBy),
        state.serviceRestore === null
          ? null
          : asReported(state, one, timesOfOpen(one, moment), restoreSince(state, one)),
        one.handOutId,
        // Only after the service's link was compared with the journal; before, the head is sent separately.
        state.headReport.serviceHead.kind === "compared" ? world.journal.head() : null,
      );
      return {
        type: "report_answered",
        withdrawalId: one.withdrawalId,
        report: work.report,
        number: work.number,
        restoredAt: state.serviceRestore?.restoredAt ?? null,
        answer,
      };
    }
    case "collect_reports": {
      const pause = (): Promise<void> => new Promise((resolve) => clock.after(0, resolve));
      const reports = await reportedSince(world.journal, work.since, pause);
      return { type: "reports_collected", restoredAt: work.restoredAt, keyNumber: state.keyNumber, reports };
    }
    case "repeat_report": {
      const { repeats } = state;
      if (repeats?.left[0] === undefined) return null;
      const { restoredAt } = repeats;
      const one = repeats.left[0];
      const { facts, report, reason, cashier, handOutId } = one;
      const known = asReported(state, facts, one, restoredAt);
      const answer = await client.sendReport(report, facts.transactionId, reason, cashier, known, handOutId, null);
      return { type: "report_repeated", restoredAt, number: work.number, answer };
    }
    default:
      return assertNever(work);
  }
};

/** More effects than this in one turn is a defect: logged, then paused. */
const startsMax = 1_000;
const cooldownMs = 1_000;

const never = Number.NEGATIVE_INFINITY;

/** Creates a pump; it starts nothing before the first `turn`. */
export const createPump = (options: {
  readonly clock: Clock;
  readonly effects: () => readonly Effect[];
  /** Has to call `settle` at once or later; until then the key counts as running. */
  readonly start: (effect: Effect) => void;
  readonly onRunaway: (key: string) => void;
  /** A timer fired this much too late, in milliseconds: the machine slept or was blocked. */
  readonly onLate: (lateMs: number) => void;
}) => {
  const { clock } = options;
  const underWay = new Set<string>();
  /** Answered keys and the end of their pause; kept only while their effect is still due. */
  const resting = new Map<string, number>();
  let lastRunaway: string | null = null;
  let sleep: { readonly untilMs: number; readonly cancel: Cancel } | null = null;
  let turning = false;
  let stopped = false;

  const wakeAt = (untilMs: number): void => {
    if (sleep !== null && sleep.untilMs === untilMs) return;
    sleep?.cancel();
    sleep = null;
    if (untilMs === Number.POSITIVE_INFINITY) return;
    const cancel = clock.after(untilMs - clock.monotonicMs(), () => {
      checkLate();
      sleep = null;
      turn();
    });
    sleep = { untilMs, cancel };
  };

  const checkLate = (): void => {
    if (sleep === null) return;
    const lateMs = clock.monotonicMs() - sleep.untilMs;
    if (lateMs <= wakeLateMs) return;
    sleep.cancel();
    sleep = null;
    options.onLate(lateMs);
  };

  /** Effects that are not running, delayed by the pauses of failed ones. */
  const waitingNow = (nowMs: number): readonly Effect[] => {
    const all = options.effects();
    const present = new Set(all.map(({ key }) => key));
    for (const key of resting.keys()) if (!present.has(key)) resting.delete(key);
    return all
      .filter(({ key }) => !underWay.has(key))
      .map((effect) => {
        const untilMs = resting.get(effect.key) ?? never;
        if (effect.notBeforeMs <= nowMs && untilMs > nowMs && Number.isFinite(untilMs)) reportRunaway(effect.key);
        return { ...effect, notBeforeMs: Math.max(effect.notBeforeMs, untilMs) };
      });
  };

  const reportRunaway = (key: string): void => {
    if (key !== lastRunaway) options.onRunaway(key);
    lastRunaway = key;
  };

  const turn = (): void => {
    if (turning || stopped) return;
    turning = true;
    try {
      checkLate();
      for (let starts = 0; !stopped; starts++) {
        const nowMs = clock.monotonicMs();
        const waiting = waitingNow(nowMs);
        const due = waiting.find(({ notBeforeMs }) => notBeforeMs <= nowMs);
        if (due === undefined) {
          // While something is under way, often: its answer must not be taken for fresh after a sleep.
          const leastMs = underWay.size === 0 ? Number.POSITIVE_INFINITY : nowMs + lookForSleepMs;
          wakeAt(waiting.reduce((least, { notBeforeMs }) => Math.min(least, notBeforeMs), leastMs));
          return;
        }
        if (starts >= startsMax) {
          reportRunaway(due.key);
          wakeAt(nowMs + cooldownMs);
          return;
        }
        underWay.add(due.key);
        options.start(due);
      }
    } finally {
      turning = false;
    }
  };

  return {
    /** Starts what is due; call after every change of state. */
    turn,
    /** Calls `onLate` if the pending timer should have fired long ago: the machine slept. */
    checkLate,
    /** The effect with this key was answered. If it is still due, it starts again after `restMs` at the earliest. */
    settle(key: string, restMs = cooldownMs): void {
      underWay.delete(key);
      resting.set(key, clock.monotonicMs() + restMs);
      turn();
    },
    stop(): void {
      stopped = true;
      sleep?.cancel();
      sleep = null;
    },
  };
};

interface LoopCore {
  readonly state: State;
  momentNow(): Moment;
  apply(events: readonly Event[]): boolean;
  handle(input: EffectResult): Reply | null;
  show(): void;
}

const ofEarlierKey = (input: EffectResult): EffectResult =>
  "answer" in input && input.answer !== null ? { ...input, answer: { ...input.answer, ofEarlierKey: true } } : input;

/** Whether it says how a withdrawal stands: after a sleep that is an old word, and it is asked for anew. */
const isAboutNow = ({ type }: EffectResult): boolean => type === "status_answered" || type === "confirm_answered";

/** Creates the loop; nothing runs before the first `turn`. */
export const createEffectLoop = (core: LoopCore, client: ServiceClient, ports: Ports) => {
  const { clock, log } = ports;
  let stopped = false;
  let sleeps = 0;

  /**
   * An answer whose result could not be written is handled again later; how a withdrawal stands is asked for anew then.
   * @param isOld whether the answer is from before a sleep, or has waited for the disk, by now.
   */
  const handleAnswer = (key: string, input: EffectResult, isOld: () => boolean): void => {
    if (stopped) return;
    if (isAboutNow(input) && isOld()) {
      // A confirm may have been carried out, so it counts as one without an answer: never repeated blindly.
      if (input.type === "confirm_answered") core.handle({ ...input, answer: { kind: "silence", why: "timeout" } });
      pump.settle(key, 0);
    } else if (core.handle(input) === null) clock.after(appendRetryMs, () => handleAnswer(key, input, isOld));
    else pump.settle(key);
  };

  const start = ({ key, work }: Effect): void => {
    if (work.kind === "repaint") {
      core.show();
      pump.settle(key, Number.POSITIVE_INFINITY);
      return;
    }
    const { keyNumber } = core.state;
    const sleepsBefore = sleeps;
    const answered = (input: EffectResult): void => {
      const heardMs = clock.monotonicMs();
      const isOld = (): boolean => {
        pump.checkLate();
        return sleeps !== sleepsBefore || clock.monotonicMs() - heardMs > answerLastsMs;
      };
      handleAnswer(key, core.state.keyNumber === keyNumber ? input : ofEarlierKey(input), isOld);
    };
    if (work.kind === "dispatch") {
      answered(work.input);
      return;
    }
    run(work, core.state, core.momentNow(), { ...ports, client }).then(
      (input) => (input === null ? pump.settle(key) : answered(input)),
      (error: unknown) => {
        log("error", "an effect failed", { key, error: String(error) });
        clock.after(appendRetryMs, () => pump.settle(key));
      },
    );
  };

  const pump = createPump({
    clock,
    effects: () => effectsOf(core.state),
    start,
    onRunaway: (key) => log("error", "an effect comes again and again", { key }),
    onLate(lateMs) {
      sleeps += 1;
      log("info", "the machine slept or stood still", { lateMs: Math.round(lateMs) });
      core.apply([{ type: "resumed" }]);
    },
  });

  return {
    /** Starts what is due; call after every change of state. */
    turn: pump.turn,
    /** Reports to the core if the machine slept; call before handling a press. */
    checkSleep: pump.checkLate,
    stop(): void {
      stopped = true;
      pump.stop();
    },
  };
};
