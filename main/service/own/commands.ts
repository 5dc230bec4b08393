/** Set-up of the own service and changes by a manager: answers these bridge commands in front of the terminal. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rmdir, stat } from "node:fs/promises";
import { isIP } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pLimit from "p-limit";
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { isLoopbackHost } from "../../../backend/contract/service-url.ts";
import { ownServiceParts } from "../../../preload/choices.ts";
import {
  isFor,
  type OwnBank,
  type OwnNetwork,
  type OwnServiceCommand,
  type OwnServiceField,
  type OwnServiceReply,
  type OwnServiceView,
  type OwnShop,
  type Problem,
  type Reply,
  type TerminalCommand,
} from "../../../preload/contract.ts";
import type { Log } from "../../host/log-file.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Actor, Answers } from "../../terminal/withdrawal/inputs.ts";
import { type Rows, type ServiceChannel, ServiceRefusal } from "../service-channel.ts";
import { addressOf, databaseIn, type OwnServiceProcess, type OwnServiceSettings, portIn } from "./process.ts";

/** `device_id` of the bank's server in the service's credentials. */
const bankDevice = "server-1";
/** `device_id` of this terminal at its own service. */
const ownDevice = "till-1";

type Run = (words: readonly string[], flags?: Readonly<Record<string, string>>, secret?: string) => Promise<Rows>;

/** @param actor name in the service's audit. */
const runAs =
  (channel: ServiceChannel, actor: string): Run =>
  (words, flags = {}, secret) =>
    channel.command({ words: [...words], flags: { ...flags }, secret: secret ?? null, actor });

const textIn = (row: Rows[number] | undefined, column: string): string | null => {
  const value = row?.[column];
  return typeof value === "string" ? value : null;
};

const filled = (flags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== ""));

/** Adds or changes the shop. @throws ServiceRefusal if the currency differs: it cannot be changed any more. */
const applyShop = async (run: Run, shop: OwnShop): Promise<void> => {
  const { id, name, currency, smallest, largest, step } = shop;
  const known = (await run(["merchants", "list"])).find((row) => row.id === id);
  const amounts = filled({ smallest, largest, step });
  if (known === undefined) await run(["merchants", "add", id], { name, currency, ...amounts });
  else if (known.currency !== currency)
    throw new ServiceRefusal(`the shop's books are in ${known.currency}`, ["currency"]);
  else await run(["merchants", "set", id], { name, ...amounts });
};

/**
 * Adds or changes the bank. @param keepsEvents an empty address for events changes nothing. @returns the signing key that
 * the service made for it; null if it had one already.
 */
const applyBank = async (
  run: Run,
  { id, url, eventsUrl, key }: OwnBank,
  keepsEvents = false,
): Promise<string | null> => {
  const isKnown = (await run(["partners", "list"])).some((row) => row.id === id);
  const words = isKnown ? ["partners", "set-url", id, url] : ["partners", "add", id];
  const [row] = await run(words, isKnown ? {} : { url });
  if (key !== "") await run(["partners", "set-key", id], {}, key);
  if (eventsUrl !== "" || !keepsEvents)
    await run(["partners", "set", id], { "events-url": eventsUrl === "" ? "none" : eventsUrl });
  return textIn(row, "secret");
};

type Attempt = OwnServiceSettings["attempts"][number];

/** Revokes the access of a mistyped shop or bank, unless this terminal has a credential for that shop: then it was no mistake. */
const revokeMistaken = async (run: Run, mistaken: Attempt, meant: Attempt): Promise<void> => {
  const { shop, bank } = mistaken;
  if (shop === meant.shop && bank === meant.bank) return;
  if (await hasCredential(run, "terminal", shop, ownDevice)) return;
  const row = (await run(["partners", "list"])).find(({ id }) => id === bank);
  const shops = (textIn(row, "shops") ?? "").split(" ");
  if (shops.includes(shop)) await run(["partners", "disallow", bank, shop]);
  if (bank !== meant.bank && (await hasCredential(run, "client", bank, bankDevice)))
    await run(["credentials", "revoke", "client", bank, bankDevice]);
};

