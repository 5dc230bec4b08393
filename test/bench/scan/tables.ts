/** The tables of the scanning page. */
import { type Contender, contenders, type SessionContender } from "./engines.ts";
import type { SessionLine } from "./session-line.ts";
import { type Counts, type Line, type Place, sum, type Times } from "./tally.ts";

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

/** A Markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

const percent = (part: number, whole: number): string => ((100 * part) / whole).toFixed(1);

/** One cell for each contender, in their order. */
export const perContender = (counts: Readonly<Counts>, show: (count: number) => string): readonly string[] =>
  contenders.map((name) => show(counts[name]));

type By = readonly SessionContender[];

const perSession = (counts: Readonly<Record<SessionContender, number>>, whole: number, by: By): readonly string[] =>
  by.map((name) => percent(counts[name], whole));

/** Shares read in single frames, line by line and over all. */
export const frameTable = (lines: readonly Line[]): string => {
  const cells = (counts: Readonly<Counts>, frames: number, wrong: Readonly<Counts>): readonly string[] => [
    ...perContender(counts, (reads) => percent(reads, frames)),
    perContender(wrong, String).join(" / "),
  ];
  const rows = lines.map(({ name, symbology, count, read, wrong }) => [
    name.replaceAll("_", " "),
    symbology,
    ...cells(read, count, wrong),
  ]);
  const total = lines.reduce((frames, { count }) => frames + count, 0);
  const [read, wrong] = [sum(lines, (line) => line.read), sum(lines, (line) => line.wrong)];
  return table(
    ["condition", "symbology", ...contenders.map((name) => `${name} %`), "wrong texts"],
    [...rows, ["**all**", "", ...cells(read, total, wrong)]],
  );
};

/** Shares of sessions accepted, by those that read them. */
export const sessionTable = (sessions: readonly SessionLine[], by: By): string =>
  table(
    [
      "sessions",
      "count",
      "frames",
      ...by.map((name) => `${name} accepted %`),
      "wrong accepted",
      "camera: frames to accept, median / p95",
      "at 30 frames/s",
    ],
    sessions.map(({ kind, count, accepted, wrongAccepted, framesMedian, framesP95 }) => [
      kind.name,
      count,
      kind.framesMax,
      ...perSession(accepted, count, by),
      by.map((name) => wrongAccepted[name]).join(" / "),
      `${framesMedian.camera} / ${framesP95.camera}`,
      `${Math.round((framesMedian.camera * 1000) / 30)} / ${Math.round((framesP95.camera * 1000) / 30)} ms`,
    ]),
  );

/** The same by severity. */
export const severityTable = (sessions: readonly SessionLine[], by: By): string =>
  table(
    ["sessions", "severity", "count", ...by.map((name) => `${name} accepted %`), "by any of them %"],
    sessions.flatMap(({ kind, quarters }) =>
      quarters.map(({ severity, count, accepted, byAny }) => [
        kind.name,
        severity.map((share) => `${Math.round(share * 100)} %`).join(" to "),
        count,
        ...perSession(accepted, count, by),
        percent(byAny, count),
      ]),
    ),
  );

/** Processor time for one frame, by width. */
export const timeTable = (times: Times): string => {
  const timeRow = (label: string, name: Contender, places: readonly Place[]): readonly string[] => [
    label,
    ...[640, 1280].flatMap((width) =>
      [0.5, 0.95].map((share) => {
        const ms = times.quantile(places, name, width, share);
        return Number.isNaN(ms) ? "–" : ms.toFixed(1);
      }),
    ),
  ];
  return table(
    ["contender", "640×480 median", "640×480 p95", "1280×720 median", "1280×720 p95"],
    [
      ...contenders.map((name) => timeRow(name, name, ["with a code", "without a code"])),
      timeRow("camera, only frames without a code", "camera", ["without a code"]),
      timeRow("camera, only hard sessions until accepted", "camera", ["hard sessions"]),
    ],
  );
};
