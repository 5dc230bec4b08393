/** `npm run bench -- journal`: years of entries opened and checked, into `docs/benchmarks.md`. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os, { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { readFlags } from "../../tools/command-line.ts";
import { writeSection } from "./document.ts";
import { openYears } from "./journal/years.ts";

const usage = `Usage: npm run bench -- journal [--entries N]

  --entries N   how many entries the journal has; default 2,000,000
  --help        this text`;
const entries = Number(readFlags(usage, { entries: { type: "string", default: "2000000" } }).values.entries);
const goals = { openMs: 500, moreMB: 60 } as const;
const batch = 5_000;

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-journal-"));
const checkpoint = JSON.stringify({ type: "checkpoint", format: 2, damagedEntries: 0, open: [], cashGiven: [] });
const settled = (number: number): string => {
  const id = `01JD${String(number).padStart(22, "0")}`;
  const of = { withdrawalId: id, transactionId: "7F3K9Q2M4XTZ0000", partnerId: `till-1.7k3f9q.${id}`, amount: "50.00" };
  return JSON.stringify({ type: "settled", of: { ...of, currency: "EUR", shop: "Corner Shop" } });
};

try {
  const filling = openYears(folder);
  for (let at = 0; at < entries; at += batch)
    filling.append(at, [...Array.from({ length: batch - 1 }, (_, number) => settled(at + number)), checkpoint]);
  filling.close();

  const loadBefore = os.loadavg()[0] ?? 0;
  const program = path.join(import.meta.dirname, "journal", "check-years.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [program, folder]);
  const measured = JSON.parse(stdout) as Record<
    "openMs" | "moreMB" | "checkMs" | "longestMs" | "entries" | "damaged",
    number
  >;
  const { openMs, moreMB, checkMs, longestMs } = measured;
  const rows = [
    [
      "open and read from the last checkpoint",
      `≤ ${goals.openMs} ms`,
      `${openMs.toFixed(0)} ms`,
      openMs <= goals.openMs,
    ],
    ["memory that a whole check takes more", `≤ ${goals.moreMB} MB`, `${moreMB.toFixed(0)} MB`, moreMB <= goals.moreMB],
    ["a whole check under the key", "–", `${(checkMs / 1000).toFixed(0)} s`, true],
    ["the longest slice of it", "–", `${longestMs.toFixed(0)} ms`, true],
  ] as const;
  const lines = rows.map(
    ([what, goal, figure, isMet]) =>
      `| ${what} | ${goal} | ${figure} | ${goal === "–" ? "–" : isMet ? "yes" : "**no**"} |`,
  );
  console.log(lines.join("\n"));
  if (measured.damaged > 0 || measured.entries <= entries)
    throw new Error("the journal did not check as it was written");
  const machine = `${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}, load ${loadBefore.toFixed(1)} before the check`;
  writeSection(
    "Journal",
    [
      `Written by \`npm run bench -- journal\` on ${machine}; ${entries} entries.`,
      "",
      "| figure | goal | measured | met |",
      "| --- | --- | --- | --- |",
      ...lines,
    ].join("\n"),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
