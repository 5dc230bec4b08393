/** `partners test`: pings with a right and with a wrong signature, and what the bank's server said to each. */
import { trustMachine } from "../../outbound/authorities.ts";
import { orderPaths } from "../contract/partner.ts";
import { partnerAddress, partnerProblems, signingKeys } from "../partner/bound-partners.ts";
import { makeKey, plainKeys } from "../partner/keys.ts";
import { signedHeaders } from "../partner/send.ts";
import { createHttpTransport } from "../partner/transport.ts";
import { isSandboxDatabase } from "../store/settings.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext } from "./context.ts";
import { noOwnKey } from "./partner-keys.ts";
import { requirePartner } from "./partners.ts";

const timeoutMs = 5_000;

/** A signed ping where orders go could be taken for one: without an address for events the key stays untried. */
const noEvents = { call: "signed ping", url: null, answer: "no events address", took_ms: null, verdict: "not tried" };

/** What a verifier says to a signature that it cannot verify. */
const isRefusal = (status: number): boolean => status === 401 || status === 403;
const isTaken = (status: number): boolean => status >= 200 && status < 300;

/**
 * Posts `{"type":"ping"}` with a wrong signature to where both orders go, which is no order and must be refused there; and
 * to the address for events signed as the events are, with both keys during a rotation, and with a wrong signature.
 * @throws UsageError when there is no such partner, neither it nor the settings have an address and a key, or these cannot be used.
 */
export const testPartner = async (on: CommandContext, id: string | undefined) => {
  if (id === undefined) throw new UsageError("the ID is missing; name it as: partners test ID");
  const row = await requirePartner(on, id);
  const boundPartners = new Map(on.partner === null ? [] : [[on.partner.id, on.partner]]);
  const isSandbox = await isSandboxDatabase(on.store);
  const options = { boundPartners, keyCipher: on.keyCipher ?? plainKeys, isSandbox };
  const problems = partnerProblems(id, row, options);
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  const address = partnerAddress(options, id, row);
  if (address === null) throw new UsageError(noOwnKey(id));
  if (address.url.startsWith("https:")) trustMachine(process.env);
  const transport = createHttpTransport(on.clock, on.proxy);
  const ping = async (call: string, url: string, keys: readonly string[], wanted: (status: number) => boolean) => {
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
  const wrongPing = (url: string) => ping("wrongly signed ping", url, [makeKey(on.random)], isRefusal);
  const base = address.url.replace(/\/+$/, "");
  const eventsUrl = row.events_url;
  try {
    const orders = [];
    for (const path of Object.values(orderPaths)) orders.push(await wrongPing(base + path));
    if (eventsUrl === null) return [...orders, noEvents];
    const keys = signingKeys(options, address, row, on.clock.now());
    return [...orders, await ping("signed ping", eventsUrl, keys, isTaken), await wrongPing(eventsUrl)];
  } finally {
    transport.close();
  }
};
