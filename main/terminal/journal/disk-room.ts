/** Room on the journal's disk: how much there is, and a part of it that nobody but the journal may use. */
import { createCipheriv } from "node:crypto";
import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** What else is written beside the journal leaves so much free. */
export const roomLeftBytes = 64 * 1024 * 1024;
/** Thousands of entries. */
const reserveBytes = 4 * 1024 * 1024;

/** Free bytes of the disk on which `path` lies, for this user; without bound where the system does not say. */
export const freeBytes = (path: string): number => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

/** How a journal deals with its disk. */
export interface DiskRoom {
  readonly freeBytes: (path: string) => number;
  /** Bytes kept for the journal beside it, given back when it cannot write; 0 for none. */
  readonly reserveBytes: number;
}

/** Of a tool, a simulation and a journal in memory. */
export const noReserve: DiskRoom = { freeBytes, reserveBytes: 0 };
/** Of a terminal in a shop. */
export const shopRoom: DiskRoom = { freeBytes, reserveBytes };

/** Zeros, or anything that repeats itself, would take no room on a disk that packs what it keeps. */
const filling = (bytes: number): Uint8Array =>
  createCipheriv("aes-128-ctr", new Uint8Array(16), new Uint8Array(16)).update(new Uint8Array(bytes));

const reservePath = (path: string): string => `${path}.reserve`;

/** Takes the journal's reserve, where there is room for it besides. */
export const holdReserve = (path: string, room: DiskRoom): void => {
  const file = reservePath(path);
  if (room.reserveBytes === 0 || existsSync(file) || room.freeBytes(path) < roomLeftBytes) return;
  try {
    writeFileSync(file, filling(room.reserveBytes), { mode: 0o600 });
  } catch {
    rmSync(file, { force: true });
  }
};

/** Gives it back; false when there was none. */
export const giveReserveBack = (path: string): boolean => {
  if (!existsSync(reservePath(path))) return false;
  rmSync(reservePath(path), { force: true });
  return true;
};

/** SQLITE_FULL, and SQLITE_IOERR as a quota and a limit of a file's size give it. */
export const isWithoutRoom = (error: unknown): boolean => {
  const code = typeof error === "object" && error !== null && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  return code === 13 || code === 10;
};
