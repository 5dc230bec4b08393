import { z } from "zod";
import { field } from "../../contract/field.ts";
import { ServiceError } from "../../service-error.ts";
import { schemaVersion } from "../../store/settings.ts";
import { serviceVersion } from "../../version.ts";
import type { App } from "../app-context.ts";
import { isOwnHost } from "../metrics.ts";
import { json, type Operation, operation } from "../operation.ts";
import { baseHeaders, headerOf } from "../request.ts";

const open = { method: "get", tag: "Operations", scopes: null } as const;

const healthSchema = z
  .object({
    status: field(z.literal("ok"), "Always `ok`.", "ok"),
    version: field(z.string(), "The program's version.", serviceVersion),
  })
  .meta({ id: "Health", description: "The process is alive." });
const readinessSchema = z
  .object({ status: field(z.literal("ready"), "Always `ready`.", "ready") })
  .meta({ id: "Readiness", description: "The process can do its work." });

const documentText = async (all: () => readonly Operation[], app: App): Promise<string> => {
  const { openApiText } = await import("../openapi.ts");
  const { scaTimeoutMs, orderTtlMs } = app.service.options;
  const timing = { scaSeconds: scaTimeoutMs / 1000, orderTtlSeconds: orderTtlMs / 1000 };
  return openApiText(all(), { publicUrl: app.publicUrl(), ...timing });
};

const html = { description: "A page.", content: { "text/html": { schema: z.string() } } } as const;

/** Health, metrics and the API reference. @param all every operation, these included. */
export const healthAndDocsOperations = (all: () => readonly Operation[]): readonly Operation[] => [
  /** `GET /healthz`: the process runs. */
  operation({
    ...open,
    id: "getHealth",
    path: "/healthz",
    summary: "Is the process alive?",
    description: "200 as long as the process answers. Asks nothing else.",
    replies: { 200: json("Alive.", healthSchema) },
    handle: () => ({ status: "ok" as const, version: serviceVersion }),
  }),
  /** `GET /readyz`: ready for calls; 503 while the database does not answer or the service stops. */
  operation({
    ...open,
    id: "getReady",
    path: "/readyz",
    summary: "Can the process do its work?",
    description: "200 when the database answers; 503 when it does not, or when the service is stopping.",
    replies: { 200: json("Ready.", readinessSchema) },
    errors: ["unavailable"],
    async handle({ app }) {
      if (app.leaving.aborted) throw new ServiceError("unavailable", "The service is stopping");
      await app.service.store.read((tx) => tx.first(schemaVersion({})));
      return { status: "ready" as const };
    },
  }),
  /** `GET /metrics` on the API's port, in the sandbox alone. */
  operation({
    ...open,
    id: "getMetrics",
    path: "/metrics",
    summary: "Metrics",
    description:
      "Prometheus text: transitions, partner calls and their latency, outbox depth and age, HTTP latencies. Holds no ids; keep it off the public internet all the same.",
    replies: {
      200: { description: "Metrics.", content: { "text/plain": { schema: z.string() } } },
    },
    async handle({ app, context }) {
      if (app.metrics === null || !isOwnHost(headerOf(context, "host"), app.metrics.names))
        throw new ServiceError("not_found");
      const { contentType, text } = await app.metrics.render();
      return new Response(text, { headers: { ...baseHeaders, "Content-Type": contentType } });
    },
  }),
  /** `GET /openapi.json`. */
  operation({
    ...open,
    id: "getOpenApi",
    path: "/openapi.json",
    summary: "This document",
    description: "OpenAPI 3.1, made from the schemas that validate.",
    replies: { 200: json("OpenAPI 3.1.", z.record(z.string(), z.unknown())) },
    async handle({ app }) {
      return new Response(await documentText(all, app), {
        headers: { ...baseHeaders, "Content-Type": "application/json" },
      });
    },
  }),
  /** `GET /docs`: the document, rendered. */
  operation({
    ...open,
    id: "getDocs",
    path: "/docs",
    summary: "The API reference",
    description: "This document, rendered. Served from this service alone.",
    replies: { 200: html },
    async handle({ app }) {
      const { docsPage } = await import("../reference.ts");
      return docsPage(all(), await documentText(all, app));
    },
  }),
  /** Files of the rendered reference. */
  operation({
    ...open,
    id: "getDocsAsset",
    path: "/docs/{file}",
    summary: "A file of the API reference",
    description: "Script and style of the rendered reference.",
    params: z.object({ file: z.string().meta({ description: "One of the page's own files.", example: "search.js" }) }),
    replies: {
      200: {
        description: "The file.",
        content: { "text/javascript": { schema: z.string() }, "text/css": { schema: z.string() } },
      },
    },
    errors: ["not_found"],
    async handle({ params }) {
      const { docsAsset } = await import("../reference.ts");
      return docsAsset(params.file);
    },
  }),
];
