/** What the desktop program was started with. */

import { parseArgs } from "node:util";
import type { CommandLine } from "electron";

/** The desktop program's own flags. */
export interface DesktopFlags {
  /** The bundled service with its sandbox. Default: false. */
  readonly training: boolean;
  /** The data folder as given; undefined for the usual one. */
  readonly data: string | undefined;
  /** For developers: real money's terminal at a service without a bank; never in an installed program. Default: false. */
  readonly allowSandbox: boolean;
  /** For developers: a service of this machine by plain http; never in an installed program. Default: false. */
  readonly allowPlainHttp: boolean;
}

/** In development `argv[1]` is the app's folder; an installed program's own flags begin there. Chromium's switches are left to it. */
export const readDesktopFlags = (argv: readonly string[], isPackaged: boolean): DesktopFlags => {
  const { values } = parseArgs({
    args: argv.slice(isPackaged ? 1 : 2),
    options: {
      training: { type: "boolean", default: false },
      data: { type: "string" },
      "allow-sandbox": { type: "boolean" },
      "allow-plain-http": { type: "boolean" },
    },
    strict: false,
  });
  return {
    training: values.training === true,
    data: typeof values.data === "string" ? values.data : undefined,
    allowSandbox: !isPackaged && values["allow-sandbox"] === true,
    allowPlainHttp: !isPackaged && values["allow-plain-http"] === true,
  };
};

/** Switches that hand the page, or the engine under it, to whoever started the program. */
const debuggingSwitches = [
  "remote-debugging-port",
  "remote-debugging-pipe",
  "remote-allow-origins",
  "js-flags",
] as const;

/** The debugging switch that an installed program was started with; null when there is none. */
export const debuggingSwitch = (commandLine: Pick<CommandLine, "hasSwitch">): string | null =>
  debuggingSwitches.find((name) => commandLine.hasSwitch(name)) ?? null;
