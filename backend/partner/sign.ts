/** Signs the calls to a bank after Standard Webhooks (conventions, "Partner calls"). */
import { Webhook } from "standardwebhooks";
import type { Clock } from "../ports.ts";
import { serviceVersion } from "../version.ts";

const webhooks = new Map<string, Webhook>();
const webhooksMax = 1_000;

/** @param secret `whsec_…` (base64 of the key) or any other text, which is then the key itself in UTF-8. */
export const webhookOf = (secret: string): Webhook => {
  const known = webhooks.get(secret);
  if (known) return known;
  const made = secret.startsWith("whsec_")
    ? new Webhook(secret)
    : new Webhook(new TextEncoder().encode(secret), { format: "raw" });
  if (webhooks.size >= webhooksMax) webhooks.clear();
  webhooks.set(secret, made);
  return made;
};

/** What a bank compares with its own clock: a time that was set right counts at once, also when it was set back. */
export const calendarOf = (clock: Clock): number => clock.calendar?.() ?? clock.now();

/**
 * @param keys one, or two during a rotation: the bank takes the signature that it can verify.
 * @param id stable over retries, so that the partner can drop repeats.
 */
export const signedHeaders = (
  keys: readonly string[],
  id: string,
  nowMs: number,
  body: string,
): Record<string, string> => {
  const at = new Date(nowMs);
  return {
    "content-type": "application/json",
    "user-agent": `Tillcash/${serviceVersion}`,
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(nowMs / 1000)),
    "webhook-signature": keys.map((key) => webhookOf(key).sign(id, at, body)).join(" "),
  };
};
