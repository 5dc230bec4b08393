/** Withdrawals that may need an operator: lists, one withdrawal's history, and decisions. */
import { z } from "zod";
import { auditAbout } from "../access/audit.ts";
import { newestJournalHead } from "../access/journal-heads.ts";
import { contactOf } from "../access/terminals.ts";
import { isTransactionId, normalizeTypedId } from "../contract/ids.ts";
import { formatAmount } from "../contract/money.ts";
import { minuteMs, toNullableTime, toTime } from "../contract/times.ts";
import { statuses } from "../contract/transaction.ts";
import { callsOf } from "../partner/orders.ts";
import { partnerById } from "../partner/partners.ts";
import type { RowOf } from "../store/schema.ts";
import { oneOrArchived } from "../withdrawals/closed.ts";
import { closeDispute, DisputeChanged, ofReport, otherHandOutEvent } from "../withdrawals/dispute.ts";
import { eventsOf } from "../withdrawals/history.ts";
import { decideCash, decideWithdrawal, listOpen, type OpenWithdrawal } from "../withdrawals/open.ts";
import { findingOfRow, reasonOf, toReportedLine } from "../withdrawals/reconcile.ts";
import { openReports, reportsOf } from "../withdrawals/restored-reports.ts";
import type { Row } from "../withdrawals/store.ts";
import { UsageError } from "./arguments.ts";
import { systemUser } from "./audited-store.ts";
import type { CommandContext, CommandOutput, Management } from "./context.ts";
import { refuseUnknownShop } from "./terminals.ts";
import { checked, textSchema, timeOf } from "./words.ts";

type Chaining = Management & Pick<CommandContext, "keys">;

const noteLengthMax = 500;
/** Normalizes a withdrawal's number, which people copy in groups of four or type in lower case. */
const toId = (typed: string): string => (isTransactionId(normalizeTypedId(typed)) ? normalizeTypedId(typed) : typed);
const form = "reports close TRANSACTION --note TEXT [--seen TIME]";
const closing = z.object({
  id: z.string({ error: "the TRANSACTION" }).transform(toId),
  note: textSchema("--note", noteLengthMax),
});

/** Explanation and advice by a report's reason, or else by its finding. */
const why: Readonly<Record<string, string>> = {
  accepted_after_declined: "the bank said yes to what counted as not paid: ask it whether it has paid",
  declined_after_accepted: "the bank said yes, and then no: ask it whether it has paid",
  handed_out_twice: "one device reported two hand-outs: count its drawer, and look for a copy of its folder",
  handed_out_after_undelivered:
    "reported as not handed out, and then as handed out: count the drawer, and look for a copy of its folder",
  restored:
    "forgotten by a restore, and not brought together again: compare the bank's payments with the terminal's journal",
  disputed: "bank and service may have it differently: ask the bank whether it has paid",
  handed_out_after_decision:
    "decided as not handed out, and then its terminal said that it was: the payment is not due back, tell the bank",
  not_handed_out_after_decision:
    "decided as handed out, and then its terminal said that it was not: count the drawer, the payment may be due back",
  no_after_silence: "the bank said no after a try that it never answered: ask it whether it has paid that one",
};
/** Explanation and advice by status and need. */
const waits: Readonly<Record<string, string>> = {
  "settling wait": "the bank is asked until it gives a definite answer; from 15 minutes on you can decide",
  "settling decide": "the bank has given no definite answer for 15 minutes: ask it, then decide",
  "settled wait":
    "paid; its terminal says what became of the cash: have it started, connected, and asked under Today, Overview",
  "settled decide":
    "paid, and its terminal is silent: have it started and connected; only if it is lost count its drawer, then decide",
};
const whyOf = (finding: string, reason: string | null): string => why[reason ?? ""] ?? why[finding] ?? finding;

/** Appends the calls to the bank so far, or the time of the terminal's last call. */
const lately = ({ row, needs, tries, heardAt }: OpenWithdrawal): string => {
  if (tries !== null) return ` (${tries.count} calls, the last answer: ${tries.last ?? "none yet"})`;
  if (row.status !== "settled" || needs === "close") return "";
  return ` (${row.device_id} was heard ${heardAt === null ? "never" : `last at ${toTime(heardAt)}`})`;
};

/** What both lists show of a withdrawal, or of a report after a restore. */
const shown = (
  row: Pick<Row, "merchant_id" | "device_id" | "amount" | "currency" | "status">,
  since: number,
  nowMs: number,
) => ({
  shop: row.merchant_id,
  device: row.device_id,
  amount: formatAmount(row.amount, row.currency),
  currency: row.currency,
  status: row.status,
  since: toTime(since),
  minutes: Math.max(0, Math.floor((nowMs - since) / minuteMs)),
});

