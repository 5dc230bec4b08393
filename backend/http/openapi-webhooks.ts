/** The calls the service makes to a partner's server, as webhooks of the document (interface 4.2, 4.4). */
import type { RouteConfig } from "@hono/zod-openapi";
import { z } from "zod";
import { field } from "../contract/field.ts";
import {
  holdMarginMs,
  partnerCallTimeoutMs,
  settleOrderPath,
  settleOrderSchema,
  startOrderPath,
  startOrderSchema,
  startOrderWindowMs,
} from "../contract/partner.ts";
import { retryAfterMaxMs } from "../contract/partner-answer.ts";
import { type EventStatus, eventLifetimeMs, eventStatuses, statusEventSchema } from "../contract/status-events.ts";
import { partnerReferenceSchema } from "../contract/transaction.ts";
import { retrySchedules } from "../partner/retry.ts";
import { type Exchanges, examplesOf } from "./examples/exchange.ts";
import type { SentHeaders } from "./examples/webhooks.ts";
import { sectionLine } from "./section-line.ts";
import { spellDuration } from "./spell-duration.ts";

const headersOf = ({ id, timestamp }: SentHeaders) =>
  z.object({
    "webhook-id": z.string().meta({
      description: "Stable over repeats: answer what you have seen as you did the first time.",
      example: id,
    }),
    "webhook-timestamp": z.string().meta({ description: "Seconds since the epoch.", example: timestamp }),
    "partner-reference": partnerReferenceSchema.optional(),
  });

const answerSchema = z
  .object({
    status: field(
      z.string().optional(),
      "A word for yes (`accepted`, `settled`, `paid` …) or for no (`declined`, `rejected`, `denied`, `refused`).",
      "accepted",
    ),
    reason: field(z.string().optional(), "Why not, for the log.", "insufficient_funds"),
  })
  .meta({ id: "PartnerAnswer", description: "A definite answer." });

const conventions = [
  "Signed after Standard Webhooks with the partner's key.",
  'Positive: 200 or 201 with a JSON object whose `status` is a word for yes, as `{"status":"accepted"}`.',
  'Negative: a JSON object whose `status` is a word for no, as `{"status":"declined","reason":"limit"}`, with 200, 400, 402, 410 or 422.',
  `Everything else (an empty body, 5xx, no answer in ${spellDuration(partnerCallTimeoutMs)}, 401, 403, 404, 409, 429, a redirect, not JSON, another \`status\` as \`pending\`) is no answer: the call is repeated under the same \`webhook-id\`. \`Retry-After\` of a 429 or 503 is honoured, ${spellDuration(retryAfterMaxMs)} at most.`,
  "A bank that cannot say a word is declared `--answers by-status-code` by the operator: then 204, and 200 and 201 with a JSON object that has neither `error` nor `success: false`, are positive and 400, 402, 410, 422 negative, as long as no earlier try of the same order went unanswered; after one that did, only a word is definite.",
  "The first definite answer stands. One that contradicts it later changes nothing, is written to the history and makes the finding `disputed` until an operator has closed it.",
  "Carries `User-Agent: Tillcash/VERSION` and, where you gave one, your own reference as `Partner-Reference`.",
];

const declined = { status: "declined", reason: "insufficient_funds" };
const yes = { yes: { summary: "A word for yes", value: { status: "accepted" } } };
const no = { no: { summary: "A word for no", value: declined } };
const responses = {
  200: {
    description: "A definite answer; 201 is as good.",
    content: { "application/json": { schema: answerSchema, examples: { ...yes, ...no } } },
  },
  422: {
    description: "Declined, with a word for no; so are 400, 402 and 410.",
    content: { "application/json": { schema: answerSchema, examples: no } },
  },
  default: { description: "No answer: the call is repeated." },
};

const common = {
  method: "post" as const,
  tags: ["Partner"],
  security: [{ signature: [] }],
  "x-extension": false,
  "x-conventions": conventions,
};
const { firstMs, maxMs } = retrySchedules.settle;
const listed = conventions.map((text) => `- ${text}`).join("\n");

