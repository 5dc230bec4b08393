/** Starts the installed program at sign-in, if a manager has set it. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { app } from "electron";
import type { Bridge } from "../../preload/contract.ts";
import type { Log } from "../host/log-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Path of a Linux desktop's autostart entry (freedesktop.org, Desktop Application Autostart Specification). */
export const autostartFile = (env: Environment, home: string): string => {
  const config = env.XDG_CONFIG_HOME;
  const base = config && path.isAbsolute(config) ? config : path.join(home, ".config");
  return path.join(base, "autostart", "tillcash.desktop");
};

/** Quotes a path for `Exec`, with the additional escaping of values (Desktop Entry Specification, "The Exec key"). */
const quoted = (program: string): string =>
  `"${program.replace(/["`$\\]/g, "\\$&").replaceAll("%", "%%")}"`.replaceAll("\\", "\\\\");

/** Content of a Linux desktop's autostart entry. */
export const autostartEntry = (program: string): string =>
  `[Desktop Entry]\nType=Application\nName=Tillcash\nExec=${quoted(program)}\nTerminal=false\nX-GNOME-Autostart-enabled=true\n`;

/** The program to start; an AppImage's own executable is in a temporary folder. */
export const programFile = (env: Environment, execPath: string): string => env.APPIMAGE || execPath;

/** @throws the system's error if it cannot be written. */
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

/**
 * Applies the setting, at each start as the program may have moved. While it is off an existing entry is left alone, as
 * it may be somebody's own.
 */
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
