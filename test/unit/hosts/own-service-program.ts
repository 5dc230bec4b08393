/** One program with a service of its own, which runs in this process: what its set-up leaves behind, and whom the service trusts then. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { parseConfig } from "../../../backend/config.ts";
import { isEnrolmentCode, normalizeTypedId } from "../../../backend/contract/ids.ts";
import { createLog } from "../../../backend/log.ts";
import { answerHost, sentenceOf, troubleOf } from "../../../backend/operate/answer-host.ts";
import { startService } from "../../../backend/serve.ts";
import { createOwnServiceWork, withOwnService } from "../../../main/service/own/commands.ts";
import { openOwnService, saveOwnSettings } from "../../../main/service/own/process.ts";
import type { ServiceChild } from "../../../main/service/service-channel.ts";
import type { Actor } from "../../../main/terminal/withdrawal/inputs.ts";
import type { Header, Reply, TerminalCommand } from "../../../preload/contract.ts";
import { freePort } from "../../free-port.ts";
import { namedCertificate, namedKey } from "../../service/tls-files.ts";

/** Not the usual one, and this process's to its end: no other program of a test run is given it. */
export const quietPort = await freePort();

/** Folders of services that nobody has set up; removed after the tests of the file that asks for them. */
export const serviceFolders = (): (() => string) => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(path.join(tmpdir(), "tillcash-own-"));
    folders.push(folder);
    const unfinished = { network: null, shop: null, bank: null, isBankTold: false, attempts: [] };
    saveOwnSettings(folder, { ...unfinished, port: quietPort, backupFolder: path.join(folder, "copies") });
    return folder;
  };
};

/** A shop as the form has it. */
export const shop = { id: "corner-shop", name: "Corner shop", currency: "EUR", smallest: "", largest: "", step: "" };
/** A bank as the form has it. */
export const bank = { id: "my-bank", url: "https://bank.example", eventsUrl: "", key: "" };
/** The form as it is sent. */
export const form = { shop, bank, backupFolder: "" };
/** The files of a certificate for till.example, as the form names them. */
export const certificateIn = (folder: string) => {
  const files = { certFile: path.join(folder, "cert.pem"), keyFile: path.join(folder, "key.pem") };
  writeFileSync(files.certFile, namedCertificate);
  writeFileSync(files.keyFile, namedKey);
  return files;
};

/** A cheap hash: a set-up makes four of them. */
const cheap = { hashCost: { N: 2, r: 1, p: 1 } };

type Env = Record<string, string | undefined>;

/** The real service in this process, over the channel that it has with its host. */
const inProcess = (env: Env, step: () => void): ServiceChild => {
  const config = parseConfig({ ...env, LOG_LEVEL: "silent" });
  if (!config.ok) throw new Error(config.problems.join());
  const exited = Promise.withResolvers<number | null>();
  const started = startService(config.config, createLog("silent"), cheap);
  const listeners: ((message: unknown) => void)[] = [];
  const end = async (): Promise<void> => {
    await (await started).stop();
    exited.resolve(0);
  };
  return {
    exited: exited.promise,
    onLine: (listener) =>
      void started.then(
        ({ port }) => listener(`service listening on http://127.0.0.1:${port}`),
        (error: unknown) => {
          const why = { kind: "cannot_start", why: troubleOf(error), message: sentenceOf(error) };
          for (const hear of listeners) hear(why);
          exited.resolve(2);
        },
      ),
    onMessage: (listener) => void listeners.push(listener),
    async send(message) {
      try {
        step();
        const answer = await answerHost(await started, message);
        for (const listener of listeners) listener(answer);
      } catch {
        void end();
      }
    },
    stop: () => void end(),
    kill: () => void end(),
  };
};

/**
 * One run of the program, which ends for good before its `cutAt`th lasting step: what the host knew by then is lost with it.
 * @param starts called before each start of the service, with what it is started with.
 */
