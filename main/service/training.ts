/** Training: the bundled service with its sandbox on, and a terminal that is enrolled there already. */
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { portSchema } from "../../preload/settings.ts";
import { readJson, tryWriteJson } from "../host/json-file.ts";
import type { Log } from "../host/log-file.ts";
import type { Credential, Secrets } from "../terminal/ports.ts";
import type { ServiceChild } from "./service-channel.ts";
import { choosePort, type Environment, inheritedFrom, superviseService } from "./supervisor.ts";

const defaultPort = 8787;
/** The terminal starts without a service that takes longer, and shows that it is down. */
const defaultStartTimeoutMs = 5_000;

/** The service that a terminal in training works with. */
export type Training = Awaited<ReturnType<typeof startTraining>>;

/** Where the training service keeps its data, and how it is started. */
interface TrainingOptions {
  /** Holds the service's database. */
  readonly folder: string;
  readonly start: (env: Record<string, string | undefined>) => ServiceChild;
  readonly log: Log;
  /** What it inherits from. Default: this program's. */
  readonly env?: Environment;
  /** Ports of the service for real money, which may start a moment later and must find them free. */
  readonly reserved: readonly number[];
  /** Milliseconds that the terminal's start waits for the service. Default 5,000. */
  readonly startTimeoutMs?: number;
}

/** Times that a tester may shorten (docs/qa.md). */
const testers = ["SCA_TIMEOUT_SECONDS", "ORDER_TTL_SECONDS"] as const;

/** The service's settings: on this machine only, its database in the terminal's folder, whatever the shell has set. */
const environment = (folder: string, port: number, env: Environment): Environment => ({
  ...inheritedFrom(env, testers),
  HOST: "127.0.0.1",
  PORT: String(port),
  SANDBOX: "1",
  DATABASE_URL: `sqlite:${path.join(folder, "service.db")}`,
});

function enrolledAt(address: () => string): Secrets {
  let credential: Credential = {
    get serviceUrl() {
      return address();
    },
    merchantId: "demo-shop",
    deviceId: "till-1",
    secret: "till-secret",
  };
  return {
    load: () => credential,
    async save(changed, mayReplace) {
      if (!mayReplace()) return false;
      credential = changed;
      return true;
    },
  };
}

/** Resolves when the service listens, or after `startTimeoutMs` without it; it is started again in any case. */
export async function startTraining(options: TrainingOptions) {
  const { folder, start, log, reserved, env = process.env, startTimeoutMs = defaultStartTimeoutMs } = options;
  const portFile = path.join(folder, "service-port.json");
  // The last one again where it is available, so that links to the service outlive a restart.
  const last = readJson(portFile, portSchema);
  let port = await choosePort(last ?? defaultPort, last !== null, reserved);
  let isFixed = false;
  const supervised = superviseService({
    async start() {
      if (!isFixed) port = await choosePort(port, false, reserved);
      return start(environment(folder, port, env));
    },
    log,
    monotonicMs: () => performance.now(),
  });
  // From then on links lead to this address: a restart must find it again.
  const listening = supervised.listening.then(() => {
    isFixed = true;
    tryWriteJson(portFile, port);
  });
  await Promise.race([listening, delay(startTimeoutMs)]);
  const address = () => `http://127.0.0.1:${port}`;
  return {
    /** Where other programs reach the service: the same from the moment at which it first listens, for as long as this program runs. */
    get address(): string {
      return address();
    },
    /** How this program does; null while it does not run. */
    channel: supervised.channel,
    /** The sandbox's published credential; enrolling elsewhere lasts until the program exits. */
    secrets: enrolledAt(address),
    stop: supervised.stop,
  };
}
