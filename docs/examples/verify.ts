/** Signs and verifies after Standard Webhooks with nothing but Node. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { text } from "node:stream/consumers";

/**
 * The value of `webhook-signature` for a body; `key` is the partner key with its prefix `whsec_`, `timestamp` is in
 * seconds.
 */
export const sign = (key: string, id: string, timestamp: string, body: string): string => {
  const secret = Buffer.from(key.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
};

/** Whether a call carries a signature of `key` that is at most five minutes old; header names in lower case. */
export const verify = (key: string, headers: Record<string, string>, body: string, nowMs: number): boolean => {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= 300)) return false;
  const wanted = Buffer.from(sign(key, id, timestamp, body));
  // During a rotation there are two signatures, separated by a space.
  return signatures.split(" ").some((each) => {
    const sent = Buffer.from(each);
    return sent.length === wanted.length && timingSafeEqual(sent, wanted);
  });
};

if (import.meta.main) {
  const [key = "", id = "", timestamp = "", signature = ""] = process.argv.slice(2);
  const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
  process.exitCode = verify(key, headers, await text(process.stdin), Date.now()) ? 0 : 1;
}