const hasCredential = async (run: Run, kind: string, owner: string, device: string): Promise<boolean> =>
  (await run(["credentials", "list"])).some(
    (row) =>
      row.device_type === kind && row.merchant_id === owner && row.device_id === device && row.status === "in use",
  );

/** Creates a new secret for a device and revokes the previous one. @returns the service's row with the secret. */
const renewCredential = async (run: Run, kind: string, owner: string, device: string, flags = {}) => {
  const verb = (await hasCredential(run, kind, owner, device)) ? "rotate" : "add";
  const [row] = await run(["credentials", verb, kind, owner, device], flags);
  return row;
};

/** Creates a new signing key for the bank, also during a rotation. @param hours for which the previous key signs too. */
const makeBankKey = async (run: Run, bank: string, hours: number): Promise<string> => {
  const [row] = await run(["partners", "rotate", bank], { hours: String(hours), force: "1" });
  return textIn(row, "secret") ?? "";
};

const readOwners = async (run: Run, shopId: string | null, bankId: string | null) => {
  const shop = (await run(["merchants", "list"])).find((row) => row.id === shopId);
  const bank = (await run(["partners", "list"])).find((row) => row.id === bankId);
  const text = (row: Rows[number], column: string): string => textIn(row, column) ?? "";
  const shopTexts = Object.values(ownServiceParts.shop).map((column) => [column, shop && text(shop, column)]);
  return {
    shop: shop ? (Object.fromEntries(shopTexts) as OwnShop) : null,
    bank: bank ? { id: text(bank, "id"), url: text(bank, "url"), eventsUrl: text(bank, "events_url") } : null,
  };
};

/** The folder may be in the network and not answer. */
const isUsableFolder = async (folder: string): Promise<boolean> => {
  if (!path.isAbsolute(folder)) return false;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A name that nobody can guess: in a shared folder another user could have placed a link there.
    await rmdir(await mkdtemp(path.join(folder, ".tillcash-")));
    return true;
  } catch {
    return false;
  }
};

/** A path from the folder of this start would lead elsewhere from that of the next one, and the service would not start. */
const readPem = async <T>(file: string, read: (pem: Buffer) => T): Promise<T | null> => {
  if (!path.isAbsolute(file)) return null;
  try {
    // A pipe or a device has no end.
    return (await stat(file)).isFile() ? read(await readFile(file)) : null;
  } catch {
    return null;
  }
};

const namesHost = (certificate: X509Certificate, hostname: string): boolean =>
  (isIP(hostname) === 0 ? certificate.checkHost(hostname) : certificate.checkIP(hostname)) !== undefined;

/** Names the wrong fields of network settings: the service must be reached by https, with a valid certificate for its host name. */
export const networkFaults = async (network: OwnNetwork, nowMs: number): Promise<readonly OwnServiceField[]> => {
  const faults = new Set<OwnServiceField>();
  const url = URL.parse(network.publicUrl);
  if (url === null || url.protocol !== "https:" || isLoopbackHost(url.hostname)) faults.add("publicUrl");
  const certificate = await readPem(network.certFile, (pem) => new X509Certificate(pem));
  const key = await readPem(network.keyFile, (pem) => createPrivateKey(pem));
  if (certificate === null || Date.parse(certificate.validTo) <= nowMs) faults.add("certFile");
  else if (url !== null && !namesHost(certificate, url.hostname)) faults.add("certFile");
  if (key === null || (certificate !== null && !certificate.checkPrivateKey(key))) faults.add("keyFile");
  return [...faults];
};

/** Text for the bank: only in a local file, never on a page. @param key null: the bank chose its own. */
const bankFileText = (
  access: Readonly<Record<"bank" | "shop" | "address" | "password", string>>,
  key: string | null,
): string => `Tillcash: access for the bank ${access.bank}

This file holds secrets. Give it to the bank's engineers on a safe way, then delete it.

Service                     ${access.address}
API reference               ${access.address}/docs
Shop (store)                ${access.shop}

Signing in: POST /oauth2/authorize
  merchant_id               ${access.bank}
  device_id                 ${bankDevice}
  password                  ${access.password}

The service signs its calls to the bank (Standard Webhooks) with
  ${key ?? "the key that the bank gave"}
`;

