/** `npm start`: where the desktop can be opened at all, what became of it, and the browser host where it cannot. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasDisplay } from "../../../main/browser/run.ts";
import { obstacle, readFlags, startDesktop } from "../../../main/launch/start.ts";
import { enterTill } from "../../e2e/stage/bridge-client.ts";
import { startChild } from "../../e2e/stage/child.ts";
import { ensureBuilt } from "../../runner/built.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-launch-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("what nobody catches in the browser host is logged, said, and ends it", async () => {
  const data = path.join(folder, "uncaught");
  const trouble = `import { existsSync } from "node:fs";
    const timer = setInterval(() => {
      if (!existsSync(${JSON.stringify(path.join(data, "till-host.json"))})) return;
      clearInterval(timer);
      Promise.reject(new Error("nobody catches this"));
    }, 20);`;
  const program = path.join(await ensureBuilt(), "main", "browser-host.js");
  const args = [
    "--import",
    `data:text/javascript,${encodeURIComponent(trouble)}`,
    program,
    "--live",
    "--allow-browser",
    "--no-open",
    "--port=0",
  ];
  const child = spawn(process.execPath, [...args, `--data=${data}`], { stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.on("data", (bytes: Buffer) => {
    output += bytes.toString();
  });
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
  expect(output).toMatch(/^Something in this program went wrong.*Start it again/m);
  expect(readFileSync(path.join(data, "till.log"), "utf8")).toMatch(/"level":"error".*nobody catches this/);
});

describe("whether Electron can open a window", () => {
  test.each<[NodeJS.ProcessEnv, NodeJS.Platform, number | undefined, RegExp | null]>([
    [{}, "linux", 1000, /no display/],
    [{ DISPLAY: "" }, "linux", 1000, /no display/],
    [{ DISPLAY: ":0" }, "linux", 1000, null],
    [{ WAYLAND_DISPLAY: "wayland-0" }, "linux", 1000, null],
    [{ DISPLAY: ":0" }, "linux", 0, /root/],
    [{}, "win32", undefined, null],
    [{}, "darwin", 501, null],
  ])("%j on %s as %s", (env, platform, userId, expected) => {
    const found = obstacle(env, platform, userId);
    if (expected === null) expect(found).toBeNull();
    else expect(found).toMatch(expected);
  });
});

test.each<[NodeJS.ProcessEnv, NodeJS.Platform, boolean]>([
  [{}, "linux", false],
  [{ DISPLAY: ":0" }, "linux", true],
  [{}, "win32", true],
  [{ SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, "darwin", false],
])("a browser is opened with %j on %s: %s", (env, platform, expected) => {
  expect(hasDisplay(env, platform)).toBe(expected);
});

describe("what became of the desktop program", () => {
  /** A program that plays Electron: a shell script that runs this Node on `code`. */
  const programOf = (code: string): string => {
    const file = path.join(folder, `electron-${code.length}`);
    writeFileSync(`${file}.cjs`, code);
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${file}.cjs" "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const flags = {
    browser: false,
    port: null,
    data: folder,
    training: true,
    open: false,
    fetch: false,
    allowBrowser: false,
    allowSandbox: false,
    allowPlainHttp: false,
    endSessions: false,
  };

  test.runIf(process.platform !== "win32").each<[string, string, object]>([
    [
      "opened and closed",
      "process.send('opened'); process.exitCode = 0; process.disconnect()",
      { kind: "ran", code: 0 },
    ],
    ["opened and crashed", "process.send('opened', () => process.exit(3))", { kind: "ran", code: 3 }],
    ["handed over to the first", "process.exit(0)", { kind: "ran", code: 0 }],
    [
      "could not start",
      "console.error('x\\nlibgtk-3.so.0 is missing'); process.exit(127)",
      { kind: "never_opened", why: "libgtk-3.so.0 is missing" },
    ],
    ["died without a word", "process.exit(1)", { kind: "never_opened", why: "Electron ended with code 1" }],
    [
      "was given the flags",
      "process.exit(process.argv.includes('--training') && process.argv.some((one) => one.startsWith('--data=')) ? 0 : 1)",
      { kind: "ran", code: 0 },
    ],
    [
      "was given no developer's flags that nobody asked for",
      "process.exit(process.argv.some((one) => one.startsWith('--allow')) ? 1 : 0)",
      { kind: "ran", code: 0 },
    ],
  ])("%s", async (_what, code, expected) => {
    expect(await startDesktop(programOf(code), folder, flags)).toEqual(expected);
  });

  test.runIf(process.platform !== "win32")("a developer's flags reach it", async () => {
    const code =
      "process.exit(['--allow-sandbox', '--allow-plain-http'].every((one) => process.argv.includes(one)) ? 0 : 1)";
    const asked = { ...flags, allowSandbox: true, allowPlainHttp: true };
    expect(await startDesktop(programOf(code), folder, asked)).toEqual({ kind: "ran", code: 0 });
  });

  test("a program that is not there", async () => {
    expect(await startDesktop(path.join(folder, "absent"), folder, flags)).toMatchObject({ kind: "never_opened" });
  });
});

