/** What the desktop program was started with. */
import { parseArgs } from "node:util";
import type { CommandLine } from "electron";

/** The desktop program's own flags. In development `argv[1]` is the app's folder; an installed program's own flags begin there. Chromium's switches are left to it. */
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
    /** Tells what this machine gives the program, and exits. */
    check: values.check === true,
    /** The data folder as given; undefined for the usual one. Without a value it is `true`. */
    data: typeof values.data === "boolean" ? "" : values.data,
    /** For developers: real money's terminal at a service without a bank, or at one of this machine by plain http. */
    allowSandbox: !isPackaged && values["allow-sandbox"] === true,
    allowPlainHttp: !isPackaged && values["allow-plain-http"] === true,
  };
};

/** Switches that hand the page, or the engine under it, to whoever started the program, or leave the sandbox with holes. */
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

/** Why an installed program does not run without the sandbox, and what to do. */
export const noSandboxText =
  "Tillcash does not start without the browser engine's sandbox, and this computer lets this program make none. On Ubuntu and Debian install the .deb package, which brings the permission with it; elsewhere ask whoever looks after this computer to allow user namespaces to programs.";

/** Why an installed program refuses the switches it was started with; null when it does not. To be asked before `enableSandbox`, which removes one. */
export const switchRefusal = (commandLine: Pick<CommandLine, "hasSwitch">): string | null => {
  const name = refusedSwitches.find((one) => commandLine.hasSwitch(one));
  if (name !== undefined) return `Tillcash does not start with --${name}.`;
  // An AppImage's start script adds it by itself where `unshare` fails, and Electron for a variable.
  return commandLine.hasSwitch("no-sandbox") ? noSandboxText : null;
};

interface WindowSystem {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly commandLine: Pick<CommandLine, "hasSwitch" | "getSwitchValue">;
}

/** Whether the windows are Wayland's, which lets no program choose where they are. */
export const isOnWayland = ({ platform, env, commandLine }: WindowSystem): boolean =>
  platform === "linux" &&
  (env.XDG_SESSION_TYPE === "wayland" || Boolean(env.WAYLAND_DISPLAY)) &&
  commandLine.getSwitchValue("ozone-platform") !== "x11";

/** The switch to start again with under Wayland: Chromium reads it before any script of ours (PreSandboxStartup). */
export const x11Switch = (system: WindowSystem): string | null =>
  isOnWayland(system) && system.env.DISPLAY && !system.commandLine.hasSwitch("ozone-platform")
    ? "--ozone-platform=x11"
    : null;
