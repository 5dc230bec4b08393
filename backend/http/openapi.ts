/** The OpenAPI 3.1 document, built from the operations and their validating schemas. Loaded on the first request for it. */
import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import { z } from "zod";
import { type ErrorCode, errorTable, problemSchema } from "../contract/errors.ts";
import { example, field } from "../contract/field.ts";
import {
  holdMarginMs,
  partnerCallTimeoutMs,
  settleOrderPath,
  settleOrderSchema,
  startOrderPath,
  startOrderSchema,
  startOrderWindowMs,
} from "../contract/partner.ts";
import { oauthErrorSchema } from "../contract/pos.ts";
import type { Scope } from "../contract/scopes.ts";
import { dayMs, hourMs, minuteMs, secondMs } from "../contract/times.ts";
import { partnerReferenceSchema, statuses } from "../contract/transaction.ts";
import { type EventStatus, eventLifetimeMs, eventStatuses, statusEventSchema } from "../contract/webhook-events.ts";
import { retryAfterMaxMs } from "../partner/answer.ts";
import { retrySchedules } from "../partner/queue.ts";
import { serviceVersion } from "../version.ts";
import {
  type Exchanges,
  examplesOf,
  exchangesOf,
  type Refusing,
  refusalExamples,
  type Timing,
  tellWithdrawal,
  type WithdrawalStory,
  webhookHeaders,
} from "./examples.ts";
import { sectionAnchor } from "./interface-text.ts";
import type { Operation } from "./operation.ts";

/** Placeholder in the document's texts for the service's address. */
const publicUrlPlace = "{public_url}";

/** A citation of the interface specification, with a link to its section in this service's `/docs`. */
const sectionLine = (section: string): string =>
  `*Interface specification, [section ${section}](${publicUrlPlace}/docs#${sectionAnchor(section)}).*`;

/** A duration as API reference and guides write it: `0.5 s`, `60 s`, `10 minutes`, `24 h`, `3 days`. */
export const spellDuration = (ms: number): string => {
  if (ms >= 2 * dayMs && ms % dayMs === 0) return `${ms / dayMs} days`;
  if (ms >= 2 * hourMs && ms % hourMs === 0) return `${ms / hourMs} h`;
  if (ms >= 2 * minuteMs && ms % minuteMs === 0) return `${ms / minuteMs} minutes`;
  return `${ms / secondMs} s`;
};

const scopeTexts: Readonly<Record<Scope, string>> = {
  transactions: "A terminal: look up, confirm, reject, link, declare undelivered.",
  checkin: "A bank: check its customers in to the phone page.",
  users: "A bank: create users.",
  withdrawals: "A bank: request, read and cancel withdrawals, report approvals, list stores.",
  reconciliation: "A bank: read the reconciliation report.",
  reports: "A chain: read its stores' withdrawals, their histories and the reconciliation report.",
  terminals: "A chain: list its stores' terminals.",
};

/** @param publicUrl the service's address, possibly with a path. */
const securitySchemesAt = (publicUrl: string) => ({
  oauth2: {
    type: "oauth2" as const,
    description:
      "Client credentials. A bearer token of 24 hours, from `POST /oauth2/token` (RFC 6749) or `POST /oauth2/authorize` (the interface's own form).",
    flows: { clientCredentials: { tokenUrl: `${publicUrl}/oauth2/token`, scopes: { ...scopeTexts } } },
  },
  basic: {
    type: "http" as const,
    scheme: "basic",
    description: "`merchant_id/device_id` as the user, the credential's password as the password.",
  },
  signature: {
    type: "apiKey" as const,
    in: "header" as const,
    name: "webhook-signature",
    description:
      "Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body` under the bytes of the key behind `whsec_`. During a rotation there are two, separated by a space. Refuse what is older than five minutes.",
  },
});

/** The chapters of the API reference. */
export const tags = [
  { name: "Client", description: "What a partner's server calls with a client-level token." },
  {
    name: "Extension",
    description: "**Not in the interface specification**: calls of this service under `/ext/v1`, marked `x-extension`.",
  },
  { name: "Operations", description: "**Not in the interface specification**: health, metrics and this document." },
  { name: "Partner", description: "Calls that the service makes to a partner's server." },
  { name: "Point of sale", description: "What a till calls with a terminal's token." },
] as const;

