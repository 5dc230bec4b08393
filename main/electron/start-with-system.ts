/** Starts the installed program when somebody signs in to this computer, as a manager has set it. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { app } from "electron";
import type { Bridge } from "../../preload/contract.ts";
import type { Log } from "../host/log-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where a Linux desktop looks (freedesktop.org, Desktop Application Autostart Specification). */
export const autostartFile = (env: Environment, home: string): string => {
  const config = env.XDG_CONFIG_HOME;
  const base = config && path.isAbsolute(config) ? config : path.join(home, ".config");
  return path.join(base, "autostart", "tillcash.desktop");
};

/** As `Exec` wants a program's path: quoted, and again escaped as every value is (Desktop Entry Specification, "The Exec key"). */
const quoted = (program: string): string =>
  `"${program.replace(/["`$\\]/g, "\\$&").replaceAll("%", "%%")}"`.replaceAll("\\", "\\\\");

/** The autostart entry of a Linux desktop. */
export const autostartEntry = (program: string): string =>
  `[Desktop Entry]\nType=Application\nName=Tillcash\nExec=${quoted(program)}\nTerminal=false\nX-GNOME-Autostart-enabled=true\n`;

/** What is started: an AppImage unpacks itself, so that its own path says nothing. */
export const programFile = (env: Environment, execPath: string): string => env.APPIMAGE || execPath;

/** @throws the system's error where it cannot be written. */
const setStart = (wanted: boolean, platform: NodeJS.Platform, env: Environment): void => {
  const program = programFile(env, process.execPath);
  if (platform !== "linux") {
    app.setLoginItemSettings({ openAtLogin: wanted, path: program });
    return;
  }
  const file = autostartFile(env, homedir());
  if (wanted) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, autostartEntry(program), { mode: 0o644 });
  } else rmSync(file, { force: true });
};

/** Set at each start while wanted, since the program may have moved; left alone before: it may be somebody's own. */
export const keepStartWithSystem = (
  bridge: Pick<Bridge, "subscribe">,
  log: Log,
  platform = process.platform,
  env: Environment = process.env,
): void => {
  let isSet = false;
  bridge.subscribe(({ settings }) => {
    if (settings.startWithSystem === isSet) return;
    isSet = settings.startWithSystem;
    const wanted = isSet;
    setImmediate(() => {
      try {
        setStart(wanted, platform, env);
      } catch (error) {
        log("error", "the start with the system could not be set", { wanted, error: String(error) });
      }
    });
  });
};
