/** The commands of the set-up and of practice: they try things out and decide nothing about a withdrawal. */
import { z } from "zod";
import { isLoopbackHost } from "../../backend/contract/service-url.ts";
import type {
  ConnectionReport,
  ConnectionTrouble,
  DrawerTest,
  FoundPrinter,
  PracticeWithdrawal,
  PrinterTest,
  Reply,
  Settings,
} from "../../preload/contract.ts";
import { callTimeoutMs, clockOffReportMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import type { Device, Ports, ServiceAnswer, ServiceRequest, Transport } from "./ports.ts";
import { printerTestLines } from "./printing/receipt.ts";
import { bodyOf, fieldsOf } from "./service/answer.ts";
import { openDrawer, printOnce } from "./withdrawal/effects-runner.ts";
import type { Actor, Answers } from "./withdrawal/inputs.ts";
import { drawerPlace, placeOf } from "./withdrawal/settings.ts";

type Silence = Extract<ServiceAnswer, { kind: "silence" }>;

const troubles = {
  refused: "refused",
  timeout: "timeout",
  unreachable: "no_route",
  reset: "refused",
  garbled: "not_a_service",
} as const satisfies Readonly<Record<Silence["why"], ConnectionTrouble>>;

/** An error in the words of RFC 6749, as the specification's authorize call has them. */
const isOAuthError = (body: unknown): boolean => typeof fieldsOf(body).error === "string";

/** Said of an address whoever listens there. */
const isUnsafe = (trouble: ConnectionTrouble): boolean => trouble === "sandbox" || trouble === "plain_http";

type World = Pick<Ports, "transport" | "clock">;

/**
 * Asks for a token with no credential at all: each service of the specification refuses that in the same words, whatever
 * else it has.
 */
const requestToken = async ({ transport, clock }: World, baseUrl: string): Promise<ConnectionReport> => {
  const call = { method: "POST", path: "/oauth2/authorize", body: {}, timeoutMs: callTimeoutMs } as const;
  const answer = await transport.send({ baseUrl, ...call });
  if (answer.kind === "silence") return { trouble: answer.because ?? troubles[answer.why], clockOffMs: null };
  const { status, body, dateMs } = answer;
  if (status >= 500 && body !== undefined) return { trouble: "service_down", clockOffMs: null };
  if (status === 429) return { trouble: null, clockOffMs: null };
  if (status < 400 || !isOAuthError(body)) return { trouble: "not_a_service", clockOffMs: null };
  const offMs = dateMs === null ? 0 : clock.now() - dateMs;
  return { trouble: null, clockOffMs: Math.abs(offMs) > clockOffReportMs ? offMs : null };
};

/** The connection test: whether a service of this kind answers at an address, and if not, why. Changes nothing anywhere. */
export const checkConnection = async (world: World, baseUrl: string): Promise<ConnectionReport> => {
  const report = await requestToken(world, baseUrl);
  // Which ports of this machine are open is no page's business: whatever is no service there is one and the same.
  const isHidden = report.trouble !== null && !isUnsafe(report.trouble) && isLoopbackHost(new URL(baseUrl).hostname);
  return isHidden ? { trouble: "nothing_here", clockOffMs: null } : report;
};

/** The sandbox's published key, which is no secret; it works on no other service. */
const demoBank = { merchant_id: "demo-bank", device_id: "server-1", password: "bank-secret" } as const;
/** The bank answers a request before the service does. */
const requestTimeoutMs = 20_000;

const practisedSchema = z.object({
  transaction_id: z.string(),
  status: z.string(),
  amount: z.string(),
  currency: z.string(),
  store_name: z.string(),
  reason: z.string().nullable().catch(null),
});

const withdrawalOf = (answer: ServiceAnswer): PracticeWithdrawal | null => {
  const { data } = practisedSchema.safeParse(bodyOf(answer));
  if (data === undefined || answer.kind !== "answer" || answer.status >= 300) return null;
  const { transaction_id: transactionId, store_name: shop, ...rest } = data;
  return { ...rest, transactionId, shop };
};

type BankCall = Pick<ServiceRequest, "method" | "path" | "body" | "headers">;

/** A bank's calls to the service of a training. Fetches a token with the sandbox's key when one is needed, and again after one refusal. */
const createPractice = (transport: Transport) => {
  let token: string | null = null;
  /** Null stands for every failure. */
  return async (baseUrl: string, request: BankCall): Promise<PracticeWithdrawal | null> => {
    for (const isLast of [false, true]) {
      if (token === null) {
        const body = { grant_type: "client_credentials", device_type: "client", scope: "", ...demoBank };
        const signIn = { method: "POST", path: "/oauth2/authorize", body, timeoutMs: callTimeoutMs } as const;
        const { access_token } = fieldsOf(bodyOf(await transport.send({ baseUrl, ...signIn })));
        if (typeof access_token !== "string") return null;
        token = access_token;
      }
      const answer = await transport.send({ ...request, baseUrl, timeoutMs: requestTimeoutMs, token });
      if (answer.kind !== "answer" || answer.status !== 401 || isLast) return withdrawalOf(answer);
      token = null;
    }
    return null;
  };
};

const failed: Reply = { ok: false, code: "failed" };
const busy: Reply = { ok: false, code: "busy" };

/** How they are answered. @param isOpen whether the journal is, so that a test can be written down. */
export const createSetUpAnswers = (core: Core, ports: Ports, isOpen: () => boolean): Answers<"setUp"> => {
  const practise = createPractice(ports.transport);
  let testing = false;
  let searching: Promise<readonly FoundPrinter[]> | null = null;

  /** One test at a time, and only after its intent is in the journal. */
  const test = async (act: string, about: string | null, actor: Actor, work: () => Promise<Reply>): Promise<Reply> => {
    if (testing || core.state.phase !== "running") return busy;
    if (!core.apply([{ type: "act", act, about }], core.momentNow(), actor)) return failed;
    testing = true;
    try {
      return await work();
    } finally {
      testing = false;
    }
  };

  /** A drawer that opened is in the journal, whatever happens to the program meanwhile. */
  const testDrawer = async (actor: Actor, drawer?: Settings["drawer"]): Promise<Reply> => {
    const { activeScreen, open, settings } = core.state;
    if (activeScreen.kind !== "idle" || open.size > 0) return busy;
    const place = drawer && drawerPlace(drawer, settings);
    const about = (result: string) => [result, place].filter(Boolean).join(" ");
    return test("drawer_test", about("intended"), actor, async () => {
      const data: DrawerTest = await openDrawer(ports.drawer, ports.clock, drawer);
      core.applyAndQueueWrite([{ type: "act", act: "drawer_test", about: about(data) }], core.momentNow(), actor);
      return { ok: true, data };
    });
  };

  /** Not beside a payout: the printer may be the drawer's, or at its port under another name. */
  const testPrinter = async (actor: Actor, tried?: Settings["printer"]): Promise<Reply> => {
    const { settings, printing, activeScreen, noSale } = core.state;
    const printer = tried ?? settings.printer;
    if (printer.kind === "none") return { ok: false, code: "no_printer" };
    if (activeScreen.kind === "withdrawal" || noSale.result === "opening" || printing.jobs.length > 0) return busy;
    return test("printer_test", placeOf(printer), actor, async () => {
      const answer = await printOnce(ports.printer, printerTestLines(settings.language), ports.clock, printer);
      const data: PrinterTest = answer.kind === "printed" ? "printed" : answer.why;
      return { ok: true, data };
    });
  };

  /** A second press while it runs gets the same answer. */
  const findPrinters = async (): Promise<Reply> => {
    searching ??= (ports.findPrinters?.() ?? Promise.resolve([])).finally(() => {
      searching = null;
    });
    return { ok: true, data: await searching };
  };

  const runPractice = async (callOf: (device: Device) => BankCall): Promise<Reply> => {
    const { device } = core.state;
    if (!ports.training || device === null) return { ok: false, code: "invalid" };
    const data = await practise(device.serviceUrl, callOf(device));
    return data === null ? failed : { ok: true, data };
  };
  const practicePath = (transactionId: string): string => `/ext/v1/withdrawals/${encodeURIComponent(transactionId)}`;

  return {
    check_connection: async ({ serviceUrl }) => ({ ok: true, data: await checkConnection(ports, serviceUrl) }),
    test_drawer: ({ drawer }, actor) => (isOpen() ? testDrawer(actor, drawer) : failed),
    test_printer: ({ printer }, actor) => (isOpen() ? testPrinter(actor, printer) : failed),
    find_printers: findPrinters,
    practice_request: ({ amount }) =>
      runPractice(({ merchantId: store }) => ({
        method: "POST",
        path: "/ext/v1/withdrawals",
        body: { user_id: "practice", amount, currency: "EUR", store },
        headers: { "idempotency-key": ports.ids.next() },
      })),
    practice_read: ({ transactionId }) => runPractice(() => ({ method: "GET", path: practicePath(transactionId) })),
    practice_decide: ({ transactionId, approved }) =>
      runPractice(() => ({
        method: "POST",
        path: `${practicePath(transactionId)}/sca`,
        body: { outcome: approved ? "approved" : "denied" },
      })),
  };
};
