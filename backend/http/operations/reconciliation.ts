/** Streams the reconciliation report: one page in memory, the next read on demand. */
import { z } from "zod";
import type { Session } from "../../access/credentials.ts";
import { boundarySchema, plainText } from "../../contract/client.ts";
import { csvLine } from "../../contract/csv.ts";
import { example, field } from "../../contract/field.ts";
import { reconciliationLineSchema, storeTotalsSchema } from "../../contract/reconciliation.ts";
import { dayMs, toTime } from "../../contract/times.ts";
import { timeSchema } from "../../contract/transaction.ts";
import { invalidField } from "../../service-error.ts";
import { type ReconciliationLine, reconcile, storeTotals, windowOf } from "../../withdrawals/reconcile.ts";
import type { App } from "../app-context.ts";
import { json, type Operation, operation } from "../operation.ts";
import { baseHeaders } from "../request.ts";
import { chainOf, readerOf } from "../serve-operation.ts";

const windowSchema = z.strictObject({
  from: boundarySchema.optional().meta({
    description: "First time (RFC 3339) or day of confirmation; default: a day before `to`.",
    example: "2026-11-20",
  }),
  to: boundarySchema.optional().meta({
    description: "Time before which, or day up to the end of which; default: now.",
    example: "2026-11-20",
  }),
  store: plainText(64).optional().meta({ description: "Only this store.", example: example.store }),
});

const querySchema = windowSchema.extend({
  format: z.enum(["json", "csv"]).default("json").meta({
    description: "`csv` is for old clients: use `/ext/v1/reconciliation.csv`.",
    deprecated: true,
    example: "json",
  }),
});

const reportSchema = z
  .object({
    from: field(timeSchema, "First time of confirmation.", "2026-11-20T00:00:00.000Z"),
    to: field(timeSchema, "Time of confirmation before which.", "2026-11-21T00:00:00.000Z"),
    lines: z.array(reconciliationLineSchema).meta({ description: "In the order of confirmation." }),
    count: field(z.int(), "Lines in all.", 1),
  })
  .meta({ id: "ReconciliationReport", description: "Every confirmed transaction of a time." });

const findingsText =
  "Every confirmed transaction of the time in the order of confirmation, with both ids, times and a `finding`: `matched` (linked), `not_linked` (paid, no word of the cash), `undelivered` (paid, no cash handed out: due back), `settle_unknown` (no outcome yet), `no_after_silence` (the bank said no after a try that it never answered: that one may have been booked; until an operator closes it), `restored` (the service was put back to a copy, and what terminal, service and bank say cannot be brought together yet), `disputed` (the bank contradicted its first answer, or one device reported two hand-outs: `handed_out_twice`, `handed_out_after_undelivered`; until an operator closes it), `closed` (without cash). A time that ended less than a minute ago can still gain lines. Streamed. A partner sees its own transactions, a terminal those of its own store, a chain those of its stores, one store after the other.";

const common = {
  method: "get",
  tag: "Extension",
  scopes: ["reconciliation", "transactions", "reports"],
  streams: true,
} as const;

type Window = z.output<typeof windowSchema>;

const windowFor = async (app: App, session: Session, query: Window) => {
  const reader = readerOf(session);
  const { toMs = app.service.clock.now() + 1, fromMs = toMs - dayMs } = await windowOf(app.service, reader, query);
  // "Until now" means until the newest: a clock that was set back must not hide later confirmations.
  const untilMs = query.to === undefined ? Number.MAX_SAFE_INTEGER : toMs;
  const window = { fromMs, toMs: untilMs, store: query.store };
  return { reader, window, from: toTime(fromMs), to: toTime(toMs) };
};

