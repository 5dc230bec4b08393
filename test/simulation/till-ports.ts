/** The ports of one life of a till: what the program gets from a machine that may die, sleep, or have a full disk. */
import type { PeopleFile } from "../../main/people/people-file.ts";
import { createConnection } from "../../main/terminal/devices/line.ts";
import { createPrinter, createPrinterDrawer } from "../../main/terminal/devices/printer.ts";
import type { FileJournal } from "../../main/terminal/journal/journal.ts";
import type {
  Clock,
  Credential,
  Drawer,
  Ports,
  PrintAnswer,
  Printer,
  ServiceAnswer,
  Transport,
} from "../../main/terminal/ports.ts";
import type { PaperLine, Settings } from "../../preload/contract.ts";
import type { FaultStream } from "./fault-injector.ts";
import type { Life, TillDisk } from "./folder/till-disk.ts";
import type { Power } from "./power.ts";
import type { ReceiptPrinter } from "./receipt-printer.ts";
import type { Scheduler } from "./scheduler.ts";

/** What outlives a till's power besides its disk. */
export interface Kept {
  /** As the file has them. */
  settings: Settings;
  /** As the program that runs goes by them. */
  held: Settings | null;
  /** By host: neither reads what the other has sealed. */
  readonly credentials: Map<Life["host"], Credential>;
  wallOffsetMs: number;
  idNumber: number;
  /** The disk takes nothing until then. */
  diskFullUntilMs: number;
  /** No network until then. */
  offlineUntilMs: number;
  /** Lines of the live journal whose writing the power cut short: they may have reached the disk all the same. */
  unsure: readonly string[];
}

/** What the guard needs besides. */
export interface TillPorts extends Ports {
  /** None: nobody signs in. */
  readonly people?: PeopleFile;
}

/** The machine and the world that the ports of each of its lives reach. */
export interface TillWorld {
  readonly index: number;
  readonly epochMs: number;
  readonly scheduler: Scheduler;
  readonly faults: FaultStream;
  /** Cheap quartz: how fast it runs. */
  readonly rate: number;
  readonly disk: TillDisk;
  readonly kept: Kept;
  readonly trainingCredential: Credential | null;
  readonly onDiskFull: () => void;
  /** The bodies of lines that the live journal took. */
  readonly onWritten: (bodies: readonly string[]) => void;
  /** Carries requests over the network until the signal says that nobody is there any more. */
  readonly transport: (signal: AbortSignal, hasCable: () => boolean) => Transport;
  /** Its printer and drawer; in training neither does anything. */
  readonly device: ReceiptPrinter;
  /** What the driver said of a job, and whether anything of it was on paper by then. */
  /** The driver of a sound drawer with a sensor says that it opened; it stands shut. */
  readonly onFalseOpening: () => void;
  readonly onPaper: (lines: readonly PaperLine[], answer: PrintAnswer, isOnPaper: boolean) => void;
}

/** Whatever the disk does without power, the program sees nothing of it. */
const onDisk = <T>({ disk }: TillWorld, own: Power, work: () => T): T => {
  try {
    return work();
  } finally {
    if (disk.lost) own.cut();
    own.touch();
  }
};

/** What the machine's clock says, epoch milliseconds. */
export const wallMs = ({ epochMs, scheduler, rate, kept }: TillWorld): number =>
  Math.floor(epochMs + scheduler.now() * rate + kept.wallOffsetMs);

const clockOf = (world: TillWorld, own: Power): Clock => {
  const { scheduler, rate } = world;
  return {
    now: () => wallMs(world),
    monotonicMs: () => scheduler.now() * rate,
    after: (delayMs, run) => own.after(delayMs / rate, run),
  };
};

const journalOf = (world: TillWorld, own: Power, life: Life, journal: FileJournal): Ports["journal"] => ({
  ...journal,
  open: () => {
    const opening = journal.open();
    const { unsure } = world.kept;
    if (life.training || opening.kind !== "open" || unsure.length === 0) return opening;
    world.kept.unsure = [];
    const last = journal.head()?.sequence ?? 0;
    const latest = journal.readSlice(last - unsure.length + 1, unsure.length).entries.map(({ body }) => body);
    if (latest.join("\n") === unsure.join("\n")) world.onWritten(unsure);
    return opening;
  },
  append: (at, bodies) => {
    own.touch();
    const isFull = world.scheduler.now() < world.kept.diskFullUntilMs;
    if (isFull || world.faults.occurs("tillDiskFails")) {
      world.onDiskFull();
      throw new Error("ENOSPC: no space left on device");
    }
    onDisk(world, own, () => {
      if (!life.training) world.kept.unsure = bodies;
      try {
        journal.append(at, bodies);
      } catch (problem) {
        // A disk that has no room has taken nothing of it; one that lost its power may have kept all of it.
        if (!world.disk.lost) world.kept.unsure = [];
        world.onDiskFull();
        throw problem;
      }
      if (life.training) return;
      world.kept.unsure = [];
      world.onWritten(bodies);
    });
  },
  close: () => {},
});

