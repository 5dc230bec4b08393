/** Where the tests of a run keep their files. */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** Linux keeps this folder in memory. */
const inMemory = "/dev/shm";
const roomMinBytes = 4 * 1024 ** 3;
/** Short: sockets lie below it, and their paths may be 108 characters long. */
const prefix = "tillcash-tests-";

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize >= roomMinBytes;
  } catch {
    return false;
  }
};

/**
 * Gives this run, and all programs that it starts, one folder for their temporary files, which goes with it. It lies in memory where
 * that has room: the tests sync thousands of small files, and none of them cuts the power of a real disk.
 */
export function keepFilesTogether(): void {
  // A run within a run has one already.
  if (path.basename(tmpdir()).startsWith(prefix)) return;
  const base = process.env.TMPDIR === undefined && hasRoom() ? inMemory : tmpdir();
  const folder = mkdtempSync(path.join(base, prefix));
  // As the system's own: PostgreSQL runs as another account.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}