const eventConventions = [
  "Signed after Standard Webhooks with the partner's key, as the orders are.",
  `Written with the move itself and delivered at least once, in any order, for up to ${spellDuration(eventLifetimeMs)}; \`sequence\` counts the events of a transaction from 1 and is not the history's \`sequence\`.`,
  "No order: nothing waits for the answer, and a lost one can be made up for with `GET /ext/v1/withdrawals/{id}`.",
];

const eventMeanings: Readonly<Record<EventStatus, string>> = {
  ready: "the funds are secured, the barcode can be scanned",
  awaiting_sca: "**ask your customer now**: approve until `sca_expires_at`",
  settled: "you have paid: book it, if the Settle order was not enough",
  linked: "the cash was handed out",
  undelivered: "no cash was handed out: the payment is due back",
  rejected: "release the hold: the cashier said no",
  canceled: "release the hold: not approved in time, denied, or given up",
  expired: "release the hold: nobody confirmed in time",
  declined: "release the hold, if there is one: you declined or could not be reached",
  failed: "release the hold: you declined the Settle order",
};
const eventRows = eventStatuses.map((status) => `| \`withdrawal.${status}\` | ${eventMeanings[status]} |`).join("\n");

const schemas = {
  startOrder: startOrderSchema,
  settleOrder: settleOrderSchema,
  statusEvent: statusEventSchema,
} as const;

/** The calls that the service makes to a bank, as OpenAPI documents webhooks. @param headers of each example. */
export const webhooksWith = (
  exchanges: Exchanges,
  headers: Readonly<Record<keyof typeof schemas, SentHeaders>>,
): readonly RouteConfig[] => {
  const of = (id: keyof typeof schemas) => ({
    path: id,
    operationId: id,
    request: {
      headers: headersOf(headers[id]),
      body: {
        required: true,
        content: { "application/json": { schema: schemas[id], examples: examplesOf(exchanges[id], "sent") ?? {} } },
      },
    },
  });
  return [
    {
      ...common,
      ...of("startOrder"),
      summary: "Start order",
      description: `\`POST {partner_url}${startOrderPath}\`: a withdrawal was initiated. A positive answer means that the funds are secured.\n\n${sectionLine("4.2")}\n\n**Conventions**\n\n${listed}\n- Tried for ${spellDuration(startOrderWindowMs)}, then the withdrawal is \`declined\` with \`partner_unreachable\`: a late answer changes nothing, and your hold expires at \`expiryTimeOfTheOrder\`.\n- \`expiryTimeOfTheOrder\` is \`expires_at\` plus the {sca_seconds} s for the approval and ${spellDuration(holdMarginMs)}, so that the hold outlives the last approval that counts.`,
      responses,
    },
    {
      ...common,
      ...of("settleOrder"),
      summary: "Settle order",
      description: `\`POST {partner_url}${settleOrderPath}\`: the transaction is final and is to be paid. A positive answer means that it was created.\n\n${sectionLine("4.4")}\n\n**Conventions**\n\n${listed}\n- Repeated, with pauses from ${spellDuration(firstMs)} to ${spellDuration(maxMs)}, until a definite answer, across restarts and from any process of the service. Never after \`canceled\` or \`rejected\`.`,
      responses,
    },
    {
      ...common,
      ...of("statusEvent"),
      "x-extension": true,
      "x-conventions": eventConventions,
      summary: "Status event",
      description: `\`POST {events_url}\`: one move of one of the bank's withdrawals.\n\n**Extension** of this service, for a bank with an address for events (\`partners set --events-url\`).\n\n**Conventions**\n\n${eventConventions.map((text) => `- ${text}`).join("\n")}\n\n| event | what to do |\n|---|---|\n${eventRows}`,
      responses: {
        200: { description: "Taken; so is every other 2xx. The body is not read." },
        401: { description: "The signature is wrong: sent again, as after every other answer." },
      },
    },
  ];
};
