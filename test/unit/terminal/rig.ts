/** A till on a bench: the real terminal over an in-memory journal, a scripted service and a clock that is told to move. */
import { makeTransactionId } from "../../../backend/contract/ids.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import type {
  Credential,
  Drawer,
  IndexStore,
  Journal,
  JournalEntry,
  Ports,
  PrintAnswer,
  Printer,
} from "../../../main/terminal/ports.ts";
import { createTerminal, type Terminal } from "../../../main/terminal/terminal.ts";
import { type Actor, counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import {
  type Command,
  type Reply,
  type Settings,
  type ShopProfile,
  type Snapshot,
  settingsSchema,
  type TerminalCommand,
} from "../../../preload/contract.ts";
import type { PaperLine } from "../../../preload/paper-line.ts";
import { FakeService } from "./fake-service.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A valid id for each small number. */
export const idNumber = (number: number): string => {
  const bytes = new Uint8Array(15);
  bytes[13] = number >> 5;
  bytes[14] = number & 31;
  return makeTransactionId(bytes);
};

/** Keeps entries as the file does, can be cut anywhere, and can refuse. */
export class MemoryJournal implements Journal {
  entries: JournalEntry[] = [];
  full = false;
  readonly damaged: { sequence: number; why: "hash" }[] = [];

  /** The newest entry's number: what lies in an archive is counted too. */
  #last = () => this.entries.at(-1)?.sequence ?? 0;

  append(at: number, bodies: readonly string[]): void {
    if (this.full) throw new Error("disk full");
    for (const body of bodies) this.entries.push({ sequence: this.#last() + 1, at: Math.trunc(at), body });
  }
  open() {
    return { kind: "open" } as const;
  }
  read() {
    return { entries: [...this.entries], damaged: this.damaged };
  }
  /** Journals of other books, by name. */
  readonly beside = new Map<string, JournalEntry[]>();
  others() {
    return [...this.beside.keys()].reverse();
  }
  readOther(name: string) {
    return { entries: this.beside.get(name) ?? [], damaged: [] };
  }
  switchTo(name: string, aside: string | null) {
    if (aside !== null) this.beside.set(aside, this.entries);
    this.entries = this.beside.get(name) ?? [];
    this.beside.delete(name);
  }
  // biome-ignore lint/correctness/useYield: a check of so few entries has one step
  *verifySlices(): ReturnType<Journal["verifySlices"]> {
    return { entries: this.entries.length, damaged: this.damaged, unchecked: 0 };
  }
  readSlice(from: number, limit: number) {
    const entries = this.entries.filter(({ sequence }) => sequence >= from).slice(0, limit);
    const last = entries.at(-1);
    return {
      entries,
      last: last === undefined ? null : { sequence: last.sequence, at: last.at, hash: `link-${last.sequence}` },
      hasMore: last !== undefined && last.sequence < this.#last(),
    };
  }
  head() {
    const last = this.entries.at(-1);
    return last === undefined ? null : { sequence: last.sequence, at: last.at, hash: `link-${last.sequence}` };
  }
  linkOf(sequence: number) {
    return sequence > 0 && sequence <= this.#last() ? `link-${sequence}` : null;
  }
  // biome-ignore lint/correctness/useYield: a journal in memory has no files
  *archiveSlices(): ReturnType<Journal["archiveSlices"]> {
    return { kind: "nothing" };
  }
  close(): void {}
  /** As if all before the last checkpoint were archived. */
  archived(): MemoryJournal {
    const copy = new MemoryJournal();
    copy.entries = this.entries.slice(this.types().lastIndexOf("checkpoint"));
    return copy;
  }
  types(): string[] {
    return this.entries.map(({ body }) => (JSON.parse(body) as { type: string }).type);
  }
  cut(length: number): MemoryJournal {
    const copy = new MemoryJournal();
    copy.entries = this.entries.slice(0, length);
    return copy;
  }
}

/** Answers in turn from `answers`, then `opened`. */
export class ScriptedDrawer implements Drawer {
  opens = 0;
  answers: ("opened" | "failed" | "unknown")[] = [];
  now: "open" | "closed" | "unknown" = "unknown";
  /** Which drawer each order was for; undefined: that of the settings. */
  readonly tried: (Settings["drawer"] | undefined)[] = [];
  async open(tried?: Settings["drawer"]) {
    this.opens += 1;
    this.tried.push(tried);
    return this.answers.shift() ?? "opened";
  }
  async state() {
    return this.now;
  }
}

/** Answers in turn from `answers`, then `printed`. */
export class ScriptedPrinter implements Printer {
  /** What was put on paper, a job each. */
  readonly jobs: (readonly PaperLine[])[] = [];
  answers: PrintAnswer[] = [];
  /** On which printer each job was tried to print. */
  readonly places: (Settings["printer"] | undefined)[] = [];
  async print(lines: readonly PaperLine[], on?: Settings["printer"]): Promise<PrintAnswer> {
    this.places.push(on);
    const answer = this.answers.shift() ?? { kind: "printed", paperLow: false };
    if (answer.kind !== "not_printed") this.jobs.push(lines);
    return answer;
  }
}

/** The terminal and everything around it. */
export interface Rig {
  readonly clock: VirtualClock;
  readonly service: FakeService;
  readonly journal: Journal;
  readonly drawer: ScriptedDrawer;
  readonly printer: ScriptedPrinter;
  /** Without an actor: whoever stands at a counter where nobody signs in. */
  readonly terminal: Omit<Terminal, "dispatch"> & {
    dispatch(command: TerminalCommand, by?: Actor): Promise<Reply>;
  };
  readonly snapshots: Snapshot[];
  readonly secrets: { credential: Credential | null };
  readonly kept: { shop: ShopProfile | null };
  /** What `settings.json` holds; a test that writes here changes it outside of the program. */
  readonly settingsFile: { settings: Settings; isFull: boolean };
  snapshot(): Snapshot;
  screen(): Snapshot["screen"];
  send(
    command: TerminalCommand | { type: "confirm" | "reject" | "hand_out" | "dismiss" | "retry" | "open_drawer" },
  ): Promise<Reply>;
  scan(text: string, source?: Extract<Command, { type: "scan" }>["source"]): Promise<Reply>;
}

const credential: Credential = {
  serviceUrl: "http://service",
  merchantId: "demo-shop",
  deviceId: "till-1",
  secret: "till-secret",
};

/** What to put in the place of the usual parts. */
export interface RigOptions {
  readonly clock?: VirtualClock;
  readonly service?: FakeService;
  readonly journal?: Journal;
  readonly drawer?: ScriptedDrawer;
  readonly printer?: ScriptedPrinter;
  readonly credential?: Credential | null;
  /** What an earlier run kept. */
  readonly kept?: Rig["kept"];
  readonly settings?: Partial<Settings>;
  readonly idsFrom?: number;
  readonly training?: boolean;
  readonly wrongSettings?: readonly string[];
  readonly index?: IndexStore;
  readonly findPrinters?: NonNullable<Ports["findPrinters"]>;
  /** The host found files of an earlier life. */
  readonly hasEarlierLife?: boolean;
  readonly checkpointEvery?: number;
}

/** Opens the drawer and says that the cash was handed over, as a cashier does who finds enough of it. */
export const handOver = async (till: Rig): Promise<void> => {
  await till.send({ type: "hand_out" });
  if (till.screen().kind === "counting") await till.send({ type: "hand_out" });
};

/** Leads a new withdrawal of the usual amount to the screen that offers the cash. @returns the service's order. */
export const leadToPayable = async (till: Rig, transactionId: string) => {
  const order = till.service.order({ transaction_id: transactionId });
  await till.scan(transactionId);
  await till.send({ type: "confirm" });
  order.status = "settled";
  await till.clock.advance(1_500);
  if (till.screen().kind !== "payable") throw new Error(`not payable: ${till.screen().kind}`);
  return order;
};

/** Starts the terminal; it has caught up with its journal when this resolves. */
export const createRig = async (options: RigOptions = {}): Promise<Rig> => {
  const clock = options.clock ?? new VirtualClock();
  const service = options.service ?? new FakeService(clock);
  const journal = options.journal ?? openJournal(":memory:", 0);
  const drawer = options.drawer ?? new ScriptedDrawer();
  const printer = options.printer ?? new ScriptedPrinter();
  const secrets = { credential: options.credential === undefined ? credential : options.credential };
  const kept = options.kept ?? { shop: null };
  const settingsFile = { settings: { ...settingsSchema.parse({}), ...options.settings }, isFull: false };
  let nextId = options.idsFrom ?? 1;
  const ports: Ports = {
    clock,
    ids: { next: () => `W${String(nextId++).padStart(6, "0")}`, fraction: () => 0.5 },
    journal,
    ...(options.index === undefined ? {} : { index: options.index }),
    ...(options.findPrinters === undefined ? {} : { findPrinters: options.findPrinters }),
    transport: service,
    drawer,
    printer,
    timeZone: "Europe/Berlin",
    secrets: {
      load: () => secrets.credential,
      async save(next, mayReplace) {
        if (!mayReplace()) return false;
        secrets.credential = next;
        return true;
      },
    },
    settings: {
      wrong: () => options.wrongSettings ?? [],
      load: () => settingsFile.settings,
      save: (next) => {
        if (settingsFile.isFull) throw new Error("disk full");
        settingsFile.settings = next;
      },
    },
    shop: {
      load: () => kept.shop,
      save: (profile) => {
        kept.shop = profile;
      },
    },
    training: options.training ?? true,
    hasEarlierLife: options.hasEarlierLife ?? false,
    log: () => {},
  };
  const made = await createTerminal(ports, options.checkpointEvery);
  const terminal: Rig["terminal"] = { ...made, dispatch: (command, by = counterActor) => made.dispatch(command, by) };
  const snapshots: Snapshot[] = [];
  const latest = (): Snapshot => {
    let now: Snapshot | undefined;
    terminal.subscribe((snapshot) => {
      now = snapshot;
    })();
    if (now === undefined) throw new Error("no snapshot");
    return now;
  };
  terminal.subscribe((snapshot) => snapshots.push(snapshot));
  terminal.start();
  await clock.advance(0);
  return {
    clock,
    service,
    journal,
    drawer,
    printer,
    terminal,
    snapshots,
    secrets,
    kept,
    settingsFile,
    snapshot: latest,
    screen: () => latest().screen,
    async send(command) {
      const reply = await terminal.dispatch({ step: latest().screen.step, ...command } as TerminalCommand);
      await clock.advance(0);
      return reply;
    },
    async scan(text, source = "camera") {
      const reply = await terminal.dispatch({ type: "scan", text, source });
      await clock.advance(0);
      return reply;
    },
  };
};
