/** Answers the screens' commands: passes each to the module it belongs to; enrolment and settings are answered here. */
import { z } from "zod";
import { isLoopbackHost } from "../../backend/contract/service-url.ts";
import {
  type Command,
  type ConnectionReport,
  type ConnectionTrouble,
  type DrawerResult,
  type FoundPrinter,
  isFor,
  isForHost,
  type PracticeWithdrawal,
  type PrinterTest,
  type ProtectedSettings,
  type Reply,
  type Settings,
  type TerminalCommand,
} from "../../preload/contract.ts";
import { isDeviceHost, isPrinterPort } from "../../preload/device-address.ts";
import { callTimeoutMs, clockOffReportMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import { expectedShown } from "./day/drawer-money.ts";
import type { createHistoryCommands } from "./history/history-commands.ts";
import type { createJournalCheck } from "./journal/writer.ts";
import { deviceChange, type JournalStart } from "./journal-start.ts";
import type { Credential, Device, Ports, ServiceAnswer, ServiceRequest, Transport } from "./ports.ts";
import { printerTestLines } from "./printing/paper.ts";
import { bodyOf, fieldsOf } from "./service/answer.ts";
import type { ServiceClient } from "./service/client.ts";
import { bookOf, deviceOf, isSameBook, isSameDevice } from "./withdrawal/book.ts";
import { mayAct } from "./withdrawal/decide-day.ts";
import { dayViewOf } from "./withdrawal/drawer-day.ts";
import { type createEffectLoop, openDrawer, printOnce } from "./withdrawal/effects.ts";
import { type Actor, type Answers, approvalMissing } from "./withdrawal/inputs.ts";
import { drawerTestAct, drawerTestIntended, expectedShownAct, isUndecided, problemsOf } from "./withdrawal/problems.ts";
import {
  type DeviceAddress,
  differing,
  drawerPlace,
  newAddresses,
  placeOf,
  protectedOf,
  usableSettings,
} from "./withdrawal/settings.ts";

type Silence = Extract<ServiceAnswer, { kind: "silence" }>;

const troubles = {
  refused: "refused",
  timeout: "timeout",
  unreachable: "no_route",
  reset: "refused",
  garbled: "not_a_service",
} as const satisfies Readonly<Record<Silence["why"], ConnectionTrouble>>;

/** Whether the body is an OAuth error (RFC 6749), as the specification's authorize call returns. */
const isOAuthError = (body: unknown): boolean => typeof fieldsOf(body).error === "string";

/** Findings that depend on the address alone, not on who listens there. */
const isUnsafe = (trouble: ConnectionTrouble): boolean => trouble === "sandbox" || trouble === "plain_http";

type World = Pick<Ports, "transport" | "clock">;

/** Requests a token without a credential: every service that follows the specification refuses that in the same way. */
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

/** Connection test: whether a service of this kind answers at an address, and if not, why. Changes nothing. */
export const checkConnection = async (world: World, baseUrl: string): Promise<ConnectionReport> => {
  const report = await requestToken(world, baseUrl);
  // A page must not learn which ports of this machine are open, so anything that is no service gets the same answer.
  const isHidden = report.trouble !== null && !isUnsafe(report.trouble) && isLoopbackHost(new URL(baseUrl).hostname);
  return isHidden ? { trouble: "nothing_here", clockOffMs: null } : report;
};

/** The sandbox's published key, which is no secret; it works on no other service. */
const demoBank = { merchant_id: "demo-bank", device_id: "server-1", password: "bank-secret" } as const;
/** Longer than a bank may take, because the service answers after it. */
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

/** Calls of a practice bank to the training service. Fetches a token with the sandbox's key when needed, and again after one refusal. */
const createPractice = (transport: Transport) => {
  let token: string | null = null;
  /** Null after any failure. */
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

/** @param isOpen whether the journal is open, so that a test can be recorded. */
const createSetUpAnswers = (core: Core, ports: Ports, isOpen: () => boolean): Answers<"setUp"> => {
  const practise = createPractice(ports.transport);
  let testing = false;
  let searching: Promise<readonly FoundPrinter[]> | null = null;

  /** One test at a time, after its intent was written to the journal. */
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

  /** Records the opening before and after, so that it is in the journal even after a crash. */
  const testDrawer = async (actor: Actor, drawer?: Settings["drawer"]): Promise<Reply> => {
    const { activeScreen, open, settings } = core.state;
    if (activeScreen.kind !== "idle" || open.size > 0) return busy;
    const place = drawer && drawerPlace(drawer, settings);
    const about = (result: string) => [result, place].filter(Boolean).join(" ");
    return test(drawerTestAct, about(drawerTestIntended), actor, async () => {
      const data: DrawerResult = await openDrawer(ports.drawer, ports.clock, drawer);
      core.applyAndQueueWrite([{ type: "act", act: drawerTestAct, about: about(data) }], core.momentNow(), actor);
      return { ok: true, data };
    });
  };

  /** Not during a payout: the printer may drive the drawer, or be at its port under another name. */
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

  /** A second press during a search gets the same answer. */
  const findPrinters = async (): Promise<Reply> => {
    searching ??= (ports.findPrinters?.() ?? Promise.resolve([])).finally(() => {
      searching = null;
    });
    return { ok: true, data: await searching };
  };

  const runPractice = async (callOf: (device: Device) => BankCall): Promise<Reply> => {
    // Its address may have changed since the terminal's start: another program had the port when the service came to it.
    const device = ports.training ? ports.secrets.load() : null;
    if (device === null) return { ok: false, code: "invalid" };
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

/** The same device may get a new key at any time; another device only after a manager has decided everything open. */
const mayEnroll = ({ open, book, training }: Core["state"], next: Device): boolean =>
  book === null || isSameDevice(book, bookOf(next, training)) || ![...open.values()].some(isUndecided);

/** In training a program at any port of this machine may play the printer. */
const mayConnect = ({ host, port }: DeviceAddress, training: boolean): boolean =>
  isDeviceHost(host) && (isPrinterPort(port) || (training && isLoopbackHost(host)));

/** Settings about authority and cash are written to the journal first. @param mayRecord false while no journal is open. */
const changeSettings = (core: Core, ports: Ports, wanted: Settings, actor: Actor, mayRecord: boolean): Reply => {
  const settings = usableSettings(wanted, ports.training);
  if (newAddresses(core.state.settings, settings).some((address) => !mayConnect(address, ports.training)))
    return { ok: false, code: "invalid" };
  const [before, next] = [core.state.protectedSettings ?? protectedOf(core.state.settings), protectedOf(settings)];
  const record = (recorded: ProtectedSettings): boolean =>
    differing(before, next).length === 0 ||
    (mayRecord &&
      core.apply([{ type: "settings_recorded", settings: recorded, why: "changed" }], core.momentNow(), actor));
  if (!record(next)) return { ok: false, code: "failed" };
  try {
    ports.settings.save(settings);
  } catch (error) {
    ports.log("error", "the settings could not be kept", { error: String(error) });
    record(before);
    return { ok: false, code: "failed" };
  }
  core.apply([{ type: "settings_changed", settings }]);
  return { ok: true };
};

/** Whether only managers may see the expected sum and this one has not seen it since the last count. */
const isShownAnew = (state: Core["state"], actor: Actor): boolean => {
  const { approvedBy, code } = actor;
  const isManagers = !mayAct(state, { ...actor, approvedBy: null }, "expected");
  return isManagers && expectedShown(state.drawerMoney, approvedBy?.code ?? code, 0) !== state.drawerMoney;
};

interface CommandParts {
  readonly core: Core;
  readonly ports: Ports;
  readonly client: ServiceClient;
  readonly effects: ReturnType<typeof createEffectLoop>;
  readonly journalStart: JournalStart;
  readonly history: ReturnType<typeof createHistoryCommands>;
  readonly checkJournal: ReturnType<typeof createJournalCheck>;
  readonly record: (act: string, about: string | null, actor: Actor) => void;
}

/** Handles a command. Does not reject for anything that a screen can send. */
export const createCommands = (parts: CommandParts) => {
  const { core, ports, client, effects, journalStart, history, checkJournal, record } = parts;
  /** A code works once: its credential is kept for another try if something else failed. */
  let redeemed: { readonly by: string; readonly credential: Credential } | null = null;

  /** Tests the credential at the service and saves it; `undecided`, `denied`, `wait`, `unreachable` and `failed` save nothing. */
  const enrollByKey = async ({ serviceUrl, merchantId, deviceId, secret }: Credential): Promise<Reply> => {
    const candidate = { serviceUrl, merchantId, deviceId, secret };
    const device = deviceOf(candidate);
    const isFree = (): boolean => mayEnroll(core.state, device);
    if (!isFree()) return { ok: false, code: "undecided" };
    try {
      const result = await client.enroll(candidate, isFree);
      if (result !== "accepted") return { ok: false, code: result === "busy" ? "undecided" : result };
    } catch (error) {
      ports.log("error", "the credential could not be kept", { error: String(error) });
      return { ok: false, code: "failed" };
    }
    const { book } = core.state;
    const next = bookOf(device, ports.training);
    core.apply([{ type: "enrolled", device }]);
    if (book === null || !isSameBook(book, next)) journalStart.reopen();
    else core.applyAndQueueWrite(deviceChange(core.state, next), core.momentNow());
    return { ok: true };
  };

  const enrollByCode = async ({ serviceUrl, code }: Extract<Command, { type: "enroll_by_code" }>): Promise<Reply> => {
    const { book, open } = core.state;
    // Another service means another device, so refuse before the code is spent.
    if (book !== null && book.serviceUrl !== serviceUrl && [...open.values()].some(isUndecided))
      return { ok: false, code: "undecided" };
    const by = JSON.stringify([serviceUrl, code]);
    if (redeemed?.by !== by) {
      const answer = await client.redeemEnrolmentCode(serviceUrl, code);
      if (typeof answer === "string") return { ok: false, code: answer };
      redeemed = { by, credential: answer };
    }
    const reply = await enrollByKey(redeemed.credential);
    if (reply.ok) redeemed = null;
    return reply;
  };

  const enroll = async (tried: () => Promise<Reply>, actor: Actor): Promise<Reply> => {
    if (journalStart.opened === null) return { ok: false, code: "failed" };
    const reply = await tried();
    const { device } = core.state;
    record(reply.ok ? "enrolled" : `enrolment_${reply.code}`, reply.ok && device ? device.deviceId : null, actor);
    effects.turn();
    return reply;
  };

  const answers: Answers<"setUp" | "enrolment" | "terminal"> = {
    ...createSetUpAnswers(core, ports, () => journalStart.opened !== null),
    enroll: (command, actor) => enroll(() => enrollByKey(command), actor),
    enroll_by_code: (command, actor) => enroll(() => enrollByCode(command), actor),
    answer_journal_question({ choice }, actor) {
      if (core.state.blocked?.why !== "other_journal") return { ok: false, code: "stale" };
      journalStart.reopen(choice);
      record(`journal_${choice}`, null, actor);
      return { ok: true };
    },
    change_settings({ settings }, actor) {
      const reply = changeSettings(core, ports, settings, actor, journalStart.opened !== null);
      if (reply.ok) record("settings_changed", null, actor);
      return reply;
    },
    list_problems: () => ({ ok: true, data: problemsOf(core.state, core.momentNow()) }),
    get_day({ reveal, approval }, actor) {
      const seesExpected = mayAct(core.state, actor, "expected");
      if (reveal && !seesExpected) return { ok: false, code: approvalMissing(actor) };
      if (seesExpected && (reveal || approval !== undefined || isShownAnew(core.state, actor)))
        record(expectedShownAct, actor.approvedBy?.code ?? null, actor);
      return { ok: true, data: dayViewOf(core.state, seesExpected) };
    },
    async check_journal() {
      try {
        const askService = () => client.listJournalHeads().then(bodyOf);
        return { ok: true, data: await checkJournal(journalStart.opened?.damaged ?? [], askService) };
      } catch (error) {
        ports.log("error", "the journal could not be checked to its end", { error: String(error) });
        return { ok: false, code: "failed" };
      }
    },
  };

  return async (command: TerminalCommand, actor: Actor): Promise<Reply> => {
    if (isForHost(command)) return { ok: false, code: "invalid" };
    if (isFor(command, "setUp", "enrolment", "terminal")) return answers[command.type](command as never, actor);
    const reply = isFor(command, "history") ? await history.answer(command, actor) : core.handle(command, actor);
    effects.turn();
    return reply ?? { ok: false, code: "failed" };
  };
};
