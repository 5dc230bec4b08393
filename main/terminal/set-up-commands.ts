/** The commands of the set-up and of practice: they try things out and decide nothing about a withdrawal. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import { isLoopbackHost } from "../../backend/contract/service-url.ts";
import type {
  ConnectionReport,
  ConnectionTrouble,
  DrawerTest,
  FoundPrinter,
  PracticeWithdrawal,
  PrinterTest,
  Reply,
} from "../../preload/contract.ts";
import { callTimeoutMs, clockOffReportMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import type { Clock, Device, Ids, Ports, ServiceAnswer, Transport } from "./ports.ts";
import { printerTestLines } from "./printing/receipt.ts";
import { openDrawer, printOnce } from "./withdrawal/effects-runner.ts";
import type { Actor, SetUpCommand } from "./withdrawal/inputs.ts";

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

/** The sandbox's published key, which is no secret; it works on no other service. */
const demoBank = { merchant_id: "demo-bank", device_id: "server-1", password: "bank-secret" } as const;
const customer = "practice";
/** The bank answers a request before the service does. */
const requestTimeoutMs = 20_000;

/** The calls of a bank to the service of a training. Amounts are decimal strings; null stands for every failure. */
interface Practice {
  /** Asks for a withdrawal of `amount` at the shop; null when the service did not answer with one. */
  request(serviceUrl: string, store: string, amount: string): Promise<PracticeWithdrawal | null>;
  read(serviceUrl: string, transactionId: string): Promise<PracticeWithdrawal | null>;
  decide(serviceUrl: string, transactionId: string, approved: boolean): Promise<PracticeWithdrawal | null>;
}

const fieldsOf = (answer: ServiceAnswer): Record<string, unknown> =>
  answer.kind === "answer" && typeof answer.body === "object" && answer.body !== null
    ? (answer.body as Record<string, unknown>)
    : {};

const withdrawalOf = (answer: ServiceAnswer): PracticeWithdrawal | null => {
  const { transaction_id: id, status, amount, currency, store_name: shop, reason } = fieldsOf(answer);
  if (answer.kind !== "answer" || answer.status >= 300) return null;
  if ([id, status, amount, currency, shop].some((field) => typeof field !== "string")) return null;
  return {
    transactionId: String(id),
    status: String(status),
    amount: String(amount),
    currency: String(currency),
    shop: String(shop),
    reason: typeof reason === "string" ? reason : null,
  };
};

/** Fetches a token with the sandbox's key when one is needed, and again after one refusal. */
const createPractice = ({ transport, ids }: { readonly transport: Transport; readonly ids: Ids }): Practice => {
  let token: string | null = null;

  const call = async (
    baseUrl: string,
    request: Pick<Parameters<Transport["send"]>[0], "method" | "path" | "body" | "headers">,
  ): Promise<PracticeWithdrawal | null> => {
    for (const isLast of [false, true]) {
      if (token === null) {
        const body = { grant_type: "client_credentials", device_type: "client", scope: "", ...demoBank };
        const granted = await transport.send({
          baseUrl,
          method: "POST",
          path: "/oauth2/authorize",
          body,
          timeoutMs: callTimeoutMs,
          authorized: false,
          token: null,
        });
        const { access_token } = fieldsOf(granted);
        if (typeof access_token !== "string") return null;
        token = access_token;
      }
      const answer = await transport.send({
        ...request,
        baseUrl,
        timeoutMs: requestTimeoutMs,
        authorized: true,
        token,
      });
      if (answer.kind !== "answer" || answer.status !== 401 || isLast) return withdrawalOf(answer);
      token = null;
    }
    return null;
  };

  const withdrawal = (transactionId: string): string => `/ext/v1/withdrawals/${encodeURIComponent(transactionId)}`;
  return {
    request: (serviceUrl, store, amount) =>
      call(serviceUrl, {
        method: "POST",
        path: "/ext/v1/withdrawals",
        body: { user_id: customer, amount, currency: "EUR", store },
        headers: { "idempotency-key": ids.next() },
      }),
    read: (serviceUrl, transactionId) => call(serviceUrl, { method: "GET", path: withdrawal(transactionId) }),
    decide: (serviceUrl, transactionId, approved) =>
      call(serviceUrl, {
        method: "POST",
        path: `${withdrawal(transactionId)}/sca`,
        body: { outcome: approved ? "approved" : "denied" },
      }),
  };
};

const failed: Reply = { ok: false, code: "failed" };

/** Answers them. */
export const createSetUpCommands = (
  core: Core,
  ports: Ports,
): ((command: SetUpCommand, actor: Actor, isOpen: boolean) => Promise<Reply>) => {
  const practice = createPractice(ports);
  let testing = false;
  let searching: Promise<readonly FoundPrinter[]> | null = null;

  /** The intent first: a drawer that opened is in the journal, whatever happens to the program meanwhile. */
  const testDrawer = async (actor: Actor): Promise<Reply> => {
    const { activeScreen, open, phase } = core.state;
    if (testing || phase !== "running" || activeScreen.kind !== "idle" || open.size > 0)
      return { ok: false, code: "busy" };
    const tried = (about: string) => ({ type: "act", act: "drawer_test", about }) as const;
    if (!core.apply([tried("intended")], core.momentNow(), actor)) return failed;
    testing = true;
    try {
      const result: DrawerTest = await openDrawer(ports.drawer, ports.clock);
      core.applyAndQueueWrite([tried(result)], core.momentNow(), actor);
      return { ok: true, data: result };
    } finally {
      testing = false;
    }
  };

  const testPrinter = async (): Promise<Reply> => {
    const { settings, printing, phase } = core.state;
    if (settings.printer.kind === "none") return { ok: false, code: "no_printer" };
    if (testing || phase !== "running" || printing.jobs.length > 0) return { ok: false, code: "busy" };
    testing = true;
    try {
      const answer = await printOnce(ports.printer, printerTestLines(settings.language), ports.clock);
      const data: PrinterTest = answer.kind === "printed" ? "printed" : answer.why;
      return { ok: true, data };
    } finally {
      testing = false;
    }
  };

  /** A second press while it runs gets the same answer. */
  const findPrinters = async (): Promise<Reply> => {
    searching ??= (ports.findPrinters?.() ?? Promise.resolve([])).finally(() => {
      searching = null;
    });
    return { ok: true, data: await searching };
  };

  const runPractice = async (callService: (device: Device) => Promise<PracticeWithdrawal | null>): Promise<Reply> => {
    const { device } = core.state;
    if (!ports.training || device === null) return { ok: false, code: "invalid" };
    const data = await callService(device);
    return data === null ? failed : { ok: true, data };
  };

  return async (command, actor, isOpen) => {
    switch (command.type) {
      case "check_connection":
        return { ok: true, data: await checkConnection(ports, command.serviceUrl) };
      case "test_drawer":
        return isOpen ? testDrawer(actor) : failed;
      case "test_printer":
        return isOpen ? testPrinter() : failed;
      case "find_printers":
        return findPrinters();
      case "practice_request":
        return runPractice(({ serviceUrl, merchantId }) => practice.request(serviceUrl, merchantId, command.amount));
      case "practice_read":
        return runPractice(({ serviceUrl }) => practice.read(serviceUrl, command.transactionId));
      case "practice_decide":
        return runPractice(({ serviceUrl }) => practice.decide(serviceUrl, command.transactionId, command.approved));
      default:
        return assertNever(command);
    }
  };
};
