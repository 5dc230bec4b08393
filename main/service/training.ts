/** Training: the bundled service with its sandbox, and a terminal that is already enrolled there. */
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { portSchema } from "../../preload/settings.ts";
import { openMemory } from "../host/json-file.ts";
import type { Log } from "../host/log-file.ts";
import type { Credential, Secrets } from "../terminal/ports.ts";
import type { ServiceChild } from "./service-channel.ts";
import { choosePort, type Environment, inheritedFrom, superviseService } from "./supervisor.ts";

const defaultPort = 8787;
/** After this the terminal starts without the service and shows that it is down. */
const defaultStartTimeoutMs = 5_000;

/** See `startTraining`. */
export type Training = Awaited<ReturnType<typeof startTraining>>;

interface TrainingOptions {
  readonly folder: string;
  readonly start: (env: Record<string, string | undefined>) => ServiceChild;
  readonly log: Log;
  /** Environment to inherit from. Default: this program's. */
  readonly env?: Environment;
  /** Ports of the real-money service, which may start a moment later and needs them. */
  readonly reserved: readonly number[];
  /** Milliseconds that the terminal's start waits for the service. Default 5,000. */
  readonly startTimeoutMs?: number;
}

/** Time limits that testers may shorten (docs/qa.md). */
const testers = ["SCA_TIMEOUT_SECONDS", "ORDER_TTL_SECONDS"] as const;

/** The service's settings: on 127.0.0.1 only, with its database in the terminal's folder, whatever the shell has set. */
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

/** Resolves when the service listens, or after `startTimeoutMs`; starting goes on in the background. */
export async function startTraining(options: TrainingOptions) {
  const { folder, start, log, reserved, env = process.env, startTimeoutMs = defaultStartTimeoutMs } = options;
  // Prefers the last port, so that links to the service survive a restart.
  const memory = openMemory(path.join(folder, "service-port.json"), portSchema);
  const last = memory.load();
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
  // Fixed from now on: links lead to this address.
  const listening = supervised.listening.then(() => {
    isFixed = true;
    memory.save(port);
  });
  await Promise.race([listening, delay(startTimeoutMs)]);
  const address = () => `http://127.0.0.1:${port}`;
  return {
    /** Page where the customer's part can be played; resolves when the service first listens. */
    phone: listening.then(() => `${address()}/sandbox`),
    /** Address of the service for other programs; may change until it first listens, and is constant then. */
    get address(): string {
      return address();
    },
    /** How this program reaches it; null while the service is not running. */
    channel: supervised.channel,
    /** The sandbox's published credential; enrolling elsewhere lasts only until this program exits. */
    secrets: enrolledAt(address),
    stop: supervised.stop,
  };
}
