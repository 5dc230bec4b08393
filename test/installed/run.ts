/** `npm run smoke:desktop`: installs the program that `npm run package` made, and plays with it as a shop does on the first day. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readFlags, refuse } from "../../tools/command-line.ts";
import {
  type Command,
  goneWithin,
  installationOf,
  installerIn,
  type Platform,
} from "../../tools/release/installers.ts";
import { playTraining } from "../e2e/stage/play-by-keyboard.ts";
import { systemKeyboard } from "./keyboards.ts";

const usage = `Usage: npm run smoke:desktop [-- options]

Installs the desktop program without a question, starts it in training, plays a withdrawal by its keyboard, closes it, and
starts it again. With --previous it begins with the version before and upgrades it. Needs a display, on Linux xdotool and sudo.

  --installers DIR   what "npm run package" left (default: dist)
  --previous DIR     installers of the version before; an empty or absent folder is left out
  --window-manager P starts P first: a bare X server gives no window the keyboard
  --keyring          begins with GNOME's keyring unlocked, in a D-Bus session of its own: a bare X server has none
  --pictures DIR     where the terminal's log and, on Linux and macOS, pictures of the screen go
  --help             this text`;

const { values } = readFlags(usage, {
  installers: { type: "string", default: "dist" },
  previous: { type: "string" },
  "window-manager": { type: "string" },
  pictures: { type: "string" },
  keyring: { type: "boolean", default: false },
});

const platforms: readonly string[] = ["linux", "win32", "darwin"] satisfies readonly Platform[];
const platform = platforms.includes(process.platform) ? (process.platform as Platform) : refuse("not for this system");
const startMaxMs = 60_000;
const removedMaxMs = 120_000;

const found = (folder: string): string | null => {
  const name = existsSync(folder) ? installerIn(readdirSync(folder), platform, process.arch) : null;
  return name === null ? null : path.resolve(folder, name);
};
const newest =
  found(values.installers) ?? refuse(`${values.installers} holds no installer: npm run package makes one.`);
const previous = values.previous === undefined ? null : found(values.previous);

const work = mkdtempSync(path.join(tmpdir(), "tillcash-installed-"));
const data = path.join(work, "data");

const runAll = (commands: readonly Command[]): void => {
  for (const [program, ...args] of commands) {
    console.log(`  ${[program, ...args].join(" ")}`);
    execFileSync(program, args, { stdio: "inherit" });
  }
};

/** The address of the service in training, once it answers. */
const serviceAddress = async (): Promise<string> => {
  const file = path.join(data, "training", "service-port.json");
  const endsAt = performance.now() + startMaxMs;
  for (;;) {
    const address = existsSync(file) ? `http://127.0.0.1:${readFileSync(file, "utf8").trim()}` : null;
    if (address !== null && (await fetch(`${address}/healthz`).catch(() => null))?.ok) return address;
    if (performance.now() > endsAt) throw new Error("the service in training does not answer");
    await delay(500);
  }
};

let started = 0;

/** Keeps what the machine showed, for whoever looks into a night's run. */
const keepPicture = (name: string): void => {
  if (values.pictures === undefined) return;
  mkdirSync(values.pictures, { recursive: true });
  const log = path.join(data, "till.log");
  if (existsSync(log)) copyFileSync(log, path.join(values.pictures, `${name}.log`));
  const picture = path.join(values.pictures, `${name}.png`);
  const programs = {
    linux: ["import", "-window", "root", picture],
    darwin: ["screencapture", "-x", picture],
    win32: [],
  };
  const [program, ...args] = programs[platform];
  if (program !== undefined) spawnSync(program, args);
};

/** Starts the installed program, plays, and closes it as the system does at its end. */
const playOnce = async (program: string): Promise<void> => {
  const child = spawn(program, ["--training", `--data=${data}`], { stdio: "inherit" });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    console.log(`  linked ${await playTraining(await serviceAddress(), systemKeyboard(platform))}`);
  } finally {
    keepPicture(`${++started}`);
    child.kill();
    await Promise.race([ended, delay(15_000)]);
  }
};

const play = async (title: string, installer: string): Promise<void> => {
  console.log(title);
  const { install, program } = installationOf(installer, platform, path.join(work, "program"));
  runAll(install);
  await playOnce(program);
};

const manager = values["window-manager"] === undefined ? null : spawn(values["window-manager"], { stdio: "inherit" });
if (values.keyring) execFileSync("gnome-keyring-daemon", ["--unlock", "--components=secrets"], { input: "\n" });
if (previous !== null) await play(`The version before: ${previous}`, previous);
await play(`${previous === null ? "Installed" : "Upgraded"}: ${newest}`, newest);
const { program, uninstall } = installationOf(newest, platform, path.join(work, "program"));
console.log("The program's own check");
const checked = spawnSync(program, ["--check", `--data=${data}`], { stdio: "inherit" });
const page = path.join(data, "check.txt");
if (existsSync(page)) console.log(readFileSync(page, "utf8"));
if (checked.status !== 0) throw new Error("the program's own check says no");
console.log("Started again");
await playOnce(program);
console.log("Uninstalled");
runAll(uninstall);
await goneWithin(program, removedMaxMs);
manager?.kill();
if (!existsSync(path.join(data, "training", "journal.db"))) throw new Error("the journal is gone with the program");
rmSync(work, { recursive: true, force: true, maxRetries: 10 });
