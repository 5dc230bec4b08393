/** Whether a terminal's files tell of a life before this start, whatever became of its journal and its people. */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";

/**
 * Written once a terminal was enrolled or had people: never by a first start, and not the settings, which another purpose's
 * terminal may have put there.
 */
const traces = [
  /^credential\.json/,
  /^people\.json/,
  /^archive$/,
  // Other shops' journals, and damaged ones that were set aside.
  /^journal\..+\.db$/,
  /^journal\.db\.damaged-/,
];
/** Made with the journal at a first start: without it they outlived it. */
const besideJournal = [/^journal-key\.json/, /^journal\.db\.history/];

/** @param files the folder of one purpose, before its journal is opened. */
export const hasEarlierLife = (files: string): boolean => {
  const hasJournal = (statSync(path.join(files, "journal.db"), { throwIfNoEntry: false })?.size ?? 0) > 0;
  const telling = hasJournal ? traces : [...traces, ...besideJournal];
  return readdirSync(files).some((name) => telling.some((trace) => trace.test(name)));
};
