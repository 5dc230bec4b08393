/** The port to the journal: append-only, synced, chained. `journal/` implements it over SQLite. */
import type { Damage } from "../../preload/contract.ts";

/** One line of the journal as it is kept: the hash covers the line before, the sequence, the time and the body. */
export interface JournalEntry {
  readonly sequence: number;
  readonly at: number;
  readonly body: string;
}

/** An entry of the journal that cannot be believed, and why. */
export interface DamagedEntry {
  readonly sequence: number;
  readonly why: Damage;
}

/** Whether a journal can be used now. */
export type JournalOpening =
  | { readonly kind: "open" }
  /** Locked, read-only, full, or not there: it may be so again later. */
  | { readonly kind: "unavailable"; readonly error: string }
  /** Written by a newer program: it is left as it is. */
  | { readonly kind: "newer"; readonly format: number };

/** How far a check of the journal has come, in entries. */
export interface VerifyProgress {
  readonly checked: number;
  readonly total: number;
}

/** What a check of the whole journal found. */
export interface Verified {
  /** Sound ones. */
  readonly entries: number;
  readonly damaged: readonly DamagedEntry[];
  /** Of the sound ones, those under a key that only the other host has. */
  readonly unchecked: number;
}

/** The newest link of the chain; `at` as the entry has it, `hash` in hex. */
export interface JournalHead {
  readonly sequence: number;
  readonly at: number;
  readonly hash: string;
}

/** What of a journal may be archived. */
export interface ArchivePlan {
  /** The wall clock, for the entry that a run writes at its end. */
  readonly now: () => number;
  /** Only entries behind which there is a checkpoint from before this time: the beginning of the present year. */
  readonly beforeMs: number;
  /** Withdrawals that are open, unresolved or owed a report, by id: their entries, and all behind them, stay in the live file. */
  readonly held: readonly string[];
}

/** What a run of the archive came to. `damaged`: the stretch does not check, so it stays where it is; `no_room`: on the disk. */
export type Archived =
  | { readonly kind: "nothing" | "damaged" | "no_room" }
  | { readonly kind: "archived"; readonly file: string; readonly entries: number };

/** A bounded part of a journal. */
export interface JournalSlice {
  /** The sound entries in order. */
  readonly entries: readonly JournalEntry[];
  /** The last one that was looked at, sound or not; null when there was none. */
  readonly last: JournalHead | null;
  readonly hasMore: boolean;
}

/** Append-only; `append` returns when the entries are on disk (synced), all of them or none. */
export interface Journal {
  /** Opens it, or says why it cannot be used now; asked again until it can. Nothing else is called before it is open. */
  open(): JournalOpening;
  append(at: number, bodies: readonly string[]): void;
  /** The sound entries in order, and what was quarantined: those that a start needs (from the last checkpoint on), or the latest so many. */
  read(latest?: number): { readonly entries: Iterable<JournalEntry>; readonly damaged: readonly DamagedEntry[] };
  /** At most `limit` entries from the sequence `from` on, archived years included; one of their files that is not there is left out. */
  readSlice(from: number, limit: number): JournalSlice;
  /** Journals of other books that lie beside this one, by name, the one that changed last first. */
  others(): readonly string[];
  /** The sound entries of one of them, from its last checkpoint on. */
  readOther(name: string): ReturnType<Journal["read"]>;
  /**
   * Puts the book `name` in use: the one that lies beside under that name, or a new one. The present one is kept beside as
   * `aside`; null throws an empty one away. Throws when it cannot be done; then nothing is open.
   */
  switchTo(name: string, aside: string | null): void;
  /**
   * Moves closed years into files of their own, a slice with each step; entries may be appended between two steps. Safe to
   * abandon at any step and to begin again; `return` gives back the room of what was begun. Throws when the disk takes nothing.
   */
  archiveSlices(plan: ArchivePlan): Generator<VerifyProgress, Archived>;
  /** Checks every entry ever written, a slice with each step: what lies between two steps is the caller's. */
  verifySlices(): Generator<VerifyProgress, Verified>;
  /** Null while nothing is in it. */
  head(): JournalHead | null;
  /** The hash of one entry as it is kept; null when there is none. */
  linkOf(sequence: number): string | null;
  close(): void;
}
