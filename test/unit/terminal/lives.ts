/** One till through several lives: the process dies at a chosen call of a port, and the next life has what was synced. */
import type { ArchivePlan, Clock, Drawer, Journal, Ports, Transport } from "../../../main/terminal/ports.ts";
import { createTerminal, type Terminal } from "../../../main/terminal/terminal.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import { type Settings, type Snapshot, settingsSchema, type TerminalCommand } from "../../../preload/contract.ts";
import { FakeService } from "./fake-service.ts";
import { MemoryJournal } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Stops everything that a dead process would have done: its timers never fire, its answers never arrive. */
class Life {
  dead = false;
  readonly #onCall: () => boolean;
  readonly #die: () => void;

  constructor(onCall: () => boolean, die: () => void) {
    this.#onCall = onCall;
    this.#die = die;
  }

  /** A point where the power may go. */
  point(): void {
    if (!this.dead && this.#onCall()) {
      this.dead = true;
      this.#die();
    }
    if (this.dead) throw new Error("the process is dead");
  }
}

const never = <T>(): Promise<T> => new Promise(() => {});

const crashable = (life: Life, clock: Clock, journal: Journal, transport: Transport, drawer: Drawer) => ({
  clock: {
    now: () => clock.now(),
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs: number, run: () => void) => clock.after(delayMs, () => !life.dead && run()),
  },
  journal: {
    append(at: number, bodies: readonly string[]) {
      life.point();
      journal.append(at, bodies);
      life.point();
    },
    open: () => journal.open(),
    read: () => journal.read(),
    readSlice: (from: number, limit: number) => journal.readSlice(from, limit),
    verifySlices: () => journal.verifySlices(),
    head: () => journal.head(),
    linkOf: (sequence: number) => journal.linkOf(sequence),
    archiveSlices: (plan: ArchivePlan) => journal.archiveSlices(plan),
    others: () => journal.others(),
    readOther: (name: string) => journal.readOther(name),
    switchTo: (name: string, aside: string | null) => journal.switchTo(name, aside),
    close() {},
  },
  transport: {
    async send(request: Parameters<Transport["send"]>[0]) {
      try {
        life.point();
      } catch {
        return never<Awaited<ReturnType<Transport["send"]>>>();
      }
      const answer = await transport.send(request);
      try {
        life.point();
      } catch {
        return never<typeof answer>();
      }
      return answer;
    },
  },
  drawer: {
    async open() {
      try {
        life.point();
        const result = await drawer.open();
        life.point();
        return result;
      } catch {
        return never<"opened">();
      }
    },
    state: () => drawer.state(),
  },
});

/** What happens, and where the process dies. */
export interface Story {
  /** The call of a port at which the process dies; 0 for never. */
  readonly crashAt: number;
  readonly service?: (service: FakeService) => void;
  /** What the cashier does on a screen; null to wait. */
  readonly cashier: (snapshot: Snapshot) => TerminalCommand | null;
  /** Called every half second with the service, to play the customer and the bank. */
  readonly world: (service: FakeService, elapsedMs: number) => void;
  readonly forMs: number;
  readonly restartAfterMs?: number;
  readonly settings?: Partial<Settings>;
}

/** What is left after the last life. */
export interface StoryResult {
  readonly journal: MemoryJournal;
  readonly service: FakeService;
  readonly snapshot: Snapshot;
  readonly drawerOpens: number;
  readonly portCalls: number;
  readonly payableShown: number;
  /** Presses for the cash; that it was handed over is another one. */
  readonly handOuts: number;
  readonly crashed: boolean;
}

const beatMs = 500;

/** Plays lives until the story is over, each from the journal of the one before. */
export const runStory = async (story: Story): Promise<StoryResult> => {
  const clock = new VirtualClock();
  const service = new FakeService(clock);
  story.service?.(service);
  const journal = new MemoryJournal();
  let drawerOpens = 0;
  let portCalls = 0;
  let crashed = false;
  let ids = 1;
  let payableShown = 0;
  let handOuts = 0;
  let terminal: Terminal | null = null;
  let restartAtMs = 0;
  const drawer: Drawer = {
    async open() {
      drawerOpens += 1;
      return "opened";
    },
    state: async () => "unknown",
  };
  const boot = async (): Promise<Terminal> => {
    const life = new Life(
      () => {
        portCalls += 1;
        return !crashed && portCalls === story.crashAt;
      },
      () => {
        crashed = true;
        terminal = null;
        restartAtMs = clock.monotonicMs() + (story.restartAfterMs ?? 2_000);
      },
    );
    const ports: Ports = {
      ...crashable(life, clock, journal, service, drawer),
      printer: { print: async () => ({ kind: "printed", paperLow: false }) },
      timeZone: "UTC",
      ids: { next: () => `W${ids++}`, fraction: () => 0.5 },
      secrets: {
        load: () => ({
          serviceUrl: "http://service",
          merchantId: "demo-shop",
          deviceId: "till-1",
          secret: "till-secret",
        }),
        save: async () => true,
      },
      settings: { wrong: () => [], load: () => settingsSchema.parse(story.settings ?? {}), save() {} },
      shop: { load: () => null, save() {} },
      training: true,
      log() {},
    };
    const next = await createTerminal(ports);
    terminal = next;
    next.start();
    return next;
  };
  const snapshotOf = (of: Terminal): Snapshot => {
    let seen: Snapshot | undefined;
    of.subscribe((snapshot) => {
      seen = snapshot;
    })();
    if (seen === undefined) throw new Error("no snapshot");
    return seen;
  };
  for (let elapsedMs = 0; elapsedMs < story.forMs; elapsedMs += beatMs) {
    const alive: Terminal | null = terminal ?? (clock.monotonicMs() >= restartAtMs ? await boot() : null);
    story.world(service, elapsedMs);
    await clock.advance(beatMs);
    if (alive === null || terminal === null) continue;
    const snapshot = snapshotOf(alive);
    if (snapshot.screen.kind === "payable") payableShown += 1;
    const command = story.cashier(snapshot);
    if (command?.type === "hand_out" && snapshot.screen.kind === "payable") handOuts += 1;
    if (command !== null) void alive.dispatch(command, counterActor).catch(() => {});
    await clock.advance(0);
  }
  if (terminal === null) throw new Error("the story ended before the till was back");
  return { journal, service, snapshot: snapshotOf(terminal), drawerOpens, portCalls, payableShown, handOuts, crashed };
};
