/** The programs of the version before as it was built, for the way back to it: `VERSION-programs.zip` beside its folders. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { unzipSync, zipSync } from "fflate";
import type { Snapshot } from "../../preload/contract.ts";
import { followSnapshots } from "../e2e/stage/bridge-client.ts";
import { type Child, startChild } from "../e2e/stage/child.ts";

const programs = ["main/service.js", "main/browser-host.js"];
/** Loaded on demand, large, and nothing here asks for them: codes as pictures, PostgreSQL. */
const left = /^(bwip|qr-(code|text)|postgres)/;

const zipFile = (version: string): string => path.join(import.meta.dirname, `${version}-programs.zip`);

const importsOf = (built: string, file: string): readonly string[] =>
  [...readFileSync(path.join(built, file), "utf8").matchAll(/["'](\.\.?\/[^"'\s]+\.js)["']/g)]
    .map(([, name = ""]) => path.posix.join(path.posix.dirname(file), name))
    .filter((name) => !left.test(path.posix.basename(name)));

/** Keeps the built service and browser host with the chunks that they load. @param built that version's `out`. */
export const packPrograms = (built: string, version: string): void => {
  const files = new Set(programs);
  for (const file of files) for (const name of importsOf(built, file)) files.add(name);
  const content = Object.fromEntries([...files].map((file) => [file, readFileSync(path.join(built, file))]));
  writeFileSync(zipFile(version), zipSync(content, { level: 9 }));
};

/** @param folder an empty one, as `out` was; its page is a stand-in, since nobody looks at it. */
export const unpackPrograms = (version: string, folder: string): void => {
  const page = { "renderer/index.html": Buffer.from("<!doctype html><title>Tillcash</title>") };
  for (const [file, content] of Object.entries({ ...unzipSync(readFileSync(zipFile(version))), ...page })) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), content);
  }
};

/** That version's service, with its sandbox. */
export const startEarlierService = (built: string, data: string, host: string, port: number): Promise<Child> =>
  startChild(path.join(built, "main/service.js"), {
    args: ["--sandbox"],
    env: { HOST: host, PORT: String(port), DATABASE_URL: `sqlite:${path.join(data, "service.db")}`, LOG_LEVEL: "warn" },
    ready: /^service listening on (http:\S+)/,
  });

/** That version's terminal, and a page of it. */
export interface EarlierTill {
  readonly child: Child;
  /** In that version's form: of today's, no more than the parts that have not changed since. */
  snapshot(): Snapshot | null;
  close(): Promise<void>;
}

/** A page of 0.1.0 as it was before the session came in a header: its address gives a cookie. */
export const startEarlierTill = async (built: string, data: string): Promise<EarlierTill> => {
  const child = await startChild(path.join(built, "main/browser-host.js"), {
    args: ["--no-open", "--port", "0", "--data", data, "--live"],
    env: {},
    ready: /^The terminal is at (http:\S+)/,
  });
  const entered = await fetch(child.address, { redirect: "manual" });
  const cookie = entered.headers.getSetCookie().map((each) => each.split(";")[0]);
  const leaving = new AbortController();
  const events = await fetch(new URL("/bridge/events", child.address), {
    headers: { cookie: cookie.join("; ") },
    signal: leaving.signal,
  });
  return {
    child,
    snapshot: followSnapshots(events),
    async close() {
      leaving.abort();
      await child.stop();
    },
  };
};
