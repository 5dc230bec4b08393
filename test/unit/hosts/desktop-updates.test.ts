/** The built desktop program where a start fails, on the stand-in for Electron. */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { desktopProgram } from "./desktop-program.ts";

const { newFolder, out, play } = desktopProgram();

test("an installation that came to nothing is remembered by the start after it", async () => {
  const data = newFolder();
  const file = path.join(data, "update.json");
  writeFileSync(file, JSON.stringify({ seen: {}, failed: [], attempt: { to: "9.9.9" } }));
  expect((await play(data)).calls).toContain("show");
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ attempt: null, failed: ["9.9.9"] });
  // What waits for an update to be installed looks for this line, and so does support.
  expect(readFileSync(path.join(data, "till.log"), "utf8")).toContain('"the program started","version":"0.0.0"');
});

test("a program that does not load says so, and where to get help", async () => {
  const broken = newFolder();
  cpSync(out(), broken, { recursive: true });
  const entry = readFileSync(path.join(broken, "main", "index.js"), "utf8");
  const [, rest = ""] = /import\("\.\/(chunks\/[^"]+)"\)/.exec(entry) ?? [];
  rmSync(path.join(broken, "main", rest));
  const { calls } = (await play(newFolder(), [], {}, broken)) as { calls: string[] };
  expect(calls.at(-2)).toMatch(/^error: Tillcash cannot start: Cannot find module[\s\S]*Start Tillcash again\./);
  expect(calls.at(-1)).toBe("exit 1");
});
