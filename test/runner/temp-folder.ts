/** Where the tests of a run keep their files. */
import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";

/** Linux keeps this folder in memory. */
const inMemory = "/dev/shm";
const roomMinBytes = 4 * 1024 ** 3;

const hasRoom = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize >= roomMinBytes;
  } catch {
    return false;
  }
};

/**
 * Puts the temporary files of this run, and of all programs that it starts, into memory: the tests sync thousands of small files, and
 * none of them cuts the power of a real disk. They stay where the system has them where memory has no room.
 */
export function keepFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return;
  const folder = mkdtempSync(`${inMemory}/tillcash-tests-`);
  // As the system's own: PostgreSQL runs as another account.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
}
