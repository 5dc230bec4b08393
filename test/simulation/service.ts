/** The service as a machine: the real app over a database that keeps what was committed, killed between any two steps. */

import type { CredentialKey } from "../../backend/access/credentials.ts";
import { createSteadyTime } from "../../backend/adapters.ts";
import type { PartnerAnswers } from "../../backend/contract/partner.ts";
import type { CommandLine } from "../../backend/operate/arguments.ts";
import type { CommandOutput } from "../../backend/operate/context.ts";
import { madeBy, restoresBefore } from "../../backend/operate/restore.ts";
import type { Clock, PartnerTransport, Random } from "../../backend/ports.ts";
import { ServiceError } from "../../backend/service-error.ts";
import {
  copiedAtSetting,
  lookedSetting,
  type Restore,
  restoredFromSetting,
  restoresBeforeSetting,
} from "../../backend/store/restores.ts";
import { openNodeSqlite, openSqliteFile, type SqliteEngine, SqliteFailure } from "../../backend/store/sqlite.ts";
import { createChance, seedOf } from "../random.ts";
import type { SimulatedBank } from "./bank.ts";
import { crashingEngine, type ServiceDisk } from "./crashing-engine.ts";
import type { ServiceRow } from "./evidence.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { SentRequest } from "./light-http.ts";
import { type Network, NotListening } from "./network.ts";
import { createPower, type Power, PowerCut } from "./power.ts";
import type { Scheduler } from "./scheduler.ts";
import { withServerClock } from "./server-clock.ts";

/** What a process of a fleet has besides. */
export interface FleetPorts {
  /** See `Store.server`. */
  server(): string;
  /** Milliseconds since any moment; stands still while the process does. */
  elapsedMs(): number;
  /** Calls when another process has committed something about this transaction. */
  onChangeElsewhere(transactionId: string, run: () => void): () => void;
}

/** What one life of the service is given. */
export interface ServicePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: PartnerTransport;
  /** Opens the one database of this machine again. */
  readonly open: () => SqliteEngine;
  /** What processes that share this database have in common; null for a service that is alone with it. */
  readonly fleet: FleetPorts | null;
  /** Whether it has another SERVICE_KEY besides, to which an operator may change over. */
  readonly hasNextKey: boolean;
  /** The program ends by itself, and is started again. */
  readonly end: () => void;
  /** The database is empty: somebody has to add the shop, the bank and the tills. */
  readonly isFirst: boolean;
  /** Of the shops and of the bank that are added then. */
  readonly currency: string;
  readonly answers: PartnerAnswers;
}
type Handle = (request: SentRequest) => Response | Promise<Response>;
/** What whoever runs the service does at its command line. */
export interface Operator {
  /** One of the product's own commands. @throws UsageError or ServiceError, as at the command line. */
  command(name: string, words: readonly string[], flags?: CommandLine["flags"]): Promise<CommandOutput>;
  /** Gives a device another key, in place of any before. */
  renew(key: CredentialKey, secret: string): Promise<void>;
  /** What `audit verify` finds; null when audit and history are whole. */
  verify(): Promise<string | null>;
}
/** A started service and its command line. */
export interface RunningService {
  readonly handle: Handle;
  readonly operator: Operator;
  /** Whether this process takes the work of this name for its own. */
  owns(work: string): boolean;
}
/** Starts the real service over these ports. */
export type BootService = (ports: ServicePorts) => Promise<RunningService>;