export const program = (folder: string, cutAt = Number.POSITIVE_INFINITY, starts: (env: Env) => void = () => {}) => {
  let steps = 0;
  const step = (): void => {
    if (steps >= cutAt) throw new Error("the program has ended");
    steps += 1;
  };
  const start = (env: Env): ServiceChild => {
    starts(env);
    return inProcess(env, step);
  };
  const service = openOwnService({ folder, start, log: () => {}, env: {} });
  const codes: string[] = [];
  const addresses: string[] = [];
  const cut = {
    ...service,
    save(settings: Parameters<typeof service.save>[0]) {
      step();
      service.save(settings);
    },
  };
  const enrol = async (address: string, code: string): Promise<string | null> => {
    step();
    addresses.push(address);
    codes.push(code);
    return null;
  };
  const work = createOwnServiceWork(cut);
  return {
    service,
    work,
    addresses,
    codes,
    setUp: (sent = form, enrolled = enrol, at?: Parameters<typeof work.setUp>[3]) =>
      work.setUp(sent, "manager M1", enrolled, at).catch((error: unknown) => String(error)),
    steps: () => steps,
  };
};

/** The manager at the terminal. */
export const actor: Actor = { code: "M1", guarded: true, approvedBy: null };
/** A terminal that keeps what it is told. @param undecided how many withdrawals a manager has to decide. */
export const terminalOn = (
  service: ReturnType<typeof openOwnService>,
  undecided: number,
  training = false,
  header: Partial<Pick<Header, "identity" | "unfinished">> = {},
) => {
  const seen = { passed: [] as string[], acts: [] as string[], shown: [] as unknown[], logged: [] as string[] };
  const enrolled: unknown[] = [];
  const ranAtAct: boolean[] = [];
  const terminal = {
    async dispatch(command: TerminalCommand, by: Actor): Promise<Reply> {
      const { type } = command;
      if (type === "list_problems") return { ok: true, data: Array(undecided).fill({ kind: "open" }) };
      seen.passed.push(type);
      if (type === "enroll_by_code")
        enrolled.push([command.serviceUrl, isEnrolmentCode(normalizeTypedId(command.code)), by]);
      return type === "enroll_by_code" ? { ok: false, code: "failed" } : { ok: true };
    },
    snapshot: () => ({ header: { identity: null, unfinished: undecided, ...header } }),
    show: (part: unknown) => void seen.shown.push(part),
    record: (act: string, _about: null, by: Actor) => {
      seen.acts.push(by === actor ? act : `${act} of nobody`);
      ranAtAct.push(service.channel() !== null);
    },
  };
  const log = (_level: string, text: string) => void seen.logged.push(text);
  const bridge = withOwnService(terminal as unknown as Parameters<typeof withOwnService>[0], service, {
    training,
    log,
  });
  return { ...seen, enrolled, ranAtAct, send: (command: object) => bridge.dispatch(command as TerminalCommand, actor) };
};

/** What an operator's command says of a service. */
export const rows = async (service: ReturnType<typeof openOwnService>, ...words: string[]) =>
  (await service.channel()?.command({ words, flags: {}, secret: null, actor: "test" })) ?? [];

/** Everything that the service trusts, and the bank's file as its engineers read it. */
export const trusts = async (folder: string, service: ReturnType<typeof openOwnService>) => {
  const file = readFileSync(path.join(folder, "for-the-bank.txt"), "utf8");
  const field = (name: string) => new RegExp(`^\\s*${name}\\s+(\\S+)$`, "m").exec(file)?.[1] ?? "";
  const signIn = await fetch(`${field("Service")}/oauth2/authorize`, {
    method: "POST",
    // Of its own: a kept one may be that of the service before, at the same address.
    headers: { "content-type": "application/json", connection: "close" },
    body: JSON.stringify({
      grant_type: "client_credentials",
      device_type: "client",
      scope: "",
      merchant_id: field("merchant_id"),
      device_id: field("device_id"),
      password: field("password"),
    }),
  });
  const credentials = await rows(service, "credentials", "list");
  return {
    signIn: signIn.status,
    bank: field("merchant_id"),
    shop: /^Shop \(store\)\s+(\S+)$/m.exec(file)?.[1],
    shops: (await rows(service, "partners", "list")).map(({ id, shops }) => [id, shops]),
    inUse: credentials
      .filter(({ status }) => status === "in use")
      .map((row) => `${row.device_type} ${row.merchant_id}`),
  };
};
/** What one whole set-up leaves trusted. */
export const wanted = {
  signIn: 201,
  bank: "my-bank",
  shop: "corner-shop",
  shops: [["my-bank", "corner-shop"]],
  inUse: ["client my-bank"],
};
