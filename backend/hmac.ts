/**
 * HMAC-SHA256 (RFC 2104) of one text after another under one key, over Node's one-shot hash: its own Hmac makes an object
 * for each, which costs a withdrawal more than all of its hashes.
 */
import { hash } from "node:crypto";

/** The HMAC of a text under a key that is known to it alone; base64url. */
export type Hmac = (text: string) => string;

const blockBytes = 64;
const hashBytes = 32;
/** UTF-8 takes no more for a unit of a JavaScript text. */
const bytesPerUnit = 3;

/** @param key at most 64 bytes. @throws RangeError for a longer one. */
export const hmacUnder = (key: Buffer): Hmac => {
  if (key.length > blockBytes) throw new RangeError(`a key of more than ${blockBytes} bytes`);
  const outer = Buffer.alloc(blockBytes + hashBytes, 0x5c);
  let inner = Buffer.alloc(4_096, 0x36);
  for (const [at, byte] of key.entries()) {
    outer[at] = byte ^ 0x5c;
    inner[at] = byte ^ 0x36;
  }
  return (text) => {
    const needed = blockBytes + text.length * bytesPerUnit;
    if (needed > inner.length) inner = Buffer.concat([inner.subarray(0, blockBytes)], needed * 2);
    const end = blockBytes + inner.write(text, blockBytes);
    outer.write(hash("sha256", inner.subarray(0, end), "binary"), blockBytes, "binary");
    return hash("sha256", outer, "base64url");
  };
};