const report = async (app: App, session: Session, query: Window, format: "json" | "csv"): Promise<Response> => {
  const { reader, window, from, to } = await windowFor(app, session, query);
  const pages = reconcile(app.service, reader, window);
  const stream = await reportStream(pages, format, from, to);
  const headers: Record<string, string> =
    format === "json"
      ? { "Content-Type": "application/json" }
      : {
          "Content-Type": "text/csv; charset=utf-8; header=present",
          "Content-Disposition": 'attachment; filename="reconciliation.csv"',
        };
  return new Response(stream, { headers: { ...baseHeaders, ...headers } });
};

/** The reconciliation report. */
export const reconciliationOperations: readonly Operation[] = [
  /** `GET /ext/v1/reconciliation`, streamed. */
  operation({
    ...common,
    id: "getReconciliation",
    path: "/ext/v1/reconciliation",
    summary: "Read the reconciliation report",
    description: findingsText,
    query: querySchema,
    replies: { 200: json("The report.", reportSchema) },
    handle: ({ app, session, query }) => report(app, session, query, query.format),
  }),
  /** `GET /ext/v1/reconciliation.csv`, streamed. */
  operation({
    ...common,
    id: "getReconciliationCsv",
    path: "/ext/v1/reconciliation.csv",
    summary: "Read the reconciliation report as CSV",
    description: `${findingsText} CSV after RFC 4180 with a header line; a field that a spreadsheet would run as a formula begins with an apostrophe.`,
    query: windowSchema,
    replies: {
      200: {
        description: "The report.",
        content: { "text/csv": { schema: z.string().meta({ description: "A header line, then one line each." }) } },
      },
    },
    handle: ({ app, session, query }) => report(app, session, query, "csv"),
  }),
  /** `GET /ext/v1/reconciliation/stores`. */
  operation({
    method: "get",
    tag: "Extension",
    scopes: ["reports"],
    id: "getStoreTotals",
    path: "/ext/v1/reconciliation/stores",
    summary: "Read what the report comes to, store by store",
    description:
      "The lines of the reconciliation report of that time, counted and summed up by store, finding and currency; of 100 days at most.",
    query: windowSchema,
    replies: { 200: json("The sums.", storeTotalsSchema) },
    async handle({ app, session, query }) {
      const { window, from, to } = await windowFor(app, session, query);
      if (Date.parse(to) - Date.parse(from) > totalDaysMax * dayMs)
        throw invalidField("from", `must be at most ${totalDaysMax} days before to`);
      return { from, to, ...(await storeTotals(app.service, chainOf(session), window)) };
    },
  }),
];

/** Longest period of a chain's totals in days, since all lines are read for them. */
const totalDaysMax = 100;

type Pages = AsyncGenerator<readonly ReconciliationLine[], void, undefined>;
const columns = Object.keys(reconciliationLineSchema.shape) as (keyof ReconciliationLine)[];

async function* asCsv(pages: Pages): AsyncGenerator<string, void, undefined> {
  yield csvLine(columns);
  for await (const lines of pages) yield lines.map((line) => csvLine(columns.map((column) => line[column]))).join("");
}

/** One object: `{"from","to","lines":[…],"count"}`. Truncated, it does not parse, so a part is never taken for the whole. */
async function* asJson(pages: Pages, from: string, to: string): AsyncGenerator<string, void, undefined> {
  yield `{"from":${JSON.stringify(from)},"to":${JSON.stringify(to)},"lines":[`;
  let count = 0;
  for await (const lines of pages) {
    const text = lines.map((line) => JSON.stringify(line)).join(",");
    yield count === 0 ? text : `,${text}`;
    count += lines.length;
  }
  yield `],"count":${count}}`;
}

const encoder = new TextEncoder();

/** Reads the first page ahead, so that a store that cannot be read gives a 503 rather than a broken stream. */
const reportStream = async (pages: Pages, format: "json" | "csv", from: string, to: string) => {
  const first = await pages.next();
  const all = (async function* (): Pages {
    if (first.done === true) return;
    yield first.value;
    yield* pages;
  })();
  const texts = format === "csv" ? asCsv(all) : asJson(all, from, to);
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await texts.next();
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
    },
    { highWaterMark: 0 },
  );
};
