/** `partners test`: one signed ping and one with a wrong signature, and what the bank's server said to either. */

import { partnerAddress, signingKeys } from "../partner/bound-partners.ts";
import { makeKey } from "../partner/key.ts";
import { plainKeys } from "../partner/key-cipher.ts";
import { signedHeaders } from "../partner/sign.ts";
import { createHttpTransport } from "../partner/transport.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { noOwnKey } from "./partner-keys.ts";
import { requirePartner } from "./partners.ts";

const timeoutMs = 5_000;

/**
 * Posts `{"type":"ping"}` to the bank's address for events, or to its base address where it has none for events; signed as
 * the orders are, with both keys during a rotation.
 * @throws UsageError when there is no such partner, or neither it nor the settings have an address and a key.
 */
export const testPartner = async (on: CommandContext, id: string | undefined) => {
  if (id === undefined) throw new UsageError("the ID is missing; name it as: partners test ID");
  const row = await requirePartner(on, id);
  const boundPartners = new Map(on.partner === null ? [] : [[on.partner.id, on.partner]]);
  const options = { boundPartners, keyCipher: on.keyCipher ?? plainKeys };
  const address = partnerAddress(options, id, row);
  if (address === null) throw new UsageError(noOwnKey(id));
  const url = row.events_url ?? address.url;
  const transport = createHttpTransport(on.clock);
  const ping = async (call: string, keys: readonly string[], wanted: (status: number) => boolean) => {
    const now = on.clock.now();
    const body = JSON.stringify({ type: "ping", sent_at: new Date(now).toISOString() });
    const headers = signedHeaders(keys, `ping_${now}_${call.replaceAll(" ", "_")}`, now, body);
    const sent = transport.post({ url, headers, body, timeoutMs });
    const { answer, right } = await sent.then(
      ({ status }) => ({ answer: String(status), right: wanted(status) }),
      (error: unknown) => ({ answer: error instanceof Error ? error.message : "none", right: false }),
    );
    return { call, url, answer, took_ms: Math.max(0, on.clock.now() - now), verdict: right ? "right" : "wrong" };
  };
  try {
    return [
      await ping(
        "signed ping",
        signingKeys(options, address, row, on.clock.now()),
        (status) => status >= 200 && status < 300,
      ),
      await ping("wrongly signed ping", [makeKey(on.random)], (status) => status === 401 || status === 403),
    ];
  } finally {
    transport.close();
  }
};
