/** Every call the service answers. What is not here is neither routed nor documented. */
import type { Operation } from "../operation.ts";
import { authorizeOperation } from "./authorize.ts";
import { checkinOperation, createUserOperation } from "./client-level.ts";
import {
  docsAssetOperation,
  docsOperation,
  healthOperation,
  metricsOperation,
  openApiOperation,
  readyOperation,
} from "./operational.ts";
import { reconciliationOperation } from "./reconciliation.ts";
import { confirmOperation, getTransactionOperation, linkOperation, rejectOperation } from "./transactions.ts";
import {
  cancelWithdrawalOperation,
  requestWithdrawalOperation,
  resolveScaOperation,
  undeliveredOperation,
} from "./withdrawals.ts";

export const operations: readonly Operation[] = [
  authorizeOperation,
  getTransactionOperation,
  confirmOperation,
  rejectOperation,
  linkOperation,
  checkinOperation,
  createUserOperation,
  requestWithdrawalOperation,
  resolveScaOperation,
  cancelWithdrawalOperation,
  undeliveredOperation,
  reconciliationOperation,
  healthOperation,
  readyOperation,
  metricsOperation,
  openApiOperation,
  docsOperation,
  docsAssetOperation,
];
