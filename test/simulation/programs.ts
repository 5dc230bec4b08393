/** What a story plays with: the real terminal and service, on a disk that keeps what it took. A test may put others in their place. */
import { createHash } from "node:crypto";
import { createGuard } from "../../main/people/guard.ts";
import { type PinHashing, usualHashing } from "../../main/people/pins.ts";
import type { JournalKeys } from "../../main/terminal/journal/chain.ts";
import { openNodeDatabase } from "../../main/terminal/journal/database.ts";
import { openJournal } from "../../main/terminal/journal/journal.ts";
import { createTerminal, type Terminal } from "../../main/terminal/terminal.ts";
import { counterActor } from "../../main/terminal/withdrawal/inputs.ts";
import type { TerminalCommand } from "../../preload/contract.ts";
import { bootService } from "./boot-service.ts";
import { openFolderDisk } from "./folder/data-folder.ts";
import type { TillDisk } from "./folder/till-disk.ts";
import type { BootService } from "./service.ts";
import type { BootTerminal } from "./till.ts";

/** The programs and disks of a story. */
export interface Programs {
  readonly bootTerminal: BootTerminal;
  readonly bootService: BootService;
  /** The disk of a till, by its index. */
  readonly openDisk: (till: number) => TillDisk;
  /** Of a till whose installation's life is played: a folder with files. */
  readonly openFolder: (till: number) => TillDisk;
}

/** So that a till which lives for some minutes and dies now and then starts from checkpoints too. */
const checkpointEvery = 40;

const secret = Buffer.alloc(32, 7);
const keys: JournalKeys = {
  current: { id: "simulated", secret },
  known: new Map([["simulated", secret]]),
  isUpgrading: false,
  keep: () => {},
  upgraded: () => {},
};

/** In memory: what an append has taken is there after any power cut. */
const soundDisk = (): TillDisk => {
  const journal = openJournal(":memory:", 0, "write", openNodeDatabase, keys);
  return {
    journal: () => journal,
    lost: false,
    powerCut: () => {},
    copy: () => 0,
    restore: () => {},
    close: journal.close,
  };
};

/** Of PINs; real hashing runs on the thread pool, outside virtual time. */
export const quickHashing: PinHashing = {
  ...usualHashing,
  derive: async (pin, salt) => createHash("sha256").update(salt).update(pin).digest(),
};

/** @param around a careless change to what the guard stands before. @param hashing of PINs. */
export const guarded =
  (around = (terminal: Terminal): Terminal => terminal, hashing = quickHashing): BootTerminal =>
  async (ports) => {
    const made = await createTerminal(ports, checkpointEvery);
    const { people: file } = ports;
    if (!file) return { ...made, dispatch: (command) => made.dispatch(command as TerminalCommand, counterActor) };
    const terminal = around(made);
    const guard = createGuard({ terminal, file, clock: ports.clock, openUntilPin: false, hashing });
    return { ...terminal, dispatch: guard.dispatch, lock: guard.lock };
  };

/** The product as it is. */
export const realPrograms: Programs = {
  bootTerminal: guarded(),
  bootService,
  openDisk: soundDisk,
  openFolder: () => openFolderDisk(),
};
