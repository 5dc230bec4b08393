import type { z } from "zod";
import type { Session } from "../access/tokens.ts";
import type { waitQuerySchema } from "../contract/pos.ts";
import type { Wait } from "../withdrawals/get.ts";
import type { App } from "./app-context.ts";
import type { HttpContext } from "./request.ts";

/** How long a read may be held (extension `wait`); undefined for an answer at once. Ends when the caller or the service goes. */
export const waitOf = (
  app: App,
  context: HttpContext,
  { wait, status }: z.output<typeof waitQuerySchema>,
): Wait | undefined => {
  if (wait === undefined || wait === 0) return undefined;
  const signal = AbortSignal.any([context.req.raw.signal, app.stopping]);
  return { waitMs: wait * 1000, signal, ...(status && { whileStatus: status }) };
};

/** Runs a read that may be held, as one of the few that its credential may hold open. @throws ServiceError `too_many_requests`. */
export const holding = <T>(app: App, session: Session, wait: Wait | undefined, read: () => Promise<T>): Promise<T> => {
  if (wait === undefined) return read();
  const release = app.access.heldReads.acquire(session);
  return read().finally(release);
};
