/** What is done with the files of one folder: names that are given and made lasting, in order, and whether one of them fails. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { relative } from "node:path";

/** The calls that were made, and the files that are open still. */
interface DiskCalls {
  /** `rename a b`, `sync a`, `sync .` for the folder itself, each by its name in the folder. */
  readonly calls: readonly string[];
  readonly stillOpen: number;
}

/** @param fails asked before each call, and before `open a` and `remove a`, which are not noted: throws for those that answer true. */
export const watchDisk = (
  folder: string,
  work: () => void,
  fails: (call: string) => boolean = () => false,
): DiskCalls => {
  const { openSync, closeSync, fsyncSync, renameSync, rmSync } = fs;
  const calls: string[] = [];
  const opened = new Map<number, string>();
  let folders = 0;
  const nameOf = (path: fs.PathLike): string => relative(folder, String(path)).replaceAll("\\", "/") || ".";
  const note = (call: string): void => {
    calls.push(call);
    if (fails(call)) throw new Error(`disk: ${call}`);
  };
  Object.assign(fs, {
    openSync(path: string, ...rest: [string]) {
      if (fails(`open ${nameOf(path)}`)) throw new Error(`disk: open ${nameOf(path)}`);
      if (rest[0] === "") throw new Error("disk: no flags");
      // A folder is not opened: not every system can.
      folders -= 1;
      const file = fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() ? folders : openSync(path, ...rest);
      opened.set(file, nameOf(path));
      return file;
    },
    closeSync(file: number) {
      opened.delete(file);
      if (file > 0) closeSync(file);
    },
    fsyncSync(file: number) {
      note(`sync ${opened.get(file) ?? "?"}`);
      if (file > 0) fsyncSync(file);
    },
    renameSync(from: string, to: string) {
      note(`rename ${nameOf(from)} ${nameOf(to)}`);
      renameSync(from, to);
    },
    rmSync(path: string, options?: fs.RmOptions) {
      if (fails(`remove ${nameOf(path)}`)) throw new Error(`disk: remove ${nameOf(path)}`);
      rmSync(path, options);
    },
  });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, { openSync, closeSync, fsyncSync, renameSync, rmSync });
    syncBuiltinESMExports();
  }
  return { calls, stillOpen: opened.size };
};

/** @returns the synchronous calls about a folder and what is in it: a program that makes one stands still while the disk does not answer. */
export const waitsFor = async (folder: string, work: () => Promise<unknown>): Promise<readonly string[]> => {
  const made: string[] = [];
  const calls = Object.entries(fs).filter(([name, call]) => name.endsWith("Sync") && typeof call === "function");
  const noted = calls.map(([name, call]) => [
    name,
    (...of: unknown[]): unknown => {
      if (String(of[0]).startsWith(folder)) made.push(name);
      return Reflect.apply(call as (...of: unknown[]) => unknown, fs, of);
    },
  ]);
  Object.assign(fs, Object.fromEntries(noted));
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, Object.fromEntries(calls));
    syncBuiltinESMExports();
  }
  return made;
};
