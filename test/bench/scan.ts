/** `npm run bench -- scan`: the scanning bench. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { readFlags, wholeNumber } from "../../tools/command-line.ts";
import { nodeWasm } from "../../tools/scan/node-wasm.ts";
import type { SessionEnd } from "./scan/sessions.ts";
import type { Line } from "./scan/tally.ts";
import { onThreads } from "./scan/threads.ts";

const usage = `Usage: npm run bench -- scan [options]

Without options the full run: about 40,000 frames in some hours on two free cores; smaller numbers give a quick look.

  --frames NUMBER     frames of each condition and symbology (default: 100)
  --sessions NUMBER   sessions of each kind (default: 130)
  --empty NUMBER      frames without a code (default: 400)
  --photos DIR        photos with their texts beside them, read in four directions where the folder is
                      there (default: ../shared/barcodes)
  --out FILE          where the figures go (default: docs/benchmarks-scan.md)
  --alone             sessions are read by the camera's pipeline alone: the others take most of the time
  --help              this text`;

const { values } = readFlags(usage, {
  frames: { type: "string", default: "100" },
  sessions: { type: "string", default: "130" },
  empty: { type: "string", default: "400" },
  photos: { type: "string", default: "../shared/barcodes" },
  out: { type: "string", default: "docs/benchmarks-scan.md" },
  alone: { type: "boolean", default: false },
});
const frames = wholeNumber("--frames", values.frames, 0);
const sessions = wholeNumber("--sessions", values.sessions, 0);
const empty = wholeNumber("--empty", values.empty, 0);
// Flags are refused without the decoders.
const { picturesIn, readSet } = await import("../../tools/scan/picture-set.ts");
const { sessionContenders } = await import("./scan/engines.ts");
const { goalsOf } = await import("./scan/goals.ts");
const { jobsOf } = await import("./scan/jobs.ts");
const { reportOf } = await import("./scan/report.ts");
const { sessionLine } = await import("./scan/session-line.ts");
const { sessionKinds } = await import("./scan/sessions.ts");
const { lineWishes } = await import("./scan/single-frames.ts");
const { joined, Times } = await import("./scan/tally.ts");
const sessionsBy = values.alone ? (["camera"] as const) : sessionContenders;
/** One a core, and no more: each needs its core for itself, for its times to mean anything. */
const threadCount = Math.max(1, Math.min(2, os.availableParallelism()));
const jobsPerNote = 50;
const loadBefore = os.loadavg()[0] ?? 0;
const startedMs = performance.now();

const times = new Times();
const lines: Line[] = [];
const emptyLines: Line[] = [];
const ends = sessionKinds.map((): SessionEnd[] => []);
const jobs = jobsOf({ frames, sessions, empty, by: sessionsBy });
let finished = 0;
await onThreads(jobs, threadCount, (done) => {
  finished += 1;
  times.merge(done.times);
  if (done.kind === "session") {
    const ofKind = ends[done.of];
    if (ofKind) ofKind[done.index] = done.end;
  } else {
    (done.kind === "line" ? lines : emptyLines).push(done.line);
    const { name, symbology, count, read } = done.line;
    console.log(name, symbology, JSON.stringify(read), `of ${count}`);
  }
  if (finished % jobsPerNote === 0) console.log(`${finished} of ${jobs.length} jobs`);
});
// Threads finish in any order; the document keeps that of the jobs.
const places = lineWishes(frames).map(({ condition, symbology }) => `${condition} ${symbology}`);
const placeOf = ({ name, symbology }: Line): number => places.indexOf(`${name} ${symbology}`);
lines.sort((a, b) => placeOf(a) - placeOf(b));
const sessionLines = sessionKinds.map((kind, at) => sessionLine(kind, ends[at] ?? []));
const emptyLine = joined(emptyLines);

const photos = existsSync(values.photos)
  ? readSet(picturesIn(values.photos), await nodeWasm(), { turns: 4, compare: true, onMiss: () => {} })
  : [];

const results = { lines, empty: emptyLine, sessions: sessionLines, times, photos };
const command = `npm run bench -- scan --frames ${frames} --sessions ${sessions} --empty ${empty}${values.alone ? " --alone" : ""}`;
const minutes = Math.max(1, Math.round((performance.now() - startedMs) / 60_000));
mkdirSync(path.dirname(values.out), { recursive: true });
writeFileSync(values.out, reportOf(results, { command, framesPerLine: frames, minutes, loadBefore, sessionsBy }));
for (const { name, measured, met } of goalsOf(results))
  console.log(met ? "met    " : "NOT MET", `${name}: ${measured}`);
console.log(`written to ${values.out}`);
