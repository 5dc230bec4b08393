/** Runs one effect and says with what input its answer comes back. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { AsReported } from "../../../backend/contract/pos.ts";
import type { RejectReason } from "../../../backend/contract/reasons.ts";
import type { PaperLine, Settings } from "../../../preload/contract.ts";
import { namesOf } from "../../../preload/names.ts";
import { drawerTimeoutMs, duplicateWindowMs, printTimeoutMs } from "../bounds.ts";
import type { Clock, Drawer, Journal, Ports, PrintAnswer, Printer } from "../ports.ts";
import { printedLines } from "../printing/queue.ts";
import type { ServiceClient } from "../service/client.ts";
import type { Work } from "./effects-due.ts";
import type { EffectResult } from "./inputs.ts";
import { linkToReport } from "./journal-head.ts";
import { isPersonCode } from "./people-seen.ts";
import { reportedSince } from "./reported-since.ts";
import { type Moment, type Reported, restoreSince, type State, serviceNowMs } from "./state.ts";
import type { Facts, RejectWhy, Stage, Withdrawal } from "./withdrawal.ts";

/** What an effect acts on. */
export interface World extends Pick<Ports, "drawer" | "printer" | "timeZone" | "clock"> {
  readonly client: ServiceClient;
  readonly journal: Pick<Journal, "head" | "readSlice">;
}

/** The driver's answer, or `unknown` when it throws or does not answer in time: it may have moved the drawer. */
const answerOf = <T>(call: () => Promise<T>, clock: Clock, timeoutMs = drawerTimeoutMs): Promise<T | "unknown"> =>
  new Promise((resolve) => {
    const cancel = clock.after(timeoutMs, () => resolve("unknown"));
    const end = (answer: T | "unknown"): void => {
      cancel();
      resolve(answer);
    };
    // A driver may throw before it gives a promise.
    Promise.resolve()
      .then(call)
      .then(end, () => end("unknown"));
  });

/** Opens the drawer once. When that is unclear, the drawer is asked for its state; at last the cashier is asked. */
export const openDrawer = async (
  drawer: Drawer,
  clock: Clock,
  tried?: Settings["drawer"],
): Promise<"opened" | "failed" | "unknown"> => {
  const result = await answerOf(() => drawer.open(tried), clock);
  if (result !== "unknown") return result;
  const state = await answerOf(() => drawer.state(tried), clock);
  return state === "open" ? "opened" : "unknown";
};

/** Prints once; a driver that throws or stays silent may have printed it. */
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

/** What each reject says to the service; empty: that the cashier gave it up. */
const rejectReasonOf: Readonly<Record<RejectWhy, RejectReason | "">> = {
  cashier: "",
  time_out: "sca_timeout",
  given_up: "",
};

/** Why the terminal reports; empty where there is nothing to say. */
const reasonOf = (stage: Stage): string => {
  if (stage.kind === "not_handed_out") return stage.reason;
  return stage.kind === "rejecting" ? rejectReasonOf[stage.why] : "";
};

/** The code of the person who said what became of the cash: never a name, and nothing where nobody signs in. */
const cashierOf = ({ saidBy }: Withdrawal): string | null => (isPersonCode(saidBy) ? saidBy : null);

type Times = Pick<Reported, "confirmedAtMs" | "settledAtMs" | "reportedAtMs">;

/** The times of what was not reported yet, as far as the state has them. */
const timesOfOpen = ({ beganMs, reportDueSinceMs }: Withdrawal, { wallMs, monotonicMs }: Moment): Times => ({
  confirmedAtMs: wallMs - (monotonicMs - beganMs),
  settledAtMs: null,
  reportedAtMs: wallMs - (monotonicMs - (reportDueSinceMs ?? monotonicMs)),
});

/** A report as this terminal knows it, by the service's clock: one that was put back to a copy may know nothing of it. */
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

/** Does the work of an effect. Null when the withdrawal it was for is gone. Never rejects. */
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
    case "read_shop":
      return { type: "shop_answered", merchantId: work.merchantId, answer: await client.getShop() };
    case "check_duplicate_device": {
      const nowMs = serviceNowMs(state, moment);
      const store = state.device?.merchantId ?? "";
      const answer = await client.getReport(store, nowMs - duplicateWindowMs, nowMs + 60_000);
      return { type: "duplicate_device_answered", answer };
    }
    case "read_service_head":
      return { type: "service_head_answered", answer: await client.listJournalHeads(1) };
    case "report_journal_head": {
      const head = linkToReport(world.journal, state.headReport.serviceHead);
      return { type: "journal_head_answered", answer: head === null ? null : await client.reportJournalHead(head) };
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
        cashierOf(one),
        state.serviceRestore === null
          ? null
          : asReported(state, one, timesOfOpen(one, moment), restoreSince(state, one)),
        one.handOutId,
        // Before the service's link was compared with the journal, the head goes by itself.
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
      return { type: "reports_collected", restoredAt: work.restoredAt, reports };
    }
    case "repeat_report": {
      const { repeats } = state;
      const one = repeats?.left[0];
      if (repeats === null || one === undefined) return null;
      const { restoredAt } = repeats;
      const { facts, report, reason, cashier, handOutId } = one;
      const known = asReported(state, facts, one, restoredAt);
      const answer = await client.sendReport(report, facts.transactionId, reason, cashier, known, handOutId, null);
      return { type: "report_repeated", restoredAt, number: work.number, answer };
    }
    default:
      return assertNever(work);
  }
};
