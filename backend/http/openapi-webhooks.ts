/** The calls the service makes to a partner's server, as webhooks of the document (interface 4.2, 4.4). */
import type { RouteConfig } from "@hono/zod-openapi";
import { z } from "zod";
import { settleOrderPath, settleOrderSchema, startOrderPath, startOrderSchema } from "../contract/partner.ts";

const headers = z.object({
  "webhook-id": z.string().meta({ description: "Stable over repeats: drop what you have seen." }),
  "webhook-timestamp": z.string().meta({ description: "Seconds since the epoch." }),
  "webhook-signature": z.string().meta({ description: "`v1,` and base64 of HMAC-SHA256 over id.timestamp.body." }),
});

const answerSchema = z
  .object({ status: z.string().optional(), reason: z.string().optional() })
  .meta({ id: "PartnerAnswer" });

const conventions = [
  "Signed after Standard Webhooks with the partner's secret.",
  'Positive: 200 or 201 with `{"status":"accepted"}` or another word for yes.',
  'Negative: 200, 400, 402, 410 or 422 with `{"status":"declined","reason"}`.',
  "Everything else (5xx, no answer in 5 s, 401, 403, 404, 409, 429, an empty body, not JSON, `error` or `success: false`, or a `status` that is neither a yes nor a no, as `pending` or `failed`) is no answer: it is repeated under the same `webhook-id`. `Retry-After` of a 429 or 503 is honoured, for 60 s at most.",
  "A bank that the operator declared `by-status-code` may leave the word out: 204, and 200 or 201 with a JSON object, are positive, 400, 402, 410 and 422 negative, unless an earlier try of the same order went unanswered.",
];

const responses = {
  200: { description: "A definite answer.", content: { "application/json": { schema: answerSchema } } },
  400: { description: "Declined, with a word that says so; 402, 410 and 422 as well." },
  default: { description: "No answer: the call is repeated." },
};

const common = { method: "post" as const, tags: ["Partner"], "x-extension": false, "x-conventions": conventions };
const listed = conventions.map((text) => `- ${text}`).join("\n");

export const webhooks: readonly RouteConfig[] = [
  {
    ...common,
    path: "startOrder",
    operationId: "startOrder",
    summary: "Start order",
    description: `\`POST {partner_url}${startOrderPath}\`: a withdrawal was initiated. A positive answer means that the funds are secured.\n\n*Interface specification, section 4.2.*\n\n**Conventions**\n\n${listed}\n- Tried for 15 s, then the withdrawal is \`declined\` with \`partner_unreachable\`.`,
    request: { headers, body: { required: true, content: { "application/json": { schema: startOrderSchema } } } },
    responses,
  },
  {
    ...common,
    path: "settleOrder",
    operationId: "settleOrder",
    summary: "Settle order",
    description: `\`POST {partner_url}${settleOrderPath}\`: the transaction is final and is to be paid. A positive answer means that it was created.\n\n*Interface specification, section 4.4.*\n\n**Conventions**\n\n${listed}\n- Repeated, with pauses from 0.5 s to 60 s, until a definite answer, across restarts.`,
    request: { headers, body: { required: true, content: { "application/json": { schema: settleOrderSchema } } } },
    responses,
  },
];
