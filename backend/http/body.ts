/** From the bytes of a body, read up to 64 KiB, to one JSON object: JSON only, and form-encoded where an operation takes it. A Content-Length is a claim, not a measure. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { bodyBytesMax } from "../contract/errors.ts";
import { parseStrictJson } from "../contract/strict-json.ts";
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import { type HttpContext, headerOf } from "./request.ts";

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

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;
const formType = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

const invalid = (detail: string) => new ServiceError("validation_failed", detail);

/** An empty parameter counts as left out, but not twice (RFC 6749 §3.2). */
const parseForm = (text: string): Record<string, string> => {
  const fields: Record<string, string> = {};
  const names = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (names.has(name)) throw invalid("The body has a parameter twice");
    if (name === "__proto__" || `${name}${value}`.includes("\0"))
      throw invalid("The body has a parameter that cannot be");
    names.add(name);
    if (value !== "") fields[name] = value;
  }
  return fields;
};

/** @throws ServiceError `unsupported_media_type`, `payload_too_large` or `validation_failed`. */
export const parseBody = async (c: HttpContext, takesForms: "too" | "only" | undefined): Promise<unknown> => {
  const type = headerOf(c, "content-type") ?? "";
  const isForm = takesForms !== undefined && formType.test(type);
  if (takesForms === "only" && !isForm)
    throw new ServiceError("unsupported_media_type", "The body must be application/x-www-form-urlencoded");
  if (!isForm && type !== "application/json" && !jsonType.test(type)) throw new ServiceError("unsupported_media_type");
  const encoding = headerOf(c, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw new ServiceError("unsupported_media_type", "The body must not be compressed");
  const text = decodeText(await readBody(c));
  if (isForm) return parseForm(text);
  const parsed = parseStrictJson(text);
  if (!parsed.ok) throw invalid(`The body ${parsed.why}`);
  return parsed.value;
};

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

/** How a streamed body ended. */
interface BodyEnd {
  /** Why it broke off; undefined when it was read to its end, or when the reader left. */
  readonly error?: unknown;
}

/** The same response; `ended` is called once, when its body has ended one way or another. */
export const watchBody = (response: Response, ended: (end: BodyEnd) => void): Response => {
  if (response.body === null) {
    ended({});
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          ended({});
          controller.close();
        } catch (error) {
          ended({ error });
          controller.error(error);
        }
      },
      async cancel(reason) {
        ended({});
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
};
