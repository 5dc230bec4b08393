/** The desktop program's command line and what it inherits. */
import { realpathSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import type { CommandLine } from "electron";

/**
 * The desktop program's own flags. In development `argv[1]` is the app's folder; in an installed program flags begin
 * there. Chromium's switches are ignored.
 */
export const readDesktopFlags = (argv: readonly string[], isPackaged: boolean) => {
  const { values } = parseArgs({
    args: argv.slice(isPackaged ? 1 : 2),
    options: {
      training: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      data: { type: "string" },
      "allow-sandbox": { type: "boolean" },
      "allow-plain-http": { type: "boolean" },
    },
    strict: false,
  });
  return {
    /** The bundled service with its sandbox. */
    training: values.training === true,
    check: values.check === true,
    /** The data folder as given; undefined for the default; empty if given without a value. */
    data: typeof values.data === "boolean" ? "" : values.data,
    /** For development: live mode with a sandbox service, or with a local one over plain http. */
    allowSandbox: !isPackaged && values["allow-sandbox"] === true,
    allowPlainHttp: !isPackaged && values["allow-plain-http"] === true,
  };
};

/** Switches that would give control of the page or the engine to whoever starts the program, or weaken the sandbox. */
const refusedSwitches = [
  "remote-debugging-port",
  "remote-debugging-pipe",
  "remote-allow-origins",
  "js-flags",
  "disable-web-security",
  "disable-gpu-sandbox",
  "disable-seccomp-filter-sandbox",
  "no-zygote-sandbox",
  "renderer-cmd-prefix",
  "single-process",
] as const;

/** Message: an installed program does not run without the sandbox. */
export const noSandboxText =
  "Tillcash does not start without the browser engine's sandbox, and this computer lets this program make none. On Ubuntu and Debian install the .deb package, which brings the permission with it; elsewhere ask whoever looks after this computer to allow user namespaces to programs.";

/** Why an installed program refuses its switches, or null. Call it before `enableSandbox`, which removes one. */
export const switchRefusal = (commandLine: Pick<CommandLine, "hasSwitch">): string | null => {
  const name = refusedSwitches.find((one) => commandLine.hasSwitch(one));
  if (name !== undefined) return `Tillcash does not start with --${name}.`;
  // An AppImage's start script adds it when `unshare` fails, and Electron for an environment variable.
  return commandLine.hasSwitch("no-sandbox") ? noSandboxText : null;
};

/** Whether APPIMAGE is the file of the AppImage that `program` runs from. One that has started an installed program leaves its own there. */
export const isOwnAppImage = ({ APPDIR }: NodeJS.ProcessEnv, program: string): boolean => {
  if (APPDIR === undefined) return true;
  try {
    return program.startsWith(realpathSync(APPDIR) + path.sep);
  } catch {
    return false;
  }
};

interface WindowSystem {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly commandLine: Pick<CommandLine, "hasSwitch" | "getSwitchValue">;
}

/** Whether windows use Wayland, where programs cannot place them. */
export const isOnWayland = ({ platform, env, commandLine }: WindowSystem): boolean =>
  platform === "linux" &&
  (env.XDG_SESSION_TYPE === "wayland" || Boolean(env.WAYLAND_DISPLAY)) &&
  commandLine.getSwitchValue("ozone-platform") !== "x11";

/** The switch for a restart under Wayland; Chromium reads it before any of our code runs (PreSandboxStartup). */
export const x11Switch = (system: WindowSystem): string | null =>
  isOnWayland(system) && system.env.DISPLAY && !system.commandLine.hasSwitch("ozone-platform")
    ? "--ozone-platform=x11"
    : null;