const done: OwnServiceReply = { kind: "done" };

/** @param fields the wrong ones. @param output the service's own message, or null. */
const refused = (fields: readonly OwnServiceField[], output: string | null = null): OwnServiceReply => ({
  kind: "refused",
  fields,
  output,
});

const withFieldErrors = async (
  part: "shop" | "bank" | null,
  work: () => Promise<unknown>,
): Promise<OwnServiceReply> => {
  try {
    await work();
    return done;
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    const names = Object.entries(part === null ? {} : ownServiceParts[part]) as [OwnServiceField, string][];
    const isNamed = (flag: string): boolean => error.fields.includes(flag === "eventsUrl" ? "events-url" : flag);
    return refused(
      names.filter(([, flag]) => isNamed(flag)).map(([field]) => field),
      error.message,
    );
  }
};

const defaultPort = 8787;
const attemptsMax = 50;
/** Hours for which the bank's previous key also signs. */
const overlapHours = 24;

/** Enrols this terminal with a code at this address. @returns null, or why it failed. */
type Enrol = (serviceUrl: string, code: string) => Promise<string | null>;

/** Adds an attempt; each pair of shop and bank once, newest last. */
const withAttempt = (attempts: readonly Attempt[], { shop, bank }: Attempt): Attempt[] => [
  ...attempts.filter((one) => one.shop !== shop || one.bank !== bank).slice(1 - attemptsMax),
  { shop, bank },
];

