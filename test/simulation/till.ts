/** A till: a machine that may die at any call of a port, with a disk, a drawer and a clock of its own, and an installation's life. */
import type { Credential } from "../../main/terminal/ports.ts";
import {
  type Bridge,
  type Command,
  type Reply,
  type Screen,
  type Settings,
  type Snapshot,
  settingsSchema,
} from "../../preload/contract.ts";
import { type Life, type PeopleLoss, plainLife } from "./folder/till-disk.ts";
import { createStaff, withoutRight } from "./people.ts";
import { createPower, type Power, PowerCut } from "./power.ts";
import { createReceiptPrinter } from "./receipt-printer.ts";
import { type Kept, portsOfLife, type TillPorts, type TillWorld, wallMs } from "./till-ports.ts";

/** What `createTerminal` makes. */
export type RunningTerminal = Bridge & {
  start(): void;
  close(): Promise<void>;
  /** As the host calls it when the machine goes to sleep. */
  lock?(): void;
};
/** Starts a terminal over its ports. */
export type BootTerminal = (ports: TillPorts) => Promise<RunningTerminal>;

/** One till through all of its lives. */
export interface TillMachine {
  readonly index: number;
  readonly snapshot: Snapshot | null;
  readonly powered: boolean;
  /** What it runs for, and what it will run for after the next power cut. */
  readonly life: Life;
  /** Where its files are; null for one without. */
  readonly home: string | null;
  /** The access key that the present host reads. */
  readonly credential: Credential | null;
  /** What its clock says, epoch milliseconds. */
  clock(): number;
  /** By its people, who sign in first where they have to. Null when the machine was off, asleep, or died meanwhile. */
  dispatch(command: Command): Promise<Reply | null>;
  boot(): void;
  /** Pulls the plug; it comes back after `offMs`. */
  unplug(offMs: number): void;
  /** Starts again as another program, or for another purpose. */
  restart(life: Partial<Life>): void;
  /** The machine sleeps: nothing on it moves until then, and no network is there. */
  suspend(forMs: number): void;
  /** The disk takes nothing for so long. */
  fillDisk(forMs: number): void;
  /** So many bytes are left on it. */
  leaveRoom(bytes: number): void;
  /** Others fill it while the next archive is written, for so long. */
  fillAtArchive(forMs: number): void;
  /** There is room again, once nothing lies there of an archive that was begun: that is the program's to remove. */
  giveRoomBack(): void;
  /** Its cable is out for so long. */
  unlink(forMs: number): void;
  loseKey(): void;
  /** Its settings are what somebody made of the file; it starts again with them. */
  editSettings(settings: Settings): void;
  /** Its list of people is not what it was; it starts again with that. */
  losePeople(how: PeopleLoss): void;
  /** Somebody presses what they may not. */
  tryWithoutRight(guesses: boolean): void;
  /** A manager comes with the operator's code. */
  resetManager(code: string): Promise<Reply | null>;
  /** The keys of its journal are gone; it starts again without them. */
  loseJournalKeys(): void;
  /** Says which entry of the journal is the last in the copy. */
  copyFolder(): number;
  /** Puts the copy back while the machine is off. */
  restoreFolder(): void;
  jumpClock(byMs: number): void;
  /** Lets go of the disk. */
  dispose(): void;
}

/** What a till is made of, and who is told what it does. */
export interface TillOptions extends Omit<TillWorld, "kept" | "rate" | "device"> {
  /** An order to open arrives at the drawer; it moves. In training neither happens. */
  readonly onDrawerTold: () => void;
  readonly onDrawerOpened: () => void;
  readonly bootTerminal: BootTerminal;
  readonly credential: Credential;
  /** Whether it counts its drawer by days. */
  readonly days: boolean;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  /** A person presses something that the till is there to take. */
  readonly onPress: (command: Command, screen: Screen) => void;
  /** Somebody sends something to the guard; what is returned is told the answer. */
  readonly onAsk: (command: Command, snapshot: Snapshot) => (reply: Reply) => void;
  readonly onPowerCut: () => void;
  /** Its disk was filled while an archive was written. */
  readonly onDiskFilled: () => void;
  /** A copy of its folder is put back. */
  readonly onPutBack: () => void;
}

const rebootMs = { min: 2_000, max: 20_000 } as const;
const restartMs = 5_000;
const lookAtDiskMs = 60_000;
/** One till of a shop has a graphics process that does not last. */
const crashEveryMs = 20_000;
/** Some hours of them: a story that lasts days has shown by then what a log and dumps take. */
const crashesMax = 500;

