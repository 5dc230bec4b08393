/** `partners test`: one signed ping and one with a wrong signature, and what the bank's server said to either. */

import { makeKey } from "../partner/key.ts";
import { signedHeaders } from "../partner/sign.ts";
import { createHttpTransport } from "../partner/transport.ts";
import { UsageError } from "./arguments.ts";
import type { Management } from "./context.ts";
import { requirePartner } from "./partners.ts";

const timeoutMs = 5_000;

/**
 * Posts `{"type":"ping"}` to the bank's address for events, or to its base address where it has none for events.
 * @throws UsageError when there is no such partner, or it has no address and key of its own.
 */
export const testPartner = async (on: Management, id: string | undefined) => {
  if (id === undefined) throw new UsageError("the ID is missing; name it as: partners test ID");
  const { url: base, events_url: eventsUrl, secret } = await requirePartner(on, id);
  const url = eventsUrl ?? base;
  if (url === null || secret === null)
    throw new UsageError(`partner ${id} has no address of its own; give it one: partners set-url ${id} URL`);
  const transport = createHttpTransport(on.clock);
  const ping = async (call: string, key: string, wanted: (status: number) => boolean) => {
    const now = on.clock.now();
    const body = JSON.stringify({ type: "ping", sent_at: new Date(now).toISOString() });
    const headers = signedHeaders([key], `ping_${now}_${call.replaceAll(" ", "_")}`, now, body);
    const sent = transport.post({ url, headers, body, timeoutMs });
    const { answer, right } = await sent.then(
      ({ status }) => ({ answer: String(status), right: wanted(status) }),
      (error: unknown) => ({ answer: error instanceof Error ? error.message : "none", right: false }),
    );
    return { call, url, answer, took_ms: Math.max(0, on.clock.now() - now), verdict: right ? "right" : "wrong" };
  };
  try {
    return [
      await ping("signed ping", secret, (status) => status >= 200 && status < 300),
      await ping("wrongly signed ping", makeKey(on.random), (status) => status === 401 || status === 403),
    ];
  } finally {
    transport.close();
  }
};
