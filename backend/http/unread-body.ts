/** What becomes of a body that nobody reads, or not to its end: a little of it is read away, more ends the connection. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { bodyBytesMax } from "../contract/errors.ts";
import type { Clock } from "../ports.ts";

/** The answer reaches the caller before the connection is cut: a reset would take it away from him. */
const lingerMs = 500;

/**
 * Call it before the request is handled. After the answer node:http reads a left body away, however long it is; here
 * the connection ends once that is more than 64 KiB. One that says that it is no longer is read away as it is.
 */
export const endAfterUnreadBody = (incoming: IncomingMessage, outgoing: ServerResponse, clock: Clock): void => {
  // A request without a body has ended already (`optimizeEmptyRequests`).
  if (incoming.readableEnded || Number(incoming.headers["content-length"]) <= bodyBytesMax) return;
  outgoing.once("prefinish", () => {
    if (incoming.complete) return;
    // Of a body that nobody has begun to read node:http lets no byte be seen after the answer.
    incoming.read(0);
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) return;
      incoming.off("data", count).pause();
      incoming.socket.end();
      clock.after(lingerMs, () => incoming.socket.destroy());
    };
    incoming.on("data", count).resume();
  });
};
