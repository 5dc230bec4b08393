/** One update for real, as far as a machine without Electron can: an AppImage is exchanged by electron-updater's own code, and starts. */
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keepVersions } from "../../../main/electron/updates/kept-versions.ts";
import { rollBack, rollbackOf } from "../../../main/electron/updates/rollback.ts";
import { signedFeed } from "./feed-server.ts";
import { openSourceStage, type SourceStage, textOf } from "./source-stage.ts";

let stage: SourceStage;
beforeEach(async () => {
  stage = await openSourceStage();
});
afterEach(() => stage.close());

const started = (): string => path.join(stage.folder, "started");
/** A program that says that it was started. */
const program = (version: string): string => `#!/bin/sh\nprintf ${version} > "$(dirname "$0")/started"\n`;
const hasStarted = (version: string) =>
  expect.poll(() => existsSync(started()) && readFileSync(started(), "utf8"), { timeout: 10_000 }).toBe(version);

test.runIf(process.platform === "linux")("a version is fetched, put in place, started, and taken back", async () => {
  const { server, keys, source, file, updater, folder } = stage;
  writeFileSync(stage.program, program("0.1.0"));
  chmodSync(stage.program, 0o755);
  server.files.set("latest-linux.yml", signedFeed(program("0.2.0"), keys.privateKey));
  server.files.set("Tillcash-0.2.0.AppImage", program("0.2.0"));
  expect(await source.check("latest")).toEqual({ kind: "found", version: "0.2.0" });
  const fetched = await source.fetch(() => undefined);
  const installed = {
    kind: "appimage",
    version: "0.1.0",
    program: stage.program,
    env: process.env,
    data: folder,
  } as const;
  const { previous } = await keepVersions(installed, file, () => undefined)(fetched);
  expect(await source.isWhole(fetched)).toBe(true);

  expect(updater.install(true, true)).toBe(true);
  expect(textOf(stage.program)).toBe(program("0.2.0"));
  await hasStarted("0.2.0");

  if (previous === null) return expect.unreachable();
  await rollBack(rollbackOf("appimage", previous, stage.program), previous, () => undefined);
  expect(textOf(stage.program)).toBe(program("0.1.0"));
  await hasStarted("0.1.0");
});

const fetchNext = async () => {
  const { server, keys, source } = stage;
  server.files.set("latest-linux.yml", signedFeed(program("0.2.0"), keys.privateKey));
  server.files.set("Tillcash-0.2.0.AppImage", program("0.2.0"));
  await source.check("latest");
  return source.fetch(() => undefined);
};

test.runIf(process.platform === "linux")("a program that cannot be exchanged stays where it is", async () => {
  const { file } = await fetchNext();
  rmSync(file);
  expect(stage.updater.install(true, true)).toBe(false);
  expect(textOf(stage.program)).toBe("version 0.1.0");
  expect(readdirSync(stage.folder).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test.runIf(process.platform === "linux")("a program keeps its name, so that what starts it finds it", async () => {
  const named = path.join(stage.folder, "Tillcash-0.1.0.AppImage");
  renameSync(stage.program, named);
  process.env.APPIMAGE = named;
  await fetchNext();
  expect(stage.updater.install(true, true)).toBe(true);
  expect(textOf(named)).toBe(program("0.2.0"));
  await hasStarted("0.2.0");
});

test.runIf(process.platform === "linux")(
  "a program that the system does not start is an error of the update, which comes back",
  async () => {
    const next = "#!/nowhere/interpreter\n";
    stage.server.files.set("latest-linux.yml", signedFeed(next, stage.keys.privateKey));
    stage.server.files.set("Tillcash-0.2.0.AppImage", next);
    await stage.source.check("latest");
    await stage.source.fetch(() => undefined);
    const failed = new Promise<Error>((resolve) => stage.updater.once("error", resolve));
    stage.updater.install(true, true);
    expect((await failed).message).toMatch(/spawn/);
  },
);
