import { z } from "zod";
import {
  idempotencyKeySchema,
  requestWithdrawalBodySchema,
  scaBodySchema,
  storesQuerySchema,
  storesReplySchema,
  withdrawalsQuerySchema,
  withdrawalsReplySchema,
} from "../../contract/client.ts";
import { transactionEventsSchema } from "../../contract/history.ts";
import { undeliveredBodySchema, waitQuerySchema } from "../../contract/pos.ts";
import { linkedTransactionSchema, transactionIdSchema, transactionSchema } from "../../contract/transaction.ts";
import { listStores } from "../../merchants/merchants.ts";
import { cancelWithdrawal } from "../../withdrawals/cancel.ts";
import { getTransaction } from "../../withdrawals/get.ts";
import { getHistory } from "../../withdrawals/get-history.ts";
import { declareUndelivered } from "../../withdrawals/link.ts";
import { listWithdrawals } from "../../withdrawals/reconcile.ts";
import { requestWithdrawal } from "../../withdrawals/request.ts";
import { resolveSca } from "../../withdrawals/resolve-sca.ts";
import { json, type Operation, operation } from "../operation.ts";
import { chainOf, clientOf, readerOf, terminalOf, withHeldReadSlot } from "../serve-operation.ts";

const reply = json("The transaction as it is now.", transactionSchema);
const params = z.object({ id: transactionIdSchema });
const extension = { method: "post", tag: "Extension" } as const;
/** Defaults of calls that change a withdrawal. */
const change = {
  ...extension,
  params,
  replies: { 201: reply },
  errors: ["transaction_not_found", "transaction_conflict"],
} as const;

