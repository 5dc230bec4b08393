/** `npm run smoke:desktop`: installs the program that `npm run package` made, and plays with it as a shop does on the first day. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { usualDataFolder } from "../../main/electron/data-folder.ts";
import { settingsPath } from "../../main/host/settings-file.ts";
import { readFlags, refuse } from "../../tools/command-line.ts";
import {
  type Command,
  goneWithin,
  installationOf,
  installerIn,
  type Platform,
} from "../../tools/release/installers.ts";
import type { RealShop } from "../e2e/stage/real-shop.ts";
import { pictureOf, systemKeyboard } from "./keyboards.ts";
import { alwaysUpdate, serveFeed, waitForLine } from "./update.ts";

const usage = `Usage: npm run smoke:desktop [-- options]

Installs the desktop program without a question, starts it in training, plays a withdrawal by its keyboard, closes it, and
starts it again. With --previous it begins with the version before and upgrades it. Needs a display, on Linux xdotool and sudo.
With --real-money it is then enrolled by https at a service with the example bank (both built here), pays out, and again after
a restart.

  --installers DIR   what "npm run package" left (default: dist)
  --previous DIR     installers of the version before; an empty or absent folder is left out
  --appimage         on Linux the AppImage instead of the Debian package
  --real-money       see above; needs a key store
  --update DIR       with --real-money, on a computer without a terminal of its own: the installed version updates itself from
                     there, which takes seven minutes, and pays out once more. "npm run release -- rehearse-update" makes both
  --window-manager P starts P first: a bare X server gives no window the keyboard
  --keyring          begins with GNOME's keyring unlocked, in a D-Bus session of its own: a bare X server has none
  --pictures DIR     where the terminal's log and pictures of the screen go
  --help             this text`;

const { values } = readFlags(usage, {
  installers: { type: "string", default: "dist" },
  previous: { type: "string" },
  "window-manager": { type: "string" },
  pictures: { type: "string" },
  appimage: { type: "boolean", default: false },
  "real-money": { type: "boolean", default: false },
  update: { type: "string" },
  keyring: { type: "boolean", default: false },
});

const platforms: readonly string[] = ["linux", "win32", "darwin"] satisfies readonly Platform[];
const platform = platforms.includes(process.platform) ? (process.platform as Platform) : refuse("not for this system");
const startMaxMs = 60_000;
const removedMaxMs = 120_000;
/** The services alone have twelve seconds. */
const endMaxMs = 30_000;
/** A minute to the first look, five without anybody at the terminal, and the installation. */
const updateMaxMs = 15 * 60_000;
const endOnWindows: [string, string[]] = ["taskkill", ["/F", "/IM", "Tillcash.exe"]];
const endElsewhere: [string, string[]] = ["pkill", ["-x", "tillcash"]];

const found = (folder: string): string | null => {
  const kind = values.appimage ? /\.AppImage$/ : undefined;
  const name = existsSync(folder) ? installerIn(readdirSync(folder), platform, process.arch, kind) : null;
  return name === null ? null : path.resolve(folder, name);
};
const newest =
  found(values.installers) ?? refuse(`${values.installers} holds no installer: npm run package makes one.`);
const previous = values.previous === undefined ? null : found(values.previous);

// Flags are refused without the stage.
const { enrolByKeyboard, playWithdrawal, trainingBank } = await import("../e2e/stage/play-by-keyboard.ts");
const { openRealShop } = await import("../e2e/stage/real-shop.ts");

// By its long name: Windows' runners name their folder by a short one, under which no installation is this user's own.
const work = realpathSync.native(mkdtempSync(path.join(tmpdir(), "tillcash-installed-")));
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

