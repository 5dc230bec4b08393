/** Queries of the screens about the past, answered from the read model and the service. */
import type {
  BooksView,
  FiguresView,
  HistoryFilter,
  HistoryLine,
  Story,
  StoryStep,
} from "../../../preload/contract.ts";
import type { Clock, Journal } from "../ports.ts";
import { readRecorded } from "../withdrawal/events.ts";
import { makeBooks } from "./books.ts";
import { addDays, type Calendar, createCalendar, createFigures, daysBetween } from "./figures.ts";
import type { ReadModel } from "./read-model.ts";
import { resultOf, type WithdrawalRecord } from "./record.ts";
import { clockShift, mergeSteps, readReport, readServiceSteps, type ServiceAccess, stepOfEntry } from "./story.ts";
import type { Cursor } from "./tables.ts";

/** Rows that are read at once, before other work gets a turn. */
const sliceRows = 5_000;

/** What to read, and what to do with it. */
interface Slices<T> {
  /** The earliest time, milliseconds since the epoch. */
  readonly fromMs: number;
  /** Up to `limit` rows after the cursor, oldest first. */
  readonly read: (after: Cursor, limit: number) => readonly T[];
  readonly cursorOf: (row: T) => Cursor;
  readonly take: (row: T) => void;
}

/** Reads slice after slice; `pause` yields to other work between two. */
const readSlices = async <T>(
  { fromMs, read, cursorOf, take }: Slices<T>,
  pause: () => Promise<void>,
): Promise<void> => {
  let after: Cursor = { atMs: fromMs - 1, place: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const rows = read(after, sliceRows);
    for (const row of rows) take(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < sliceRows) return;
    after = cursorOf(last);
    await pause();
  }
};

/** One line of the list; its time in ISO 8601. */
const lineOf = (record: WithdrawalRecord): HistoryLine => ({
  withdrawalId: record.facts.withdrawalId,
  transactionId: record.facts.transactionId,
  partnerId: record.facts.partnerId,
  at: new Date(record.atMs).toISOString(),
  money: { amount: record.facts.amount, currency: record.facts.currency },
  state: record.state,
  outcome: record.outcome,
  result: resultOf(record),
  discrepancy: record.discrepancy,
  cleared: record.cleared,
  people: record.people,
});

/** Longest range of days, by question. */
const daysMax = { figures: 400, books: 31 } as const;
/** Entries of one withdrawal that its story shows. */
const stepsMax = 500;

/** The queries. Each brings the read model up to the journal's end first. */
interface Questions {
  list(before: string | null, limit: number, filter: HistoryFilter | undefined): Promise<readonly HistoryLine[]>;
  cashiers(): Promise<readonly string[]>;
  /** Null when there is no such withdrawal. */
  story(withdrawalId: string, service: ServiceAccess): Promise<Story | null>;
  /** Null when the range is invalid, or longer than 400 days. Days as `2026-11-22`, both inclusive. */
  figures(from: string, to: string): Promise<FiguresView | null>;
  /** Null when the range is invalid, or longer than 31 days. */
  books(from: string, to: string, service: ServiceAccess): Promise<BooksView | null>;
}

/** What the queries read. */
interface Sources {
  readonly model: ReadModel;
  readonly journal: Pick<Journal, "readSlice">;
  readonly calendar: Calendar;
  readonly timeZone: string;
  /** Yields to other work of the program. */
  readonly pause: () => Promise<void>;
}

const isRange = (from: string, to: string, longest: number): boolean => {
  const days = daysBetween(from, to);
  return days >= 1 && days <= longest;
};

const listLines = async (
  { model, calendar }: Sources,
  ...[before, limit, filter]: Parameters<Questions["list"]>
): Promise<readonly HistoryLine[]> => {
  const tables = await model.upToDate();
  const last = before === null ? null : tables.find(before);
  if (before !== null && last === null) return [];
  const range = {
    fromMs: filter?.from ? calendar.startOfDay(filter.from) : Number.MIN_SAFE_INTEGER,
    toMs: filter?.to ? calendar.startOfDay(addDays(filter.to, 1)) : Number.MAX_SAFE_INTEGER,
  };
  const cursor = last && { atMs: last.record.atMs, place: last.place };
  return tables.list(range, filter, cursor, limit).map(({ record }) => lineOf(record));
};

