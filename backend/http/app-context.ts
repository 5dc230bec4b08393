/** What the routes need: the service, who may call, and how the outside sees us. */
import type { Access } from "../access/access.ts";
import type { Service } from "../context.ts";
import type { Tracing } from "../tracing.ts";
import type { ClientAddress, HttpContext } from "./request.ts";

/** Called for every request that was answered, for metrics and log. */
export interface HttpObserver {
  /** `route` is the pattern, never the path: metrics stay bounded and ids out of them. */
  answered(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly durationMs: number;
    readonly requestId: string;
  }): void;
}

/** What the routes are made of: the service, access, and how the installation is reached. */
export interface App {
  readonly service: Service;
  readonly access: Access;
  readonly observer: HttpObserver;
  /** Null where no traces are made. */
  readonly tracing?: Pick<Tracing, "call"> | null;
  /** PUBLIC_URL, or the listening address once it is known. */
  readonly publicUrl: () => string;
  readonly clientAddress: ClientAddress;
  /** The text of GET /metrics, and under which names it is given; `null` where it has no place among the routes. */
  readonly metrics: {
    readonly render: () => Promise<{ readonly contentType: string; readonly text: string }>;
    readonly names: readonly string[];
  } | null;
  /** Sent with every sign-in, so that a terminal that handles real money refuses a service without a bank. */
  readonly isSandbox: boolean;
  /** Aborted when it was told to stop: `/readyz` says so, and connections end with their answer. It still takes calls for a while. */
  readonly leaving: AbortSignal;
  /** Aborted when the service stops: held answers are given at once. */
  readonly stopping: AbortSignal;
}

/** The address of whoever sent this request; `in-process` where a test calls the app itself. */
export const callerAddress = (app: App, context: HttpContext): string => {
  const peer = context.env?.incoming?.socket.remoteAddress ?? "in-process";
  return app.clientAddress(peer, context.req.header("x-forwarded-for"));
};
