import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import { type Contender, contenders } from "./engines.ts";
import { goalsOf, type Results } from "./goals.ts";
import type { SessionLine } from "./session-line.ts";
import { isHard } from "./sessions.ts";
import { type Counts, type Line, type Place, sum } from "./tally.ts";

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

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

const percent = (part: number, whole: number): string => ((100 * part) / whole).toFixed(1);
const perContender = (counts: Readonly<Counts>, show: (count: number) => string): readonly string[] =>
  contenders.map((name) => show(counts[name]));

const frameTable = (lines: readonly Line[]): string => {
  const rows = lines.map(({ name, symbology, width, count, read, wrong }) => [
    name.replaceAll("_", " "),
    symbology,
    width,
    ...perContender(read, (reads) => percent(reads, count)),
    perContender(wrong, String).join(" / "),
  ]);
  const total = lines.reduce((frames, { count }) => frames + count, 0);
  const all = [
    "**all**",
    "",
    "",
    ...perContender(
      sum(lines, ({ read }) => read),
      (reads) => percent(reads, total),
    ),
    perContender(
      sum(lines, ({ wrong }) => wrong),
      String,
    ).join(" / "),
  ];
  return table(
    ["condition", "symbology", "width", ...contenders.map((name) => `${name} %`), "wrong texts"],
    [...rows, all],
  );
};

const sessionTable = (sessions: readonly SessionLine[]): string =>
  table(
    [
      "sessions",
      "count",
      "frames",
      ...contenders.map((name) => `${name} accepted %`),
      "wrong accepted",
      "pair: frames to accept, median / p95",
      "at 30 frames/s",
    ],
    sessions.map(({ kind, count, accepted, wrongAccepted, framesMedian, framesP95 }) => [
      kind.name,
      count,
      kind.framesMax,
      ...perContender(accepted, (number) => percent(number, count)),
      perContender(wrongAccepted, String).join(" / "),
      `${framesMedian.pair} / ${framesP95.pair}`,
      `${Math.round((framesMedian.pair * 1000) / 30)} / ${Math.round((framesP95.pair * 1000) / 30)} ms`,
    ]),
  );

const severityTable = (sessions: readonly SessionLine[]): string =>
  table(
    ["sessions", "severity", "count", ...contenders.map((name) => `${name} accepted %`), "by any of them %"],
    sessions.flatMap(({ kind, quarters }) =>
      quarters.map(({ severity, count, accepted, byAny }) => [
        kind.name,
        severity.map((share) => `${Math.round(share * 100)} %`).join(" to "),
        count,
        ...perContender(accepted, (number) => percent(number, count)),
        percent(byAny, count),
      ]),
    ),
  );

export interface Run {
  readonly command: string;
  readonly framesPerLine: number;
  readonly minutes: number;
  readonly loadBefore: number;
}

/** The page that `npm run bench -- scan` leaves. */
export const reportOf = (results: Results, run: Run): string => {
  const { lines, empty, sessions, times } = results;
  const hard = sessions.filter(({ kind }) => isHard(kind));
  const timeRow = (label: string, name: Contender, places: readonly Place[]): readonly string[] => [
    label,
    ...[640, 1280].flatMap((width) =>
      [0.5, 0.95].map((share) => {
        const ms = times.quantile(places, name, width, share);
        return Number.isNaN(ms) ? "–" : ms.toFixed(1);
      }),
    ),
  ];
  const timeRows = [
    ...contenders.map((name) => timeRow(name, name, ["with a code", "without a code"])),
    timeRow("pair, only frames without a code", "pair", ["without a code"]),
    timeRow("pair, only hard sessions until accepted", "pair", ["hard sessions"]),
  ];
  return `# Scanning, measured

The camera's pipeline ("pair": zxing-wasm first, @zxing/library's recipe where it finds nothing that counts) beside each of its decoders
alone and zbar, in one run, on drawn frames (\`test/scan-frames/\`) with fixed seeds. Each line runs through the whole severity of its
condition, to where no engine reads; so the shares compare engines, they do not foretell a shop.

Command: \`${run.command}\` – ${run.framesPerLine} frames a line, ${run.minutes} minutes.
Machine: ${os.cpus()[0]?.model ?? "?"}, ${os.cpus().length} cores, ${os.platform()} ${os.arch()}; load ${run.loadBefore.toFixed(1)} at the start, ${(os.loadavg()[0] ?? 0).toFixed(1)} at the end.
Versions: Node ${process.versions.node}, ${packages.map(([name, entry]) => versionOf(name, entry)).join(", ")}.

## Goals

${table(
  ["goal", "measured", "met"],
  goalsOf(results).map(({ name, measured, met }) => [name, measured, met ? "yes" : "**no**"]),
)}

## Single frames

Read in one frame, in per cent. A text is wrong when it is not the one in the picture; wrong texts are given as pair / zxing-wasm /
zxing-library / zbar, before the acceptance (length, alphabet, check character, two equal reads for bars) that lets none of them through
unless a goal above says so.

${frameTable(lines)}

Frames without a code: ${empty.count}, texts given: ${perContender(empty.wrong, String).join(" / ")}, accepted: ${perContender(empty.wrongAccepted, String).join(" / ")}.

## Sessions

Frame after frame of a shaking hand, or of a phone that comes and goes, through the acceptance of the till. Half of them 640×480, half
1280×720; half Code 128, half QR.

${sessionTable(sessions)}

In a hard session everything is a little worse at once: smaller, tilted, blurred, shaken, noisy, pale, with glare. How hard they are is
set so that @zxing/library with its usual settings (the multi-format reader on the frame as it is) accepts about three in ten, as where
its recipe was first measured; in this run it accepted ${hard.map(({ kind, usual, count }) => `${percent(usual, count)} % (${kind.name})`).join(" and ")}. By severity:

${severityTable(hard)}

## Processor time for one frame, in ms

Of the decoding thread alone; the system counts it in steps of up to 4 ms. Two threads measured at a time. On a machine that others use it is an upper bound: they share its caches and its turbo.

${table(["engine", "640×480 median", "640×480 p95", "1280×720 median", "1280×720 p95"], timeRows)}
`;
};
