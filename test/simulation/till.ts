/** A till: a machine that may die at any call of a port, with a disk, a drawer and a clock of its own. */
import type { FileJournal } from "../../main/terminal/journal/journal.ts";
import type { Clock, Credential, Drawer, Ports, ServiceAnswer, Transport } from "../../main/terminal/ports.ts";
import {
  type Bridge,
  type Command,
  type Reply,
  type Screen,
  type Settings,
  type Snapshot,
  settingsSchema,
} from "../../preload/contract.ts";
import type { FaultInjector } from "./fault-injector.ts";
import { createPower, type Power, PowerCut } from "./power.ts";
import type { Scheduler } from "./scheduler.ts";

/** What `createTerminal` makes. */
export type RunningTerminal = Bridge & { start(): void; close(): Promise<void> };
/** One life of the terminal's program over the ports it is given. */
export type BootTerminal = (ports: Ports) => Promise<RunningTerminal>;

/** A till's disk; it outlives the power. */
export interface TillDisk {
  /** Opens the journal for one life of the machine. */
  journal(): FileJournal;
  /** The power went in the middle of a call of the disk: the machine is dead, whatever that call said. */
  readonly lost: boolean;
  /** The power has gone: what was not synced is no more. */
  powerCut(): void;
  close(): void;
}

/** A till over all its lives. */
export interface TillMachine {
  readonly index: number;
  readonly snapshot: Snapshot | null;
  readonly powered: boolean;
  /** Null when the machine was off or died meanwhile. */
  dispatch(command: Command): Promise<Reply | null>;
  boot(): void;
  /** Pulls the plug; it comes back after `offMs`. */
  unplug(offMs: number): void;
  jumpClock(byMs: number): void;
  /** Lets go of the disk. */
  dispose(): void;
}

/** What the machine stands between, and who sees what it does. */
export interface TillOptions {
  readonly index: number;
  readonly epochMs: number;
  readonly scheduler: Scheduler;
  readonly injector: FaultInjector;
  readonly bootTerminal: BootTerminal;
  readonly disk: TillDisk;
  readonly credential: Credential;
  readonly onDiskFull: () => void;
  /** Whether it counts its drawer by days. */
  readonly days: boolean;
  /** The bodies of lines that the journal took. */
  readonly onWritten: (bodies: readonly string[]) => void;
  /** Carries requests over the network to the service until the signal says that nobody is there any more. */
  readonly transport: (signal: AbortSignal) => Transport;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  /** The program tells the drawer to open, and a person presses something that the till is there to take. */
  readonly onDrawerTold: () => void;
  readonly onPress: (command: Command, screen: Screen) => void;
  /** The drawer moved by the till's command. */
  readonly onDrawerOpened: () => void;
  readonly onPowerCut: () => void;
}

const rebootMs = { min: 2_000, max: 20_000 } as const;
const drawerMs = 300;
const drawerGivesUpMs = 3_000;

