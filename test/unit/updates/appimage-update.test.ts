/** One update for real, as far as a machine without Electron can: electron-updater's own code puts an AppImage in place and starts it. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { signedFeed } from "./feed-server.ts";
import { openSourceStage, type SourceStage, textOf } from "./source-stage.ts";

let stage: SourceStage;
beforeEach(async () => {
  stage = await openSourceStage();
});
afterEach(() => stage.close());

/** A program that says that it was started. */
const program = (version: string): string => `#!/bin/sh\nprintf ${version} > "$(dirname "$0")/started"\n`;

test.runIf(process.platform === "linux")("a version is fetched, put in place and started", async () => {
  const { server, keys, source, updater, folder } = stage;
  writeFileSync(stage.program, program("0.1.0"));
  chmodSync(stage.program, 0o755);
  server.files.set("latest-linux.yml", signedFeed(program("0.2.0"), keys.privateKey));
  server.files.set("Tillcash-0.2.0.AppImage", program("0.2.0"));
  expect(await source.check("latest")).toEqual({ kind: "found", version: "0.2.0" });
  const fetched = await source.fetch(() => undefined);
  expect(await source.matchesChecksum(fetched)).toBe(true);
  expect(updater.install(true, true)).toBe(true);
  expect(textOf(stage.program)).toBe(program("0.2.0"));
  const started = path.join(folder, "started");
  await expect.poll(() => existsSync(started) && readFileSync(started, "utf8")).toBe("0.2.0");
});
