import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import { setTable } from "../../../tools/scan/picture-set.ts";
import { contenders, type SessionContender } from "./engines.ts";
import { goalsOf, type Results } from "./goals.ts";
import { isHard } from "./sessions.ts";
import { frameTable, perContender, sessionTable, severityTable, table, timeTable } from "./tables.ts";

const require = createRequire(import.meta.url);

const versionOf = (name: string, entry: string): string => {
  const file = require.resolve(entry);
  const folder = file.slice(0, file.lastIndexOf(`/node_modules/${name}/`));
  const { version } = JSON.parse(readFileSync(`${folder}/node_modules/${name}/package.json`, "utf8")) as {
    version: string;
  };
  return `${name} ${version}`;
};

const packages = [
  ["@zxing/library", "@zxing/library"],
  ["zxing-wasm", "zxing-wasm/reader"],
  ["@undecaf/zbar-wasm", "@undecaf/zbar-wasm"],
  ["bwip-js", "bwip-js"],
] as const;

/** How the figures came about: the report's foot. */
export interface Run {
  readonly command: string;
  readonly framesPerLine: number;
  readonly minutes: number;
  readonly loadBefore: number;
  /** Who read the sessions. */
  readonly sessionsBy: readonly SessionContender[];
}

const photoPart = ({ photos }: Results): string =>
  photos.length === 0
    ? "The folder with photos was not there."
    : `Photos of the test data of three open projects (zxing-cpp, quagga2, jsQR), each in four directions, with all eight symbologies on;
\`npm run scan -- --set DIR --turned --compare\`. A text is wrong when it is not the photo's and is not marked as doubtful; ms is
processor time.

${setTable(photos, true)}`;

/** The page that `npm run bench -- scan` leaves. */
export const reportOf = (results: Results, run: Run): string => {
  const { lines, empty, sessions, times } = results;
  return `# Scanning, measured

The terminal's two pipelines beside the decoders that they are made of and zbar, in one run, on drawn frames (\`test/scan-frames/\`) with
fixed seeds. *Still* is \`npm run scan\`: everything, until a text is certain. *Camera* is what one frame gets before the camera, within
its budget; what is left comes in the next frames. A decoder's *fast* mode is the one for cameras, *thorough* has all on (zxing-wasm:
\`tryHarder\`, \`tryRotate\`, \`tryInvert\`, \`tryDownscale\`; @zxing/library: \`TRY_HARDER\`, and the picture turned by 90°). Each line runs
through the whole severity of its condition, to where no decoder reads; so the shares compare, they do not foretell a shop.

Command: \`${run.command}\` – ${run.framesPerLine} frames a line, ${run.minutes} minutes.
Machine: ${os.cpus()[0]?.model ?? "?"}, ${os.cpus().length} cores, ${os.platform()} ${os.arch()}; load ${run.loadBefore.toFixed(1)} at the start, ${(os.loadavg()[0] ?? 0).toFixed(1)} at the end.
Versions: Node ${process.versions.node}, ${packages.map(([name, entry]) => versionOf(name, entry)).join(", ")}.

## Goals

${table(
  ["goal", "measured", "met"],
  goalsOf(results).map(({ name, measured, met }) => [name, measured, met ? "yes" : "**no**"]),
)}

## Photos

${photoPart(results)}

## Single frames

Read in one frame, in per cent; half of the frames 640×480, half 1280×720. A text is wrong when it is not in the picture; wrong texts are
given in the order of the columns, before the acceptance (length, alphabet, check character, two equal reads for bars). zbar knows two of
the symbologies.

${frameTable(lines)}

Frames without a code: ${empty.count}, texts given: ${perContender(empty.wrong, String).join(" / ")}, accepted: ${perContender(empty.wrongAccepted, String).join(" / ")} (${contenders.join(", ")}).

## Sessions

Frame after frame of a shaking hand, or of a phone that comes and goes, through the acceptance of the terminal. Half of them 640×480, half
1280×720; Code 128 and QR take turns, or the three others where that is said. Wrong texts in the order ${run.sessionsBy.join(", ")}.

${sessionTable(sessions, run.sessionsBy)}

In a hard session everything is a little worse at once: smaller, tilted, blurred, shaken, noisy, pale, with glare. By severity:

${severityTable(
  sessions.filter(({ kind }) => isHard(kind)),
  run.sessionsBy,
)}

## Processor time for one frame, in ms

Of the decoding thread alone. Two threads measured at a time. On a machine that others use
it is an upper bound, for they share its caches and its turbo: compare it with the other lines.

${timeTable(times)}
`;
};
