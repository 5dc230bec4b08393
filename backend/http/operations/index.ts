/** Every call that the service answers. Other paths are neither routed nor documented. */
import type { Operation } from "../operation.ts";
import { authorizeOperation, tokenOperation } from "./authorize.ts";
import { checkinOperation, createUserOperation } from "./client-level.ts";
import {
  docsAssetOperation,
  docsOperation,
  healthOperation,
  metricsOperation,
  openApiOperation,
  readyOperation,
} from "./health-and-docs.ts";
import { reconciliationCsvOperation, reconciliationOperation, storeTotalsOperation } from "./reconciliation.ts";
import {
  enrolOperation,
  listJournalHeadsOperation,
  listTerminalsOperation,
  managerResetOperation,
  readTillOperation,
  reportJournalHeadOperation,
} from "./terminals.ts";
import { confirmOperation, getTransactionOperation, linkOperation, rejectOperation } from "./transactions.ts";
import {
  cancelWithdrawalOperation,
  getWithdrawalOperation,
  historyOperation,
  listWithdrawalsOperation,
  requestWithdrawalOperation,
  resolveScaOperation,
  storesOperation,
  undeliveredOperation,
} from "./withdrawals.ts";

/** All operations, in the order of the API reference. */
export const operations: readonly Operation[] = [
  authorizeOperation,
  tokenOperation,
  getTransactionOperation,
  confirmOperation,
  rejectOperation,
  linkOperation,
  checkinOperation,
  createUserOperation,
  storesOperation,
  requestWithdrawalOperation,
  listWithdrawalsOperation,
  getWithdrawalOperation,
  resolveScaOperation,
  cancelWithdrawalOperation,
  undeliveredOperation,
  historyOperation,
  reconciliationOperation,
  reconciliationCsvOperation,
  storeTotalsOperation,
  enrolOperation,
  managerResetOperation,
  reportJournalHeadOperation,
  listJournalHeadsOperation,
  listTerminalsOperation,
  readTillOperation,
  healthOperation,
  readyOperation,
  metricsOperation,
  openApiOperation(() => operations),
  docsOperation(() => operations),
  docsAssetOperation,
];
