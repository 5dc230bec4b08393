/**
 * `npm run dev`: the terminal in training with hot reload. Screens reload in place; a change in main/, backend/ or
 * preload/ rebuilds and restarts the host. In Electron if its runtime is installed, else in the browser host.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readFlags } from "./command-line.ts";

const root = dirname(import.meta.dirname);
const electron = join(root, "node_modules", "electron");

const usage = `Usage: npm run dev [-- options]

The terminal in training with hot reload, in Electron where its runtime is there, else in the browser.

  --browser        in the browser, also where Electron could run
  --port NUMBER    the terminal's port on 127.0.0.1 (browser only; 0 picks a free one)
  --live           no training service: the terminal is enrolled on its set-up screen (browser only)
  --no-open        print the address, open no browser
  --help           this text`;

const { values: flags } = readFlags(usage, {
  browser: { type: "boolean", default: false },
  port: { type: "string" },
  live: { type: "boolean", default: false },
  "no-open": { type: "boolean", default: false },
});
const hostFlags = [
  ...(flags.port === undefined ? [] : [`--port=${flags.port}`]),
  ...(flags.live ? ["--live", "--allow-browser", "--allow-sandbox", "--allow-plain-http"] : []),
  ...(flags["no-open"] ? ["--no-open"] : []),
];

function hasElectron(): boolean {
  const note = join(electron, "path.txt");
  const isThere = existsSync(note) && existsSync(join(electron, "dist", readFileSync(note, "utf8")));
  const canShow = process.platform !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  return isThere && canShow && process.getuid?.() !== 0 && !flags.browser;
}

const data = join(root, "data", "dev");
// electron-vite starts the program in ELECTRON_EXEC_PATH: here this Node with the browser host.
const browserHost = {
  ELECTRON_EXEC_PATH: process.execPath,
  ELECTRON_ENTRY: join(root, "out", "main", "browser-host.js"),
  ELECTRON_CLI_ARGS: JSON.stringify([`--data=${data}`, ...hostFlags]),
};
const desktop = { ELECTRON_CLI_ARGS: JSON.stringify([`--data=${data}`, "--training"]) };

const program = join(root, "node_modules", "electron-vite", "bin", "electron-vite.js");
const child = spawn(process.execPath, [program, "dev", "--watch"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, ...(hasElectron() ? desktop : browserHost) },
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
child.once("exit", (code) => {
  process.exitCode = code ?? 1;
});
