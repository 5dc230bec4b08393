/** Commands about the past: lists, stories, figures, books, reprints. */
import pLimit from "p-limit";
import type { BooksView, CommandOf, HistoryLine, Reply, Story, StoryStep } from "../../../preload/contract.ts";
import { namesOf, withNames } from "../../../preload/names.ts";
import type { Core } from "../core.ts";
import type { Ports } from "../ports.ts";
import { dayReportText } from "../printing/paper.ts";
import type { ServiceClient } from "../service/client.ts";
import { mayAct } from "../withdrawal/decide-day.ts";
import { receiptOf } from "../withdrawal/decide-printing.ts";
import { dayReportTask } from "../withdrawal/drawer-day.ts";
import type { Actor, Answers } from "../withdrawal/inputs.ts";
import { shownFacts } from "../withdrawal/withdrawal.ts";
import { makeBooks } from "./books.ts";
import { addDays, countFigures, createCalendar, daysBetween } from "./figures.ts";
import { createReadModel, memoryIndex } from "./read-model.ts";
import { clockShift, mergeSteps, readReport, readServiceSteps, stepOfEntry } from "./story.ts";
import { resultOf, type WithdrawalRecord } from "./tables.ts";

const lineOf = (record: WithdrawalRecord): HistoryLine => ({
  ...shownFacts(record.facts),
  terminalReference: record.facts.terminalReference,
  at: new Date(record.atMs).toISOString(),
  outcome: record.outcome,
  result: resultOf(record),
  discrepancy: record.discrepancy,
  cleared: record.cleared,
  people: record.people,
});

/** Maximum range of days, by command. */
const daysMax = { figures: 400, books: 31 } as const;
const stepsMax = 500;
/** Maximum number of day reports in one answer: years of them; those before come by another one. */
const dayReportsMax = 2_000;

const failed: Reply = { ok: false, code: "failed" };
const stale: Reply = { ok: false, code: "stale" };
const invalid: Reply = { ok: false, code: "invalid" };
const answered = (data: unknown): Reply => ({ ok: true, data });

type HistoryCommand = CommandOf<"history">;
type Asked<T extends HistoryCommand["type"]> = Extract<HistoryCommand, { type: T }>;