/** Set-up and changes of the own service; `actor` is the name in its audit. Each can be repeated after a crash between steps. */
export const createOwnServiceWork = (service: OwnServiceProcess, diskAnswersMs = 15_000) => {
  let isLooking = false;
  /** `silent` where the disk does not answer. It keeps one of this process's four threads; PINs need the others. */
  const look = async <T>(work: () => Promise<T>, silent: T): Promise<T> => {
    if (isLooking) return silent;
    isLooking = true;
    const looked = work().finally(() => {
      isLooking = false;
    });
    return Promise.race([looked, delay(diskAnswersMs, silent, { ref: false })]);
  };
  const isUsable = (folder: string): Promise<boolean> => look(() => isUsableFolder(folder), false);
  const bankFile = path.join(service.folder, "for-the-bank.txt");
  const discardBankFile = (): void => rmSync(bankFile, { force: true });
  /** @throws ServiceRefusal while the service does not run. */
  const running = (actor: string): Run => {
    const channel = service.channel();
    if (channel === null) throw new ServiceRefusal(service.lastOutput() ?? "the service does not run", []);
    return runAs(channel, actor);
  };
  const change = (part: Partial<OwnServiceSettings>): void => {
    const settings = service.settings();
    if (settings !== null) service.save({ ...settings, ...part });
  };
  /** Creates a new password for the bank and writes it to a file that only this user can read. */
  const writeBankFile = async (run: Run, bank: string, shop: string, key: string | null): Promise<void> => {
    const password = textIn(await renewCredential(run, "client", bank, bankDevice), "password") ?? "";
    const settings = service.settings();
    const address = settings === null ? "" : (settings.network?.publicUrl ?? addressOf(settings));
    discardBankFile();
    writeFileSync(bankFile, bankFileText({ bank, shop, address, password }, key), { mode: 0o600, flush: true });
    change({ isBankTold: true });
  };

  return {
    discardBankFile,

    /** @param at the port of a service without settings; `isKept`: the terminal's open withdrawals are known there, and nowhere else. */
    async setUp(
      { shop, bank, backupFolder: wanted }: { shop: OwnShop; bank: OwnBank; backupFolder: string },
      actor: string,
      enrol: Enrol,
      at = { port: defaultPort, isKept: false },
    ): Promise<OwnServiceReply> {
      const backupFolder = wanted === "" ? path.resolve(service.folder, "copies") : wanted;
      if (!(await isUsable(backupFolder))) return refused(["backupFolder"]);
      const before = service.settings();
      // Where the settings are lost and the database is not, the bank has its file.
      const isBankTold = existsSync(databaseIn(service.folder));
      const fresh = { port: at.port, network: null, shop: at.isKept ? shop.id : null, bank: null, isBankTold };
      const names = { shop: shop.id, bank: bank.id };
      const attempts = withAttempt(before?.attempts ?? [], names);
      service.save({ ...fresh, ...before, backupFolder, attempts });
      if ((service.channel() ?? (await service.start())) === null) return refused([], service.lastOutput());
      const run = running(actor);
      const withShop = await withFieldErrors("shop", () => applyShop(run, shop));
      if (withShop.kind === "refused") return withShop;
      const withBank = await withFieldErrors("bank", async () => {
        const kept = service.settings();
        // The settings are lost, and an empty form is not what the bank was set up with.
        const made = await applyBank(run, bank, kept?.isBankTold === true && kept.bank === null);
        await run(["partners", "allow", bank.id, shop.id]);
        // It has its file: no second key or password.
        const isTold = kept?.bank === bank.id || kept?.isBankTold === true;
        if (isTold && (await hasCredential(run, "client", bank.id, bankDevice))) return;
        const key = bank.key === "" ? (made ?? (await makeBankKey(run, bank.id, 0))) : null;
        await writeBankFile(run, bank.id, shop.id, key);
      });
      if (withBank.kind === "refused") return withBank;
      for (const attempt of attempts) await revokeMistaken(run, attempt, names);
      // Before the enrolment: after a crash here the next start runs the service, and the form can be sent again.
      change(names);
      const { port } = service.settings() ?? fresh;
      const access = await renewCredential(run, "terminal", shop.id, ownDevice, { enrol: "1" });
      const problem = await enrol(addressOf({ port }), textIn(access, "code") ?? "");
      if (problem !== null) return refused([], problem);
      change({ attempts: [] });
      return done;
    },

    async changeShop(shop: OwnShop, actor: string): Promise<OwnServiceReply> {
      if (shop.id !== service.settings()?.shop) return refused(["shopId"]);
      return withFieldErrors("shop", async () => applyShop(running(actor), shop));
    },

    async changeBank(bank: OwnBank, actor: string): Promise<OwnServiceReply> {
      if (bank.id !== service.settings()?.bank) return refused(["bankId"]);
      return withFieldErrors("bank", async () => applyBank(running(actor), bank));
    },

    async changeBackups(backupFolder: string): Promise<OwnServiceReply> {
      if (!(await isUsable(backupFolder))) return refused(["backupFolder"]);
      change({ backupFolder });
      return (await service.start()) === null ? refused([], service.lastOutput()) : done;
    },

    /** Restores the previous network settings if the service does not start with the new ones. */
    async changeNetwork(network: OwnNetwork | null): Promise<OwnServiceReply> {
      const before = service.settings();
      if (before === null) return refused([]);
      const silent: readonly OwnServiceField[] = ["certFile", "keyFile"];
      const faults = network === null ? [] : await look(() => networkFaults(network, Date.now()), silent);
      if (faults.length > 0) return refused(faults);
      change({ network });
      if ((await service.start()) !== null) return done;
      const output = service.lastOutput();
      change({ network: before.network });
      await service.start();
      return refused(["networkPort"], output);
    },

    backUp: (actor: string): Promise<OwnServiceReply> => withFieldErrors(null, async () => running(actor)(["backup"])),

    renewBankAccess: (actor: string): Promise<OwnServiceReply> =>
      withFieldErrors(null, async () => {
        const { bank, shop } = service.settings() ?? { bank: null, shop: null };
        if (bank === null || shop === null) throw new ServiceRefusal("the service has no bank yet", []);
        const run = running(actor);
        await writeBankFile(run, bank, shop, await makeBankKey(run, bank, overlapHours));
      }),

    async view(actor: string): Promise<OwnServiceView | null> {
      const [settings, status, channel] = [service.settings(), service.status(), service.channel()];
      if (settings === null || status === null) return null;
      const { network, backupFolder, shop, bank } = settings;
      return {
        ...status,
        address: addressOf(settings),
        database: path.resolve(databaseIn(service.folder)),
        backupFolder,
        network,
        bankFile: existsSync(bankFile) ? bankFile : null,
        lastOutput: service.lastOutput(),
        live: channel && {
          service: await channel.state(),
          ...(await readOwners(runAs(channel, actor), shop, bank)),
        },
      };
    },
  };
};

