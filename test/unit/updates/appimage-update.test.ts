/** One update for real, as far as a machine without Electron can: electron-updater's own code fetches an AppImage, and ours puts it in place. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { watchDisk } from "../../disk-calls.ts";
import { signedFeed } from "./feed-server.ts";
import { openSourceStage, type SourceStage, textOf } from "./source-stage.ts";

let stage: SourceStage;
beforeEach(async () => {
  stage = await openSourceStage();
  rmSync(stage.program);
});
afterEach(() => stage.close());

/** A program that says that it was started. */
const program = (version: string): string => `#!/bin/sh\nprintf ${version} > "$(dirname "$0")/started"\n`;

/** Version 0.1.0 runs from the file `name`, and 0.2.0 was fetched. */
const fetchNext = async (name: string) => {
  const { server, keys, source, folder } = stage;
  process.env.APPIMAGE = path.join(folder, name);
  writeFileSync(process.env.APPIMAGE, program("0.1.0"), { mode: 0o755 });
  server.files.set("latest-linux.yml", signedFeed(program("0.2.0"), keys.privateKey));
  server.files.set("Tillcash-0.2.0.AppImage", program("0.2.0"));
  expect(await source.check("latest")).toEqual({ kind: "found", version: "0.2.0" });
  return source.fetch(() => undefined);
};

/** The programs in the folder, by name. */
const programs = () =>
  Object.fromEntries(
    readdirSync(stage.folder)
      .filter((name) => name.includes("AppImage"))
      .map((name) => [name, textOf(path.join(stage.folder, name))]),
  );

describe.runIf(process.platform === "linux")("the version that was fetched", () => {
  test.each([
    ["Tillcash.AppImage", "Tillcash.AppImage"],
    ["Tillcash-0.1.0.AppImage", "Tillcash-0.2.0.AppImage"],
  ])("takes the place of %s, as %s, and is started", async (before, after) => {
    const fetched = await fetchNext(before);
    expect(await stage.source.matchesChecksum(fetched)).toBe(true);
    expect(stage.updater.install(true, true)).toBe(true);
    expect(programs()).toEqual({ [after]: program("0.2.0") });
    expect([process.env.APPIMAGE, existsSync(fetched.file)]).toEqual([path.join(stage.folder, after), false]);
    const started = path.join(stage.folder, "started");
    await expect.poll(() => existsSync(started) && readFileSync(started, "utf8")).toBe("0.2.0");
  });

  test.each([
    ["is gone by then", (file: string) => rmSync(file), () => false],
    ["has no room where the program lies", () => undefined, (call: string) => call === "sync Tillcash.AppImage.part"],
    ["cannot be put in its place", () => undefined, (call: string) => call.startsWith("rename ")],
  ])("leaves the program as it is where it %s", async (_, spoil, fails) => {
    const fetched = await fetchNext("Tillcash.AppImage");
    spoil(fetched.file);
    watchDisk(stage.folder, () => expect(stage.updater.install(true, true)).toBe(false), fails);
    expect(programs()).toEqual({ "Tillcash.AppImage": program("0.1.0") });
    expect(stage.log.at(-1)).toMatch(/^warn updater /);
  });

  test.each(["Tillcash-0.1.0.AppImage", "the download"])(
    "is what starts again where %s cannot be removed",
    async (what) => {
      const { file } = await fetchNext("Tillcash-0.1.0.AppImage");
      const left = path.relative(stage.folder, what === "the download" ? file : path.join(stage.folder, what));
      const install = () => expect(stage.updater.install(true, true)).toBe(false);
      watchDisk(stage.folder, install, (call) => call === `remove ${left}`);
      expect(textOf(process.env.APPIMAGE ?? "")).toBe(program("0.2.0"));
    },
  );
});
