import { confirmBodySchema, getTransactionQuerySchema, linkBodySchema, rejectBodySchema } from "../../contract/pos.ts";
import { linkedTransactionSchema, transactionSchema } from "../../contract/transaction.ts";
import { confirmTransaction } from "../../withdrawals/confirm.ts";
import { getTransaction } from "../../withdrawals/get.ts";
import { linkTransaction } from "../../withdrawals/link.ts";
import { rejectTransaction } from "../../withdrawals/reject.ts";
import { json, type Operation, operation } from "../operation.ts";
import { terminalOf, withHeldReadSlot } from "../serve-operation.ts";

const reply = json("The transaction as it is now.", transactionSchema);
const ofOneTerminal = { tag: "Point of sale", scopes: ["transactions"] } as const;
const othersAreUnknown =
  "A terminal sees the transactions of its own merchant; once confirmed, only the confirming device may reject or link. Anything else answers 404, never 403, so that ids cannot be probed.";

/** The point-of-sale calls on one transaction. */
export const transactionOperations: readonly Operation[] = [
  /** `GET /transaction` (interface 4.8). */
  operation({
    ...ofOneTerminal,
    id: "getTransaction",
    method: "get",
    path: "/transaction",
    section: "4.8",
    summary: "Get a transaction",
    description: "Returns the transaction behind a barcode, so that the cashier can decide to confirm or reject.",
    conventions: [
      "Replies 200 with a Transaction. Deadlines are respected on read: {sca_seconds} s after the confirmation an unapproved transaction reads `canceled`.",
      "Extension: `wait` holds the answer while the status is `status` (or what it was at first), at most 25 s. A client must work without it.",
      othersAreUnknown,
    ],
    query: getTransactionQuerySchema,
    replies: { 200: reply },
    errors: ["transaction_not_found", "too_many_requests"],
    handle: (call) =>
      withHeldReadSlot(call, (wait) => getTransaction(call.app.service, terminalOf(call.session), call.query.id, wait)),
  }),
  /** `POST /transaction/confirm` (interface 4.5). */
  operation({
    ...ofOneTerminal,
    id: "confirmTransaction",
    method: "post",
    path: "/transaction/confirm",
    section: "4.5",
    summary: "Confirm a transaction",
    description:
      "The cashier's act of confirmation. Starts the {sca_seconds} seconds in which the user has to complete strong customer authentication, where it is needed.",
    conventions: [
      "Replies with the Transaction. The same device with the same `transaction_id_partner` again: 201 with the transaction as it is now, nothing done twice. Otherwise 409, also when this device used the `transaction_id_partner` for another transaction, has confirmed its most for an hour (`limit_reached`), or while the user is blocked.",
      othersAreUnknown,
    ],
    body: confirmBodySchema,
    replies: { 201: reply },
    errors: ["transaction_not_found", "transaction_conflict", "limit_reached"],
    handle: ({ app, session, requestId, body }) =>
      confirmTransaction(app.service, terminalOf(session, requestId), body),
  }),
  /** `POST /transaction/reject` (interface 4.6). */
  operation({
    ...ofOneTerminal,
    id: "rejectTransaction",
    method: "post",
    path: "/transaction/reject",
    section: "4.6",
    summary: "Reject a transaction",
    description: "Used when the cashier declines or the user does not complete strong customer authentication in time.",
    conventions: [
      "Replies 201 with the Transaction; also when it is closed without cash already. In `requested`, `settling`, `settled`, `linked` and `undelivered`: 409, money may have moved.",
      othersAreUnknown,
    ],
    body: rejectBodySchema,
    replies: { 201: reply },
    errors: ["transaction_not_found", "transaction_conflict"],
    handle: ({ app, session, requestId, body }) =>
      rejectTransaction(app.service, terminalOf(session, requestId), body.transaction_id, body.reason),
  }),
  /** `POST /transaction/link` (interface 4.7). */
  operation({
    ...ofOneTerminal,
    id: "linkTransaction",
    method: "post",
    path: "/transaction/link",
    section: "4.7",
    summary: "Link a transaction",
    description: "Called once the cashier clicked OK, which opens the till: the cash was handed out.",
    conventions: [
      "Replies 201 with the Transaction; again: 201. Before `settled`, or after another end: 409.",
      "Extension: `hand_out_id` names the hand-out, and the answer names the one that the service has. Two terminals on copies of one folder have the same device and the same `transaction_id_partner`; only this tells that both gave the cash. The line of the report is then `disputed` (`handed_out_twice`, or `handed_out_after_undelivered` with the 409) until an operator closes it.",
      "Extension: where an operator has decided meanwhile what became of the cash (`decided_by_operator`) any report is answered 201 with the transaction as it is; one that says otherwise makes the line `disputed` (`handed_out_after_decision`, `not_handed_out_after_decision`).",
      "Extension: after a restore of the service (`forgot_since` in `GET /ext/v1/till`) a terminal repeats with `as_reported` what it reported since. One that the restore has `canceled` then becomes `linked`; what the service does not know, or has as another terminal's, is a line of the report, answered with the transaction as the terminal knows it. One that is still `settling`: 503, to be repeated. A link without it of what the restore has `canceled` stays 409, and is a line of the report.",
      othersAreUnknown,
    ],
    body: linkBodySchema,
    replies: { 201: json("The transaction as it is now.", linkedTransactionSchema) },
    errors: ["transaction_not_found", "transaction_conflict"],
    handle: ({ app, session, requestId, body }) =>
      linkTransaction(
        app.service,
        terminalOf(session, requestId),
        body.transaction_id,
        body.cashier,
        body.as_reported,
        body.hand_out_id,
        body.journal_head,
      ),
  }),
];
