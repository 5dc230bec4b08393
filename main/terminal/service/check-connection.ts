/** The connection test: whether a service of this kind answers at an address, and if not, why. Changes nothing anywhere. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { isLoopbackHost } from "../../../backend/contract/service-url.ts";
import type { ConnectionReport, ConnectionTrouble } from "../../../preload/contract.ts";
import { callTimeoutMs, clockOffReportMs } from "../bounds.ts";
import type { Clock, ServiceAnswer, Transport } from "../ports.ts";

type Silence = Extract<ServiceAnswer, { kind: "silence" }>;

const troubleOfSilence = ({ why, because }: Silence): ConnectionTrouble => {
  if (because !== undefined) return because;
  switch (why) {
    case "refused":
    case "timeout":
      return why;
    case "unreachable":
      return "no_route";
    case "reset":
      return "refused";
    case "garbled":
      return "not_a_service";
    default:
      return assertNever(why);
  }
};

/** An error in the words of RFC 6749, as the specification's authorize call has them. */
const isOAuthError = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "error" in body && typeof body.error === "string";

/** Said of an address whoever listens there. */
const isUnsafe = (trouble: ConnectionTrouble): boolean => trouble === "sandbox" || trouble === "plain_http";

/** Which ports of this machine are open is no page's business: whatever is no service there is one and the same. */
const hidden = (baseUrl: string, report: ConnectionReport): ConnectionReport =>
  report.trouble !== null && !isUnsafe(report.trouble) && isLoopbackHost(new URL(baseUrl).hostname)
    ? { trouble: "nothing_here", clockOffMs: null }
    : report;

/**
 * Asks for a token with no credential at all: each service of the specification refuses that in the same words, whatever
 * else it has.
 */
export const checkConnection = async (world: World, baseUrl: string): Promise<ConnectionReport> =>
  hidden(baseUrl, await requestToken(world, baseUrl));

interface World {
  readonly transport: Transport;
  readonly clock: Clock;
}

const requestToken = async ({ transport, clock }: World, baseUrl: string): Promise<ConnectionReport> => {
  const answer = await transport.send({
    baseUrl,
    method: "POST",
    path: "/oauth2/authorize",
    body: {},
    timeoutMs: callTimeoutMs,
    authorized: false,
    token: null,
  });
  if (answer.kind === "silence") return { trouble: troubleOfSilence(answer), clockOffMs: null };
  const { status, body, dateMs } = answer;
  if (status >= 500 && body !== undefined) return { trouble: "service_down", clockOffMs: null };
  if (status === 429) return { trouble: null, clockOffMs: null };
  if (status < 400 || !isOAuthError(body)) return { trouble: "not_a_service", clockOffMs: null };
  const offMs = dateMs === null ? 0 : clock.now() - dateMs;
  return { trouble: null, clockOffMs: Math.abs(offMs) > clockOffReportMs ? offMs : null };
};
