/** The built desktop program in its first starts after an update, on the stand-in for Electron. */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { desktopProgram } from "./desktop-program.ts";

const { newFolder, out, play } = desktopProgram();

/** The stand-in calls itself version 0.0.0. */
const question = "asked: Tillcash 0.0.0 did not start properly.";
const [back, proceed] = ["0", "1"];

/** A folder in which version 0.0.0 was just installed over 0.1.0 and started so often. */
const afterUpdate = (starts: number, previous: object | null = null): string => {
  const data = newFolder();
  const attempt = { from: "0.1.0", to: "0.0.0", starts, previous, next: null };
  writeFileSync(path.join(data, "update.json"), JSON.stringify({ seen: {}, failed: [], installer: null, attempt }));
  return data;
};
const recordIn = (data: string) => JSON.parse(readFileSync(path.join(data, "update.json"), "utf8"));

test("a version that did not get going twice offers the one before; whoever goes back is not asked for it again", async () => {
  const data = afterUpdate(2);
  const seen = await play(data, [], { FAKE_ANSWERS: back });
  const calls = seen.calls as string[];
  expect(calls).toContain(question);
  expect(calls.slice(-2)).toEqual(["lock released", "exit 0"]);
  expect(calls).not.toContain("show");
  expect(recordIn(data)).toMatchObject({ attempt: null, failed: ["0.0.0"] });
});

test.runIf(process.platform === "linux")("a way back that comes to nothing is offered again", async () => {
  const data = afterUpdate(2, { version: "0.1.0", file: "/nowhere/Tillcash-0.1.0.AppImage", sha512: "" });
  const env = { FAKE_ANSWERS: back, FAKE_PACKAGED: "1", APPIMAGE: path.join(data, "Tillcash.AppImage") };
  const seen = await play(data, [], env);
  expect(seen.calls).toContainEqual(expect.stringContaining("Version 0.1.0 could not be brought back"));
  expect(recordIn(data)).toMatchObject({ attempt: { to: "0.0.0", starts: 3 }, failed: [] });
});

test("whoever tries again gets the terminal, and is asked again next time", async () => {
  const data = afterUpdate(2);
  const seen = await play(data, [], { FAKE_ANSWERS: proceed });
  expect(seen.calls).toEqual(expect.arrayContaining([question, "show"]));
  expect(recordIn(data).attempt.starts).toBe(3);
});

test("a version whose program does not load offers the one before at once", async () => {
  const broken = newFolder();
  cpSync(out(), broken, { recursive: true });
  const entry = readFileSync(path.join(broken, "main", "index.js"), "utf8");
  const [, rest = ""] = /import\("\.\/(chunks\/[^"]+)"\)/.exec(entry) ?? [];
  rmSync(path.join(broken, "main", rest));
  const data = afterUpdate(0);
  const seen = await play(data, [], { FAKE_ANSWERS: back }, broken);
  expect((seen.calls as string[]).slice(-3)).toEqual([question, "lock released", "exit 1"]);
  expect(recordIn(data)).toMatchObject({ attempt: null, failed: ["0.0.0"] });

  // Without an update before it there is nothing to go back to, and the error is said.
  const plain = await play(newFolder(), [], {}, broken);
  expect((plain.calls as string[]).at(-2)).toMatch(/^error: Tillcash cannot start: Cannot find module/);
});