const nameOf = ({ code }: Actor): string => `manager ${code} at the terminal`;

/** Adds the commands about the own service to a terminal. In training they are refused, and the service runs on unchanged. */
export const withOwnService = <T extends Pick<Terminal, "dispatch" | "snapshot" | "show" | "record">>(
  terminal: T,
  service: OwnServiceProcess,
  host: { readonly training: boolean; readonly log: Log },
): T => {
  const work = createOwnServiceWork(service);
  const show = (): void => terminal.show({ ownService: service.status() });
  if (!host.training) {
    service.watch(show);
    show();
  }
  const reply = async (data: Promise<OwnServiceReply>): Promise<Reply> => ({ ok: true, data: await data });
  const hasUndecided = async (actor: Actor): Promise<boolean> => {
    const listed = await terminal.dispatch({ type: "list_problems" }, actor);
    return !listed.ok || (listed.data as readonly Problem[]).some(({ kind }) => kind === "open");
  };
  const answers: Answers<"ownService"> = {
    async set_up_service(command, actor) {
      const { identity } = terminal.snapshot().header;
      const port = identity && portIn(identity.serviceUrl);
      const isBack = port !== null && identity?.merchantId === command.shop.id && identity.deviceId === ownDevice;
      // Where it began what is open goes on; elsewhere nobody could report it.
      if (!isBack && (await hasUndecided(actor))) return { ok: false, code: "undecided" };
      const enrol = async (serviceUrl: string, code: string): Promise<string | null> => {
        const enrolled = await terminal.dispatch({ type: "enroll_by_code", serviceUrl, code }, actor);
        return enrolled.ok ? null : `enrolment: ${enrolled.code}`;
      };
      return reply(work.setUp(command, nameOf(actor), enrol, { port: port ?? defaultPort, isKept: isBack }));
    },
    change_service({ change }, actor) {
      switch (change.part) {
        case "shop":
          return reply(work.changeShop(change.shop, nameOf(actor)));
        case "bank":
          return reply(work.changeBank(change.bank, nameOf(actor)));
        case "backups":
          return reply(work.changeBackups(change.folder));
        case "network":
          return reply(work.changeNetwork(change.network));
        default:
          return assertNever(change);
      }
    },
    async get_service(_, actor) {
      const data = await work.view(nameOf(actor));
      return data === null ? { ok: false, code: "invalid" } : { ok: true, data };
    },
    // A running service is not restarted: withdrawals may be in progress.
    restart_service: async () =>
      service.channel() !== null || (await service.start()) !== null ? { ok: true } : { ok: false, code: "failed" },
    back_up_service: (_, actor) => reply(work.backUp(nameOf(actor))),
    renew_bank_access: (_, actor) => reply(work.renewBankAccess(nameOf(actor))),
    discard_bank_file() {
      work.discardBankFile();
      return { ok: true };
    },
  };
  /** One at a time: a form sent twice would create keys that replace each other. */
  const oneAtATime = pLimit(1);
  let renewing: Promise<Reply> | null = null;
  const answer = (command: OwnServiceCommand, actor: Actor): Reply | Promise<Reply> => {
    const begin = () => answers[command.type](command as never, actor);
    if (command.type === "get_service") return begin();
    terminal.record(`service_${command.type}`, null, actor);
    if (command.type !== "renew_bank_access") return oneAtATime(begin);
    // A second press gets the result of the first: two renewals would revoke the key that the bank still uses.
    renewing ??= oneAtATime(begin).finally(() => {
      renewing = null;
    });
    return renewing;
  };

  return {
    ...terminal,
    async dispatch(command: TerminalCommand, actor: Actor): Promise<Reply> {
      if (!isFor(command, "ownService")) return terminal.dispatch(command, actor);
      if (host.training) return { ok: false, code: "invalid" };
      try {
        return await answer(command, actor);
      } catch (error) {
        host.log("error", "the service of this terminal could not be worked with", { error: String(error) });
        return { ok: false, code: "failed" };
      }
    },
  };
};
