/** A record of the read model as a line of the history. */
import type { HistoryLine } from "../../../preload/contract.ts";
import { resultOf, type WithdrawalRecord } from "../read-model/record.ts";

/** One line of the list; its time in ISO 8601. */
export const lineOf = (record: WithdrawalRecord): HistoryLine => ({
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