/** The real drivers on the line to the simulated device. */
const devicesOf = (world: TillWorld, own: Power, clock: Clock): Pick<Ports, "drawer" | "printer"> => {
  const { device, kept, onPaper, onFalseOpening } = world;
  const connection = createConnection(device.line(own, clock));
  let made: Drawer | null = null;
  /** Which level means open is learnt from a drawer that opens: before that, one pushed shut meanwhile looks the same. */
  let hasSeenItOpen = false;
  const kicks = (): Drawer => {
    const { drawer } = kept.held ?? kept.settings;
    made ??= drawer.kind === "printer" ? createPrinterDrawer(drawer, connection, clock) : simulatedDrawer;
    return made;
  };
  const paper = createPrinter(connection);
  return {
    drawer: {
      state: () => kicks().state(),
      async open() {
        const { moves, isSound } = device;
        const answer = await kicks().open();
        const { drawer } = kept.held ?? kept.settings;
        if (drawer.kind !== "printer" || !drawer.sensor || answer !== "opened") return answer;
        if (device.moves > moves && device.isOpen) hasSeenItOpen = true;
        const isShut = device.moves === moves && !device.isOpen;
        if (hasSeenItOpen && isSound && device.isSound && isShut) onFalseOpening();
        return answer;
      },
    },
    printer: {
      async print(lines) {
        const before = device.onPaper;
        // Only how many there are matters to who sends them.
        const answer = await paper.print(Buffer.from(`\x1b@${JSON.stringify(lines)}`));
        onPaper(lines, answer, device.onPaper > before);
        return answer;
      },
    },
  };
};

const simulatedPrinter: Printer = { print: async () => ({ kind: "printed", paperLow: false }) };
const simulatedDrawer: Drawer = { open: async () => "opened", state: async () => "unknown" };

/** In training everything is open to everybody; the program before knew no people. */
const peopleOf = (world: TillWorld, own: Power, life: Life): PeopleFile | null => {
  if (life.training || life.version === "older" || !world.disk.people) return null;
  const file = world.disk.people();
  return {
    load: file.load,
    save(people) {
      own.touch();
      if (world.scheduler.now() < world.kept.diskFullUntilMs) throw new Error("ENOSPC: no space left on device");
      onDisk(world, own, () => file.save(people));
    },
  };
};

const transportOf = ({ transport, scheduler, kept }: TillWorld, own: Power): Transport => {
  const { send } = transport(own.signal, () => scheduler.now() >= kept.offlineUntilMs);
  return {
    send: async (request): Promise<ServiceAnswer> => {
      own.touch();
      return own.whileOn(send(request));
    },
  };
};

/** Opens the journal and gives the program all that it asks for. */
export const portsOfLife = async (world: TillWorld, own: Power, life: Life): Promise<TillPorts> => {
  const { index, faults, kept, scheduler } = world;
  const clock = clockOf(world, own);
  const needRoom = (): void => {
    if (scheduler.now() < kept.diskFullUntilMs || faults.occurs("tillDiskFails"))
      throw new Error("ENOSPC: no space left on device");
  };
  kept.held = null;
  const opening = onDisk(world, own, () => world.disk.journal(life));
  // Only what takes its time is waited for: a step of the story stays one step.
  const journal = opening instanceof Promise ? await own.whileOn(opening) : opening;
  const people = peopleOf(world, own, life);
  return {
    clock,
    ids: {
      next: () => `${index.toString(36)}-${(kept.idNumber++).toString(36)}`,
      fraction: () => faults.between(0, 999_999) / 1_000_000,
    },
    journal: journalOf(world, own, life, journal),
    transport: transportOf(world, own),
    ...(life.training ? { drawer: simulatedDrawer, printer: simulatedPrinter } : devicesOf(world, own, clock)),
    ...(world.disk.index && { index: world.disk.index(life) }),
    ...(people && { people }),
    timeZone: "UTC",
    secrets: {
      load: () => (life.training ? world.trainingCredential : (kept.credentials.get(life.host) ?? null)),
      save: async (credential, mayReplace) => {
        own.touch();
        if (!mayReplace()) return false;
        needRoom();
        kept.credentials.set(life.host, credential);
        return true;
      },
    },
    settings: {
      wrong: () => [],
      load: () => kept.settings,
      save: (next) => {
        needRoom();
        kept.settings = next;
      },
      hold: (settings) => {
        kept.held = settings;
      },
    },
    shop: { load: () => null, save: () => {} },
    training: life.training,
    log: (...line) => world.disk.beside?.log(...line),
  };
};
