/** The flags of a start, the same for `npm start` and the browser host alone. */
import path from "node:path";
import { parseArgs } from "node:util";

export const usage = `Usage: npm start -- [options]

  --browser        open the till in the browser, also where Electron could run
  --port NUMBER    the till's port on 127.0.0.1 (browser only; 0 picks a free one)
  --data FOLDER    journal, settings and the training database (default: data/till)
  --live           no training service: the till is enrolled on its set-up screen
  --no-open        print the address, open no browser
  --fetch          try to fetch Electron's runtime again after a slow failure
  --help           this text`;

export interface StartFlags {
  readonly browser: boolean;
  readonly port: number | null;
  readonly data: string;
  readonly training: boolean;
  readonly open: boolean;
  readonly fetch: boolean;
}

const readPort = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw new Error(`--port must be a number from 0 to 65535, not "${text}".`);
  return port;
};

/** Parses the arguments after the program's name; null when `--help` was asked for. Throws a readable error otherwise. */
export function readFlags(args: readonly string[]): StartFlags | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      browser: { type: "boolean", default: false },
      port: { type: "string" },
      data: { type: "string", default: path.join("data", "till") },
      live: { type: "boolean", default: false },
      "no-open": { type: "boolean", default: false },
      fetch: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return null;
  return {
    browser: values.browser,
    port: readPort(values.port),
    data: path.resolve(values.data),
    training: !values.live,
    open: !values["no-open"],
    fetch: values.fetch,
  };
}