/** @param record records who printed a report. @param core called only when a command comes. */
export const createHistoryCommands = (
  ports: Ports,
  client: ServiceClient,
  core: () => Core,
  record: (act: string, about: string | null, actor: Actor) => void,
) => {
  const { journal, clock, log, timeZone } = ports;
  const store = ports.index ?? memoryIndex();
  const model = createReadModel({ ...ports, store });
  const calendar = createCalendar(timeZone);
  /** Of two receipts that are asked for at once the second one is a copy. */
  const oneAtATime = pLimit(1);
  const pause = (): Promise<void> => new Promise((resolve) => clock.after(0, resolve));
  const serviceOffMs = (): number => core().state.serviceClock?.offMs ?? 0;

  const list = async ({ before, limit, filter }: Asked<"list_history">): Promise<readonly HistoryLine[]> => {
    const tables = await model.upToDate();
    const last = tables.find(before ?? "");
    if (before !== null && last === null) return [];
    const range = {
      fromMs: filter?.from ? calendar.startOfDay(filter.from) : Number.MIN_SAFE_INTEGER,
      toMs: filter?.to ? calendar.startOfDay(addDays(filter.to, 1)) : Number.MAX_SAFE_INTEGER,
    };
    return tables.list(range, filter, last, limit).map((one) => lineOf(one.record));
  };

  const stepAt = (sequence: number): readonly StoryStep[] => {
    const at = journal.readSlice(sequence, 1).entries.filter((one) => one.sequence === sequence);
    return at.flatMap((entry) => stepOfEntry(entry) ?? []);
  };

  const readStory = async ({ withdrawalId }: Asked<"get_story">): Promise<Reply> => {
    const tables = await model.upToDate();
    const found = tables.find(withdrawalId);
    if (found === null) return stale;
    const line = lineOf(found.record);
    const here = tables.steps(found.place).slice(0, stepsMax).flatMap(stepAt);
    const there = await readServiceSteps(client, found.record.facts.transactionId);
    if (typeof there === "string")
      return answered({ line, steps: here, service: there, clockOffMs: 0 } satisfies Story);
    const clockOffMs = clockShift(here, there, serviceOffMs());
    const steps = mergeSteps(here, there, clockOffMs);
    return answered({ line, steps, service: "available", clockOffMs } satisfies Story);
  };

  const isRange = ({ from, to, type }: Asked<"get_figures" | "get_books">): boolean => {
    const days = daysBetween(from, to);
    return days >= 1 && days <= (type === "get_figures" ? daysMax.figures : daysMax.books);
  };

  const readBooks = async ({ from, to }: Asked<"get_books">): Promise<BooksView> => {
    const [fromMs, toMs] = [calendar.startOfDay(from), calendar.startOfDay(addDays(to, 1))];
    const { device } = core().state;
    const offMs = serviceOffMs();
    const report = await readReport(client, device?.merchantId ?? null, offMs, fromMs, toMs);
    const tables = await model.upToDate();
    const made = makeBooks({
      fromMs,
      toMs,
      records: tables.records(fromMs, toMs),
      lines: typeof report === "string" ? null : report,
      deviceId: device?.deviceId ?? null,
      find: (transactionId) => tables.findTransaction(transactionId)?.record ?? null,
      serviceOffMs: offMs,
    });
    return { from, to, service: typeof report === "string" ? report : "available", ...made };
  };

  const printReceipt = async ({ withdrawalId, copy }: Asked<"print_receipt">, actor: Actor): Promise<Reply> => {
    const tables = await model.upToDate();
    const found = tables.find(withdrawalId);
    if (found?.record.handedOutAtMs == null) return stale;
    const before = tables.receipt(found.place);
    const receipt = before ?? receiptOf(core().state, found.record.facts, found.record.handedOutAtMs, null);
    const wanted = { ...receipt, isReprint: before !== null };
    const input = { type: "receipt_wanted", withdrawalId, copies: [copy], receipt: wanted } as const;
    return core().handle(input, actor) ?? failed;
  };

  /** The report of a closed day, and whether it is the newest. */
  const dayReport = async (number: number) => {
    const tables = await model.upToDate();
    const [report] = tables.days(number, 1);
    if (report?.number !== number) return undefined;
    return { report, isLast: tables.days(Number.MAX_SAFE_INTEGER, 1).some((last) => last.number === number) };
  };

  const printDay = async (number: number, actor: Actor): Promise<Reply> => {
    const found = await dayReport(number);
    if (found === undefined) return stale;
    const { state, handle } = core();
    if (state.settings.printer.kind === "none") return { ok: false, code: "no_printer" };
    const task = dayReportTask(state, found.report, true);
    const reply = handle({ type: "day_print_wanted", number, task }, actor);
    record("day_reprinted", String(number), actor);
    return reply ?? failed;
  };

  const readDay = async (number: number, actor: Actor): Promise<Reply> => {
    const found = await dayReport(number);
    if (found === undefined) return stale;
    const { state } = core();
    const { people, settings } = state;
    const seesExpected = mayAct(state, actor, "expected");
    if (!seesExpected && !found.isLast) return { ok: false, code: "manager_needed" };
    const task = dayReportTask(state, withNames(found.report, namesOf(people.list)), false);
    const language = (people.manager ?? people.cashier)?.language ?? settings.language;
    return answered(dayReportText({ ...task, isBlind: !seesExpected }, { language, timeZone }));
  };

  const answers: Answers<"history"> = {
    list_history: async (command) => answered(await list(command)),
    list_cashiers: async () => answered((await model.upToDate()).people()),
    get_story: readStory,
    async get_figures(command) {
      if (!isRange(command)) return invalid;
      const { figureGroups: groups } = await model.upToDate();
      return answered(await countFigures(command.from, command.to, { timeZone, calendar, groups, pause }));
    },
    get_books: async (command) => (isRange(command) ? answered(await readBooks(command)) : invalid),
    list_days: async ({ before = Number.MAX_SAFE_INTEGER }) =>
      answered((await model.upToDate()).days(before - 1, dayReportsMax)),
    print_receipt: (command, actor) => oneAtATime(() => printReceipt(command, actor)),
    read_day: ({ number }, actor) => readDay(number, actor),
    print_day: ({ number }, actor) => printDay(number, actor),
  };

  return {
    async answer(command: HistoryCommand, actor: Actor): Promise<Reply> {
      // A journal that is not open reads like an empty one, and the kept index like another journal's.
      const why = core().state.blocked?.why;
      if (why === "journal_unavailable" || why === "journal_newer") return failed;
      try {
        return await answers[command.type](command as never, actor);
      } catch (error) {
        log("error", "the history could not be read", { error: String(error) });
        return failed;
      }
    },
    wrote: model.wrote,
    /** Called after a journal was opened: brings a stored index up to date in the background. */
    opened(): void {
      if (store.isKept) model.readAhead();
    },
    close: model.close,
  };
};
