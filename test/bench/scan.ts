/**
 * `npm run bench -- scan [--frames N] [--sessions N] [--empty N] [--out FILE]`: the scanning bench. The full run draws about 20,000
 * frames and takes an hour and more; smaller numbers give a quick look.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { startEngines } from "./scan/engines.ts";
import { goalsOf } from "./scan/goals.ts";
import { reportOf } from "./scan/report.ts";
import { runSessions, type SessionLine, sessionKinds } from "./scan/sessions.ts";
import { singleFrames, withoutCode } from "./scan/single-frames.ts";
import { type Line, Times } from "./scan/tally.ts";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "scan"),
  options: {
    frames: { type: "string", default: "200" },
    sessions: { type: "string", default: "130" },
    empty: { type: "string", default: "400" },
    out: { type: "string", default: "docs/benchmarks-scan.md" },
  },
});
const [frames, sessions, empty] = [Number(values.frames), Number(values.sessions), Number(values.empty)];
const loadBefore = os.loadavg()[0] ?? 0;
const startedMs = performance.now();

const engines = await startEngines();
const times = new Times();
const lines: Line[] = [];
for await (const line of singleFrames(engines, frames, times)) {
  lines.push(line);
  const { name, symbology, width, read } = line;
  console.log(name, symbology, width, JSON.stringify(read), `of ${frames}`);
}
const emptyLine = await withoutCode(engines, empty, times);
console.log("without a code", JSON.stringify(emptyLine.wrong));
const sessionLines: SessionLine[] = [];
for (const kind of sessionKinds) {
  const line = await runSessions(engines, kind, sessions);
  sessionLines.push(line);
  console.log(kind.name, JSON.stringify(line.accepted), `of ${sessions}`);
}

const results = { lines, empty: emptyLine, sessions: sessionLines, times };
const command = `npm run bench -- scan --frames ${frames} --sessions ${sessions} --empty ${empty}`;
const minutes = Math.max(1, Math.round((performance.now() - startedMs) / 60_000));
mkdirSync(path.dirname(values.out), { recursive: true });
writeFileSync(values.out, reportOf(results, { command, framesPerLine: frames, minutes, loadBefore }));
for (const { name, measured, met } of goalsOf(results))
  console.log(met ? "met    " : "NOT MET", `${name}: ${measured}`);
console.log(`written to ${values.out}`);
