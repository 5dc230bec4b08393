/** The commands about what was done before: lists, stories, figures, books, and what is printed once more. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Reply } from "../../preload/contract.ts";
import { namesOf, withNames } from "../../preload/names.ts";
import type { Core } from "./core.ts";
import { createQuestions } from "./history/questions.ts";
import { createReadModel, memoryIndex, type ReadModel } from "./history/read-model.ts";
import type { ServiceAccess } from "./history/story.ts";
import type { Ports } from "./ports.ts";
import { dayReportText } from "./printing/day-report.ts";
import type { ServiceClient } from "./service/client.ts";
import { mayAct } from "./withdrawal/decide-day.ts";
import { receiptOf } from "./withdrawal/decide-printing.ts";
import { dayReportTask } from "./withdrawal/drawer-day.ts";
import type { Actor, HistoryCommand } from "./withdrawal/inputs.ts";

/** Day reports in one answer, at most: years of them. */
const dayReportsMax = 2_000;
const failed: Reply = { ok: false, code: "failed" };
const stale: Reply = { ok: false, code: "stale" };

/** The history of one terminal. */
export interface HistoryCommands {
  answer(command: HistoryCommand, actor: Actor): Promise<Reply>;
  /** So many entries were written. */
  wrote: ReadModel["wrote"];
  /** A journal is open, the first one or another: the index is brought up to it in the background, where it is kept. */
  opened(): void;
  close(): void;
}

/**
 * Over the ports' index and journal. `record` writes down who had a report printed.
 * @param core asked for when a command comes, since it is made of this one's `wrote`.
 */
export const createHistoryCommands = (
  ports: Ports,
  client: ServiceClient,
  core: () => Core,
  record: (act: string, about: string | null, actor: Actor) => void,
): HistoryCommands => {
  const { journal, clock, log, timeZone } = ports;
  const store = ports.index ?? memoryIndex();
  const model = createReadModel({ journal, clock, store, log });
  const questions = createQuestions({ model, journal, clock, timeZone });
  const service = (): ServiceAccess => {
    const { device, serviceClock } = core().state;
    return {
      client,
      store: device?.merchantId ?? null,
      deviceId: device?.deviceId ?? null,
      offMs: serviceClock?.offMs ?? 0,
    };
  };
  const data = (found: unknown): Reply => (found === null ? { ok: false, code: "invalid" } : { ok: true, data: found });

  const printReceipt = async (
    { withdrawalId, copy }: Extract<HistoryCommand, { type: "print_receipt" }>,
    actor: Actor,
  ): Promise<Reply> => {
    const tables = await model.upToDate();
    const found = tables.find(withdrawalId);
    const handedOutAtMs = found?.record.handedOutAtMs ?? null;
    if (found === null || handedOutAtMs === null) return stale;
    const before = tables.receipt(found.place);
    const receipt = before ?? receiptOf(core().state, found.record.facts, handedOutAtMs, null);
    const wanted = { ...receipt, isReprint: before !== null };
    const input = { type: "receipt_wanted", withdrawalId, copies: [copy], receipt: wanted } as const;
    return core().handle(input, actor) ?? failed;
  };

  const printDay = async (number: number, actor: Actor): Promise<Reply> => {
    const report = (await model.upToDate()).days(dayReportsMax).find((one) => one.number === number);
    if (report === undefined) return stale;
    const { state, handle } = core();
    if (state.settings.printer.kind === "none") return { ok: false, code: "no_printer" };
    const reply = handle({ type: "day_print_wanted", number, task: dayReportTask(state, report, true) }, actor);
    record("day_reprinted", String(number), actor);
    return reply ?? failed;
  };

  const readDay = async (number: number, actor: Actor): Promise<Reply> => {
    const reports = (await model.upToDate()).days(dayReportsMax);
    const report = reports.find((one) => one.number === number);
    if (report === undefined) return stale;
    const { state } = core();
    const seesExpected = mayAct(state, actor, "expected");
    if (!seesExpected && report !== reports[0]) return { ok: false, code: "manager_needed" };
    const { people, settings } = state;
    const printed = { ...dayReportTask(state, withNames(report, namesOf(people.list)), false), isBlind: !seesExpected };
    const language = (people.manager ?? people.cashier)?.language ?? settings.language;
    return data(dayReportText(printed, { language, timeZone }));
  };

  const answer = async (command: HistoryCommand, actor: Actor): Promise<Reply> => {
    switch (command.type) {
      case "list_history":
        return data(await questions.list(command.before, command.limit, command.filter));
      case "list_cashiers":
        return data(await questions.cashiers());
      case "get_story": {
        const story = await questions.story(command.withdrawalId, service());
        return story === null ? stale : data(story);
      }
      case "get_figures":
        return data(await questions.figures(command.from, command.to));
      case "get_books":
        return data(await questions.books(command.from, command.to, service()));
      case "list_days":
        return data((await model.upToDate()).days(dayReportsMax));
      case "print_receipt":
        return printReceipt(command, actor);
      case "read_day":
        return readDay(command.number, actor);
      case "print_day":
        return printDay(command.number, actor);
      default:
        return assertNever(command);
    }
  };

  return {
    answer: (command, actor) =>
      answer(command, actor).catch((error: unknown) => {
        log("error", "the history could not be read", { error: String(error) });
        return failed;
      }),
    wrote: model.wrote,
    opened() {
      if (store.isKept) model.readAhead();
    },
    close: model.close,
  };
};
