/** The package: its description is valid, it holds the built files alone, and what it holds runs where nothing else is. */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { noSandboxText, switchRefusal } from "../../main/electron/desktop-flags.ts";
import { readFuses, wantedFuses } from "../../main/electron/fuses.ts";
import { readFeed, releaseFeedOf } from "../../main/updates/feed.ts";
import releaseFeedFile from "../../main/updates/release-feed.json" with { type: "json" };
import type { Language } from "../../preload/choices.ts";
import { makeFeedKey, signFeeds } from "../../tools/release/feed.ts";
import flipAllFuses from "../../tools/release/flip-fuses.ts";
import { findForbidden, listFiles } from "../../tools/release/inspect-package.ts";
import { installerIn } from "../../tools/release/installers.ts";
import { type Packed, packWithStub, startedBefore } from "../../tools/release/pack.ts";
import { unsignedEntitlements } from "../../tools/release/signing.ts";
import { writeStubRuntime } from "../../tools/release/stub-runtime.ts";
import { type Child, startChild } from "../e2e/stage/child.ts";
import { ensureBuilt } from "../runner/built.ts";
import { root } from "../runner/run-program.ts";

const require = createRequire(import.meta.url);
const run = promisify(execFile);
const work = mkdtempSync(path.join(tmpdir(), "tillcash-package-"));
/** The largest that the packed files may get; the decoders and the API reference are most of it. */
const packedBytesMax = 16_000_000;
let packed: Packed;

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

  test("each system has the targets that run there as they come", () => {
    const targetsOf = (platform: "linux" | "win" | "mac") =>
      config[platform].target.map(({ target, arch }: { target: string; arch: string[] }) =>
        [target, ...arch].join(" "),
      );
    expect(targetsOf("linux")).toEqual(["AppImage x64 arm64", "deb x64 arm64"]);
    expect(targetsOf("win")).toEqual(["nsis x64 arm64"]);
    expect(targetsOf("mac")).toEqual(["dmg x64 arm64", "zip x64 arm64"]);
    // The default runtime wants libfuse2, which Ubuntu has not had since 22.04 (AppImageTarget.js, buildLegacyFuse2AppImage).
    expect(config.toolsets.appimage).toMatch(/^1\./);
    // Electron 44 dropped macOS 12 (electronjs.org/docs/latest/breaking-changes).
    expect(config.mac.minimumSystemVersion).toBe("13.0");
    expect(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).productName).toBe(config.productName);
  });

  test("macOS: a program without a certificate is signed anew after its fuses were set, and loads its own frameworks", async () => {
    const folder = path.join(work, "mac");
    const app = path.join(folder, "Tillcash.app");
    const framework = path.join(app, "Contents/Frameworks/Electron Framework.framework");
    mkdirSync(framework, { recursive: true });
    writeStubRuntime(framework);
    renameSync(path.join(framework, "electron"), path.join(framework, "Electron Framework"));
    const tools = path.join(work, "tools");
    mkdirSync(tools);
    writeFileSync(path.join(tools, "codesign"), `#!/bin/sh\necho "$@" > "${folder}/signed"\n`, { mode: 0o755 });
    vi.stubEnv("PATH", `${tools}:${process.env.PATH}`);
    const packager = { appInfo: { productFilename: "Tillcash" } };
    await flipAllFuses({ appOutDir: folder, electronPlatformName: "darwin", packager });
    vi.unstubAllEnvs();
    expect(readFileSync(path.join(folder, "signed"), "utf8")).toMatch(/^--sign - --force .*Tillcash\.app$/m);
    const loads = /<key>com\.apple\.security\.cs\.disable-library-validation<\/key>\s*<true\/>/;
    expect(readFileSync(path.join(root, unsignedEntitlements), "utf8")).toMatch(loads);
    expect(readFileSync(path.join(root, config.mac.entitlements), "utf8")).not.toMatch(loads);
  });

  test("Windows' installer asks on one page, is set to this user, and has a name that GitHub keeps", () => {
    const { artifactName, ...nsis } = config.nsis;
    expect(nsis).toEqual({ oneClick: false, perMachine: false, deleteAppDataOnUninstall: false });
    const templates = path.dirname(require.resolve("app-builder-lib/templates/nsis/oneClick.nsh"));
    const [one, assisted] = ["oneClick.nsh", "assistedInstaller.nsh"].map((name) =>
      readFileSync(path.join(templates, name), "utf8"),
    );
    // A one-click installer for this user could not be told to install for the machine.
    expect([one?.includes("/allusers"), assisted?.includes("/allusers")]).toEqual([false, true]);
    const { expandMacro } = require("app-builder-lib/out/util/macroExpander.js");
    const name = expandMacro(
      artifactName,
      null,
      { sanitizedProductName: config.productName, version: "1.2.3" },
      { ext: "exe" },
    );
    expect(name).toMatch(/^[\w.-]+$/);
    expect(installerIn([name], "win32", "arm64")).toBe(name);
  });

  test("Windows' uninstaller is told what to keep: the macros are those that electron-builder calls", () => {
    const script = readFileSync(path.join(root, config.directories.buildResources, "installer.nsh"), "utf8");
    const templates = path.dirname(require.resolve("app-builder-lib/templates/nsis/uninstaller.nsh"));
    const uninstaller = readFileSync(path.join(templates, "uninstaller.nsh"), "utf8");
    expect(script).toMatch(
      /!macro customUnInstall\n[\s\S]*FileExists} "\$INSTDIR\\journal\.db"[\s\S]*Quit\n[\s\S]*!macroend/,
    );
    // Before anything is deleted.
    expect(uninstaller.indexOf("!insertmacro customUnInstall")).toBeGreaterThan(0);
    expect(uninstaller.indexOf("!insertmacro customUnInstall")).toBeLessThan(uninstaller.indexOf("RMDir /r $INSTDIR"));
    expect(config.nsis.deleteAppDataOnUninstall).toBe(false);
  });

  test("Windows' uninstaller speaks every language of the terminal", () => {
    const script = readFileSync(path.join(root, config.directories.buildResources, "installer.nsh"), "utf8");
    /** As Windows numbers them; English is what it says in all others. */
    const numbers: Readonly<Record<Exclude<Language, "en">, number>> = { de: 1031, fr: 1036, it: 1040 };
    for (const number of Object.values(numbers)) expect(script).toContain(`$LANGUAGE == ${number}`);
  });

  test("is not valid with a key that electron-builder does not know", async () => {
    const wrong = { ...config, linux: { ...config.linux, categry: "Office" } };
    await expect(validateConfiguration(wrong, new DebugLogger(false))).rejects.toThrow(/configuration\.linux/);
  });
});

