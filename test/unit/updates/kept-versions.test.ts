/** Files that bring a version back: kept before an installation, checked before they are used, deleted when nobody needs them. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type InstalledProgram,
  isUnchanged,
  keepVersions,
  pruneKept,
} from "../../../main/electron/updates/kept-versions.ts";
import { rollBack, rollbackOf } from "../../../main/electron/updates/rollback.ts";
import { openUpdateFile } from "../../../main/updates/update-file.ts";

let data: string;
const log: string[] = [];
const write = (_level: string, text: string): void => void log.push(text);
const at = (...names: string[]): string => path.join(data, ...names);
const keep = (kind: InstalledProgram["kind"], version = "0.1.0") =>
  keepVersions(
    { kind, version, program: at("Tillcash"), env: { APPIMAGE: at("T.AppImage"), LOCALAPPDATA: data }, data },
    openUpdateFile(data, write),
    write,
  );
const fetched = (version: string) => ({ version, file: at("pending", `tillcash_${version}.deb`) });

beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), "tillcash-kept-"));
  mkdirSync(at("pending"));
  writeFileSync(at("T.AppImage"), "version 0.1.0");
  for (const version of ["0.2.0", "0.3.0"]) writeFileSync(fetched(version).file, `version ${version}`);
  log.length = 0;
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

test("an AppImage is copied, and comes back into its place", async () => {
  const { previous } = await keep("appimage")(fetched("0.2.0"));
  expect(previous).toMatchObject({ version: "0.1.0", file: at("versions", "Tillcash-0.1.0.AppImage") });
  if (previous === null) return;
  writeFileSync(at("T.AppImage"), "version 0.2.0, which does not start");
  const way = rollbackOf("appimage", previous, at("T.AppImage"));
  // It is started too, which is no program here.
  await rollBack(way, previous, () => undefined).catch(() => undefined);
  expect(readFileSync(at("T.AppImage"), "utf8")).toBe("version 0.1.0");
  if (process.platform !== "win32") expect(statSync(at("T.AppImage")).mode & 0o111).toBe(0o111);
});

test("a copy that changed is not used, and nothing is replaced", async () => {
  const { previous } = await keep("appimage")(fetched("0.2.0"));
  if (previous === null) return expect.unreachable();
  writeFileSync(previous.file, "version 6.6.6");
  writeFileSync(at("T.AppImage"), "version 0.2.0");
  const way = rollbackOf("appimage", previous, at("T.AppImage"));
  await expect(rollBack(way, previous, () => undefined)).rejects.toThrow(/is not what it was/);
  expect(readFileSync(at("T.AppImage"), "utf8")).toBe("version 0.2.0");
});

test("Windows' installer is the one that its script has put aside", async () => {
  expect((await keep("nsis_user")(fetched("0.2.0"))).previous).toBeNull();
  expect(log).toContain("the running version could not be kept");
  mkdirSync(at("tillcash-updater"));
  writeFileSync(at("tillcash-updater", "installer.exe"), "installer of 0.1.0");
  const { previous } = await keep("nsis_user")(fetched("0.2.0"));
  expect(previous).toMatchObject({ version: "0.1.0", file: at("versions", "Tillcash-Setup-0.1.0.exe") });
});

test("a Debian package is kept from the second update on, and shown to the person", async () => {
  const first = await keep("deb")(fetched("0.2.0"));
  expect(first).toMatchObject({ previous: null, next: { version: "0.2.0" } });
  openUpdateFile(data, write).save({ installer: first.next });
  const second = await keep("deb", "0.2.0")(fetched("0.3.0"));
  expect(second).toMatchObject({ previous: { version: "0.2.0" }, next: { version: "0.3.0" } });
  if (second.previous === null) return;
  const shown: string[] = [];
  await rollBack(rollbackOf("deb", second.previous, null), second.previous, (file) => shown.push(file));
  expect(shown).toEqual([at("versions", "tillcash_0.2.0.deb")]);
  expect((await keep("deb", "0.4.0")(fetched("0.3.0"))).previous).toBeNull();
});

test("only what is needed stays, and half a copy is no copy", async () => {
  const { previous } = await keep("appimage")(fetched("0.2.0"));
  writeFileSync(at("versions", "Tillcash-0.0.9.AppImage"), "old");
  writeFileSync(at("versions", "Tillcash-0.1.1.AppImage.new"), "half");
  await pruneKept(data, [previous, null]);
  expect(readdirSync(at("versions"))).toEqual(["Tillcash-0.1.0.AppImage"]);
  expect(previous && (await isUnchanged(previous))).toBe(true);
  await pruneKept(data, []);
  expect(readdirSync(at("versions"))).toEqual([]);
  await pruneKept(at("nowhere"), []);
});

test("a copy that could not be made leaves nothing behind to fill the disk", async () => {
  mkdirSync(at("versions", "Tillcash-0.1.0.AppImage"), { recursive: true });
  expect(await keep("appimage")(fetched("0.2.0"))).toEqual({ previous: null, next: null });
  expect(readdirSync(at("versions"))).toEqual(["Tillcash-0.1.0.AppImage"]);
});

test("a machine without room keeps nothing, and says so", async () => {
  rmSync(at("T.AppImage"));
  expect(await keep("appimage")(fetched("0.2.0"))).toEqual({ previous: null, next: null });
  expect(log).toEqual(["the running version could not be kept"]);
});