/** Keeps what the machine showed, for whoever looks into a night's run. @param from the data folder. */
const keepPicture = (from: string): void => {
  if (values.pictures === undefined) return;
  mkdirSync(values.pictures, { recursive: true });
  const name = path.resolve(values.pictures, `${values.appimage ? "appimage-" : ""}${++started}`);
  const log = path.join(from, "till.log");
  if (existsSync(log)) copyFileSync(log, `${name}.log`);
  const [program = "", ...args] = pictureOf(platform, `${name}.png`);
  const { status, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) console.warn(`  no picture: ${stderr}`);
};

/** Starts the installed program, plays, and closes it as the system does at its end. */
const whileItRuns = async (
  program: string,
  from: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  story: () => Promise<void>,
): Promise<void> => {
  const child: ChildProcess = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...env } });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let isOver = false;
  try {
    await story();
  } finally {
    keepPicture(from);
    child.kill();
    isOver = await Promise.race([ended.then(() => true), delay(endMaxMs, false)]);
    if (!isOver) child.kill("SIGKILL");
  }
  if (!isOver) throw new Error("the program did not end when it was asked to");
};

const keyboard = systemKeyboard(platform);
const playOnce = (program: string): Promise<void> =>
  whileItRuns(program, data, ["--training", `--data=${data}`], {}, async () => {
    console.log(`  linked ${await playWithdrawal(await trainingBank(await serviceAddress()), keyboard)}`);
  });

/** Where a terminal without `--data` keeps everything; an update starts the program without it. */
const usualFolder = (): string => {
  const { env } = process;
  const userData = path.join(homedir(), "Library", "Application Support", "Tillcash");
  const folder = usualDataFolder({ platform, env, home: homedir(), userData, hasJournal: () => false });
  if (existsSync(path.join(folder, "journal.db"))) refuse(`${folder} is a terminal's: this is not for its computer.`);
  return folder;
};

/** The first days with real money. The example bank approves by itself. */
const playRealMoney = async (program: string, shop: RealShop): Promise<void> => {
  const own = values.update === undefined ? path.join(work, "real") : usualFolder();
  const args = values.update === undefined ? [`--data=${own}`] : [];
  const payOut = async (): Promise<void> => console.log(`  linked ${await playWithdrawal(shop.bank, keyboard)}`);
  const day = (story: () => Promise<void>) => whileItRuns(program, own, args, shop.env, story);
  await day(async () => {
    // Until its window is there the keys would go to another program.
    await waitForLine(own, /"the program started"/, startMaxMs);
    await enrolByKeyboard(shop.link, keyboard, () => existsSync(path.join(own, "credential.json")));
    await payOut();
  });
  console.log("  started again");
  await day(payOut);
  if (values.update === undefined) return;
  alwaysUpdate(settingsPath(own));
  const feed = await serveFeed(values.update);
  console.log(`  updates itself to ${feed.version}`);
  await day(() => waitForLine(own, new RegExp(`"the program started","version":"${feed.version}"`), updateMaxMs));
  // The installer has started it, without this program's variables.
  spawnSync(...(platform === "win32" ? endOnWindows : endElsewhere));
  await delay(5_000);
  await day(payOut);
  feed.close();
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
const checked = spawnSync(program, ["--check", `--data=${data}`], { stdio: "inherit", timeout: startMaxMs });
const page = path.join(data, "check.txt");
if (existsSync(page)) console.log(readFileSync(page, "utf8"));
if (checked.status !== 0) throw new Error("the program's own check says no");
console.log("Started again");
await playOnce(program);
if (values["real-money"]) {
  console.log("With real money");
  mkdirSync(path.join(work, "shop"));
  const shop = await openRealShop(path.join(work, "shop"));
  try {
    await playRealMoney(program, shop);
  } finally {
    await shop.close();
  }
}
console.log("Uninstalled");
runAll(uninstall);
await goneWithin(program, removedMaxMs);
manager?.kill();
if (!existsSync(path.join(data, "training", "journal.db"))) throw new Error("the journal is gone with the program");
rmSync(work, { recursive: true, force: true, maxRetries: 10 });