/** The service's machine over all its lives. */
export interface ServiceMachine {
  /** Answers one request. @throws NotListening while the machine is down. */
  fetch(request: SentRequest): Promise<Response>;
  /** Resolves when a boot is through, also one that was already under way; at once while it runs. */
  boot(): Promise<void>;
  /** Its calendar, which the running program's own time follows forwards alone. */
  jumpClock(byMs: number): void;
  /** Cuts its power; it comes back by itself. */
  unplug(): void;
  /** It stands still for so long, and then goes on with all that has come; `withClock`: its own clock stands still, too. */
  suspend(forMs: number, withClock: boolean): void;
  /** False when the service was not there, or died over it: then it may or may not have been done. */
  operate(work: (operator: Operator) => Promise<void>): Promise<boolean>;
  /** The time of the program that runs, epoch milliseconds; the calendar's while none does. */
  now(): number;
  /** What the machine's clock says, as the Date header of an answer does. */
  calendar(): number;
  dispose(): void;
  /**
   * Makes a copy of the database, as a backup does.
   * @returns what cuts the power, and has the copy in the database's place when it comes back.
   */
  copy(): () => void;
  /**
   * What a standby has had until now.
   * @returns what promotes it while the processes live on; whether all have, and are awake; and what stops them and says since when.
   */
  standby(): { promote(): void; haveLivedOn(): boolean; say(): void };
  /** The committed database, for the checker. */
  readonly database: SqliteEngine;
  /** What of a fleet's work has had no process that takes it for its own for too long, though none came or went meanwhile. */
  workLeft(): string | null;
}

/** What the machine stands between. */
export interface ServiceMachineOptions {
  readonly seed: number;
  readonly epochMs: number;
  readonly scheduler: Scheduler;
  readonly injector: FaultInjector;
  readonly network: Network;
  readonly bank: SimulatedBank;
  readonly bootService: BootService;
  readonly currency: string;
  readonly answers: PartnerAnswers;
  /** More than one: a fleet behind a load balancer, on one database with a clock of its own. */
  readonly processes: number;
  /** See `ServicePorts`; not by default. */
  readonly hasNextKey?: boolean;
  readonly onPowerCut: () => void;
  /** Withdrawals as a commit leaves them. */
  readonly onCommit: (rows: readonly ServiceRow[]) => void;
}

const isStorage = (problem: unknown): boolean =>
  (problem instanceof SqliteFailure && problem.kind === "storage") ||
  (problem instanceof ServiceError && problem.code === "unavailable");

/** Deadlines are respected on read; the sweep only tidies, and is slow here so that years cost little. */
export const pollMs = 20_000;
/** What one process of a fleet does for all. */
const fleetWork = ["sweep", "purge", "history", "queue metrics", "orders of bank"] as const;

const rebootMs = { min: 500, max: 5_000 } as const;
const operatorPatienceMs = 10_000;
/** A service that lives on for so long has written down what a bank has said. */
const writtenWithinMs = 10_000;

let databases = 0;
const nextName = (): string => {
  databases += 1;
  return `file:/simulated-${databases}?vfs=memdb`;
};
/** A database in memory into which another one is copied. */
const copyOf = (from: SqliteEngine): SqliteEngine => {
  const name = nextName();
  const opened = openNodeSqlite(name, 0);
  from.query("VACUUM INTO ?", [name], false);
  return opened;
};
let empty: SqliteEngine | null = null;
/** A database with its tables, which are made once for all stories. */
const openEmpty = (): SqliteEngine => {
  empty ??= openSqliteFile({ path: nextName() });
  return copyOf(empty);
};

/** A change is heard of by the other processes so much later. */
const noticeMs = { min: 1, max: 10 } as const;
/** Of so many requests, one is sent to a process that is down: the load balancer has not noticed yet. */
const misroutedOnceIn = 30;

/** After a failover the database takes no commit for so long at most. */
const awayMsMax = 8_000;

/** A dead process counts as alive for five beats, and each beat is as long as the sweep's pause; one may fail, and be late. */
const takenOverWithinMs = 8 * pollMs;

interface Process {
  readonly isUp: boolean;
  /** Null while it is down or stands still. */
  readonly awake: RunningService | null;
  readonly isOn: boolean;
  /** Another one after each start; null as for `awake`. */
  readonly life: object | null;
  readonly now: number;
  boot(): Promise<void>;
  unplug(): void;
  suspend(forMs: number, withClock: boolean): void;
  operate(work: (operator: Operator) => Promise<void>): Promise<boolean>;
  fetch(request: SentRequest): Promise<Response>;
}

