/** What the host writes beside the journal: its log, and a dump for each process of the program that crashes. */
import { mkdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crashFolder, pruneCrashes } from "../../../main/host/crashes.ts";
import { type Log, openLineFile } from "../../../main/host/log-file.ts";
import type { DiskRoom } from "../../../main/terminal/journal/files.ts";

/** Files that one life of the program has open. */
export interface HostFiles {
  readonly log: Log;
  /** One of its processes crashes: the system writes a dump. */
  crashed(): void;
}

const dumpBytes = 5_000_000;
/** A line takes as much room as thousands: months of a log in an hour. */
const monthsOfLines = "x".repeat(4_000_000);

/** Makes a file longer by so many bytes, which take room in its size alone. */
const grow = (file: string, bytes: number): void => {
  const before = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (before === 0) writeFileSync(file, "");
  truncateSync(file, before + bytes);
};

/** How the product writes them. */
export const productFiles = { openLineFile, pruneCrashes };

let dumps = 0;
/** As the desktop's host does at its start, and when a process ends (`main/index.ts`). */
export const openHostFiles = (home: string, { freeBytes }: DiskRoom, product = productFiles): HostFiles => {
  const takes = (file: string, bytes: number): boolean => freeBytes(file) >= bytes;
  const write = product.openLineFile(home, "till.log", {
    freeBytes,
    append(file, text) {
      // A log that cannot be written goes on without, and says so on stderr: here nobody reads that, nor the log itself.
      grow(file, takes(file, text.length) ? text.length : 0);
    },
  });
  product.pruneCrashes(home, freeBytes);
  return {
    log: (level, message, detail) => write(JSON.stringify({ level, message, ...detail })),
    crashed() {
      const folder = path.join(crashFolder(home), "completed");
      mkdirSync(folder, { recursive: true });
      dumps += 1;
      const file = path.join(folder, `${dumps}.dmp`);
      if (takes(file, dumpBytes)) grow(file, dumpBytes);
      write(monthsOfLines);
      product.pruneCrashes(home, freeBytes);
    },
  };
};
