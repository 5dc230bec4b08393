import { groupId, isTransactionId } from "../../backend/contract/ids.ts";
import type { Fact } from "../ui/screen-body.tsx";

/** The code as phones show it: ours in groups of four, ids of another network ungrouped. */
export const codeText = (transactionId: string): string =>
  isTransactionId(transactionId) ? groupId(transactionId) : transactionId;

/** The code as a line of the facts. */
export const codeFact = (name: string, transactionId: string): Fact => ({ name, value: codeText(transactionId) });
