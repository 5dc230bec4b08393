import { z } from "zod";
import { transactionEventsSchema } from "../../contract/history.ts";
import { transactionIdSchema } from "../../contract/transaction.ts";
import { getHistory } from "../../withdrawals/get-history.ts";
import { clientOf, terminalOf } from "../authenticate.ts";
import { json, operation } from "../operation.ts";

/** `GET /ext/v1/transactions/{id}/events`. */
export const historyOperation = operation({
  id: "getTransactionEvents",
  method: "get",
  path: "/ext/v1/transactions/{id}/events",
  tag: "Extension",
  section: null,
  summary: "Read the history of a transaction",
  description:
    "Every transition with its time, who caused it, the request's id, the reason and the try of the call to the bank, oldest first; also a bank's answer that contradicts its first one (`contradicted`), and the end of such a dispute (`dispute_closed`). For a terminal of the same store and for the partner.",
  conventions: [],
  scopes: ["transactions", "withdrawals", "reconciliation"],
  errorShape: "problem",
  params: z.object({ id: transactionIdSchema }),
  replies: { 200: json("The history, oldest first.", transactionEventsSchema) },
  errors: ["transaction_not_found"],
  async handle({ app, session, requestId, params }) {
    const reader = session.kind === "terminal" ? terminalOf(session, requestId) : clientOf(session, requestId);
    return { status: 200, body: await getHistory(app.service, reader, params.id) };
  },
});
