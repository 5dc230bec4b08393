/** What people read of the past: a till's history, figures and books as its screens and files have them, and the service's report. */
import type { BooksView, Command, FiguresView, HistoryLine, Problem, Reply, Settings } from "../../preload/contract.ts";
import { linesSheet } from "../../renderer/history/csv-columns.ts";
import { plainContext, tableOf } from "../sheets.ts";
import { type BankCredential, grantOf } from "./bank-credential.ts";
import type { SentRequest } from "./light-http.ts";

/** Books, with the till's idea of its clock minus the service's by which it asked for them. */
export type ReadBooks = BooksView & { readonly clockOffMs: number };

/** All that the screens of one till say. */
export interface TillPast {
  readonly till: number;
  /** Whose cash its folder knows of: its own, and that of a machine with a copy of it. */
  readonly drawers: readonly number[];
  readonly deviceId: string;
  /** It shows that the service knows another journal under its name. */
  readonly showsFork: boolean;
  readonly lines: readonly HistoryLine[];
  /** The file of all lines, as *Save* writes it. */
  readonly file: ReturnType<typeof tableOf>;
  readonly figures: FiguresView;
  /** Of all days on which something was done, and one beyond. */
  readonly books: readonly ReadBooks[];
  /** This till's clock minus the one by which the service works. */
  readonly clockOffMs: number;
  /** Another program wrote hand-outs that this one cannot read: to it they are open. */
  readonly hasStrangeEntries: boolean;
}

/** A line of the reconciliation report. */
export type ReportLine = Readonly<Record<string, string | number | null>>;

/** The service's report in both of its forms. */
export interface ReportPast {
  readonly lines: readonly ReportLine[];
  readonly csv: string;
  /** Each day's own report, one after the other. */
  readonly byDay: readonly ReportLine[];
}

/** All of it. */
export interface Past {
  readonly tills: readonly TillPast[];
  readonly report: ReportPast;
}

const dayMs = 86_400_000;
const pageLines = 200;
const booksDaysMax = 31;
const askAgainMs = 10_000;
/** A till whose power went meanwhile answers nobody. */
const answerMaxMs = 5 * 60_000;
const asksMax = 30;

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);

/** How a till is asked, and how a while passes. */
export interface AskTill {
  readonly dispatch: (command: Command) => Promise<Reply | null>;
  /** Its idea of its clock minus the service's: the time by which the service works, or its machine's where that was set back. */
  readonly clockOffMs: () => number;
  readonly pause: (forMs: number) => Promise<void>;
}

/** A till or a service that does not answer a question though nothing fails any more. */
export class NoAnswer extends Error {}

const ask = async <T>(
  { dispatch, pause }: AskTill,
  command: Command,
  isEnough = (_: T): boolean => true,
): Promise<T> => {
  let last = "nothing";
  for (let asked = 0; asked < asksMax; asked++) {
    const reply = await Promise.race([dispatch(command), pause(answerMaxMs).then(() => null)]);
    last = JSON.stringify(reply);
    if (reply?.ok && isEnough(reply.data as T)) return reply.data as T;
    await pause(askAgainMs);
  }
  throw new NoAnswer(`answers ${command.type} with ${last.slice(0, 100)} for ever`);
};

/**
 * Everything that a till's screens say; asks again until it has the service's side too. The till writes an entry first.
 * @throws NoAnswer
 */
export const readTillPast = async (
  till: AskTill,
  settings: Settings,
): Promise<Pick<TillPast, "lines" | "file" | "figures" | "books" | "showsFork">> => {
  await ask(till, { type: "change_settings", settings });
  const lines: HistoryLine[] = [];
  for (let before: string | null = null; ; ) {
    const page: readonly HistoryLine[] = await ask(till, { type: "list_history", before, limit: pageLines });
    lines.push(...page);
    before = page.at(-1)?.withdrawalId ?? null;
    if (page.length < pageLines) break;
  }
  const times = lines.map(({ at }) => Date.parse(at));
  const [first, last] = [Math.min(...times) - dayMs, Math.max(...times) + dayMs];
  const [fromMs, toMs] = lines.length === 0 ? [0, 0] : [first, last];
  const figures = await ask<FiguresView>(till, { type: "get_figures", from: dayOf(fromMs), to: dayOf(toMs) });
  const books: ReadBooks[] = [];
  let clockOffMs = 0;
  const atBooks: AskTill = {
    ...till,
    dispatch: (command) => {
      clockOffMs = till.clockOffMs();
      return till.dispatch(command);
    },
  };
  for (let at = fromMs; at <= toMs; at += booksDaysMax * dayMs) {
    const range = { from: dayOf(at), to: dayOf(Math.min(toMs, at + (booksDaysMax - 1) * dayMs)) };
    const isWhole = ({ service }: BooksView): boolean => service === "available";
    const read = await ask<BooksView>(atBooks, { type: "get_books", ...range }, isWhole);
    books.push({ ...read, clockOffMs });
  }
  const problems = await ask<readonly Problem[]>(till, { type: "list_problems" });
  return {
    lines,
    file: tableOf(linesSheet(plainContext, lines)),
    figures,
    books,
    showsFork: problems.some(({ kind }) => kind === "journal"),
  };
};

/** The whole report, as the partner or a terminal of the shop gets it over HTTP. @throws NoAnswer */
export const readReportPast = async (
  fetchService: (request: SentRequest) => Promise<Response>,
  url: string,
  credential: BankCredential,
  deviceType: "client" | "terminal" = "client",
): Promise<ReportPast> => {
  const text = async (request: SentRequest, status: number): Promise<string> => {
    const answer = await fetchService(request);
    const body = await answer.text();
    if (answer.status !== status)
      throw new NoAnswer(`answers for its report with ${answer.status} ${body.slice(0, 100)}`);
    return body;
  };
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(grantOf(credential, deviceType === "client" ? "reconciliation" : "", deviceType));
  const granted = await text({ method: "POST", url: `${url}/oauth2/authorize`, headers, body }, 201);
  const { access_token: token } = JSON.parse(granted) as { access_token: string };
  // A service whose clock was set back by years has its books before the beginning.
  const get = (form: string, range = "from=1970-01-01"): Promise<string> =>
    text(
      {
        method: "GET",
        url: `${url}/ext/v1/${form}?${range}`,
        headers: { authorization: `Bearer ${token}` },
        body: null,
      },
      200,
    );
  const linesOf = async (range?: string) =>
    (JSON.parse(await get("reconciliation", range)) as { lines: readonly ReportLine[] }).lines;
  const lines = await linesOf();
  const days = [...new Set(lines.map((line) => String(line.confirmed_at).slice(0, "2026-01-01".length)))];
  const byDay: ReportLine[] = [];
  for (const day of days) byDay.push(...(await linesOf(`from=${day}&to=${day}`)));
  return { lines, csv: await get("reconciliation.csv"), byDay };
};
