import { groupId } from "../../backend/contract/ids.ts";
import type { Fact } from "../ui/moment.tsx";

/** The code as people compare it. Ids of another network are left in one piece. */
export const codeFact = (name: string, transactionId: string): Fact => ({ name, value: groupId(transactionId) });