/** Off until `boot`. */
export const createTill = (options: TillOptions): TillMachine => {
  const { index, scheduler, disk, faults } = options;
  const rate = 1 + faults.between(-50, 50) / 1_000_000;
  const kept: Kept = {
    settings: settingsSchema.parse({
      camera: { enabled: false },
      drawer: { kind: "printer", sensor: faults.between(0, 2) > 0 },
      printer: { kind: "network", host: "printer", receipts: "customer" },
      drawerMoney: { enabled: options.days },
      openOnSettled: index % 3 === 2,
      people: { cashiersSignIn: true, notHandedOutBy: index % 2 === 0 ? "second_person" : "manager" },
    }),
    held: null,
    credentials: new Map([["desktop", options.credential]]),
    wallOffsetMs: faults.between(-20_000, 20_000),
    idNumber: 0,
    diskFullUntilMs: 0,
    offlineUntilMs: 0,
    unsure: [],
  };
  const device = createReceiptPrinter({
    index,
    scheduler,
    faults,
    onKick: options.onDrawerTold,
    onMoved: options.onDrawerOpened,
  });
  const world: TillWorld = { ...options, kept, rate, device };
  /** How long the next power cut lasts; null for a reboot. */
  let nextOffMs: number | null = null;
  let life = plainLife;
  let power: Power | null = null;
  let terminal: RunningTerminal | null = null;
  let snapshot: Snapshot | null = null;
  const isAwake = (): boolean => power?.asleep !== true;

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
      const started = await options.bootTerminal(await portsOfLife(world, own, life));
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
  const unplug = (offMs: number): void => {
    if (!power?.on) return;
    nextOffMs = offMs;
    power.cut();
  };

  let crashes = 0;
  const crash = (): void => {
    if (power?.on && isAwake()) disk.beside?.crashed();
    crashes += 1;
    if (crashes < crashesMax) scheduler.after(crashEveryMs, crash);
  };
  if (index === 0 && disk.home !== undefined) scheduler.after(crashEveryMs, crash);

  const giveRoomBack = (): void => {
    if (disk.space?.hasLeftover() === true) scheduler.after(lookAtDiskMs, giveRoomBack);
    else disk.space?.leave(null);
  };

  const send = async (command: Command): Promise<Reply | null> => {
    const own = power;
    if (!own?.on || own.asleep || !terminal) return null;
    const answered = isGuarded() && snapshot ? options.onAsk(command, snapshot) : null;
    if (snapshot) options.onPress(command, snapshot.screen);
    try {
      const reply = await own.whileOn(terminal.dispatch(command));
      answered?.(reply);
      return reply;
    } catch (problem) {
      ignorePowerCut(problem);
      return null;
    }
  };
  const isGuarded = (): boolean => disk.people !== undefined && !life.training && life.version !== "older";
  const staff = createStaff(send, () => snapshot?.people ?? null);

  return {
    index,
    boot,
    get snapshot() {
      return isAwake() ? snapshot : null;
    },
    get powered() {
      return terminal !== null && isAwake();
    },
    get life() {
      return life;
    },
    home: disk.home ?? null,
    get credential() {
      return kept.credentials.get(life.host) ?? null;
    },
    clock: () => wallMs(world),
    dispatch: (command) => (isGuarded() ? staff.dispatch(command) : send(command)),
    unplug,
    restart: (next) => {
      life = { ...life, ...next };
      unplug(restartMs);
    },
    suspend: (forMs) => {
      terminal?.lock?.();
      power?.sleep(forMs);
      options.onPowerCut();
    },
    fillDisk: (forMs) => {
      kept.diskFullUntilMs = scheduler.now() + forMs;
    },
    leaveRoom: (bytes) => disk.space?.leave(bytes),
    fillAtArchive: (forMs) => {
      disk.space?.fillAtArchive(() => {
        options.onDiskFilled();
        scheduler.after(forMs, giveRoomBack);
      });
    },
    giveRoomBack,
    unlink: (forMs) => {
      kept.offlineUntilMs = scheduler.now() + forMs;
    },
    loseKey: () => {
      kept.credentials.clear();
      unplug(restartMs);
    },
    editSettings: (settings) => {
      kept.settings = settings;
      unplug(restartMs);
    },
    losePeople: (how) => {
      unplug(restartMs);
      disk.losePeople?.(how);
    },
    tryWithoutRight: (guesses) => {
      if (isGuarded() && snapshot) for (const command of withoutRight(snapshot, guesses)) void send(command);
    },
    resetManager: staff.reset,
    loseJournalKeys: () => {
      disk.loseKeys?.();
      unplug(restartMs);
    },
    copyFolder: disk.copy,
    restoreFolder: () => {
      unplug(restartMs);
      disk.restore();
      options.onPutBack();
    },
    jumpClock: (byMs) => {
      kept.wallOffsetMs += byMs;
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