/** Off at first; after a crash it boots by itself. */
export const createTill = (options: TillOptions): TillMachine => {
  const { index, scheduler, disk } = options;
  const faults = options.injector.of(`till ${index}`);
  /** Cheap quartz: up to 50 ppm fast or slow. */
  const rate = 1 + faults.between(-50, 50) / 1_000_000;
  let settings: Settings = settingsSchema.parse({
    camera: { enabled: false },
    drawer: { kind: "network", host: "drawer" },
    drawerMoney: { enabled: options.days },
  });
  let wallOffsetMs = faults.between(-20_000, 20_000);
  /** How long the next power cut lasts; null for a reboot. */
  let nextOffMs: number | null = null;
  let idNumber = 0;
  let power: Power | null = null;
  let terminal: RunningTerminal | null = null;
  let snapshot: Snapshot | null = null;

  const clockOf = (own: Power): Clock => ({
    now: () => Math.floor(options.epochMs + scheduler.now() * rate + wallOffsetMs),
    monotonicMs: () => scheduler.now() * rate,
    after: (delayMs, run) => own.after(delayMs / rate, run),
  });

  /** Whatever the disk does without power, the program sees nothing of it. */
  const onDisk = <T>(own: Power, work: () => T): T => {
    try {
      return work();
    } finally {
      if (disk.lost) own.cut();
      own.touch();
    }
  };

  const journalOf = (own: Power): Ports["journal"] => {
    const journal = onDisk(own, disk.journal);
    return {
      ...journal,
      append: (at, bodies) => {
        own.touch();
        if (faults.occurs("tillDiskFails")) throw new Error("ENOSPC: no space left on device");
        onDisk(own, () => {
          journal.append(at, bodies);
          options.onWritten(bodies);
        });
      },
      close: () => {},
    };
  };

  const drawerOf = (own: Power): Drawer => ({
    open: () => {
      own.touch();
      options.onDrawerTold();
      const fails = faults.occurs("drawerFails");
      const moves = !fails || faults.between(0, 1) === 1;
      if (moves) scheduler.after(drawerMs / 2, options.onDrawerOpened);
      return new Promise((resolve) => {
        own.after(fails ? drawerGivesUpMs : drawerMs, () => resolve(!fails ? "opened" : moves ? "unknown" : "failed"));
      });
    },
    state: async () => "unknown",
  });

  const transportOf = (own: Power): Transport => {
    const { send } = options.transport(own.signal);
    return {
      send: async (request): Promise<ServiceAnswer> => {
        own.touch();
        return own.whileOn(send(request));
      },
    };
  };

  const portsOf = (own: Power): Ports => ({
    clock: clockOf(own),
    ids: {
      next: () => `${index.toString(36)}-${(idNumber++).toString(36)}`,
      fraction: () => faults.between(0, 999_999) / 1_000_000,
    },
    journal: journalOf(own),
    transport: transportOf(own),
    drawer: drawerOf(own),
    printer: { print: async () => ({ kind: "printed", paperLow: false }) },
    timeZone: "UTC",
    secrets: { load: () => options.credential, save: async () => true },
    settings: {
      wrong: () => [],
      load: () => settings,
      save: (next) => {
        settings = next;
      },
    },
    shop: { load: () => null, save: () => {} },
    training: false,
    log: () => {},
  });

  const boot = (): void => {
    if (power?.on) return;
    const own = createPower(
      scheduler,
      () => faults.occurs("tillDies"),
      () => {
        terminal = null;
        snapshot = null;
        disk.powerCut();
        options.onPowerCut();
        scheduler.after(nextOffMs ?? faults.between(rebootMs.min, rebootMs.max), boot);
        nextOffMs = null;
      },
    );
    power = own;
    const run = async (): Promise<void> => {
      const started = await options.bootTerminal(portsOf(own));
      if (!own.on) return;
      terminal = started;
      started.subscribe((next) => {
        if (!own.on) return;
        snapshot = next;
        options.onSnapshot(next);
      });
      started.start();
    };
    run().catch(ignorePowerCut);
  };

  return {
    index,
    boot,
    get snapshot() {
      return snapshot;
    },
    get powered() {
      return terminal !== null;
    },
    dispatch: async (command) => {
      const own = power;
      if (!own?.on || !terminal) return null;
      if (snapshot) options.onPress(command, snapshot.screen);
      try {
        return await own.whileOn(terminal.dispatch(command));
      } catch (problem) {
        ignorePowerCut(problem);
        return null;
      }
    },
    unplug: (offMs) => {
      nextOffMs = offMs;
      power?.cut();
    },
    jumpClock: (byMs) => {
      wallOffsetMs += byMs;
    },
    dispose: () => {
      power?.cut();
      disk.close();
    },
  };
};

const ignorePowerCut = (problem: unknown): void => {
  if (!(problem instanceof PowerCut)) throw problem;
};