const show = (open: OpenWithdrawal, nowMs: number) => {
  const { row, since, needs } = open;
  const [found, reason] = [findingOfRow(row), reasonOf(row)];
  // Before the Settle order goes out there is no unknown outcome.
  const finding = found === "settle_unknown" && row.status !== "settling" ? "open" : found;
  const said = needs === "close" ? whyOf(finding, reason) : (waits[`${row.status} ${needs}`] ?? "ends by itself");
  return {
    transaction: row.id,
    partner: row.partner_id,
    ...shown(row, since, nowMs),
    disputed: toNullableTime(row.disputed_at),
    needs,
    finding,
    reason,
    why: `${said}${lately(open)}`,
  };
};

const showReported = (row: RowOf<"restored_reports">, nowMs: number) => {
  const { finding, reason } = toReportedLine(row);
  return {
    transaction: row.transaction_id,
    partner: null,
    ...shown(row, row.created_at, nowMs),
    disputed: toTime(row.created_at),
    needs: "close",
    finding,
    reason,
    why: whyOf(finding, reason),
  };
};

const filterForm = "withdrawals list [--shop ID] [--bank ID] [--status STATUS] [--older MINUTES]";
const filterSchema = z.object({
  shop: z.string().optional(),
  bank: z.string().optional(),
  status: z.enum(statuses, `--status must be one of ${statuses.join(", ")}`).optional(),
  older: z
    .string()
    .regex(/^\d{1,7}$/, "--older must be a whole number of minutes")
    .transform(Number)
    .default(0),
});

/** `withdrawals list`: all withdrawals that are open, disputed or left open by a restore. @throws UsageError for an unknown shop or bank. */
export const listOpenWithdrawals = async (on: Management, flags: unknown) => {
  const { shop, bank, status, older } = checked(filterSchema, flags, filterForm);
  const now = on.clock.now();
  const open = (await listOpen(on)).map((each) => show(each, now));
  const reported = (await on.store.read((tx) => tx.all(openReports({})))).map((row) => showReported(row, now));
  const disputes = open.filter(({ needs }) => needs === "close").length;
  const found = [...open.slice(0, disputes), ...reported, ...open.slice(disputes)].filter(
    (row) =>
      (shop ?? row.shop) === row.shop &&
      (bank ?? row.partner) === row.partner &&
      (status ?? row.status) === row.status &&
      row.minutes >= older,
  );
  if (found.length > 0) return found;
  if (shop !== undefined) await refuseUnknownShop(on, shop);
  if (bank !== undefined && (await on.store.read((tx) => tx.first(partnerById({ id: bank })))) === undefined)
    throw new UsageError(`there is no bank ${bank}`);
  return found;
};

/** `reports list`: those of them for which money may have moved. */
export const listOpenReports = async (on: Management): Promise<CommandOutput> =>
  (await listOpenWithdrawals(on, {})).filter(
    ({ status, needs }) => needs !== "wait" || status === "settling" || status === "settled",
  );

/** `withdrawals show`: everything known of one withdrawal, in order of time. @throws UsageError for an unknown one. */
export const showWithdrawal = async (on: Management, typed: string | undefined): Promise<CommandOutput> => {
  if (typed === undefined) throw new UsageError("the TRANSACTION is missing; name it as: withdrawals show TRANSACTION");
  const id = toId(typed);
  const [open] = (await listOpenWithdrawals(on, {})).filter(({ transaction }) => transaction === id);
  const { row, events, calls, reports, again, head, contact } = await on.store.read(async (tx) => {
    const row = await oneOrArchived(tx, id, on.clock.now());
    const device = { merchant: row?.merchant_id ?? "", device: row?.device_id ?? "" };
    const [events, calls, reports] = [
      row ? await tx.all(eventsOf({ id, askedAt: row.created_at })) : [],
      await tx.all(callsOf({ id })),
      await tx.all(reportsOf({ id })),
    ];
    const [head, contact] = [await tx.first(newestJournalHead(device)), await tx.first(contactOf(device))];
    const again = await tx.all(auditAbout({ event: otherHandOutEvent, object: id }));
    return { row, events, calls, reports, again, head, contact };
  });
  if (row === undefined && reports.length === 0) throw new UsageError(`there is no withdrawal ${id}`);
  const line = (at: number, what: string, by: string | null, detail: string | null) => ({ at, what, by, detail });
  const told = [
    ...events.map((e) =>
      line(
        e.at,
        e.kind === "transition" ? e.to_status : e.kind,
        [e.actor, e.actor_id, e.cashier].filter((each) => each !== null).join(" "),
        [e.reason, e.attempt === null ? null : `call ${e.attempt}`, e.request_id]
          .filter((each) => each !== null)
          .join(", ") || null,
      ),
    ),
    ...calls.map((call) =>
      line(
        call.created_at,
        `${call.id.split("_")[0]} waits`,
        `bank ${call.partner_id}`,
        `${call.attempts} calls, the last answer: ${call.last_error ?? "none yet"}`,
      ),
    ),
    ...reports.map((r) =>
      line(
        r.created_at,
        r.device_id === "" ? `${r.status}, forgotten by the database` : `reported ${r.status} after a restore`,
        r.device_id === "" ? "bank" : `terminal ${r.device_id}`,
        r.closed_at === null ? "open" : `closed ${toTime(r.closed_at)}`,
      ),
    ),
    // Of a withdrawal's own row its history says it.
    ...again
      .toReversed()
      .filter(({ detail }) => detail?.endsWith(ofReport))
      .map((entry) => line(entry.at, entry.event, entry.actor, entry.detail)),
    ...(head
      ? [line(head.received_at, "journal entry received", `terminal ${row?.device_id}`, `entry ${head.seq}`)]
      : []),
    ...(contact ? [line(contact.heard_at, "terminal heard", `terminal ${row?.device_id}`, "to five minutes")] : []),
  ].sort((a, b) => a.at - b.at);
  if (row !== undefined)
    told.push(
      line(
        on.clock.now(),
        row.status,
        `shop ${row.merchant_id}, bank ${row.partner_id}`,
        `${formatAmount(row.amount, row.currency)} ${row.currency}, till's id ${row.transaction_id_partner ?? "-"}, bank's reference ${row.partner_reference ?? "-"}`,
      ),
    );
  if (open !== undefined) told.push(line(on.clock.now(), `needs: ${open.needs}`, null, open.why));
  return told.map((each) => ({ ...each, at: toTime(each.at) }));
};