const meanings: Readonly<Record<(typeof statuses)[number], string>> = {
  requested: "the user asked; Start order is out",
  ready: "funds secured, the barcode can be scanned",
  awaiting_sca: "confirmed, the user has {sca_seconds} s",
  settling: "SCA done or not needed; Settle order is out until a definite answer",
  settled: "the money is secured for the shop: the cash may be handed out",
  linked: "the cash was handed out (final)",
  undelivered: "paid, but no cash was handed out: due back (final)",
  declined: "closed without cash: the bank declined or could not be reached (final)",
  rejected: "closed without cash: the cashier rejected (final)",
  canceled: "closed without cash: SCA denied or too late, or the user gave up (final)",
  expired: "closed without cash: nobody confirmed in time (final)",
  failed: "closed without cash: the bank declined Settle order (final)",
};

const apiDescription = `Cash withdrawals at a shop's till.

Operations of the interface specification name their section. Where the specification is silent this service follows
conventions of its own, listed with each operation under **Conventions** (\`x-conventions\`). Operations that the specification
does not have are **extensions** (\`x-extension: true\`).

**Conventions for all calls.** Bodies are JSON of at most 64 KiB; unknown fields are ignored, a name that is there twice is refused. Amounts are
decimal strings with exactly the currency's minor digits (\`"50.00"\`, \`"5000"\` for JPY), times RFC 3339 UTC with milliseconds. A \`transaction_id\` has 16 characters of
Crockford base 32: 15 random ones and a check character, chosen so that the sum over GF(32) (x⁵ + x² + 1) of character i of the first 15 (i from 0) times α^(15−i), plus the check character, is zero; it
catches every single wrong character and every swap. Every answer carries \`X-Request-Id\`: yours, if it is of at most 255 visible characters, or a random one.

**Errors** are \`application/problem+json\` (RFC 9457) with a \`code\`, except where an operation says otherwise:

| code | status | meaning |
|---|---|---|
${Object.entries(errorTable)
  .map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`)
  .join("\n")}