describe.runIf(process.platform === "linux")("the packed folder", () => {
  beforeAll(async () => {
    await ensureBuilt();
    // Whoever packs it keeps what they write to themselves.
    const before = process.umask(0o077);
    packed = await packWithStub(work).finally(() => process.umask(before));
  });

  test("is every user's to read, whoever packed it", () => {
    const { mode } = statSync(path.join(packed.unpacked, "resources"));
    expect((mode & 0o777).toString(8)).toBe("755");
  });

  test("holds the built files and nothing else", () => {
    expect(readdirSync(packed.app).sort()).toEqual(["out", "package.json"]);
    expect(readdirSync(path.join(packed.app, "out")).sort()).toEqual(["main", "preload", "renderer"]);
    expect(existsSync(path.join(packed.app, startedBefore))).toBe(false);
    // What only Node could start is left out: the fuse that would let Electron run it is off.
    const programs = readdirSync(path.join(packed.app, "out/main")).filter((name) => name.endsWith(".js"));
    expect(programs.sort()).toEqual(["index.js", "service.js"]);
    // The Debian package adds the profile that lets Chromium sandbox its processes, and what an updater reads.
    const added = ["apparmor-profile", "app-update.yml", "package-type"];
    const resources = readdirSync(path.join(packed.unpacked, "resources"));
    expect(resources.filter((name) => !added.includes(name))).toEqual(["app.asar"]);
    const { main, dependencies } = JSON.parse(readFileSync(path.join(packed.app, "package.json"), "utf8"));
    expect({ main, dependencies }).toEqual({ main: "out/main/index.js", dependencies: undefined });
  });

  test("its program takes code from the package alone, and no orders from the environment", () => {
    expect(readFuses(path.join(packed.unpacked, "tillcash"))).toEqual({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      grantFileProtocolExtraPrivileges: false,
      wasmTrapHandlers: true,
    });
    // What the installed program compares itself with.
    expect(readFuses(path.join(packed.unpacked, "tillcash"))).toEqual(wantedFuses);
  });

  test("a fuse that is not decided ends the packing", async () => {
    const folder = path.join(work, "newer-electron");
    writeStubRuntime(folder, 10);
    const packager = { executableName: "electron", appInfo: { productFilename: "Tillcash" } };
    const packed = { appOutDir: folder, electronPlatformName: "linux", packager };
    await expect(flipAllFuses(packed)).rejects.toThrow(/strictlyRequireAllFuses.*9/s);
    await expect(flipAllFuses({ ...packed, electronPlatformName: "win32" })).rejects.toThrow(/there is no program/);
  });

  test("holds no source, map, test, database, key or path of the machine that packed it", () => {
    expect(findForbidden(packed.app)).toEqual([]);
    const folder = mkdtempSync(path.join(work, "forbidden-"));
    const planted = {
      "a.ts": "",
      "b.js.map": "",
      "c.test.js": "",
      "journal.db": "",
      "d.js": "-----BEGIN EC PRIVATE KEY-----",
      "e.js": `import "${root}/x.js"`,
    };
    for (const [name, text] of Object.entries(planted)) writeFileSync(path.join(folder, name), text);
    expect(findForbidden(folder)).toHaveLength(Object.keys(planted).length);
  });

  test("says in About what every part of it is made of", () => {
    const read = (file: string) => JSON.parse(readFileSync(path.join(packed.app, "out", file), "utf8"));
    const listed = new Set(read("renderer/licences.json").map(({ name }: { name: string }) => name));
    const parts = ["main/packages-main", "renderer/packages-renderer", "renderer/packages-worker"];
    for (const part of parts) for (const { name } of read(`${part}.json`)) expect(listed).toContain(name);
    for (const name of ["tillcash", "electron"]) expect(listed).toContain(name);
  });

  test("stays small", () => {
    const bytes = listFiles(packed.app).reduce((sum, file) => sum + file.bytes, 0);
    expect(bytes).toBeLessThan(packedBytesMax);
  });

  test("as a Debian package names itself and brings the program, its icon and its menu entry", async (context) => {
    const { deb } = packed;
    if (deb === null) return context.skip("dpkg-deb is not installed");
    const { stdout: control } = await run("dpkg-deb", ["--field", deb]);
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    expect(control).toMatch(/^Package: tillcash$/m);
    expect(control).toContain(`Version: ${version}\n`);
    expect(control).toMatch(/^Architecture: amd64$/m);
    expect(control).toMatch(/^Maintainer: The Tillcash authors/m);
    expect(control).toMatch(/^Depends: .*libnss3/m);
    const { stdout: contents } = await run("dpkg-deb", ["--contents", deb], { maxBuffer: 16 * 1024 * 1024 });
    for (const file of [
      "./opt/Tillcash/tillcash",
      "./opt/Tillcash/resources/app.asar",
      "./usr/share/applications/tillcash.desktop",
    ])
      expect(contents).toContain(` ${file}\n`);
    expect(contents).toMatch(/\.\/usr\/share\/icons\/hicolor\/\d+x\d+\/apps\/tillcash\.png/);
    // lib/browser/init.ts names the windows so; by default it would be "Tillcash.desktop", which no menu entry is.
    const inside = JSON.parse(readFileSync(path.join(packed.app, "package.json"), "utf8"));
    expect(inside.desktopName).toBe("tillcash.desktop");
    await run("dpkg-deb", ["--extract", deb, path.join(work, "deb")]);
    const entry = readFileSync(path.join(work, "deb/usr/share/applications", inside.desktopName), "utf8");
    expect(entry).toMatch(/^StartupWMClass=tillcash$/m);
  });

  test.for([
    ["lets programs make namespaces", 0, 0o755],
    ["lets none", 1, 0o4755],
  ] as const)(
    "whose installation brings the sandbox's condition where the system %s",
    async ([, unshare, mode], context) => {
      const { deb } = packed;
      if (deb === null) return context.skip("dpkg-deb is not installed");
      const system = mkdtempSync(path.join(work, "sandbox-"));
      await run("dpkg-deb", ["--extract", deb, system]);
      await run("dpkg-deb", ["--control", deb, path.join(system, "control")]);
      const script = path.join(system, "control/postinst");
      writeFileSync(script, readFileSync(script, "utf8").replaceAll(/(?<=['"])\/(?=etc|usr|opt)/g, `${system}/`));
      for (const folder of ["etc/apparmor.d", "usr/bin", "tools"])
        mkdirSync(path.join(system, folder), { recursive: true });
      for (const name of ["chmod", "cp", "ln"]) symlinkSync(`/bin/${name}`, path.join(system, "tools", name));
      const answers = { unshare, apparmor_status: 0, apparmor_parser: 0 };
      for (const [name, code] of Object.entries(answers))
        writeFileSync(path.join(system, "tools", name), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
      await run("/bin/bash", [script, "configure"], { env: { PATH: path.join(system, "tools") } });
      expect(statSync(path.join(system, "opt/Tillcash/chrome-sandbox")).mode & 0o7777).toBe(mode);
      const profile = readFileSync(path.join(system, "etc/apparmor.d/tillcash"), "utf8");
      expect(profile).toMatch(/^profile "tillcash" "\/opt\/Tillcash\/tillcash" .*\n {2}userns,$/m);
    },
  );

  test("an AppImage without a sandbox is told so by its start script, and refuses", async () => {
    const { generateAppRunScript } = require("app-builder-lib/out/targets/appimage/appImageUtil.js");
    const folder = mkdtempSync(path.join(work, "apprun-"));
    const start = path.join(folder, "AppRun");
    writeFileSync(start, generateAppRunScript({ ExecutableName: "tillcash", ProductName: "Tillcash" }));
    writeFileSync(path.join(folder, "tillcash"), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const refusalWhere = async (unshare: number) => {
      writeFileSync(path.join(folder, "unshare"), `#!/bin/sh\nexit ${unshare}\n`, { mode: 0o755 });
      const { stdout } = await run("/bin/bash", [start, "--training"], { env: { APPDIR: folder, PATH: folder } });
      return switchRefusal({ hasSwitch: (name) => stdout.trim().split(" ").includes(`--${name}`) });
    };
    expect([await refusalWhere(0), await refusalWhere(1)]).toEqual([null, noSandboxText]);
  });

  test("whose removal leaves the journal and says where it is; an upgrade says nothing", async (context) => {
    const { deb } = packed;
    if (deb === null) return context.skip("dpkg-deb is not installed");
    const system = mkdtempSync(path.join(work, "system-"));
    const journal = path.join(system, "home/ann/.local/state/tillcash/journal.db");
    mkdirSync(path.dirname(journal), { recursive: true });
    writeFileSync(journal, "open withdrawals");
    await run("dpkg-deb", ["--control", deb, path.join(system, "control")]);
    const script = path.join(system, "control/postrm");
    const text = readFileSync(script, "utf8");
    // In a folder that stands for the system, and with no program of it that could be called.
    writeFileSync(script, text.replaceAll(/(?<=['"])\/(?=etc|usr|opt)/g, `${system}/`));
    const env = { PATH: path.join(system, "usr/bin"), HOME: path.join(system, "home/ann") };
    const remove = async (how: string) => (await run("/bin/bash", [script, how], { env })).stdout;
    expect(await remove("upgrade")).toBe("");
    for (const how of ["remove", "purge"]) expect(await remove(how)).toContain("~/.local/state/tillcash");
    expect(readFileSync(journal, "utf8")).toBe("open withdrawals");
    const theirs = require.resolve("app-builder-lib/templates/linux/after-remove.tpl");
    const ours = readFileSync(path.join(root, "resources/linux/after-remove.tpl"), "utf8");
    expect(ours.startsWith(readFileSync(theirs, "utf8"))).toBe(true);
  });

  test("comes with a feed that a terminal believes once it is signed", async (context) => {
    const { deb } = packed;
    if (deb === null) return context.skip("dpkg-deb is not installed");
    const configured = readFileSync(path.join(packed.unpacked, "resources", "app-update.yml"), "utf8");
    expect(parse(configured)).toEqual({
      provider: "generic",
      url: releaseFeedFile.url,
      updaterCacheDirName: "tillcash-updater",
    });
    const dist = path.dirname(deb);
    const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
    const key = path.join(work, "feed.pem");
    const release = releaseFeedOf({ url: releaseFeedFile.url, keys: [makeFeedKey(key)] });
    const privateKey = readFileSync(key, "utf8");
    const nowMs = Date.now();
    expect(await signFeeds(dist, { release, privateKey, version, nowMs })).toEqual([
      "latest-linux.yml",
      "beta-linux.yml",
    ]);
    const feed = readFileSync(path.join(dist, "latest-linux.yml"), "utf8");
    const known = { keys: release?.keys ?? [], feed: "latest-linux", seenMs: null, nowMs, parse };
    expect(readFeed(feed, known)).toMatchObject({
      kind: "trusted",
      feed: { version, files: [{ url: path.basename(deb) }] },
    });
  });

  test("its desktop program, its preload script and its page load from inside the archive", async () => {
    const hosts = path.join(import.meta.dirname, "hosts");
    const hooks = ["from-asar.ts", "stage.ts"].flatMap((file) => ["--import", path.join(hosts, file)]);
    const data = mkdtempSync(path.join(work, "data-"));
    const args = [...hooks, path.join(hosts, "desktop-play.ts"), path.join(packed.asar, "out"), data];
    const { stdout } = await run(process.execPath, args, {
      env: { ...process.env, FAKE_PACKAGED: "1", ASAR: packed.asar },
    });
    const seen = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    expect(seen).toMatchObject({
      end: "exit 0",
      page: { page: { status: 200, isPage: true } },
      preload: { exposed: ["till"] },
      customerDisplay: { isPage: true },
    });
  });

  test("its service starts from inside the archive, answers, brings its pages along and stops", async () => {
    const service = await startPacked("service.js", ["--sandbox"], /^service listening on (http:\S+)/);
    for (const page of ["/healthz", "/readyz", "/openapi.json", "/docs", "/sandbox"]) {
      expect((await fetch(service.address + page)).status, page).toBe(200);
    }
    expect(await service.stop()).toBe(0);
  });
});

/** Runs one of the programs from inside the archive, on plain Node. */
const startPacked = (name: string, args: readonly string[], ready: RegExp): Promise<Child> =>
  startChild(path.join(import.meta.dirname, "hosts/from-asar.ts"), {
    args,
    env: { ...serviceEnv(), ASAR: packed.asar, ASAR_ENTRY: `out/main/${name}` },
    ready,
  });
const serviceEnv = () => ({
  PORT: "0",
  DATABASE_URL: `sqlite:${path.join(work, "service.db")}`,
  LOG_LEVEL: "warn",
});
