/** The flags of a start, the same for `npm start` and the browser host alone. */
import path from "node:path";
import { parseArgs } from "node:util";
import { settingBounds } from "../../preload/choices.ts";

/** The help of `npm start -- --help`. */
export const usage = `Usage: npm start -- [options]

  --browser        open the terminal in the browser, also where Electron could run
  --port NUMBER    the terminal's port on 127.0.0.1 (browser only; 0 picks a free one)
  --data FOLDER    journal, settings and the training database (default: data/till)
  --live           no training service: the terminal is enrolled on its set-up screen
  --allow-browser  with --live: real money in an ordinary browser, which keeps less than the installed program does
  --allow-sandbox  with --live, for developers: also at a service without a bank, whose money is not real
  --allow-plain-http
                   with --live, for developers: also at a service of this machine by plain http, where any program can answer
  --end-sessions   every open page of this browser terminal has to come in again; starts nothing
  --no-open        print the address, open no browser
  --fetch          try to fetch Electron's runtime again after a slow failure
  --help           this text`;

/** How the terminal is started: see `usage`. */
export type StartFlags = NonNullable<ReturnType<typeof readFlags>>;

const readPort = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= settingBounds.port.max))
    throw new Error(`--port must be a number from 0 to ${settingBounds.port.max}, not "${text}".`);
  return port;
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        browser: { type: "boolean", default: false },
        port: { type: "string" },
        data: { type: "string", default: path.join("data", "till") },
        live: { type: "boolean", default: false },
        "allow-browser": { type: "boolean", default: false },
        "allow-sandbox": { type: "boolean", default: false },
        "allow-plain-http": { type: "boolean", default: false },
        "end-sessions": { type: "boolean", default: false },
        "no-open": { type: "boolean", default: false },
        fetch: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    // Node goes on about arguments that begin with a hyphen; there are none here.
    const [sentence] = String(error instanceof Error ? error.message : error).split(/\. (?:To|This) /);
    throw new Error(`${sentence}.\nSee npm start -- --help.`);
  }
};

/** Parses the arguments after the program's name; null when `--help` was asked for. Throws a readable error otherwise. */
export function readFlags(args: readonly string[]) {
  const values = parse(args);
  if (values.help) return null;
  // As a path it would be wherever the program was started.
  if (values.data.trim() === "") throw new Error("--data names no folder.");
  return {
    browser: values.browser,
    /** On 127.0.0.1, in the browser; 0 picks a free one, null prefers the one used last. */
    port: readPort(values.port),
    data: path.resolve(values.data),
    training: !values.live,
    allowBrowser: values["allow-browser"],
    allowSandbox: values["allow-sandbox"],
    allowPlainHttp: values["allow-plain-http"],
    endSessions: values["end-sessions"],
    open: !values["no-open"],
    fetch: values.fetch,
  };
}