/** Off at first; after a crash it boots by itself. */
export const createServiceMachine = (options: ServiceMachineOptions): ServiceMachine => {
  const { scheduler, network, bank } = options;
  let database = openEmpty();
  /** The one that there is: processes that live on find another one after a failover. */
  const current: SqliteEngine = {
    exec: (sql) => database.exec(sql),
    query: (sql, values, keep) => database.query(sql, values, keep),
    inTransaction: () => database.inTransaction(),
    close: () => {},
  };
  const backups: SqliteEngine[] = [];
  /** What an operator of a fleet remembers: of what time each dump was that was put back, by the service's clock, and when. */
  const putBack: { readonly made: number; readonly atMs: number }[] = [];
  /** Counted, as each of them has another name. */
  let servers = 1;
  const chance = createChance(seedOf(options.seed, "service's randomness"));
  const balancer = createChance(seedOf(options.seed, "load balancer"));
  const isFleet = options.processes > 1;
  let fullUntilMs = 0;
  const disk: ServiceDisk = {
    isFull: () => scheduler.now() < fullUntilMs,
    fill: (forMs) => {
      fullUntilMs = scheduler.now() + forMs;
    },
  };
  let isFirst = true;
  let jumpedMs = 0;
  /** A server's clock: up to 20 ppm fast or slow. */
  const rate = 1 + chance.between(-20, 20) / 1_000_000;
  const calendar = (): number => Math.floor(options.epochMs + scheduler.now() * rate + jumpedMs);
  const random: ServicePorts["random"] = {
    bytes: (count) => {
      const words = new Uint32Array(Math.ceil(count / 4));
      for (let index = 0; index < words.length; index++) words[index] = chance.between(0, 0xffffffff);
      return new Uint8Array(words.buffer, 0, count);
    },
    fraction: chance.fraction,
    id: () => Buffer.from(random.bytes(16)).toString("hex"),
  };
  /** By transaction: who waits for a change of it, in which life of which process. */
  const waiting = new Map<string, Set<{ readonly own: Power; readonly run: () => void }>>();

  const createProcess = (index: number): Process => {
    const faults = options.injector.of(index === 0 ? "service" : `service ${index}`);
    let power: Power | null = null;
    let running: RunningService | null = null;
    let booting: Promise<void> | null = null;
    let stoodStillMs = 0;
    const elapsedMs = (): number => scheduler.now() * rate - stoodStillMs;
    /** As the real service has it (`backend/adapters.ts`); each life has its own. */
    const beginTime = () => createSteadyTime(calendar, elapsedMs);
    let time = beginTime();

    const noticed = (own: Power, rows: readonly ServiceRow[]): void => {
      options.onCommit(rows);
      for (const { transactionId } of isFleet ? rows : [])
        for (const other of waiting.get(transactionId) ?? [])
          if (other.own !== own && other.own.on)
            other.own.after(balancer.between(noticeMs.min, noticeMs.max), other.run);
    };
    const open = (own: Power): SqliteEngine => {
      const onCommit = (rows: readonly ServiceRow[]): void => noticed(own, rows);
      const ofDisk = options.injector.of(`service ${index}'s disk`);
      const engine = crashingEngine({ database: current, own, faults, ofDisk, disk, isShared: isFleet, onCommit });
      return isFleet ? withServerClock(engine, calendar) : engine;
    };

    const portsOf = (own: Power): ServicePorts => ({
      clock: {
        now: time.now,
        calendar,
        after: (delayMs, run) => own.after(delayMs / rate, run),
        soon: (run) => void own.after(0, run),
      },
      random,
      transport: {
        post: async (request) => {
          own.touch();
          const sent = network.exchange(`partner ${request.headers["webhook-id"]}`, request.timeoutMs, async () => {
            const answer = bank.receive(request);
            return answer ?? new Promise<never>(() => {});
          });
          const exchange = await own.whileOn(sent);
          own.touch();
          if (exchange.kind === "silence") throw new Error(exchange.why);
          if (exchange.kind === "gateway") return { status: 502, body: "<html>" };
          scheduler.after(writtenWithinMs, () => own.on && bank.wasHeard(request, exchange.value));
          return exchange.value;
        },
        close: () => {},
      },
      open: () => open(own),
      fleet: isFleet
        ? {
            server: () => `server ${servers}`,
            elapsedMs,
            onChangeElsewhere: (transactionId, run) => {
              const listener = { own, run };
              const all = waiting.get(transactionId) ?? new Set();
              waiting.set(transactionId, all.add(listener));
              return () => void all.delete(listener);
            },
          }
        : null,
      hasNextKey: options.hasNextKey === true,
      end: () => own.cut(),
      isFirst,
      currency: options.currency,
      answers: options.answers,
    });

    const start = async (): Promise<void> => {
      const own = createPower(
        scheduler,
        () => faults.occurs("serviceDies"),
        () => {
          running = null;
          booting = null;
          options.onPowerCut();
          if (database.inTransaction()) database.exec("ROLLBACK");
          scheduler.after(faults.between(rebootMs.min, rebootMs.max), () => void boot().catch(scheduler.fail));
        },
      );
      power = own;
      time = beginTime();
      try {
        const started = await options.bootService(portsOf(own));
        if (own.on) running = started;
        isFirst = false;
      } catch (problem) {
        if (problem instanceof PowerCut) return;
        // A disk that takes nothing ends the start of a real service too; whoever looks after it starts it again.
        if (isFirst || !isStorage(problem)) throw problem;
        own.cut();
      }
    };

    const boot = (): Promise<void> => {
      if (running !== null && power?.on) return Promise.resolve();
      if (booting === null) {
        const own = start();
        const over = (): void => {
          if (booting === own) booting = null;
        };
        own.then(over, over);
        booting = own;
      }
      return booting;
    };

    return {
      boot,
      get isUp() {
        return power?.on === true && running !== null;
      },
      get awake() {
        return power?.on === true && !power.asleep ? running : null;
      },
      get isOn() {
        return power?.on === true;
      },
      get life() {
        return power?.on === true && !power.asleep ? power : null;
      },
      get now() {
        return time.now();
      },
      unplug: () => power?.cut(),
      suspend: (forMs, withClock) => {
        if (withClock)
          scheduler.after(forMs, () => {
            stoodStillMs += forMs * rate;
          });
        power?.sleep(forMs);
      },
      operate: (work) => {
        const own = power;
        const now = running;
        if (!own?.on || own.asleep || !now) return Promise.resolve(false);
        return new Promise<boolean>((resolve) => {
          scheduler.after(operatorPatienceMs, () => resolve(false));
          own.whileOn(work(now.operator)).then(
            () => resolve(true),
            () => resolve(false),
          );
        });
      },
      fetch: async (request) => {
        const own = power;
        const now = running;
        if (!own?.on || !now) throw new NotListening();
        // The system has taken the call; the program reads it once it goes on.
        if (own.asleep) await own.whileOn(Promise.resolve());
        return own.whileOn(Promise.resolve(now.handle(request)));
      },
    };
  };

  const first = createProcess(0);
  const all: readonly Process[] = [
    first,
    ...Array.from({ length: options.processes - 1 }, (_, n) => createProcess(n + 1)),
  ];
  /** Any of them: a load balancer leaves out those that are down, when it knows. */
  const pick = (): Process => {
    if (!isFleet) return first;
    const up = all.filter(({ isUp }) => isUp);
    const from = up.length === 0 || balancer.between(1, misroutedOnceIn) === 1 ? all : up;
    return from[balancer.between(0, from.length - 1)] ?? first;
  };
  const cutAll = (): void => {
    for (const process of all) process.unplug();
  };
  const now = (): number => (isFleet || !first.isOn ? calendar() : first.now);

  let crew: readonly (RunningService | null)[] = [];
  /** Who died lately may seem to have died later than that, after a step back. */
  let steadySinceMs = 0;
  const leftSince = new Map<string, number>();
  const workLeft = (): string | null => {
    const before = crew;
    crew = all.map(({ awake }) => awake);
    // Who owns what is written down, too.
    if (!isFleet || disk.isFull() || crew.some((each, index) => each !== before[index])) leftSince.clear();
    if (!isFleet || crew.every((each) => each === null)) return null;
    for (const work of fleetWork) {
      if (crew.some((each) => each?.owns(work))) leftSince.delete(work);
      else if (!leftSince.has(work)) leftSince.set(work, scheduler.now());
    }
    const left = [...leftSince].find(
      ([, sinceMs]) => scheduler.now() - Math.max(sinceMs, steadySinceMs) > takenOverWithinMs,
    );
    return left?.[0] ?? null;
  };

  return {
    get database() {
      return database;
    },
    standby: () => {
      const backup = copyOf(database);
      backups.push(backup);
      // As a watch says it, where the service's clock is ahead.
      const had = Math.min(now(), calendar() - jumpedMs);
      const lives = all.map(({ life }) => life);
      return {
        haveLivedOn: () => all.every(({ life }, n) => life !== null && life === lives[n]),
        promote: () => {
          if (database.inTransaction()) database.exec("ROLLBACK");
          database.close();
          database = copyOf(backup);
          servers += 1;
          disk.fill(balancer.between(0, awayMsMax));
        },
        say: () => {
          cutAll();
          const [looked] = database.query("SELECT value FROM settings WHERE name = ?", [lookedSetting], false)
            .rows as readonly { readonly value: string }[];
          const { forgotSince = null } = JSON.parse(looked?.value ?? "{}") as { readonly forgotSince?: number | null };
          // Half of the times an operator takes the time that the log names, where it names one.
          const said = forgotSince !== null && balancer.between(1, 2) === 1 ? forgotSince : had;
          database.query(
            "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
            // The command refuses a time to come: where the clock is behind, an operator says the time that it shows.
            [copiedAtSetting, String(Math.min(said, now()))],
            false,
          );
        },
      };
    },
    copy: () => {
      const backup = copyOf(database);
      backups.push(backup);
      const made = now();
      const keep = (to: SqliteEngine, name: string, value: string) =>
        to.query("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", [name, value], false);
      // As the product marks a copy (`store/copy.ts`), which does it on a disk and in real time.
      keep(backup, copiedAtSetting, String(made));
      const madeAtMs = scheduler.now();
      /** And as it puts one back (`operate/restore.ts`). */
      const ofFiles = () => {
        const restoresOf = (of: SqliteEngine) =>
          of.query("SELECT restored_at, forgot_since FROM restores", [], false).rows as readonly Restore[];
        const [kept] = database.query("SELECT value FROM settings WHERE name = ?", [restoresBeforeSetting], false)
          .rows as readonly { readonly value: string }[];
        const by = madeBy(made, (text, values) => backup.query(text, values, false).rows as Record<string, number>[]);
        const { told, before } = restoresBefore(by, restoresOf(backup), restoresOf(database), kept?.value);
        return { [restoredFromSetting]: { copy: "copy", by: null, told }, [restoresBeforeSetting]: before };
      };
      /** A fleet's dumps know nothing of each other: an operator says which older ones were served (`restored --served`). */
      const servedSince = () => {
        const older = putBack.filter((each) => each.atMs >= madeAtMs && each.made < made);
        putBack.push({ made, atMs: scheduler.now() });
        return {
          [restoredFromSetting]: {
            copy: "copy",
            by: null,
            told: older.map((each) => ({ since: each.made, knownUntil: each.made })),
          },
        };
      };
      return () => {
        cutAll();
        const from = isFleet ? servedSince() : ofFiles();
        database.close();
        database = copyOf(backup);
        servers += 1;
        for (const [name, value] of Object.entries(from)) keep(database, name, JSON.stringify(value));
      };
    },
    now,
    calendar,
    workLeft,
    boot: async () => {
      if (isFirst) await first.boot();
      await Promise.all(all.map((process) => process.boot()));
    },
    jumpClock: (byMs) => {
      jumpedMs += byMs;
      steadySinceMs = scheduler.now();
    },
    unplug: () => pick().unplug(),
    suspend: (forMs, withClock) => pick().suspend(forMs, withClock),
    operate: (work) => pick().operate(work),
    dispose: () => {
      cutAll();
      for (const backup of backups) backup.close();
      database.close();
    },
    fetch: (request) => pick().fetch(request),
  };
};
