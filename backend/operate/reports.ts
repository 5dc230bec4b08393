/** What in the reconciliation report needs an operator: banks that contradicted themselves, or never say a definite word. */
import { z } from "zod";
import { formatAmount } from "../contract/money.ts";
import type { RowOf } from "../store/schema.ts";
import { decideSettling, listUnanswered } from "../withdrawals/decide-settling.ts";
import { closeDispute, listDisputes } from "../withdrawals/dispute.ts";
import { findingOfRow, reasonOf, toReportedLine } from "../withdrawals/reconcile.ts";
import { openReports } from "../withdrawals/restored.ts";
import { toTime } from "../withdrawals/transition.ts";
import { UsageError } from "./arguments.ts";
import { systemUser } from "./audited-store.ts";
import type { CommandContext, CommandOutput, Management } from "./context.ts";
import { checked, textSchema } from "./words.ts";

/** Both write into the history. */
type Chaining = Management & Pick<CommandContext, "keys">;

const noteLengthMax = 500;
const form = "reports close TRANSACTION --note TEXT";
const closing = z.object({
  id: z.string({ error: "the TRANSACTION" }),
  note: textSchema("--note", noteLengthMax),
});

/** By the report's reason, or else by its finding: what happened, and what to do before it is closed or decided. */
const why: Readonly<Record<string, string>> = {
  accepted_after_declined: "the bank said no, and then yes: ask it whether it has paid",
  declined_after_accepted: "the bank said yes, and then no: ask it whether it has paid",
  handed_out_twice: "one device reported two hand-outs: count its drawer, and look for a copy of its folder",
  handed_out_after_undelivered:
    "reported as not handed out, and then as handed out: count the drawer, and look for a copy of its folder",
  restored:
    "forgotten by a restore, and not brought together again: compare the bank's payments with the terminal's journal",
  disputed: "bank and service may have it differently: ask the bank whether it has paid",
  settle_unknown: "the bank has given no definite answer for 15 minutes: ask it, then decide",
};
const whyOf = (finding: string, reason: string | null): string => why[reason ?? ""] ?? why[finding] ?? finding;

const show = (row: Parameters<typeof reasonOf>[0], needs: "close" | "decide") => {
  const [finding, reason] = [findingOfRow(row), reasonOf(row)];
  return {
    transaction: row.id,
    partner: row.partner_id,
    shop: row.merchant_id,
    device: row.device_id,
    amount: formatAmount(row.amount, row.currency),
    currency: row.currency,
    status: row.status,
    disputed: row.disputed_at === null ? null : toTime(row.disputed_at),
    needs,
    finding,
    reason,
    why: whyOf(finding, reason),
  };
};

const showReported = (row: RowOf<"restored_reports">) => {
  const { finding, reason } = toReportedLine(row);
  return {
    transaction: row.transaction_id,
    partner: null,
    shop: row.merchant_id,
    device: row.device_id,
    amount: formatAmount(row.amount, row.currency),
    currency: row.currency,
    status: row.status,
    disputed: toTime(row.created_at),
    needs: "close",
    finding,
    reason,
    why: whyOf(finding, reason),
  };
};

/** What waits for an operator: disputes, what was reported after a restore, and orders that had no definite answer for 15 minutes. */
export const listOpenReports = async (on: Management): Promise<CommandOutput> => [
  ...(await listDisputes(on.store)).map((row) => show(row, "close")),
  ...(await on.store.read((tx) => tx.all(openReports({})))).map(showReported),
  ...(await listUnanswered(on)).map((row) => show(row, "decide")),
];

const decideForm = "reports decide TRANSACTION --outcome paid|not-paid --note TEXT";
const deciding = z.object({
  id: z.string({ error: "the TRANSACTION" }),
  outcome: z.enum(["paid", "not-paid"], "--outcome must be paid or not-paid"),
  note: textSchema("--note", noteLengthMax),
});

/**
 * Decides for a bank that never says a definite word: `paid` makes the withdrawal `undelivered`, so that the payment is due
 * back; `not-paid` makes it `failed`, and disputed until it is closed.
 * @throws UsageError without an outcome or a note, or when the bank has not been asked for 15 minutes.
 */
export const decideReport = async (on: Chaining, input: unknown) => {
  const { id, outcome, note } = checked(deciding, input, decideForm);
  const row = await decideSettling(on, id, outcome, systemUser(), note);
  if (row === null)
    throw new UsageError(`transaction ${id} has not waited 15 minutes for its bank; "reports list" shows what has`);
  return { transaction: id, status: row.status };
};

/** @throws UsageError without a note, or when the transaction is not disputed. */
export const closeReport = async (on: Chaining, input: unknown) => {
  const { id, note } = checked(closing, input, form);
  if (!(await closeDispute(on, id, systemUser(), note))) {
    throw new UsageError(`transaction ${id} is not disputed; "reports list" shows what is`);
  }
  return { transaction: id, status: "closed" };
};
