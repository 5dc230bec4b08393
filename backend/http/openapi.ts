/** The OpenAPI 3.1 document, made from the operations and the very schemas that validate. Loaded when it is first asked for. */
import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { z } from "zod";
import { type ErrorCode, errorTable, problemSchema } from "../contract/errors.ts";
import { oauthErrorSchema } from "../contract/pos.ts";
import { serviceVersion } from "../version.ts";
import { securitySchemes } from "./openapi-security.ts";
import { apiDescription, tags, usersErrorSchema } from "./openapi-texts.ts";
import { webhooks } from "./openapi-webhooks.ts";
import type { Operation } from "./operation.ts";

type Responses = RouteConfig["responses"];

/** What can go wrong whatever the operation, from what it takes. */
const errorCodesOf = (operation: Operation): ErrorCode[] => {
  return [
    ...(operation.scopes === null ? [] : (["unauthenticated", "insufficient_scope"] as const)),
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
    example: "5f3c9a0e7d1b4c2f8a6e0d9b7c5a3f11",
  },
};
const retryHeaders = {
  ...requestIdHeaders,
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" as const }, example: 5 },
};

const errorResponses = (operation: Operation): Responses => {
  const byStatus = Map.groupBy(new Set(errorCodesOf(operation)), (code) => errorTable[code].status as number);
  if (operation.id === "createUser") byStatus.set(422, []);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const { type, schema } = errorSchemaOf(operation, status);
      const words = codes.map((code) => `${errorTable[code].title} (\`${code}\`).`);
      return [
        status,
        {
          description: operation.errorShape === "problem" ? words.join(" ") : (titles[status] ?? words.join(" ")),
          headers: status === 429 || status === 503 ? retryHeaders : requestIdHeaders,
          content: { [type]: { schema } },
        },
      ];
    }),
  );
};

/** Where the codes of the error table are not what the answer carries. */
const titles: Readonly<Record<number, string>> = {
  400: "The request is not valid.",
  401: "The credential or the token is not valid.",
  403: "The token does not allow this call.",
  422: "A user with this id exists (`ENTITY_EXISTS`).",
};

const successResponses = (operation: Operation): Responses =>
  Object.fromEntries(
    Object.entries(operation.replies).map(([status, { description, content }]) => [
      status,
      { description, headers: requestIdHeaders, content: { ...content } },
    ]),
  );

const describe = ({ description, conventions, section }: Operation): string =>
  [
    section === null
      ? `**Extension** of this service. ${description}`
      : `${description}\n\n*Interface specification, section ${section}.*`,
    ...(conventions.length === 0
      ? []
      : ["**Conventions** (settled by this service where the specification is silent):"]),
    conventions.map((text) => `- ${text}`).join("\n"),
  ]
    .filter((text) => text !== "")
    .join("\n\n");

const requestOf = (operation: Operation): NonNullable<RouteConfig["request"]> => {
  const { body, query, params, headers } = operation;
  const type = operation.takesForms === "only" ? "application/x-www-form-urlencoded" : "application/json";
  const content = body && { [type]: { schema: body } };
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

const toRoute = (operation: Operation): RouteConfig => ({
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
  request: requestOf(operation),
  responses: { ...successResponses(operation), ...errorResponses(operation) },
});

const build = (operations: readonly Operation[]) => {
  const { openAPIRegistry: registry, getOpenAPI31Document } = new OpenAPIHono();
  for (const [name, scheme] of Object.entries(securitySchemes))
    registry.registerComponent("securitySchemes", name, scheme);
  for (const operation of operations) registry.registerPath(toRoute(operation));
  for (const webhook of webhooks) registry.registerWebhook(webhook);
  return getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Tillcash service",
      version: serviceVersion,
      description: apiDescription,
      contact: { name: "The Tillcash authors" },
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    tags: [...tags],
  });
};

let document: ReturnType<typeof build> | undefined;

/** Stands in the texts for the seconds that a customer has for the approval. */
const scaSecondsPlace = /\{sca_seconds\}/g;

/**
 * The document as JSON.
 * @param publicUrl where the service is reached.
 * @param scaSeconds what a customer has for the approval: 40, unless the service was configured otherwise.
 */
export const openApiText = (operations: readonly Operation[], publicUrl: string, scaSeconds: number): string => {
  document ??= build(operations);
  return JSON.stringify({ ...document, servers: [{ url: publicUrl }] }).replace(scaSecondsPlace, String(scaSeconds));
};
