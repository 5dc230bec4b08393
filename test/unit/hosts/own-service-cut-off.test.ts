/** The set-up of a service of one's own, cut off at every step: sent again it comes to its end, and nobody is trusted by halves. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { answerHost } from "../../../backend/commands/answer-host.ts";
import { parseConfig } from "../../../backend/config.ts";
import { createLog } from "../../../backend/log.ts";
import { startService } from "../../../backend/serve.ts";
import { openOwnService } from "../../../main/service/own/process.ts";
import { setUpService } from "../../../main/service/own/set-up.ts";
import type { ServiceChild } from "../../../main/service/supervisor.ts";
import { bankSecret } from "../../service/bank-server.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});
const newFolder = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-cut-"));
  folders.push(folder);
  return folder;
};

const shop = { id: "corner-shop", name: "Corner shop", currency: "EUR", smallest: "", largest: "", step: "" };
const bank = { id: "my-bank", url: "https://bank.example", eventsUrl: "", key: "" };
const form = { shop, bank, backupFolder: "" };
/** A cheap hash: a set-up makes four of them. */
const cheap = { hashCost: { N: 2, r: 1, p: 1 } };

/** The real service in this process, over the channel that it has with its host. */
const inProcess = (env: Record<string, string | undefined>, step: () => void): ServiceChild => {
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
        () => exited.resolve(2),
      ),
    onMessage: (listener) => void listeners.push(listener),
    async send(message) {
      try {
        step();
        const { commandContext, publicUrl } = await started;
        const answer = await answerHost(commandContext, publicUrl, message);
        for (const listener of listeners) listener(answer);
      } catch {
        void end();
      }
    },
    stop: () => void end(),
    kill: () => void end(),
  };
};

/** One run of the program, which ends for good before its `cutAt`th lasting step: what the host knew by then is lost with it. */
const program = (folder: string, cutAt = Number.POSITIVE_INFINITY) => {
  let steps = 0;
  const step = (): void => {
    if (steps >= cutAt) throw new Error("the program has ended");
    steps += 1;
  };
  const service = openOwnService({ folder, start: (env) => inProcess(env, step), log: () => {}, env: {} });
  const codes: string[] = [];
  const cut = {
    ...service,
    save(settings: Parameters<typeof service.save>[0]) {
      step();
      service.save(settings);
    },
  };
  const enrol = async (_address: string, code: string) => {
    step();
    codes.push(code);
    return null;
  };
  return {
    service,
    codes,
    setUp: (sent = form) => setUpService(cut, sent, "manager M1", enrol).catch((error: unknown) => String(error)),
    steps: () => steps,
  };
};

const rows = async (service: ReturnType<typeof openOwnService>, ...words: string[]) =>
  (await service.channel()?.command({ words, flags: {}, secret: null, actor: "test" })) ?? [];

/** Everything that the service trusts, and the bank's file as its engineers read it. */
const trusts = async (folder: string, service: ReturnType<typeof openOwnService>) => {
  const file = readFileSync(path.join(folder, "for-the-bank.txt"), "utf8");
  const field = (name: string) => new RegExp(`^\\s*${name}\\s+(\\S+)$`, "m").exec(file)?.[1] ?? "";
  const signIn = await fetch(`${field("Service")}/oauth2/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
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
const wanted = {
  signIn: 201,
  bank: "my-bank",
  shop: "corner-shop",
  shops: [["my-bank", "corner-shop"]],
  inUse: ["client my-bank"],
};

const whole = await (async () => {
  const folder = newFolder();
  const run = program(folder);
  const answer = await run.setUp();
  const steps = run.steps();
  const seen = await trusts(folder, run.service);
  await run.service.stop();
  return { answer, seen, steps };
})();

test("in one go it trusts this bank at this shop, and nobody else", () => {
  expect(whole.answer).toEqual({ kind: "done" });
  expect(whole.seen).toEqual(wanted);
});

test.each(Array.from({ length: whole.steps }, (_, step) => step))(
  "cut off at step %i, and sent again",
  async (step) => {
    const folder = newFolder();
    const first = program(folder, step);
    expect(await first.setUp()).not.toEqual({ kind: "done" });
    await first.service.stop();
    const second = program(folder);
    // Nothing of it runs by itself until the set-up has come to its end.
    const isThere = second.service.settings()?.shop === "corner-shop";
    expect(second.service.status() !== null).toBe(isThere);
    expect(await second.setUp()).toEqual({ kind: "done" });
    expect(await trusts(folder, second.service)).toEqual(wanted);
    expect(second.codes).toHaveLength(1);
    await second.service.stop();
  },
);

test("a bank and a shop that were mistyped at first are trusted no more", async () => {
  const folder = newFolder();
  for (let step = 0; step < whole.steps; step += 3) {
    const typo = program(folder, step);
    await typo.setUp({
      ...form,
      shop: { ...shop, id: "crner-shop" },
      bank: { ...bank, id: "my-bnak", key: bankSecret },
    });
    await typo.service.stop();
    if (typo.service.settings()?.shop != null) break;
  }
  const right = program(folder);
  expect(await right.setUp()).toEqual({ kind: "done" });
  const seen = await trusts(folder, right.service);
  await right.service.stop();
  expect(seen.shops.filter(([, shops]) => shops !== null)).toEqual(wanted.shops);
  expect(seen.inUse).toEqual(wanted.inUse);
  expect(existsSync(path.join(folder, "for-the-bank.txt"))).toBe(true);
});
