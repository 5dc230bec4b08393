/** The OpenAPI 3.1 document, made from the operations and the very schemas that validate. Loaded when it is first asked for. */
import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { z } from "zod";
import { type ErrorCode, errorTable, problemSchema } from "../contract/errors.ts";
import { example } from "../contract/example.ts";
import { oauthErrorSchema } from "../contract/pos.ts";
import { serviceVersion } from "../version.ts";
import { type Exchanges, examplesOf } from "./examples/exchange.ts";
import { allExchanges } from "./examples/index.ts";
import { type Refusing, refusalExamples } from "./examples/refusals.ts";
import { webhookHeaders } from "./examples/webhooks.ts";
import { type Timing, tellWithdrawal, type WithdrawalStory } from "./examples/withdrawal.ts";
import { securitySchemesAt } from "./openapi-security.ts";
import { apiDescription, tags, usersErrorSchema } from "./openapi-texts.ts";
import { webhooksWith } from "./openapi-webhooks.ts";
import type { Operation } from "./operation.ts";
import { publicUrlPlace, sectionLine } from "./section-line.ts";

type Responses = RouteConfig["responses"];

/** What the document depends on beside the operations. */
export interface DocumentSettings extends Timing {
  /** Where the service is reached, without a slash at its end. */
  readonly publicUrl: string;
}

/** What can go wrong whatever the operation, from what it takes. */
const errorCodesOf = (operation: Operation): ErrorCode[] => {
  return [
    ...(operation.scopes === null ? [] : (["unauthenticated", "insufficient_scope"] as const)),
    ...(operation.method === "get" ? [] : (["cross_site_request"] as const)),
    "validation_failed",
    ...(operation.body === undefined ? [] : (["payload_too_large", "unsupported_media_type"] as const)),
    ...operation.errors,
    "internal_error",
    "unavailable",
  ];
};

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

/** Where the codes of the error table are not what the answer carries. */
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

/** One scope of those named is enough; a call without any needs no token. */
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
  const exchanges = allExchanges(story, timing, publicUrl);
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

/** Puts what an installation sets where it stands in the texts. @param json of the document. */
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
