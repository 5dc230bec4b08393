/** What of a till outlives its power. */
import type { PeopleFile } from "../../../main/people/people-file.ts";
import type { FileJournal } from "../../../main/terminal/journal/journal.ts";
import type { IndexStore } from "../../../main/terminal/ports.ts";
import type { DiskSpace } from "./disk-space.ts";
import type { HostFiles } from "./host-files.ts";
import type { Version } from "./program.ts";

/** Which program runs until the next power cut, and for what. */
export interface Life {
  readonly training: boolean;
  readonly version: Version;
  readonly host: "desktop" | "browser";
}

/** A life that nothing has happened to. */
export const plainLife: Life = { training: false, version: "today", host: "desktop" };

/** What somebody does to a till's list of people. */
export type PeopleLoss = "gone" | "damaged" | "older";

/** A till's disk. */
export interface TillDisk {
  /** Opens the journal for one life of the machine. */
  journal(life: Life): FileJournal | Promise<FileJournal>;
  /** Where the history is kept for one life; none: in memory. */
  index?(life: Life): IndexStore;
  /** Where its files are; none: in memory. */
  readonly home?: string;
  /** The keys of all journals are gone with their files. */
  loseKeys?(): void;
  /** The people of the till's live purpose; none: nobody signs in. */
  people?(): PeopleFile;
  /** Somebody removes or damages their file, or puts the first one back. */
  losePeople?(how: PeopleLoss): void;
  /** How large it is; none: without bound. */
  readonly space?: DiskSpace;
  /** What its host writes besides; null before the first start. */
  readonly beside?: HostFiles | null;
  /** The power went in the middle of a call of the disk: the machine is dead, whatever that call said. */
  readonly lost: boolean;
  /** The power has gone: what was not synced is no more. */
  powerCut(): void;
  /** Puts a copy of everything aside, in place of an earlier one; says which entry is the last in it. */
  copy(): number;
  /** Puts the copy back. */
  restore(): void;
  close(): void;
}
