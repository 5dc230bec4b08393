/** The training service's port: known to the terminal only once the service really listens there. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { settingNames } from "../../../backend/config.ts";
import { startTraining, type Training } from "../../../main/service/training.ts";
import { freePort } from "../../free-port.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-training-"));
const servers: Server[] = [];
let training: Training | null = null;
// As training before had it: the first choice of all is another program's where one runs on this machine.
beforeEach(async () => writeFileSync(path.join(folder, "service-port.json"), String(await freePort())));
afterEach(async () => {
  await training?.stop();
  for (const server of servers.splice(0)) server.close();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const take = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    servers.push(server);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => resolve(server));
  });

/** A service that listens wherever it is told to. */
const listensAnywhere = (ports: number[]) => (env: Record<string, string | undefined>) => {
  const exited = Promise.withResolvers<number | null>();
  ports.push(Number(env.PORT));
  return {
    exited: exited.promise,
    onLine: (listener: (line: string) => void) => listener(`service listening on http://127.0.0.1:${env.PORT}`),
    onMessage: () => {},
    send: () => {},
    stop: () => exited.resolve(0),
    kill: () => exited.resolve(null),
  };
};

test("the port of the service for real money is left to it, also where training had it before that service was set up", async () => {
  const ports: number[] = [];
  const start = listensAnywhere(ports);
  training = await startTraining({ folder, log: () => {}, start, reserved: [] });
  await training.stop();
  const [before = 0] = ports;
  training = await startTraining({ folder, log: () => {}, start, reserved: [before] });
  expect(ports[1]).not.toBe(before);
  expect(training.address).toBe(`http://127.0.0.1:${ports[1]}`);
});

test("another credential is kept until the program ends, but not where it may not be any more", async () => {
  training = await startTraining({ folder, log: () => {}, start: listensAnywhere([]), reserved: [] });
  const { secrets } = training;
  const [own, other] = [
    secrets.load(),
    { serviceUrl: "http://127.0.0.1:9", merchantId: "m", deviceId: "d", secret: "s" },
  ];
  expect([await secrets.save(other, () => false), secrets.load()]).toEqual([false, own]);
  expect([await secrets.save(other, () => true), secrets.load()]).toEqual([true, other]);
});

test("training is told nothing of another service's settings: no folder of its copies, no bank, no key, no proxy", async () => {
  const told: Record<string, string | undefined>[] = [];
  const others = Object.fromEntries(settingNames.map((name) => [name, "elsewhere"]));
  const env = { ...others, PATH: "/bin", SCA_TIMEOUT_SECONDS: "8", ORDER_TTL_SECONDS: "9", https_proxy: "http://p" };
  const start = listensAnywhere([]);
  const noted = (given: Record<string, string | undefined>) => {
    told.push(given);
    return start(given);
  };
  training = await startTraining({ folder, log: () => {}, start: noted, reserved: [], env });
  const given = Object.entries(told[0] ?? {}).filter(([, value]) => value !== undefined);
  expect(Object.fromEntries(given)).toEqual({
    PATH: "/bin",
    SCA_TIMEOUT_SECONDS: "8",
    ORDER_TTL_SECONDS: "9",
    HOST: "127.0.0.1",
    PORT: expect.any(String),
    SANDBOX: "1",
    DATABASE_URL: `sqlite:${path.join(folder, "service.db")}`,
  });
});

test("a port that another program took before the service listened is given up, whatever the time", async () => {
  const ports: number[] = [];
  const first = Promise.withResolvers<number | null>();
  training = await startTraining({
    folder,
    log: () => {},
    reserved: [],
    startTimeoutMs: 50,
    start(env) {
      ports.push(Number(env.PORT));
      const exited = ports.length === 1 ? first : Promise.withResolvers<number | null>();
      return {
        exited: exited.promise,
        onLine: (listener) => void (ports.length > 1 && listener(`service listening on http://127.0.0.1:${env.PORT}`)),
        onMessage: () => {},
        send: () => {},
        stop: () => exited.resolve(0),
        kill: () => exited.resolve(null),
      };
    },
  });
  // The patience is over, the service has not listened, and now it cannot any more.
  await take(ports[0] ?? 0);
  first.resolve(2);
  await expect.poll(() => ports.length).toBe(2);
  expect(ports[1]).not.toBe(ports[0]);
  expect(training.address).toBe(`http://127.0.0.1:${ports[1]}`);
  expect(await training.phone).toBe(`${training.address}/sandbox`);
  expect(training.secrets.load()?.serviceUrl).toBe(training.address);
});
