/** The package: its description is valid, it holds the built files alone, and what it holds runs where nothing else is. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Child, startChild } from "../e2e/stage/child.ts";
import { ensureBuilt } from "../runner/built.ts";
import { root } from "../runner/run-program.ts";

const require = createRequire(import.meta.url);
const run = promisify(execFile);
const work = mkdtempSync(path.join(tmpdir(), "tillcash-package-"));
const unpacked = path.join(work, "dist", "linux-unpacked");
const app = path.join(work, "app");

/** What electron-builder looks for in Electron's program to set the fuses: a sentinel, the version, their number, each one. */
const sentinel = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
const fusesOn = "1".repeat(9);

/** A folder that has the shape of Electron's runtime, so that nothing is downloaded. */
function writeStubRuntime(folder: string): void {
  mkdirSync(path.join(folder, "resources"), { recursive: true });
  const program = Buffer.concat([
    Buffer.from(`#!/bin/sh\nexit 1\n${sentinel}`),
    Buffer.from([1, 9]),
    Buffer.from(fusesOn),
  ]);
  writeFileSync(path.join(folder, "electron"), program, { mode: 0o755 });
  for (const name of ["version", "LICENSE", "LICENSES.chromium.html", "chrome-sandbox"]) {
    writeFileSync(path.join(folder, name), name);
  }
}

afterAll(() => rmSync(work, { recursive: true, force: true }));

describe("electron-builder.yml", () => {
  const { validateConfiguration } = require("app-builder-lib/out/util/config/config.js");
  const { DebugLogger } = require("builder-util");
  const { load } = require("js-yaml");
  const config = load(readFileSync(path.join(root, "electron-builder.yml"), "utf8"));

  test("is valid", async () => {
    await expect(validateConfiguration(config, new DebugLogger(false))).resolves.toBeUndefined();
  });

  test.each(["entitlements", "entitlementsInherit"])(
    "macOS's hardened runtime lets the program use the camera: %s",
    (name) => {
      expect(config.mac.hardenedRuntime).toBe(true);
      const entitlements = readFileSync(path.join(root, config.mac[name]), "utf8");
      expect(entitlements).toMatch(/<key>com\.apple\.security\.device\.camera<\/key>\s*<true\/>/);
      expect(entitlements).toMatch(/<key>com\.apple\.security\.cs\.allow-jit<\/key>\s*<true\/>/);
    },
  );

  test("and the check would say if it were not", async () => {
    const wrong = { ...config, electronFuses: { ...config.electronFuses, runAsNod: false } };
    await expect(validateConfiguration(wrong, new DebugLogger(false))).rejects.toThrow(/electronFuses/);
  });
});

describe.runIf(process.platform === "linux")("the packed folder", () => {
  beforeAll(async () => {
    await ensureBuilt();
    const runtime = path.join(work, "runtime");
    writeStubRuntime(runtime);
    const builder = path.join(root, "node_modules/electron-builder/cli.js");
    const settings = [`-c.electronDist=${runtime}`, `-c.directories.output=${path.join(work, "dist")}`];
    await run(process.execPath, [builder, "--linux", "dir", "--publish", "never", ...settings], { cwd: root });
    const asar = path.join(root, "node_modules/@electron/asar/bin/asar.js");
    await run(process.execPath, [asar, "extract", path.join(unpacked, "resources", "app.asar"), app]);
  });

  test("holds the built files and nothing else", () => {
    expect(readdirSync(app).sort()).toEqual(["out", "package.json"]);
    expect(readdirSync(path.join(app, "out")).sort()).toEqual(["main", "preload", "renderer"]);
    expect(readdirSync(path.join(unpacked, "resources"))).toEqual(["app.asar"]);
    const { main, dependencies } = JSON.parse(readFileSync(path.join(app, "package.json"), "utf8"));
    expect({ main, dependencies }).toEqual({ main: "out/main/index.js", dependencies: undefined });
  });

  test("its program takes code from the package alone, and no orders from the environment", () => {
    const program = readFileSync(path.join(unpacked, "tillcash"));
    const at = program.indexOf(sentinel) + sentinel.length + 2;
    const [runAsNode, , nodeOptions, inspect, integrity, onlyAsar, , fileProtocol] = program.toString(
      "latin1",
      at,
      at + 9,
    );
    expect({ runAsNode, nodeOptions, inspect, integrity, onlyAsar, fileProtocol }).toEqual({
      runAsNode: "0",
      nodeOptions: "0",
      inspect: "0",
      integrity: "1",
      onlyAsar: "1",
      fileProtocol: "0",
    });
  });

  test("its service starts, answers, brings its pages along and stops", async () => {
    const service = await startPacked("service.js", ["--sandbox"], /^service listening on (http:\S+)/);
    for (const page of ["/healthz", "/readyz", "/openapi.json", "/docs", "/sandbox"]) {
      expect((await fetch(service.address + page)).status, page).toBe(200);
    }
    expect(await service.stop()).toBe(0);
  });

  test("its browser host starts, with the packed service in training", async () => {
    const data = path.join(work, "data");
    const host = await startPacked(
      "browser-host.js",
      ["--no-open", "--port=0", `--data=${data}`],
      /^The till is at (http:\S+)/,
    );
    expect((await fetch(host.address, { redirect: "manual" })).status).toBe(303);
    expect(await host.stop()).toBe(0);
  });
});

const startPacked = (name: string, args: readonly string[], ready: RegExp): Promise<Child> =>
  startChild(path.join(app, "out", "main", name), {
    args,
    env: { PORT: "0", DATABASE_URL: `sqlite:${path.join(work, "service.db")}`, LOG_LEVEL: "warn" },
    ready,
  });
