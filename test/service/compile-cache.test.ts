/** What a start of the built program loads: from Node's compile cache, on which nothing depends, and no more than it uses. */
import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { serviceVersion } from "../../backend/version.ts";
import { ensureBuilt } from "../runner/built.ts";

let built: string;
let programs: string;
let cache: string;

beforeAll(async () => {
  built = join(await ensureBuilt(), "main");
});

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-compile-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  [programs, cache] = [join(folder, "main"), join(folder, "main", ".compile-cache")];
  cpSync(built, programs, { recursive: true, filter: (file) => !file.includes(".compile-cache") });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
});

const version = (settings: Readonly<Record<string, string>> = {}) => {
  const env = { PATH: process.env.PATH, NODE_DEBUG_NATIVE: "COMPILE_CACHE", ...settings };
  const { stdout, stderr } = spawnSync(process.execPath, [join(programs, "service.js"), "--version"], {
    env,
    encoding: "utf8",
  });
  return { said: stdout.trim(), fromCache: stderr.match(/cache for .*chunks\/cli-.*was accepted/g)?.length ?? 0 };
};
const entries = () => globSync("*/*", { cwd: cache }).map((name) => join(cache, name));

test("is written when the program ends, and read by the next start", () => {
  expect(version()).toEqual({ said: serviceVersion, fromCache: 0 });
  expect(entries().length).toBeGreaterThan(5);
  expect(version()).toEqual({ said: serviceVersion, fromCache: 1 });
});

test.skipIf(process.platform === "win32")("is nobody else's to write, whatever the umask", () => {
  const before = process.umask(0);
  onTestFinished(() => void process.umask(before));
  version();
  expect(entries().length).toBeGreaterThan(5);
  expect(statSync(cache).mode & 0o077).toBe(0);
});

test("that is damaged is compiled anew", () => {
  version();
  for (const entry of entries()) writeFileSync(entry, "no code");
  expect(version()).toEqual({ said: serviceVersion, fromCache: 0 });
  expect(version()).toEqual({ said: serviceVersion, fromCache: 1 });
});

test("stays away where it cannot be written, and goes where NODE_COMPILE_CACHE says", () => {
  writeFileSync(cache, "a file stands in its place");
  expect(version()).toEqual({ said: serviceVersion, fromCache: 0 });
  const elsewhere = join(programs, "elsewhere");
  version({ NODE_COMPILE_CACHE: elsewhere });
  expect(version({ NODE_COMPILE_CACHE: elsewhere })).toEqual({ said: serviceVersion, fromCache: 1 });
});

test("a start loads no undici, which an `import` of `node:http` would", () => {
  const tell =
    'process.on("exit", () => process.stdout.write(String(process.moduleLoadList.some((one) => /undici/.test(one)))))';
  const started = (first = "") => {
    const args = ["--import", `data:text/javascript,${encodeURIComponent(first + tell)}`];
    const program = [...args, join(programs, "service.js"), "--version"];
    return spawnSync(process.execPath, program, { env: { PATH: process.env.PATH }, encoding: "utf8" }).stdout;
  };
  expect(started()).toBe(`${serviceVersion}\nfalse`);
  expect(started('import "node:http";')).toBe(`${serviceVersion}\ntrue`);
});
