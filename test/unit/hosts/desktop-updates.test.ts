/** The built desktop program after an update that came to nothing, on the stand-in for Electron. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { desktopProgram } from "./desktop-program.ts";

const { newFolder, play } = desktopProgram();

test("an installation that came to nothing is remembered by the start after it", async () => {
  const data = newFolder();
  const file = path.join(data, "update.json");
  writeFileSync(file, JSON.stringify({ seen: {}, failed: [], attempt: { to: "9.9.9" } }));
  expect((await play(data, [], { PLAY_START_ALONE: "1" })).calls).toContain("show");
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ attempt: null, failed: ["9.9.9"] });
  // What waits for an update to be installed looks for this line, and so does support.
  expect(readFileSync(path.join(data, "till.log"), "utf8")).toContain('"the program started","version":"0.0.0"');
});
