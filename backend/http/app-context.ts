/** What the routes need. */
import type { Access } from "../access/access.ts";
import type { Service } from "../context.ts";
import type { Tracing } from "../tracing.ts";
import type { ClientAddress, HttpContext } from "./request.ts";

/** Observes answered requests, for metrics and log. */
export interface HttpObserver {
  /** `route` is the pattern, never the path, so that metrics are bounded and free of ids. */
  answered(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly durationMs: number;
    readonly requestId: string;
  }): void;
}

/** The service, access control, and how the installation is reached. */
export interface App {
  readonly service: Service;
  readonly access: Access;
  readonly observer: HttpObserver;
  /** Null without tracing. */
  readonly tracing?: Pick<Tracing, "call"> | null;
  /** PUBLIC_URL, or the listening address once it is known. */
  readonly publicUrl: () => string;
  readonly clientAddress: ClientAddress;
  /** `GET /metrics` and the host names under which it is served; `null` where it is not one of the routes. */
  readonly metrics: {
    readonly render: () => Promise<{ readonly contentType: string; readonly text: string }>;
    readonly names: readonly string[];
  } | null;
  /** Announced with every sign-in, so that a terminal with real money refuses a sandbox. */
  readonly isSandbox: boolean;
  /** Aborted when a stop begins: `/readyz` fails and connections close after their answer, while calls are still accepted for a while. */
  readonly leaving: AbortSignal;
  /** Aborted when the service stops: held answers are sent at once. */
  readonly stopping: AbortSignal;
}

/** The address of whoever sent this request; `in-process` where a test calls the app itself. */
export const callerAddress = (app: App, context: HttpContext): string => {
  const peer = context.env?.incoming?.socket.remoteAddress ?? "in-process";
  return app.clientAddress(peer, context.req.header("x-forwarded-for"));
};
