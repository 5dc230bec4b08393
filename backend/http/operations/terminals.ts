import { listJournalHeads, reportJournalHead } from "../../access/journal-heads.ts";
import { enrol, redeemManagerReset } from "../../access/one-time-codes.ts";
import { listChainTerminals } from "../../access/terminals.ts";
import {
  enrolmentBodySchema,
  enrolmentReplySchema,
  journalHeadBodySchema,
  journalHeadSchema,
  journalHeadsQuerySchema,
  journalHeadsSchema,
  managerResetBodySchema,
  managerResetReplySchema,
  terminalsQuerySchema,
  terminalsSchema,
  tillQuerySchema,
  tillSchema,
} from "../../contract/terminal.ts";
import { readTill } from "../../merchants/merchants.ts";
import { listConfirmed } from "../../withdrawals/confirm.ts";
import { callerAddress } from "../app-context.ts";
import { json, type Operation, operation } from "../operation.ts";
import { chainOf, terminalOf } from "../serve-operation.ts";

const extension = { tag: "Extension" } as const;

/** A terminal's set-up, its journal and its shop; and the list of terminals. */
export const terminalOperations: readonly Operation[] = [
  /** `POST /ext/v1/enrolments`: a one-time code turns into an access key. */
  operation({
    ...extension,
    method: "post",
    id: "enrol",
    scopes: null,
    path: "/ext/v1/enrolments",
    summary: "Turn a one-time code into an access key",
    description:
      "The operator makes the code (`credentials add terminal SHOP DEVICE --enrol`): 12 characters, the last one a check character, printed as text and as a QR code that holds `tillcash:enrol?url=…&code=…`. It is valid once and for 24 h (up to 30 days where the operator says so); a code that is wrong, used or too old is 404. Guessing is slowed down like sign-in.",
    body: enrolmentBodySchema,
    replies: { 201: json("The access key, answered this once.", enrolmentReplySchema) },
    errors: ["not_found", "too_many_requests"],
    handle: ({ app, body, context }) => enrol(app.access, body.code, callerAddress(app, context)),
  }),
  /** `POST /ext/v1/manager-resets`: the operator's code for a forgotten manager's PIN. */
  operation({
    ...extension,
    method: "post",
    id: "resetManager",
    scopes: null,
    path: "/ext/v1/manager-resets",
    summary: "Redeem a code for a forgotten manager's PIN",
    description:
      "The operator makes the code (`credentials reset-manager terminal SHOP DEVICE`). It is valid once, for 24 h and for that terminal, which then sets the PIN itself; a code that is wrong, used, too old or another terminal's is 404. Guessing is slowed down like sign-in.",
    body: managerResetBodySchema,
    replies: { 201: json("The terminal may set a manager's PIN now.", managerResetReplySchema) },
    errors: ["not_found", "too_many_requests"],
    async handle({ app, body, context }) {
      const terminal = { merchantId: body.merchant_id, deviceId: body.device_id };
      return await redeemManagerReset(app.access, terminal, body.code, callerAddress(app, context));
    },
  }),
  /** `POST /ext/v1/journal-heads`. */
  operation({
    ...extension,
    method: "post",
    id: "reportJournalHead",
    path: "/ext/v1/journal-heads",
    summary: "Report the newest link of the journal",
    description:
      "Kept as long as the books. A number that is not above the newest known one, unless it is that very link again, is 409 `journal_forked` and a line in the operator's audit. Before the first report of a run a terminal reads the newest known link; where its journal holds another one at that number, it reports that one. An enrolment begins anew.",
    scopes: ["transactions"],
    body: journalHeadBodySchema,
    replies: { 201: json("The link as it is kept.", journalHeadSchema) },
    errors: ["journal_forked"],
    handle: ({ app, session, body, context }) =>
      reportJournalHead(app.access, terminalOf(session), body, callerAddress(app, context)),
  }),
  /** `GET /ext/v1/journal-heads`. */
  operation({
    ...extension,
    method: "get",
    id: "listJournalHeads",
    path: "/ext/v1/journal-heads",
    summary: "Read the reported links of the journal",
    description: "The terminal's own, the newest first: each must be in its journal.",
    scopes: ["transactions"],
    query: journalHeadsQuerySchema,
    replies: { 200: json("The links.", journalHeadsSchema) },
    handle: ({ app, session, query }) => listJournalHeads(app.service, terminalOf(session), query.limit),
  }),
  /** `GET /ext/v1/terminals`. */
  operation({
    ...extension,
    method: "get",
    id: "listTerminals",
    path: "/ext/v1/terminals",
    summary: "List the terminals of a chain",
    description:
      "Those of the chain's stores that have an access key: when each last made a call, its version, its journal's state, and whether it is silent in its store's opening hours (`merchants set SHOP --opening …`; of a store whose hours are not known none is).",
    scopes: ["terminals"],
    query: terminalsQuerySchema,
    replies: { 200: json("A page of terminals.", terminalsSchema) },
    handle: ({ app, session, query }) => listChainTerminals(app.service, chainOf(session), query),
  }),
  /** `GET /ext/v1/till`. */
  operation({
    ...extension,
    method: "get",
    id: "readTill",
    path: "/ext/v1/till",
    summary: "Read what a terminal needs to know about its shop",
    description:
      "The shop's name, limits and currency, how long a customer has to approve, whom a cashier asks; and since when the service may have forgotten what it was told, after a restore of its database.",
    scopes: ["transactions"],
    query: tillQuerySchema,
    replies: { 200: json("The shop of this terminal.", tillSchema) },
    errors: ["store_unknown"],
    async handle({ app, session, query }) {
      const [terminal, since] = [terminalOf(session), query.since];
      // In parallel: both go to the database together.
      const [till, confirmed] = await Promise.all([
        readTill(app.service, terminal, app.access.shops),
        since === undefined ? null : listConfirmed(app.service, terminal, since),
      ]);
      return confirmed === null ? till : { ...till, confirmed };
    },
  }),
];
