/** Opens and checks the journal in the folder named, in a process of its own, so that its memory is its own; prints one line of JSON. */
import { setTimeout as delay } from "node:timers/promises";
import { openYears } from "./years.ts";

const beforeBytes = process.memoryUsage().rss;
const openedMs = performance.now();
const journal = openYears(process.argv[2] ?? "");
const { damaged } = journal.read();
const openMs = performance.now() - openedMs;
const steps = journal.verifySlices();
const checkedMs = performance.now();
let peakBytes = 0;
let longestMs = 0;
let entries = 0;
for (;;) {
  const beganMs = performance.now();
  const step = steps.next();
  longestMs = Math.max(longestMs, performance.now() - beganMs);
  peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
  if (step.done) {
    entries = step.value.entries;
    break;
  }
  // As the terminal does, which goes on with its work between two slices.
  await delay(0);
}
const checkMs = performance.now() - checkedMs;
journal.close();
const moreMB = (peakBytes - beforeBytes) / 1e6;
console.log(JSON.stringify({ openMs, moreMB, checkMs, longestMs, entries, damaged: damaged.length }));
