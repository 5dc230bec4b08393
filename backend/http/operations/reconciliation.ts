import { z } from "zod";
import { plainText, reconciliationLineSchema } from "../../contract/client.ts";
import { timeSchema } from "../../contract/transaction.ts";
import { ServiceError } from "../../service-error.ts";
import { reconcile } from "../../withdrawals/reconcile.ts";
import { clientOf, terminalOf } from "../authenticate.ts";
import { baseHeaders } from "../headers.ts";
import { operation } from "../operation.ts";
import { reportStream } from "../reconciliation-stream.ts";

const dayMs = 86_400_000;

/** A time (RFC 3339) or a day (`2026-11-20`, UTC). */
const boundary = z.union([z.iso.datetime({ offset: true }), z.iso.date()], "must be a time (RFC 3339) or a day");

const querySchema = z.object({
  from: boundary.optional().meta({ description: "First time or day of confirmation; default: a day before `to`." }),
  to: boundary.optional().meta({ description: "Time before which, or day up to the end of which; default: now." }),
  store: plainText(64).optional().meta({ description: "Only this store." }),
  format: z.enum(["json", "csv"]).default("json"),
});

const reportSchema = z
  .object({ from: timeSchema, to: timeSchema, lines: z.array(reconciliationLineSchema), count: z.int() })
  .meta({ id: "ReconciliationReport" });

const isDay = (text: string) => text.length === "2026-11-20".length;
const startOf = (text: string) => Date.parse(text);
const endOf = (text: string) => Date.parse(text) + (isDay(text) ? dayMs : 0);

export const reconciliationOperation = operation({
  id: "getReconciliation",
  method: "get",
  path: "/ext/v1/reconciliation",
  tag: "Extension",
  section: null,
  summary: "Read the reconciliation report",
  description:
    "Every confirmed transaction of the time in the order of confirmation, with both ids, times and a `finding`: `matched` (linked), `not_linked` (paid, no word of the cash), `undelivered` (paid, no cash handed out: due back), `settle_unknown` (no outcome yet), `closed` (without cash). A time that ended less than a minute ago can still gain lines. Streamed. A partner sees its own transactions, a terminal those of its own store. In CSV (RFC 4180) a field that a spreadsheet would run as a formula begins with an apostrophe.",
  conventions: [],
  scopes: ["reconciliation", "transactions"],
  errorShape: "problem",
  query: querySchema,
  replies: {
    200: {
      description: "The report.",
      content: {
        "application/json": { schema: reportSchema },
        "text/csv": { schema: z.string().meta({ description: "The fields of a line, with a header line." }) },
      },
    },
  },
  errors: [],
  async handle({ app, session, query }) {
    const toMs = query.to === undefined ? app.service.clock.now() + 1 : endOf(query.to);
    const fromMs = query.from === undefined ? toMs - dayMs : startOf(query.from);
    if (fromMs > toMs)
      throw new ServiceError("validation_failed", undefined, { errors: [{ path: "from", message: "is after to" }] });
    const reader = session.kind === "terminal" ? terminalOf(session) : clientOf(session);
    // Up to now is up to the newest: a clock that was set back must not hide what it confirmed before.
    const untilMs = query.to === undefined ? Number.MAX_SAFE_INTEGER : toMs;
    const pages = reconcile(app.service, reader, { fromMs, toMs: untilMs, store: query.store });
    const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
    const stream = await reportStream(pages, query.format, from, to);
    const headers: Record<string, string> =
      query.format === "json"
        ? { "Content-Type": "application/json" }
        : {
            "Content-Type": "text/csv; charset=utf-8; header=present",
            "Content-Disposition": 'attachment; filename="reconciliation.csv"',
          };
    return new Response(stream, { headers: { ...baseHeaders, ...headers } });
  },
});
