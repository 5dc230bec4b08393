/** Answers what the screens ask about the past: from the index, a slice at a time, and from the service. */
import type { BooksView, FiguresView, HistoryFilter, HistoryLine, Outcome, Story } from "../../../preload/contract.ts";
import { makeBooks } from "../books/books.ts";
import { type ReportLine, reportLines } from "../books/report-lines.ts";
import { addDays, createCalendar, daysBetween } from "../figures/calendar.ts";
import { createFigures } from "../figures/figures.ts";
import type { Clock, Journal } from "../ports.ts";
import type { ReadModel } from "../read-model/read-model.ts";
import type { WithdrawalRecord } from "../read-model/record.ts";
import type { Tables } from "../read-model/tables.ts";
import { bodyOf, classifyAnswer, codeOf } from "../service/classify-answer.ts";
import type { ServiceClient } from "../service/client.ts";
import type { Answer } from "../state/inputs.ts";
import { readRecorded } from "../state/read-event.ts";
import { lineOf } from "./line.ts";
import { clockShift, mergeSteps, stepOfEntry, stepsOfService } from "./story.ts";

/** Rows that are read at once; then the program goes on for a moment. */
const sliceRows = 5_000;
/** Longest range of days, by question. */
const daysMax = { figures: 400, books: 31 } as const;
const dayMs = 86_400_000;
/** The report is read so far beyond the days, so that a withdrawal at midnight is on both sides. */
const marginMs = 10 * 60_000;
/** Entries of one withdrawal that its story shows. */
const stepsMax = 500;

/** Who asks the service, and as whom. */
export interface AskedService {
  readonly client: Pick<ServiceClient, "getReport" | "getEvents">;
  readonly store: string | null;
  readonly deviceId: string | null;
  /** This terminal's clock minus the service's. */
  readonly offMs: number;
}

/** The questions. Each reads the index up to the journal's end first. */
export interface Questions {
  list(before: string | null, limit: number, filter: HistoryFilter | undefined): Promise<readonly HistoryLine[]>;
  cashiers(): Promise<readonly string[]>;
  /** Null when there is no such withdrawal. */
  story(withdrawalId: string, service: AskedService): Promise<Story | null>;
  /** Null when the range is none, or too long. */
  figures(from: string, to: string): Promise<FiguresView | null>;
  /** Null when the range is none, or too long. */
  books(from: string, to: string, service: AskedService): Promise<BooksView | null>;
}

/** What they are asked of. */
interface Sources {
  readonly model: ReadModel;
  readonly journal: Pick<Journal, "readSlice">;
  readonly clock: Clock;
  readonly timeZone: string;
}

const isRange = (from: string, to: string, most: number): boolean => {
  const days = daysBetween(from, to);
  return days >= 1 && days <= most;
};

/** Why a half is missing, by the answer that should have brought it. */
const missing = (answer: Answer): "offline" | "not_known" | "not_offered" => {
  const kind = classifyAnswer(answer);
  if (codeOf(answer) === "transaction_not_found") return "not_known";
  return kind === "missing" || kind === "refused" || kind === "misrouted" || kind === "done"
    ? "not_offered"
    : "offline";
};