/** A bank's calls on its withdrawals, and what terminals and chains may call of these. */
export const withdrawalOperations: readonly Operation[] = [
  /** `GET /ext/v1/stores`. */
  operation({
    id: "listStores",
    method: "get",
    path: "/ext/v1/stores",
    tag: "Extension",
    summary: "List the stores",
    description:
      "The shops at which the bank's customers can withdraw cash, for a chain its own, with name, currency, smallest and largest amount and step. In pages: `next` of one is `after` of the following.",
    scopes: ["withdrawals", "reports"],
    query: storesQuerySchema,
    replies: { 200: json("A page of shops.", storesReplySchema) },
    handle: ({ app, session, query: { after = "", limit } }) =>
      listStores(app.service, session.kind === "chain" ? chainOf(session) : clientOf(session), { after, limit }),
  }),
  /** `POST /ext/v1/withdrawals`. */
  operation({
    ...extension,
    id: "requestWithdrawal",
    path: "/ext/v1/withdrawals",
    summary: "Request a withdrawal",
    description:
      "The user asks for cash at a store. Answers once Start order is answered: `ready`, or `declined`. `Idempotency-Key` is needed; the same key and body give the same answer, the same key with another body is refused. A merchant has a smallest and largest amount and a step (for EUR 10.00, 500.00 and 10.00 unless set otherwise; the sandbox's step is 0.01). Amount, currency, store and user never change afterwards.",
    scopes: ["withdrawals"],
    body: requestWithdrawalBodySchema,
    headers: z.object({
      "idempotency-key": idempotencyKeySchema.meta({
        description: "Yours for this request, 1 to 255 visible ASCII characters.",
        example: "wd-2026-000117",
      }),
    }),
    replies: { 201: reply },
    errors: [
      "amount_out_of_range",
      "amount_step",
      "currency_mismatch",
      "store_unknown",
      "limit_reached",
      "partner_not_configured",
      "user_blocked",
      "idempotency_key_reused",
    ],
    handle: ({ app, session, requestId, body, headers, context }) =>
      requestWithdrawal(
        app.service,
        clientOf(session, requestId),
        body,
        headers["idempotency-key"],
        context.req.raw.signal,
      ),
  }),
  /** `GET /ext/v1/withdrawals`. */
  operation({
    ...extension,
    method: "get",
    id: "listWithdrawals",
    path: "/ext/v1/withdrawals",
    summary: "List withdrawals",
    description:
      "The bank's own, or those of the chain's stores, whatever became of them, the newest first, in pages, for as long as the books are kept. A time counts when the withdrawal was asked for.",
    scopes: ["withdrawals", "reports"],
    query: withdrawalsQuerySchema,
    replies: { 200: json("A page of withdrawals.", withdrawalsReplySchema) },
    handle: ({ app, session, query }) => listWithdrawals(app.service, readerOf(session), query),
  }),
  /** `GET /ext/v1/withdrawals/{id}`. */
  operation({
    ...extension,
    method: "get",
    id: "getWithdrawal",
    path: "/ext/v1/withdrawals/{id}",
    summary: "Read a withdrawal",
    description:
      "One of the bank's own withdrawals as it is now; another bank's is unknown. `wait` holds the answer while the status is `status` (or what it was at first), at most 25 s.",
    scopes: ["withdrawals"],
    params,
    query: waitQuerySchema,
    replies: { 200: reply },
    errors: ["transaction_not_found", "too_many_requests"],
    handle: (call) =>
      withHeldReadSlot(call, (wait) => getTransaction(call.app.service, clientOf(call.session), call.params.id, wait)),
  }),
  /** `POST /ext/v1/withdrawals/{id}/sca`. */
  operation({
    ...change,
    id: "resolveSca",
    path: "/ext/v1/withdrawals/{id}/sca",
    summary: "Report the outcome of strong customer authentication",
    description:
      "What the user did in the bank's app. After the deadline: 409. The same outcome again: 201. An approval is taken again for one that is `canceled` with the reason `restored`, and pays once its terminal has reported the cash again.",
    scopes: ["withdrawals"],
    body: scaBodySchema,
    handle: ({ app, session, requestId, params, body }) =>
      resolveSca(app.service, clientOf(session, requestId), params.id, body.outcome),
  }),
  /** `POST /ext/v1/withdrawals/{id}/cancel`. */
  operation({
    ...change,
    id: "cancelWithdrawal",
    path: "/ext/v1/withdrawals/{id}/cancel",
    summary: "Cancel a withdrawal",
    description: "The user gives up before the cashier confirms. Takes no body.",
    scopes: ["withdrawals"],
    handle: ({ app, session, requestId, params }) =>
      cancelWithdrawal(app.service, clientOf(session, requestId), params.id),
  }),
  /** `POST /ext/v1/transactions/{id}/undelivered`. */
  operation({
    ...change,
    id: "declareUndelivered",
    path: "/ext/v1/transactions/{id}/undelivered",
    summary: "Declare that no cash was handed out",
    description:
      "The till was short, the customer left. From `settled` only, by the confirming terminal: the bank's payment is due back and shows in the reconciliation report. What an operator has decided meanwhile and `as_reported` as in `/transaction/link`.",
    scopes: ["transactions"],
    body: undeliveredBodySchema,
    replies: { 201: json("The transaction as it is now.", linkedTransactionSchema) },
    handle: ({ app, session, requestId, params, body }) =>
      declareUndelivered(
        app.service,
        terminalOf(session, requestId),
        params.id,
        body.reason,
        body.cashier,
        body.as_reported,
        body.journal_head,
      ),
  }),
  /** `GET /ext/v1/transactions/{id}/events`. */
  operation({
    id: "getTransactionEvents",
    method: "get",
    path: "/ext/v1/transactions/{id}/events",
    tag: "Extension",
    summary: "Read the history of a transaction",
    description:
      "Every transition with its time, who caused it, the request's id, the reason and the try of the call to the bank, oldest first; also a bank's answer that contradicts its first one (`contradicted`), and the end of such a dispute (`dispute_closed`). For a terminal of the same store, for the partner and for the store's chain.",
    scopes: ["transactions", "withdrawals", "reconciliation", "reports"],
    params: z.object({ id: transactionIdSchema }),
    replies: { 200: json("The history, oldest first.", transactionEventsSchema) },
    errors: ["transaction_not_found"],
    handle: ({ app, session, params }) => getHistory(app.service, readerOf(session), params.id),
  }),
];
