/** The commands of docs/qa.md run as they are printed, with the Node that the machine has and not the one of the packages first. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enterTill } from "../../e2e/stage/bridge-client.ts";
import { ensureBuilt } from "../../runner/built.ts";
import { bareEnvironment, playwrightCache } from "../../runner/run-program.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const guide = readFileSync(path.join(root, "docs/qa.md"), "utf8");
const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text ?? "");
const block = (word: string): string =>
  blocks.find((text) => text.includes(word)) ?? expect.fail(`no block with ${word}`);

const data = mkdtempSync(path.join(tmpdir(), "tillcash-qa-"));
beforeAll(() => ensureBuilt());
afterAll(() => {
  for (const child of running) if (child.exitCode === null && child.signalCode === null) signal(child, "SIGKILL");
  rmSync(data, { recursive: true, force: true });
});
const running: ChildProcess[] = [];

/** What `npm test` built just before is not built again under the other tests' feet. */
const builtAlready = 'npm() { [ "$*" = "run build" ] || command npm "$@"; }\nset -e\n';

const run = (commands: string): ChildProcess => {
  const ownPath = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => !folder.includes("node_modules"));
  const script = builtAlready + commands.replaceAll("data/till-1", path.join(data, "till-1"));
  const child = spawn("bash", ["-c", script], {
    cwd: root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...bareEnvironment,
      PATH: ownPath.join(path.delimiter),
      HOME: process.env.HOME,
      CHROMIUM_PATH: process.env.CHROMIUM_PATH,
      PWTEST_CACHE_DIR: playwrightCache,
    },
  });
  running.push(child);
  return child;
};

/** Resolves with what it printed so far, when that matches; fails when it ends before. */
const printed = (child: ChildProcess, wanted: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      if (wanted.test(text)) resolve(text);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("close", (code) => (wanted.test(text) ? resolve(text) : reject(new Error(`${code}: ${text}`))));
  });

const signal = (child: ChildProcess, name: NodeJS.Signals = "SIGTERM"): void =>
  void process.kill(-Number(child.pid), name);

test("the terminal starts, prints both addresses, stops in order, and leaves a journal that can be read", async () => {
  const host = run(block("browser-host.js").replace('"$NODE" out', 'exec "$NODE" out'));
  const both = /The terminal is at (http:\S+)[\s\S]*the customer's phone, in training: (http:\S+)/;
  const [, entry = "", phone = ""] = both.exec(await printed(host, both)) ?? [];
  expect(await enterTill(entry)).not.toBe("");
  expect((await fetch(phone)).status).toBe(200);
  signal(host);
  expect((await once(host, "exit"))[0]).toBe(0);

  const journal = run(block("journal -- verify"));
  const lines = await printed(journal, /\n[^\n]*,[^\n]*\n$/);
  expect(lines).toMatch(/sound|intact|OK/i);
  expect(journal.exitCode ?? (await once(journal, "exit"))[0]).toBe(0);
});

test("the service starts apart", async () => {
  const service = run(`export DATABASE_URL=sqlite:${path.join(data, "service.db")}\n${block("npm run backend")}`);
  expect(await printed(service, /service listening on http:\/\/\S+\n/)).toContain("service listening");
  signal(service);
  await once(service, "exit");
});

test("one story of the suite can be named", async () => {
  const list = run(block("npx playwright").trim().concat(" --list\n"));
  expect(await printed(list, /Total: [1-9]\d* tests?/)).toContain("by keys alone");
});
