/** "Save report for support": one file about the state of this terminal, without keys, PINs or customers. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, release } from "node:os";
import path from "node:path";
import { strToU8, zipSync } from "fflate";
import manifest from "../../package.json" with { type: "json" };
import type { CheckLine, SavedReport, Snapshot } from "../../preload/contract.ts";
import { freeBytes } from "../terminal/journal/files.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { listCrashes } from "./crashes.ts";
import { withAnswers } from "./host-answers.ts";
import { type Log, logFiles } from "./log-file.ts";

/** Result of one check. */
export type CheckAnswer = Omit<CheckLine, "name">;
type Looks = Readonly<Record<string, () => CheckAnswer | Promise<CheckAnswer>>>;

/** It exists and works. */
export const yes = (says: string): CheckAnswer => ({ is: "yes", says });
/** It is missing or does not work. */
export const no = (says: string): CheckAnswer => ({ is: "no", says });
/** Not applicable, or cannot be determined. */
export const unknown = (says: string): CheckAnswer => ({ is: "unknown", says });

/** @param data the data folder. */
export const hostLooks = (data: string) => {
  const { electron, chrome, node } = process.versions;
  const engine = electron === undefined ? "" : `Electron ${electron}, Chromium ${chrome ?? "?"}, `;
  return {
    program: () => yes(`Tillcash ${manifest.version}, ${process.platform} ${process.arch}`),
    runtime: () => yes(`${engine}Node ${node}`),
    "data folder": () => yes(`${data}, ${Math.round(freeBytes(data) / 1_000_000)} MB free`),
  } satisfies Looks;
};

/** Never rejects: a failed check is a no. */
export const checkMachine = (looks: Looks): Promise<readonly CheckLine[]> =>
  Promise.all(
    Object.entries(looks).map(async ([name, look]): Promise<CheckLine> => {
      try {
        return { name, ...(await look()) };
      } catch (error) {
        return { name, ...no(error instanceof Error ? error.message : String(error)) };
      }
    }),
  );

/** What the report needs from its host. */
export interface ReportHost {
  /** The terminal's data folder; reports go to its folder `reports`. */
  readonly data: string;
  readonly log: Log;
  readonly check: () => Promise<readonly CheckLine[]>;
  /** Shows the file to the user, if the host can. */
  readonly reveal?: (file: string) => void;
}

const linesMax = 2_000;
const reportsKept = 5;

const lastLines = (data: string): string =>
  logFiles(data)
    .filter(existsSync)
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => line !== "")
    .slice(-linesMax)
    .join("\n");

/** Removes the home folder, which often contains the user's name, in all forms: plain, in JSON, and in URLs. */
const withoutHome = (text: string): string => {
  const home = homedir();
  const written = [home, JSON.stringify(home).slice(1, -1), home.replaceAll("\\", "/")];
  return written.reduce((rest, form) => (form.length < 2 ? rest : rest.replaceAll(form, "~")), text);
};

const about = (data: string) => ({
  version: manifest.version,
  node: process.versions.node,
  electron: process.versions.electron ?? null,
  system: `${process.platform} ${release()} ${process.arch}`,
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  uptime_seconds: Math.round(process.uptime()),
  data: withoutHome(data),
  crashes: listCrashes(data).map(({ file, atMs, bytes }) => ({
    name: path.basename(file),
    at: new Date(atMs).toISOString(),
    bytes,
  })),
});

/** Only the screen's kind, because its content belongs to a customer's withdrawal; without people. */
const stateOf = ({ header, screen, settings }: Snapshot) => ({
  screen: screen.kind,
  header: {
    ...header,
    open: header.open.map(({ state, sinceMs }) => ({ state, sinceMs })),
    phoneAccess: undefined,
  },
  settings,
});

/** Writes the file atomically and deletes the oldest beyond five. @returns the file's path. */
const write = (folder: string, content: Uint8Array, at: Date): string => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `tillcash-report-${at.toISOString().slice(0, 19).replaceAll(/[:T]/g, "-")}.zip`;
  const file = path.join(folder, name);
  const partial = `${file}.partial`;
  try {
    writeFileSync(partial, content, { mode: 0o600 });
    renameSync(partial, file);
  } catch (error) {
    // Especially on a full disk.
    rmSync(partial, { force: true });
    throw error;
  }
  const reports = readdirSync(folder).filter((each) => /^tillcash-report-[\d-]+\.zip$/.test(each));
  for (const old of reports.sort().slice(0, -reportsKept)) rmSync(path.join(folder, old), { force: true });
  return file;
};

type Reporting = Pick<Terminal, "dispatch" | "snapshot">;

/** Adds `save_report` and `check_machine` to the terminal; `failed` if the file cannot be written. */
export const withSupportReport = <T extends Reporting>(terminal: T, host: ReportHost): T =>
  withAnswers<"report", T>(terminal, {
    async check_machine() {
      const lines = await host.check();
      return { ok: true, data: lines.map((line) => ({ ...line, says: withoutHome(line.says) })) };
    },
    async save_report(_, actor) {
      const shown = terminal.snapshot();
      const journal = await terminal.dispatch({ type: "check_journal" }, actor);
      try {
        const json = (value: unknown) => strToU8(withoutHome(JSON.stringify(value, null, 2)));
        const content = zipSync({
          "about.json": json(about(host.data)),
          "state.json": json(stateOf(shown)),
          "check.json": json(await host.check()),
          "journal.json": json(journal.ok ? journal.data : { failed: journal.code }),
          "till.log": strToU8(withoutHome(lastLines(host.data))),
        });
        const file = write(path.join(host.data, "reports"), content, new Date());
        host.reveal?.(file);
        return { ok: true, data: { file } satisfies SavedReport };
      } catch (error) {
        host.log("error", "a report for support could not be saved", { error: String(error) });
        return { ok: false, code: "failed" };
      }
    },
  });