const stepAt = ({ journal }: Sources, sequence: number): readonly StoryStep[] => {
  const entry = journal.readSlice(sequence, 1).entries.find((one) => one.sequence === sequence);
  const event = entry === undefined ? null : readRecorded(entry);
  const step = entry === undefined || event === null ? null : stepOfEntry(event, entry.at);
  return step === null ? [] : [step];
};

const readStory = async (sources: Sources, withdrawalId: string, service: ServiceAccess): Promise<Story | null> => {
  const tables = await sources.model.upToDate();
  const found = tables.find(withdrawalId);
  if (found === null) return null;
  const sequences = tables.steps(found.place).slice(0, stepsMax);
  const here = sequences.flatMap((sequence) => stepAt(sources, sequence));
  const there = await readServiceSteps(service, found.record.facts.transactionId);
  const line = lineOf(found.record);
  if (typeof there === "string") return { line, steps: here, service: there, clockOffMs: 0 };
  const clockOffMs = clockShift(here, there, service.offMs);
  return { line, steps: mergeSteps(here, there, clockOffMs), service: "available", clockOffMs };
};

const countFigures = async (sources: Sources, from: string, to: string): Promise<FiguresView | null> => {
  if (!isRange(from, to, daysMax.figures)) return null;
  const { model, calendar, timeZone, pause } = sources;
  const tables = await model.upToDate();
  const figures = createFigures(from, to, timeZone, calendar);
  const toMs = calendar.startOfDay(addDays(to, 1));
  await readSlices(
    {
      fromMs: calendar.startOfDay(from),
      read: (after, limit) => tables.figureRows(toMs, after, limit),
      cursorOf: (row) => row,
      take: figures.add,
    },
    pause,
  );
  return figures.result();
};

const readBooks = async (
  { model, calendar, pause }: Sources,
  from: string,
  to: string,
  service: ServiceAccess,
): Promise<BooksView | null> => {
  if (!isRange(from, to, daysMax.books)) return null;
  const [fromMs, toMs] = [calendar.startOfDay(from), calendar.startOfDay(addDays(to, 1))];
  const report = await readReport(service, fromMs, toMs);
  const tables = await model.upToDate();
  const records: WithdrawalRecord[] = [];
  await readSlices(
    {
      fromMs,
      read: (after, limit) => tables.records(toMs, after, limit),
      cursorOf: ({ place, record }) => ({ place, atMs: record.atMs }),
      take: ({ record }) => records.push(record),
    },
    pause,
  );
  const made = makeBooks({
    fromMs,
    toMs,
    records,
    lines: typeof report === "string" ? null : report,
    deviceId: service.deviceId,
    find: (transactionId) => tables.findTransaction(transactionId)?.record ?? null,
    serviceOffMs: service.offMs,
  });
  return { from, to, service: typeof report === "string" ? report : "available", ...made };
};

/** The queries over one terminal's read model. */
export const createQuestions = (
  of: Pick<Sources, "model" | "journal" | "timeZone"> & { readonly clock: Clock },
): Questions => {
  const { clock, ...rest } = of;
  const pause = (): Promise<void> => new Promise((resolve) => clock.after(0, resolve));
  const sources: Sources = { ...rest, calendar: createCalendar(of.timeZone), pause };
  return {
    list: (...asked) => listLines(sources, ...asked),
    cashiers: async () => (await of.model.upToDate()).people(),
    story: (withdrawalId, service) => readStory(sources, withdrawalId, service),
    figures: (from, to) => countFigures(sources, from, to),
    books: (from, to, service) => readBooks(sources, from, to, service),
  };
};