describe("flags", () => {
  test.each([["--port=x"], ["--port=70000"], ["--port=-1"], ["--nonsense"], ["--data="], ["stray"]])(
    "%s is refused",
    (flag) => {
      expect(() => readFlags([flag])).toThrow();
    },
  );
  test("training, in the usual folder, with a browser opened, unless told otherwise", () => {
    expect(readFlags([])).toMatchObject({ training: true, open: true, port: null, data: path.resolve("data/till") });
    expect(readFlags(["--live", "--no-open", "--port", "0"])).toMatchObject({ training: false, open: false, port: 0 });
    expect(readFlags(["--help"])).toBeNull();
  });
});

async function firstAddress(output: Readable): Promise<string> {
  let seen = "";
  for await (const chunk of output) {
    seen += String(chunk);
    const address = /^The terminal is at (http:\S+)/m.exec(seen)?.[1];
    if (address) return address;
  }
  throw new Error(`no address in: ${seen}`);
}

describe("started as a user starts it", () => {
  let launch: string;
  beforeAll(async () => {
    launch = path.join(await ensureBuilt(), "main", "launch.js");
  });

  test("without a display it says why in one line, opens the browser host, trains, and stops in order", async () => {
    const child = await startChild(launch, {
      args: ["--no-open", "--data", path.join(folder, "till")],
      env: { DISPLAY: "", WAYLAND_DISPLAY: "" },
      ready: /^The terminal is at (http:\S+)/,
    });
    expect(child.output().split("\n")[0]).toMatch(/^Not in Electron \(.+\); the terminal opens in the browser\.$/);
    await expect.poll(() => child.output()).toMatch(/the customer's phone, in training: http:\S+\/sandbox/);
    expect(await enterTill(child.address)).not.toBe("");
    expect(await child.stop()).toBe(0);
  });

  test.runIf(process.platform !== "win32")("it ends when npm's shell does, which passes no signal on", async () => {
    const program = `"${process.execPath}" "${launch}" --no-open --browser --live --allow-browser --port 0 --data "${folder}/shell"; true`;
    const env = { ...process.env, npm_lifecycle_event: "start" };
    const shell = spawn("sh", ["-c", program], { env, stdio: ["ignore", "pipe", "ignore"] });
    const address = await firstAddress(shell.stdout);
    shell.kill("SIGTERM");
    await expect.poll(() => fetch(address).catch(() => "gone"), { interval: 50 }).toBe("gone");
  });

  test("a wrong flag is an error that says so", async () => {
    await expect(startChild(launch, { args: ["--port=x"], env: {}, ready: /^never/ })).rejects.toThrow(
      /--port must be/,
    );
  });
});

test("with real money it starts in a browser only where that is allowed", () => {
  const browserHost = path.join(import.meta.dirname, "../../../out/main/browser-host.js");
  const data = path.join(mkdtempSync(path.join(tmpdir(), "tillcash-live-")), "data");
  const { status, stderr } = spawnSync(process.execPath, [browserHost, "--live", "--data", data], { encoding: "utf8" });
  expect([status, stderr]).toEqual([1, expect.stringContaining("--allow-browser")]);
});