/** Over the read model of one terminal. */
export const createQuestions = ({ model, journal, clock, timeZone }: Sources): Questions => {
  const calendar = createCalendar(timeZone);
  const pause = (): Promise<void> => new Promise((resolve) => clock.after(0, resolve));

  /** Page after page; between two the program goes on. */
  const readAll = async <T>(
    fromMs: number,
    read: (after: { atMs: number; place: number }) => readonly T[],
    cursorOf: (row: T) => { atMs: number; place: number },
    take: (row: T) => void,
  ): Promise<void> => {
    let after = { atMs: fromMs - 1, place: Number.MAX_SAFE_INTEGER };
    for (;;) {
      const rows = read(after);
      for (const row of rows) take(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < sliceRows) return;
      after = cursorOf(last);
      await pause();
    }
  };

  const recordsOf = async (tables: Tables, fromMs: number, toMs: number): Promise<readonly WithdrawalRecord[]> => {
    const records: WithdrawalRecord[] = [];
    await readAll(
      fromMs,
      (after) => tables.records(toMs, after, sliceRows),
      ({ place, record }) => ({ place, atMs: record.atMs }),
      ({ record }) => records.push(record),
    );
    return records;
  };

  /** A day at a time, so that no answer is too long; the first one that fails ends it. */
  const reportOf = async (
    { client, store, offMs }: AskedService,
    fromMs: number,
    toMs: number,
  ): Promise<readonly ReportLine[] | "offline" | "not_offered"> => {
    if (store === null) return "offline";
    const lines: ReportLine[] = [];
    const [first, end] = [fromMs - offMs - marginMs, toMs - offMs + marginMs];
    for (let at = first; at < end; at += dayMs) {
      const answer = await client.getReport(store, at, Math.min(end, at + dayMs));
      const part = classifyAnswer(answer) === "done" ? reportLines(bodyOf(answer)) : null;
      if (part === null) return missing(answer) === "offline" ? "offline" : "not_offered";
      lines.push(...part);
    }
    return lines;
  };

  return {
    async list(before, limit, filter) {
      const tables = await model.upToDate();
      const last = before === null ? null : tables.find(before);
      if (before !== null && last === null) return [];
      const range = {
        fromMs: filter?.from ? calendar.startOfDay(filter.from) : Number.MIN_SAFE_INTEGER,
        toMs: filter?.to ? calendar.startOfDay(addDays(filter.to, 1)) : Number.MAX_SAFE_INTEGER,
      };
      const cursor = last && { atMs: last.record.atMs, place: last.place };
      return tables.list(range, filter, cursor, limit).map(({ record }) => lineOf(record));
    },
    cashiers: async () => (await model.upToDate()).people(),
    async story(withdrawalId, service) {
      const tables = await model.upToDate();
      const found = tables.find(withdrawalId);
      if (found === null) return null;
      const here = tables
        .steps(found.place)
        .slice(0, stepsMax)
        .flatMap((sequence) => {
          const entry = journal.readSlice(sequence, 1).entries.find((one) => one.sequence === sequence);
          const event = entry === undefined ? null : readRecorded(entry);
          const step = entry === undefined || event === null ? null : stepOfEntry(event, entry.at);
          return step === null ? [] : [step];
        });
      const answer = await service.client.getEvents(found.record.facts.transactionId);
      const there = classifyAnswer(answer) === "done" ? stepsOfService(bodyOf(answer)) : null;
      const clockOffMs = there === null ? 0 : clockShift(here, there, service.offMs);
      return {
        line: lineOf(found.record),
        steps: mergeSteps(here, there ?? [], clockOffMs),
        service: there === null ? missing(answer) : "available",
        clockOffMs,
      };
    },
    async figures(from, to) {
      if (!isRange(from, to, daysMax.figures)) return null;
      const tables = await model.upToDate();
      const figures = createFigures(from, to, timeZone, calendar);
      const toMs = calendar.startOfDay(addDays(to, 1));
      const number = (value: unknown): number | null => (value === null ? null : Number(value));
      await readAll(
        calendar.startOfDay(from),
        (after) => tables.figureRows(toMs, after, sliceRows),
        (row) => ({ atMs: Number(row.at), place: Number(row.place) }),
        (row) =>
          figures.add({
            atMs: Number(row.at),
            minor: number(row.minor),
            currency: String(row.currency),
            outcome: row.outcome as Outcome | null,
            approvalMs: number(row.approval_ms),
            cashMs: number(row.cash_ms),
          }),
      );
      return figures.result();
    },
    async books(from, to, service) {
      if (!isRange(from, to, daysMax.books)) return null;
      const [fromMs, toMs] = [calendar.startOfDay(from), calendar.startOfDay(addDays(to, 1))];
      const report = await reportOf(service, fromMs, toMs);
      const lines = typeof report === "string" ? null : report;
      const tables = await model.upToDate();
      const made = makeBooks({
        fromMs,
        toMs,
        records: await recordsOf(tables, fromMs, toMs),
        lines,
        deviceId: service.deviceId,
        find: (transactionId) => tables.findTransaction(transactionId)?.record ?? null,
        serviceOffMs: service.offMs,
      });
      return { from, to, service: typeof report === "string" ? report : "available", ...made };
    },
  };
};
