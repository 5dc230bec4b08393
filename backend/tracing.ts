/**
 * OpenTelemetry traces: a span per call, with child spans per unit of work and per call to a bank. Loaded only with a
 * collector. Spans never contain users, codes, amounts, bodies or query strings.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { ROOT_CONTEXT, type Span, type SpanAttributes, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import type { PartnerTransport } from "./ports.ts";
import type { Store } from "./store/store.ts";
import { serviceVersion } from "./version.ts";

/**
 * Wraps what is traced; a slow or unavailable collector costs spans, never a call.
 * @param endpoint OTEL_EXPORTER_OTLP_ENDPOINT; the exporter reads its further variables itself (headers, timeout, sampler).
 */
export const startTracing = (endpoint: string) => {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      "service.name": process.env.OTEL_SERVICE_NAME || "tillcash",
      "service.version": serviceVersion,
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }))],
  });
  const tracer = provider.getTracer("tillcash", serviceVersion);
  const active = new AsyncLocalStorage<Span>();

  /** Background work after a call's answer is not part of its span. */
  const parent = (): Span | null => {
    const span = active.getStore();
    return span?.isRecording() ? span : null;
  };

  const within = async <T>(
    name: string,
    kind: SpanKind,
    attributes: SpanAttributes,
    work: (span: Span) => Promise<T>,
  ): Promise<T> => {
    const above = parent();
    const context = above === null ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, above);
    const span = tracer.startSpan(name, { kind, attributes }, context);
    try {
      return await active.run(span, () => work(span));
    } catch (error) {
      // Its message may contain data that spans must not.
      span.setAttribute("error.type", error instanceof Error ? error.name : "unknown");
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  };

  return {
    /** @param endpoint method and route's pattern, never the path. */
    call(endpoint: string, serve: () => Promise<Response>): Promise<Response> {
      const [method = "", route = ""] = endpoint.split(" ");
      return within(endpoint, SpanKind.SERVER, { "http.request.method": method, "http.route": route }, async (span) => {
        const response = await serve();
        span.setAttribute("http.response.status_code", response.status);
        span.setAttribute("tillcash.request_id", response.headers.get("x-request-id") ?? "");
        if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        return response;
      });
    },
    store(store: Store): Store {
      const attributes = { "db.system.name": store.dialect === "sqlite" ? "sqlite" : "postgresql" };
      const unit = <T>(name: string, work: () => Promise<T>) =>
        parent() === null ? work() : within(name, SpanKind.CLIENT, { ...attributes, "db.operation.name": name }, work);
      return {
        ...store,
        write: (work, about) => unit("write", () => store.write(work, about)),
        read: (work, isShort) => unit("read", () => store.read(work, isShort)),
      };
    },
    /** Adds no trace headers, as we do not know how a bank's gateway treats unknown ones. */
    transport: (transport: PartnerTransport): PartnerTransport => ({
      ...transport,
      post(request) {
        const { hostname, port, protocol } = new URL(request.url);
        const attributes = {
          "http.request.method": "POST",
          "server.address": hostname,
          "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
          "tillcash.webhook_id": request.headers["webhook-id"] ?? "",
        };
        return within("POST bank", SpanKind.CLIENT, attributes, async (span) => {
          const reply = await transport.post(request);
          span.setAttribute("http.response.status_code", reply.status);
          return reply;
        });
      },
    }),
    /** Sends remaining spans; takes as long as the collector needs. */
    stop: () => provider.shutdown(),
  };
};
/** See `startTracing`. */
export type Tracing = ReturnType<typeof startTracing>;
