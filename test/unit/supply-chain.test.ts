/** What ships is listed with its licences, as a bill of materials too; the lockfile is compared with the registry. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { checkLockfile, lockedPackages } from "../../tools/release/check-lockfile.ts";
import { licencesText, packageFolderOf, packagesOf, shippedLicences } from "../../tools/release/licences.ts";
import { billOfMaterials } from "../../tools/release/sbom.ts";

const root = path.resolve(import.meta.dirname, "../..");
const lock = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
const sha = (letter: string) => `sha512-${Buffer.alloc(64, letter).toString("base64")}`;

describe("licences of what ships", () => {
  test.each([
    ["/a/node_modules/zod/v4/core/index.js", "/a/node_modules/zod"],
    ["/a/node_modules/@mantine/core/esm/x.mjs?commonjs-es-import", "/a/node_modules/@mantine/core"],
    ["\0/a/node_modules/react/index.js?commonjs-proxy", "/a/node_modules/react"],
    ["/a/node_modules/one/node_modules/two/x.js", "/a/node_modules/one/node_modules/two"],
    ["/a/main/index.ts", null],
    ["\0rolldown/runtime.js", null],
  ])("%j belongs to %s", (id, folder) => expect(packageFolderOf(id)).toBe(folder));

  test("name each package once, with its version and the text of its licence", () => {
    const ids = ["zod/v4/index.js", "zod/index.js", "react/index.js"].map((id) => path.join(root, "node_modules", id));
    const packages = packagesOf(ids);
    expect(packages.map(({ name, licence }) => [name, licence])).toEqual([
      ["react", "MIT"],
      ["zod", "MIT"],
    ]);
    expect(licencesText(packages)).toMatch(/^react \d+\.\d+\.\d+\nMIT\n\nMIT License/);
  });

  test("begin with this program's and Electron's in the list for About, each package once", () => {
    const zod = packagesOf([path.join(root, "node_modules/zod/index.js")]);
    const [own, electron, ...rest] = shippedLicences([...zod, ...zod], root);
    expect(own).toMatchObject({
      name: "tillcash",
      licence: "Apache-2.0",
      text: expect.stringContaining("Apache License"),
    });
    expect(electron).toMatchObject({ name: "electron", text: expect.stringContaining("Electron contributors") });
    expect(rest).toEqual(zod);
  });

  test("a package that names none is not shipped", () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), "licences-")), "node_modules", "bad");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), '{"name":"bad","version":"1.0.0"}');
    expect(() => packagesOf([path.join(folder, "index.js")])).toThrow(/names no licence/);
  });
});

test("the bill of materials has each package once, with its hash from the lockfile", () => {
  const version = lock.packages["node_modules/zod"].version;
  const zod = { name: "zod", version, licence: "MIT" };
  const bill = billOfMaterials(
    { name: "tillcash", version: "1", licence: "Apache-2.0" },
    [zod, zod],
    lock.packages,
    "2026-01-01T00:00:00Z",
  );
  expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
  expect(bill.components).toHaveLength(1);
  expect(bill.components[0]).toMatchObject({
    purl: `pkg:npm/zod@${version}`,
    licenses: [{ license: { id: "MIT" } }],
    hashes: [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
  });
});

describe("the lockfile", () => {
  test("locks every package by a strong hash, and package.json names exact versions", () => {
    const packages = lockedPackages(lock.packages);
    expect(packages.length).toBeGreaterThan(300);
    expect(packages.filter(({ integrity }) => !integrity?.startsWith("sha512-"))).toEqual([]);
    const named = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    for (const version of Object.values({
      ...named.dependencies,
      ...named.devDependencies,
      ...named.optionalDependencies,
    }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });

  test("is compared with the registry package by package, and not without one", async () => {
    const server = createServer(({ url }, answer) => {
      if (url === "/gone/1.0.0") return answer.writeHead(404).end();
      const version = url === "/electron/latest" ? "48.1.0" : undefined;
      answer.end(JSON.stringify({ version, dist: { integrity: sha("a") } }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const one = (name: string, integrity: string | null) => ({ name, version: "1.0.0", integrity });
    const good = [one("same", sha("a")), one("@scope/same", sha("a"))];
    expect(await checkLockfile(good, registry)).toEqual({ kind: "compared", packages: 2, faults: [] });
    const bad = [one("other", sha("b")), one("gone", sha("a")), one("bare", null), one("weak", "sha1-x")];
    expect(await checkLockfile(bad, registry)).toEqual({
      kind: "compared",
      packages: 4,
      faults: [
        "other@1.0.0 is another archive in the registry",
        "gone@1.0.0 is not in the registry",
        "bare@1.0.0 has no integrity in the lockfile",
        "weak@1.0.0 is locked by a weak hash",
      ],
    });
    const electrons = ["46.0.0", "45.4.1"].map((version) => ({ name: "electron", version, integrity: sha("a") }));
    expect(await checkLockfile(electrons, registry)).toMatchObject({
      faults: ["electron@45.4.1 is no longer supported: 48.1.0 is the newest"],
    });
    server.close();
    expect(await checkLockfile(good, "http://127.0.0.1:9/")).toMatchObject({ kind: "unreachable" });
  });
});
