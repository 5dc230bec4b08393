/** Checks a copy in a thread of its own: reading all of a large database takes many seconds, in which nobody would be answered. */
import { Worker } from "node:worker_threads";

const lockedMaxMs = 5_000;

/** A text and no module: the built program is one file. */
const check = `
const { workerData: { file, timeout, marks } } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const copy = new DatabaseSync(file, { timeout });
try {
  copy.exec("PRAGMA journal_mode = DELETE");
  const result = copy.prepare("PRAGMA integrity_check(1)").get()?.integrity_check;
  if (result !== "ok") throw new Error("the copy " + file + " is damaged: " + result);
  copy.prepare("SELECT count(*) FROM withdrawals").get();
  const mark = copy.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)");
  for (const [name, value] of Object.entries(marks)) mark.run(name, value);
} finally {
  copy.close();
}
`;

/**
 * Opens a copy as the service would. Makes it one file, without a log beside it.
 * @param marks settings that are written into it: they say that it is a copy, so that nobody serves it as if nothing had happened.
 * @throws Error when it is damaged.
 */
export const checkCopy = (file: string, marks: Readonly<Record<string, string>>): Promise<void> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(check, { eval: true, execArgv: [], workerData: { file, timeout: lockedMaxMs, marks } });
    thread.once("error", reject);
    thread.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the check of the copy ${file} ended with ${code}`));
    });
  });
