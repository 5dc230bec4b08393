/** What a story plays with: the real terminal and service, on a disk that keeps what it took. A test may put others in their place. */

import type { JournalKeys } from "../../main/terminal/journal/chain.ts";
import { openNodeDatabase } from "../../main/terminal/journal/database.ts";
import { openJournal } from "../../main/terminal/journal/journal.ts";
import { createTerminal } from "../../main/terminal/terminal.ts";
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

/** So that a till which lives for some hours and dies now and then starts from checkpoints too. */
const checkpointEvery = 150;

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

/** The product as it is. */
export const realPrograms: Programs = {
  async bootTerminal(ports) {
    const terminal = await createTerminal(ports, checkpointEvery);
    return { ...terminal, dispatch: (command) => terminal.dispatch(command as TerminalCommand, counterActor) };
  },
  bootService,
  openDisk: soundDisk,
  openFolder: () => openFolderDisk(),
};