const outcomes = ["paid", "not-paid", "handed-out", "not-handed-out"] as const;
const decideForm = `withdrawals resolve TRANSACTION --outcome ${outcomes.join("|")}|closed --note TEXT [--force] [--seen TIME]`;
const deciding = closing.extend({
  outcome: z.enum(outcomes, `--outcome must be ${outcomes.join(", ")} or closed`),
  force: z.string().optional(),
});

const undecidable = (id: string, known: Row | undefined, isCash: boolean): string => {
  if (known === undefined) return `there is no withdrawal ${id}`;
  if (known.status === (isCash ? "settled" : "settling"))
    return `transaction ${id} has not waited 15 minutes for its ${isCash ? "terminal" : "bank"}; "withdrawals list" shows what has`;
  const other = { settling: "paid or not-paid", settled: "handed-out or not-handed-out" }[String(known.status)];
  return other === undefined
    ? `transaction ${id} is ${known.status}: there is nothing to decide; "withdrawals show ${id}" has its story`
    : `transaction ${id} is ${known.status}: its outcome is ${other}; "withdrawals show ${id}" has its story`;
};

/**
 * Decides for a bank without a definite answer: `paid` makes the withdrawal `undelivered` (the payment is due back), `not-paid`
 * makes it `failed` and disputed. For a lost terminal: `handed-out` makes a paid one `linked`, `not-handed-out` `undelivered`.
 * @throws UsageError without outcome or note, before 15 minutes of waiting, and for a terminal that has called recently.
 */
export const decideReport = async (on: Chaining, input: unknown) => {
  const { id, outcome, note, force } = checked(deciding, input, decideForm);
  const isCash = outcome === "handed-out" || outcome === "not-handed-out";
  const decided = isCash
    ? await decideCash(on, id, outcome, systemUser(), note, force !== undefined)
    : await decideWithdrawal(on, id, outcome, systemUser(), note);
  if (decided === null)
    throw new UsageError(undecidable(id, await on.store.read((tx) => oneOrArchived(tx, id, on.clock.now())), isCash));
  if (decided === false)
    throw new UsageError(
      `the terminal of ${id} was heard in the last 20 minutes: it says itself what became of the cash, have it asked under Today, Overview; if it was set up anew and no longer knows of it: --force`,
    );
  return { transaction: id, status: decided.status };
};

/** `withdrawals resolve`: decides or closes, by `outcome`. */
export const resolveWithdrawal = async (
  on: Chaining,
  { outcome, seen, ...input }: Readonly<Record<string, string | undefined>>,
) => {
  if (outcome === "closed") return closeReport(on, { ...input, seen });
  if (seen !== undefined) throw new UsageError("--seen is for --outcome closed", ["seen"]);
  return decideReport(on, { ...input, outcome });
};

/**
 * Closes a dispute, of which the operator has seen all until `seen`; by default what opened it.
 * @throws UsageError without a note, when the transaction is not disputed, or when more came than was seen.
 */
export const closeReport = async (on: Chaining, input: unknown) => {
  const { id, note, seen } = checked(closing.extend({ seen: z.string().optional() }), input, form);
  const isClosed = await closeDispute(
    on,
    id,
    systemUser(),
    note,
    seen === undefined ? undefined : timeOf("seen", seen),
  ).catch((error: unknown) => {
    if (!(error instanceof DisputeChanged)) throw error;
    const [since, newest] = [error.since, error.newest].map((at) => toTime(at));
    throw new UsageError(
      `more came about ${id} after ${since}, the last of it at ${newest}: read "withdrawals show ${id}"; when all of that is cleared up, close it with --seen ${newest}`,
    );
  });
  if (!isClosed) throw new UsageError(`transaction ${id} is not disputed; "reports list" shows what is`);
  return { transaction: id, status: "closed" };
};
