/** The examples of reports on withdrawals: their history and the reconciliation report. */

import { csvLine } from "../../contract/csv.ts";
import { example } from "../../contract/example.ts";
import type { TransactionEvent } from "../../contract/history.ts";
import type { Status } from "../../contract/transaction.ts";
import type { Exchanges } from "./exchange.ts";
import type { WithdrawalStory } from "./withdrawal.ts";

type Step = readonly [at: string | null, to: Status, actor: TransactionEvent["actor"], actor_id: string | null];

const historyOf = ({ as, approvedAt }: WithdrawalStory): TransactionEvent[] => {
  const { created_at, confirmed_at, settled_at, linked_at } = as.linked;
  const steps: Step[] = [
    [created_at, "requested", "partner", example.partner],
    [created_at, "ready", "partner", example.partner],
    [confirmed_at, "awaiting_sca", "device", example.device],
    [approvedAt, "settling", "partner", example.partner],
    [settled_at, "settled", "partner", example.partner],
    [linked_at, "linked", "device", example.device],
  ];
  return steps.map(([at, to, actor, actor_id], index) => ({
    sequence: index + 1,
    kind: "transition",
    at: at ?? created_at,
    from: steps[index - 1]?.[1] ?? null,
    to,
    actor,
    actor_id,
    request_id: to === "settled" ? null : example.requestId,
    reason: null,
    attempt: to === "ready" || to === "settled" ? 1 : null,
    cashier: to === "linked" ? "C2" : null,
  }));
};

const lineOf = ({ as }: WithdrawalStory) => ({
  transaction_id: as.linked.transaction_id,
  transaction_id_partner: as.linked.transaction_id_partner,
  store: as.linked.store,
  device_id: example.device,
  status: as.linked.status,
  finding: "matched",
  amount: as.linked.amount,
  currency: as.linked.currency,
  reason: as.linked.reason,
  created_at: as.linked.created_at,
  confirmed_at: as.linked.confirmed_at,
  settled_at: as.linked.settled_at,
  linked_at: as.linked.linked_at,
  closed_at: as.linked.closed_at,
  settle_attempts: 1,
  cashier: "C2",
});

/** The history and both forms of the report. */
export const reportExchanges = (story: WithdrawalStory): Exchanges => {
  const line = lineOf(story);
  const day = { from: "2026-11-20T00:00:00.000Z", to: "2026-11-21T00:00:00.000Z" };
  return {
    getTransactionEvents: {
      linked: {
        summary: "A withdrawal that ended with cash",
        answered: { transaction_id: line.transaction_id, events: historyOf(story) },
      },
    },
    getReconciliation: { day: { summary: "A day", answered: { ...day, lines: [line], count: 1 } } },
    getReconciliationCsv: {
      day: { summary: "A day", answered: csvLine(Object.keys(line)) + csvLine(Object.values(line)) },
    },
  };
};
