/** X-Request-Id: what the caller sent, if it can be echoed and logged as it is; else a random one. */

import type { Random } from "../ports.ts";

const idBytes = 16;
const idsPerFill = 256;
const pools = new WeakMap<Random, { hex: string; at: number }>();

/** 128 random bits in hex. Asks for randomness once for many, which saves a tenth of a read's CPU (docs/benchmarks.md). */
export const randomId = (random: Random): string => {
  let pool = pools.get(random);
  if (pool === undefined || pool.at >= pool.hex.length) {
    pool = { hex: Buffer.from(random.bytes(idBytes * idsPerFill)).toString("hex"), at: 0 };
    pools.set(random, pool);
  }
  pool.at += idBytes * 2;
  return pool.hex.slice(pool.at - idBytes * 2, pool.at);
};

/** Names a request in its answer, in the log and in the history. */
export const requestIdHeader = "X-Request-Id";
/** Longest id that a caller may choose, in characters. */
export const requestIdLengthMax = 255;

/** Visible ASCII, spaces inside: safe in a header, in a log line and in a terminal. */
const sane = new RegExp(`^[\\x21-\\x7e]([\\x20-\\x7e]{0,${requestIdLengthMax - 2}}[\\x21-\\x7e])?$`);

/** Whether a caller's id can stand in a log and in a header. */
export const isSaneRequestId = (text: string): boolean => sane.test(text);

/** A header value that reached us holds no control characters but tab: any of at most 255 characters comes back (4.9). */
export const isEchoableRequestId = (text: string): boolean => text !== "" && text.length <= requestIdLengthMax;

/**
 * The body that goes with an id: as bytes where the id is not ASCII. node:http writes the head and a string body in one
 * piece, as UTF-8, which would change what is echoed.
 */
export const encodeBody = (requestId: string, text: string): string | Uint8Array<ArrayBuffer> =>
  /^[\t\x20-\x7e]*$/.test(requestId) ? text : new TextEncoder().encode(text);
