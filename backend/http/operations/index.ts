/** Every call that the service answers. Other paths are neither routed nor documented. */
import type { Operation } from "../operation.ts";
import { authorizeOperations } from "./authorize.ts";
import { clientLevelOperations } from "./client-level.ts";
import { healthAndDocsOperations } from "./health-and-docs.ts";
import { reconciliationOperations } from "./reconciliation.ts";
import { terminalOperations } from "./terminals.ts";
import { transactionOperations } from "./transactions.ts";
import { withdrawalOperations } from "./withdrawals.ts";

/** All operations, in the order of the API reference. */
export const operations: readonly Operation[] = [
  ...authorizeOperations,
  ...transactionOperations,
  ...clientLevelOperations,
  ...withdrawalOperations,
  ...reconciliationOperations,
  ...terminalOperations,
  ...healthAndDocsOperations(() => operations),
];