Ask again with the same ids after \`too_many_requests\`, \`internal_error\` and \`unavailable\`, and after no answer at all; wait for \`Retry-After\` where it
is sent. \`transaction_conflict\` carries the \`transaction\` as it is; \`amount_out_of_range\`, \`amount_step\`, \`currency_mismatch\` and \`limit_reached\` carry \`limits\`.

**Statuses of a transaction**

| status | meaning |
|---|---|
${statuses.map((status) => `| \`${status}\` | ${meanings[status]} |`).join("\n")}
`;

/** Documented only: `http/problem.ts` builds it, the service never parses it. */
const usersErrorSchema = z
  .object({
    errors: z
      .array(
        z.object({
          message: field(z.string(), "What is wrong, for people.", "id: must have at most 36 characters"),
          code: field(
            z.string(),
            "`BAD_REQUEST`, `UNAUTHORIZED_ACCESS`, `ENTITY_EXISTS`, `TOO_MANY_REQUESTS` or `UNEXPECTED_ERROR`.",
            "BAD_REQUEST",
          ),
          type: field(z.enum(["BUSINESS", "TECHNICAL"]), "Whose fault it is.", "BUSINESS"),
        }),
      )
      .meta({ description: "At least one." }),
    date: field(z.string(), "When.", example.createdAt),
    requestId: field(z.string(), "The answer's `X-Request-Id`.", example.requestId),
    endpoint: field(z.string(), "Which call.", "POST /api/v2/users"),
    authContext: field(z.string(), "Who called; empty before the token is known.", `${example.partner}/server-1`),
  })
  .meta({ id: "UsersError", description: "A refusal in the published shape of the user-creation service." });

const headersOf = ({ id, timestamp }: { readonly id: string; readonly timestamp: string }) =>
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
  `Everything else (an empty body, 5xx, no answer in ${spellDuration(partnerCallTimeoutMs)}, 401, 403, 404, 409, 429, a redirect, not JSON, another \`status\` as \`pending\`, another \`svcTransactionReferenceId\` than the order's, a yes beside another \`amount\` or \`currency\`) is no answer: the call is repeated under the same \`webhook-id\`. \`Retry-After\` of a 429 or 503 is honoured, ${spellDuration(retryAfterMaxMs)} at most.`,
  "A bank that cannot say a word is declared `--answers by-status-code` by the operator: then 204, and 200 and 201 with a JSON object in which nothing speaks of a failure are positive and 400, 402, 410, 422 negative, as long as no earlier try of the same order went unanswered; after one that did, only a word is definite.",
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

/** Addresses of the calls to a bank, and their sections in the interface; null for our extension. */
export const bankCalls = [
  { id: "startOrder", path: `{partner_url}${startOrderPath}`, section: "4.2" },
  { id: "settleOrder", path: `{partner_url}${settleOrderPath}`, section: "4.4" },
  { id: "statusEvent", path: "{events_url}", section: null },
] as const;

/** The calls that the service makes to a bank, as OpenAPI documents webhooks. @param headers of each example. */
const webhooksWith = (exchanges: Exchanges, headers: ReturnType<typeof webhookHeaders>): readonly RouteConfig[] => {
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

type Responses = RouteConfig["responses"];

/** The document's inputs besides the operations. */
interface DocumentSettings extends Timing {
  /** Where the service is reached, without a slash at its end. */
  readonly publicUrl: string;
}

/** Error codes of an operation: its own, and those that follow from its inputs. */
const errorCodesOf = (operation: Operation): ErrorCode[] => [
  ...(operation.scopes === null ? [] : (["unauthenticated", "insufficient_scope"] as const)),
  ...(operation.method === "get" ? [] : (["cross_site_request"] as const)),
  "validation_failed",
  ...(operation.body === undefined ? [] : (["payload_too_large", "unsupported_media_type"] as const)),
  ...operation.errors,
  "internal_error",
  "unavailable",
];

const errorSchemaOf = ({ errorShape }: Operation, status: number): { type: string; schema: z.ZodType } => {
  if (errorShape === "problem") return { type: "application/problem+json", schema: problemSchema };
  if (errorShape === "oauth" || status === 401) return { type: "application/json", schema: oauthErrorSchema };
  return { type: "application/json", schema: usersErrorSchema };
};

const requestIdHeaders = {
  "X-Request-Id": {
    description: "The request's id, yours or a random one.",
    schema: { type: "string" as const },
    example: example.requestId,
  },
};
const retryHeaders = {
  ...requestIdHeaders,
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" as const }, example: 5 },
};

const firstFieldOf = ({ body, query, params, headers }: Operation): string | null => {
  const shapes = [body, headers, query, params].map((schema) => (schema as z.ZodObject | undefined)?.shape);
  return shapes.flatMap((shape) => Object.keys(shape ?? {}))[0] ?? null;
};

const errorResponses = async (operation: Operation, story: WithdrawalStory): Promise<Responses> => {
  const byStatus = Map.groupBy(new Set(errorCodesOf(operation)), (code) => errorTable[code].status as number);
  if (operation.id === "createUser") byStatus.set(422, []);
  const scope = operation.scopes?.join(" or ") ?? "";
  const refusing: Refusing = { ...operation, firstField: firstFieldOf(operation), scope };
  const responses = [...byStatus].map(async ([status, codes]) => {
    const { type, schema } = errorSchemaOf(operation, status);
    const words = codes.map((code) => `${errorTable[code].title} (\`${code}\`).`);
    const response = {
      description:
        operation.errorShape === "problem" ? words.join(" ") : (titleOf(operation, status) ?? words.join(" ")),
      headers: status === 429 || status === 503 ? retryHeaders : requestIdHeaders,
      content: { [type]: { schema, examples: await refusalExamples(codes, refusing, story) } },
    };
    return [status, response] as const;
  });
  return Object.fromEntries(await Promise.all(responses));
};

/** Descriptions of answers whose bodies do not carry codes of the error table. */
const titles: Readonly<Record<number, string>> = {
  400: "The request is not valid.",
  401: "The credential or the token is not valid.",
  422: "A user with this id exists (`ENTITY_EXISTS`).",
};
const crossSiteTitle = "A page of another site made a browser send it.";

const titleOf = ({ scopes }: Operation, status: number): string | undefined => {
  if (status !== 403) return titles[status];
  return scopes === null
    ? crossSiteTitle
    : "The token does not allow this call, or a page of another site made a browser send it.";
};

const successResponses = (operation: Operation, exchanges: Exchanges): Responses => {
  const examples = examplesOf(exchanges[operation.id], "answered");
  const shown = (content: object) =>
    Object.fromEntries(
      Object.entries(content).map(([type, media]) => [type, { ...media, ...(examples && { examples }) }]),
    );
  return Object.fromEntries(
    Object.entries(operation.replies).map(([status, { description, content }]) => [
      status,
      { description, headers: requestIdHeaders, content: shown(content) },
    ]),
  );
};

const describe = ({ description, conventions, section }: Operation): string =>
  [
    section === null ? `**Extension** of this service. ${description}` : `${description}\n\n${sectionLine(section)}`,
    ...(conventions.length === 0
      ? []
      : ["**Conventions** (settled by this service where the specification is silent):"]),
    conventions.map((text) => `- ${text}`).join("\n"),
  ]
    .filter((text) => text !== "")
    .join("\n\n");

const requestOf = (operation: Operation, exchanges: Exchanges): NonNullable<RouteConfig["request"]> => {
  const { body, query, params, headers } = operation;
  const type = operation.takesForms === "only" ? "application/x-www-form-urlencoded" : "application/json";
  const examples = examplesOf(exchanges[operation.id], "sent");
  const content = body && { [type]: { schema: body, ...(examples && { examples }) } };
  return {
    ...(content && { body: { required: true, content } }),
    ...(query && { query: query as z.ZodObject }),
    ...(params && { params: params as z.ZodObject }),
    ...(headers && { headers: headers as z.ZodObject }),
  };
};

/** Each scope alone is enough; a call without scopes needs no token. */
const securityOf = ({ scopes, takesBasic }: Operation): Record<string, string[]>[] => {
  if (takesBasic) return [{ basic: [] }, {}];
  return scopes === null ? [] : scopes.map((scope) => ({ oauth2: [scope] }));
};

const toRoute = async (operation: Operation, story: WithdrawalStory, exchanges: Exchanges): Promise<RouteConfig> => ({
  method: operation.method,
  path: operation.path,
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  description: describe(operation),
  security: securityOf(operation),
  "x-extension": operation.section === null,
  ...(operation.conventions.length > 0 && { "x-conventions": operation.conventions }),
  ...(operation.scopes !== null && { "x-scopes": operation.scopes }),
  request: requestOf(operation, exchanges),
  responses: { ...successResponses(operation, exchanges), ...(await errorResponses(operation, story)) },
});

const build = async (operations: readonly Operation[], { publicUrl, ...timing }: DocumentSettings) => {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono();
  const story = tellWithdrawal(timing);
  const exchanges = exchangesOf(operations, story, timing, publicUrl);
  for (const [name, scheme] of Object.entries(securitySchemesAt(publicUrl)))
    registry.registerComponent("securitySchemes", name, scheme);
  for (const operation of operations) registry.registerPath(await toRoute(operation, story, exchanges));
  for (const webhook of webhooksWith(exchanges, webhookHeaders(story))) registry.registerWebhook(webhook);
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Tillcash service",
      version: serviceVersion,
      description: apiDescription,
      contact: { name: "The Tillcash authors" },
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    servers: [{ url: publicUrl }],
    tags: [...tags],
  });
};

const fillPlaceholders = (json: string, { publicUrl, scaSeconds }: DocumentSettings): string =>
  json
    .replaceAll("{sca_seconds}", String(scaSeconds))
    .replaceAll(publicUrlPlace, () => JSON.stringify(publicUrl).slice(1, -1));

let last: { readonly key: string; readonly text: Promise<string> } | undefined;

/** The document as JSON; the last one is kept. @param settings of the service. */
export const openApiText = (operations: readonly Operation[], settings: DocumentSettings): Promise<string> => {
  const key = JSON.stringify(settings);
  if (last?.key !== key) {
    const text = build(operations, settings).then((document) => fillPlaceholders(JSON.stringify(document), settings));
    last = { key, text };
  }
  return last.text;
};
