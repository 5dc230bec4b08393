/** What a story plays with: the real terminal and service, on a disk that keeps what it took. A test may put others in their place. */
import { openJournal } from "../../main/terminal/journal/journal.ts";
import { counterActor } from "../../main/terminal/state/actor.ts";
import { createTerminal } from "../../main/terminal/terminal.ts";
import type { TerminalCommand } from "../../preload/contract.ts";
import { bootService } from "./boot-service.ts";
import type { BootService } from "./service.ts";
import type { BootTerminal, TillDisk } from "./till.ts";

/** What is booted on each machine. */
export interface Programs {
  readonly bootTerminal: BootTerminal;
  readonly bootService: BootService;
  /** The disk of a till, by its index. */
  readonly openDisk: (till: number) => TillDisk;
}

/** So that a till which lives for some hours and dies now and then starts from checkpoints too. */
const checkpointEvery = 150;

/** In memory: what an append has taken is there after any power cut. */
const soundDisk = (): TillDisk => {
  const journal = openJournal(":memory:", 0);
  return { journal: () => journal, lost: false, powerCut: () => {}, close: journal.close };
};

/** The product itself. */
export const realPrograms: Programs = {
  async bootTerminal(ports) {
    const terminal = await createTerminal(ports, checkpointEvery);
    return { ...terminal, dispatch: (command) => terminal.dispatch(command as TerminalCommand, counterActor) };
  },
  bootService,
  openDisk: soundDisk,
};
