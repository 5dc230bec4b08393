import type { z } from "zod";
import type { waitQuerySchema } from "../contract/pos.ts";
import type { Wait } from "../withdrawals/get.ts";
import type { Call } from "./operation.ts";

type HeldCall = Pick<
  Call<unknown, z.output<typeof waitQuerySchema>, unknown, unknown>,
  "app" | "context" | "session" | "query"
>;

/**
 * Runs a read that may be held (extension `wait`) within the credential's limit. It ends when the caller disconnects or
 * the service stops. @throws ServiceError `too_many_requests`.
 */
export const withHeldReadSlot = <T>(call: HeldCall, read: (wait?: Wait) => Promise<T>): Promise<T> => {
  const { wait } = call.query;
  return wait === undefined || wait === 0 ? read() : hold(call, wait, read);
};

const hold = async <T>(
  { app, context, session, query: { status } }: HeldCall,
  wait: number,
  read: (wait: Wait) => Promise<T>,
): Promise<T> => {
  const signal = AbortSignal.any([context.req.raw.signal, app.stopping]);
  const release = app.access.heldReads.acquire(session);
  try {
    return await read({ waitMs: wait * 1000, signal, ...(status && { whileStatus: status }) });
  } finally {
    release();
  }
};
