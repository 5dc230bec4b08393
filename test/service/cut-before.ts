/**
 * Preloaded into a program (`node --import`): it is killed before its CUT_BEFORE-th step on the files whose path holds CUT_AT, or
 * at a COMMIT; the steps go to CUT_LOG. Nothing of the program can run any more, as when the power goes.
 */
import fs from "node:fs";
import fsp from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

const { CUT_BEFORE = "", CUT_AT = "", CUT_LOG = "" } = process.env;
const append = fs.appendFileSync;
let steps = 0;

const step = (what: string, ...paths: readonly unknown[]): void => {
  if (paths.length > 0 && !paths.some((each) => String(each).startsWith(CUT_AT))) return;
  steps += 1;
  if (String(steps) === CUT_BEFORE) process.kill(process.pid, "SIGKILL");
  append(CUT_LOG, `${[what, ...paths.map((each) => path.basename(String(each)))].join(" ")}\n`);
};

type Call = (...args: never[]) => unknown;
const counted = (holder: object, name: string, what: string, paths: number): void => {
  const original = Reflect.get(holder, name) as Call;
  Reflect.set(holder, name, function (this: unknown, ...args: unknown[]) {
    step(what, ...args.slice(0, paths));
    return Reflect.apply(original, this, args);
  });
};

counted(fs, "copyFileSync", "copy", 2);
counted(fs, "renameSync", "rename", 2);
counted(fs, "rmSync", "remove", 1);
const open = fsp.open;
Reflect.set(fsp, "open", async (...args: Parameters<typeof open>) => {
  const file = await open(...args);
  const sync = file.sync.bind(file);
  file.sync = async () => {
    step("sync", args[0]);
    return sync();
  };
  return file;
});
const opened = new Map<number, string>();
const openFile = fs.openSync;
Reflect.set(fs, "openSync", (...args: Parameters<typeof openFile>) => {
  const file = openFile(...args);
  opened.set(file, String(args[0]));
  return file;
});
const syncFile = fs.fsyncSync;
Reflect.set(fs, "fsyncSync", (file: number) => {
  step("sync", opened.get(file) ?? "");
  syncFile(file);
});
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (sql) {
  if (sql === "COMMIT") step("commit");
  return exec.call(this, sql);
};
syncBuiltinESMExports();
