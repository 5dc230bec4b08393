/** Electron's runtime: found without the network, fetched with progress, given up in time, and why it was not to be had. */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findRuntime } from "../../../main/launch/runtime.ts";
import { root as project } from "../../runner/run-program.ts";

const version = "45.4.1";
const archive = `electron-v${version}-${process.platform}-${process.arch}.zip`;

/** A zip of stored files: local headers, then the directory. */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(content.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, Buffer.from(name + content)]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE((0o100755 << 16) >>> 0, 6);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), fields, place, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, Buffer.from("PK\x05\x06"), end]);
}

const runtime = zip({ electron: "#!/bin/sh\n".padEnd(300_000, "#"), version });
const quick = { fetchMs: 1_500, slowMs: 1_000 };

let folder: string;
let server: Server;
let asked: string[];
let answer: (path: string) => Buffer | null | "hang";

/** A project with an electron package whose runtime is not there, and a mirror that `answer` plays. */
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-runtime-"));
  const electron = path.join(folder, "node_modules", "electron");
  mkdirSync(electron, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), "{}");
  writeFileSync(path.join(electron, "package.json"), JSON.stringify({ name: "electron", version }));
  const checksum = createHash("sha256").update(runtime).digest("hex");
  writeFileSync(path.join(electron, "checksums.json"), JSON.stringify({ [archive]: checksum }));
  copyFileSync(path.join(project, "node_modules/electron/install.js"), path.join(electron, "install.js"));
  for (const scope of ["@electron", "@electron-internal"]) {
    symlinkSync(path.join(project, "node_modules", scope), path.join(folder, "node_modules", scope));
  }
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const body = answer(request.url ?? "");
    if (body === "hang") response.flushHeaders();
    else response.writeHead(body === null ? 404 : 200, { "content-length": body?.length ?? 0 }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A path of its own: @electron/get caches by address, and this port may have been another run's.
  vi.stubEnv("ELECTRON_MIRROR", `http://127.0.0.1:${(server.address() as AddressInfo).port}/${randomUUID()}/`);
  vi.stubEnv("electron_config_cache", path.join(folder, "cache"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("it is fetched with progress, and from then on found without the network", async () => {
  answer = () => runtime;
  const shares: number[] = [];
  const found = await findRuntime(folder, (share) => shares.push(share), false);
  expect(found).toEqual({ kind: "here", program: path.join(folder, "node_modules/electron/dist/electron") });
  expect(shares.at(-1)).toBe(1);
  const before = asked.length;
  expect(await findRuntime(folder, () => undefined, false)).toEqual(found);
  expect(asked).toHaveLength(before);
});

test("an archive that is not what the package promised is not used", async () => {
  answer = () => zip({ electron: "something else", version });
  const found = await findRuntime(folder, () => undefined, false);
  expect(found).toMatchObject({ kind: "absent", why: expect.stringMatching(/could not be fetched: .*checksum/i) });
});

test("a refusal is told in a line, and tried again at the next start", async () => {
  answer = () => null;
  const first = await findRuntime(folder, () => undefined, false);
  expect(first).toMatchObject({
    kind: "absent",
    why: expect.stringMatching(/^its runtime could not be fetched: .*404/),
  });
  const before = asked.length;
  await findRuntime(folder, () => undefined, false);
  expect(asked.length).toBeGreaterThan(before);
});

test("a network that swallows the request is given up, and not asked at every start", async () => {
  answer = () => "hang";
  const first = await findRuntime(folder, () => undefined, false, quick);
  expect(first).toMatchObject({ kind: "absent", why: expect.stringMatching(/did not end within 1.5 s/) });
  // Elsewhere: a request of the try that was ended may still be on its way.
  vi.stubEnv("ELECTRON_MIRROR", `${process.env.ELECTRON_MIRROR}second/`);
  const second = await findRuntime(folder, () => undefined, false, quick);
  expect(second).toMatchObject({ kind: "absent", why: expect.stringMatching(/--fetch" tries again/) });
  expect(asked.filter((url) => url.includes("/second/"))).toEqual([]);
  answer = () => runtime;
  expect((await findRuntime(folder, () => undefined, true)).kind).toBe("here");
});

test.each([
  ["23 hours ago", { agoMs: 23 * 3_600_000 }, false],
  ["25 hours ago", { agoMs: 25 * 3_600_000 }, true],
  ["by a clock that was an hour ahead", { agoMs: -3_600_000 }, true],
  ["for another version", { agoMs: 1_000, of: "1.0.0" }, true],
])(
  "after a slow try %s (%j) there is another: %s",
  async (_, { agoMs, of = version }: { agoMs: number; of?: string }, isTried) => {
    const cache = path.join(folder, "node_modules", ".cache", "tillcash");
    mkdirSync(cache, { recursive: true });
    const tried = { version: of, atMs: Date.now() - agoMs, why: "it took too long" };
    writeFileSync(path.join(cache, "electron-fetch.json"), JSON.stringify(tried));
    answer = () => null;
    await findRuntime(folder, () => undefined, false);
    expect(asked.length > 0).toBe(isTried);
  },
);

test("without the package there is nothing to fetch", async () => {
  rmSync(path.join(folder, "node_modules", "electron"), { recursive: true });
  const found = await findRuntime(folder, () => undefined, false);
  expect(found).toMatchObject({ kind: "absent", why: expect.stringMatching(/not installed/) });
  expect(readFileSync(path.join(project, "package.json"), "utf8")).toContain(`"electron": "${version}"`);
});
