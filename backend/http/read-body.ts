/** Reads a request's body up to 64 KiB, counted while it streams: a Content-Length is a claim, not a measure. */
import type { IncomingMessage } from "node:http";
import { bodyBytesMax } from "../contract/errors.ts";
import { ServiceError } from "../service-error.ts";
import { type HttpContext, headerOf } from "./http-context.ts";

const tooLarge = () => new ServiceError("payload_too_large");
const cutOff = () => new ServiceError("validation_failed", "The body ended before it was complete");

/** Straight from the socket: a web stream in between would cost more than the rest of the request. */
const readIncoming = (incoming: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) return void chunks.push(chunk);
      incoming.off("data", onData).pause();
      reject(tooLarge());
    };
    const onEnd = () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    const onBroken = () => {
      if (!incoming.readableEnded) reject(cutOff());
    };
    // The listeners go with the message: taking each off costs more than reading a small body.
    incoming.on("data", onData).on("end", onEnd).on("close", onBroken);
    if (incoming.destroyed) onBroken();
  });

const readStream = async (stream: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Rejects with ServiceError `payload_too_large`, or `validation_failed` when the peer hung up in the middle. */
export const readBody = (c: HttpContext): Promise<Buffer> => {
  if (Number(headerOf(c, "content-length") ?? 0) > bodyBytesMax) return Promise.reject(tooLarge());
  const incoming = c.env?.incoming;
  // One without a body has ended before anybody listens, and does not say so again (`optimizeEmptyRequests`).
  if (incoming?.readableEnded) return Promise.resolve(Buffer.alloc(0));
  if (incoming !== undefined) return readIncoming(incoming);
  return c.req.raw.body === null ? Promise.resolve(Buffer.alloc(0)) : readStream(c.req.raw.body);
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** @throws ServiceError `validation_failed` for bytes that are not UTF-8. */
export const decodeText = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError("validation_failed", "The body is not valid UTF-8");
  }
};
