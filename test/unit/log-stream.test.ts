/** Log lines may be lost when nobody reads them; the service may not be. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs, { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { createLogStream } from "../../backend/log.ts";

const module = path.resolve(import.meta.dirname, "../../backend/log.ts");

/** Logs 1,000 lines to stderr, flushes on any word from stdin, and ends. */
const program = `
import { createLogStream } from ${JSON.stringify(module)};
const log = createLogStream(2);
process.stdin.once("data", () => {
  for (let line = 0; line < 1000; line += 1) log.write("line " + line + "\\n");
  log.flushSync();
  process.exit(7);
});
console.log("ready");
`;

const start = () => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "pipe" });
  return { child, exited: once(child, "exit") };
};

test("each line is written before the program ends", async () => {
  const { child, exited } = start();
  const written = text(child.stderr);
  child.stdin.write("go\n");
  expect((await exited)[0]).toBe(7);
  const lines = (await written).split("\n").filter((line) => line.startsWith("line "));
  expect(new Set(lines).size).toBe(1000);
});

test("a reader that is gone does not keep the program from ending", async () => {
  const { child, exited } = start();
  await once(child.stdout, "data");
  child.stderr.destroy();
  child.stdin.write("go\n");
  expect((await exited)[0]).toBe(7);
});

test("what waits is in the file after a flush, and so is soon what was on its way", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-log-"));
  const file = path.join(folder, "log");
  const handle = openSync(file, "a");
  const log = createLogStream(handle);
  log.write("first\n");
  log.write("second\n");
  log.flushSync();
  const lines = () => readFileSync(file, "utf8").split("\n");
  expect(lines()).toContain("second");
  await vi.waitFor(() => expect(lines().sort()).toEqual(["", "first", "second"]), { timeout: 10_000 });
  closeSync(handle);
  rmSync(folder, { recursive: true });
});

/** From now on the system's answers to writes are told, after the log has heard them. */
const answers = () => {
  const [told, { write }] = [vi.fn(), fs];
  const watched = (file: number, bytes: Buffer, done: (error: unknown, written: number) => void) =>
    write(file, bytes, (error, written) => {
      done(error, written);
      told(error);
    });
  const spy = vi.spyOn(fs, "write").mockImplementation(watched as typeof fs.write);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return told;
};

test.skipIf(!existsSync("/dev/full"))(
  "a disk that was full: the lines are counted, and it goes on when there is room",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "tillcash-log-"));
    const file = path.join(folder, "log");
    const descriptor = openSync("/dev/full", "w");
    const [log, told] = [createLogStream(descriptor), answers()];
    log.write("lost 1\nlost 2\n");
    // In its own time: on a busy machine later than one likes to wait.
    await expect.poll(() => told.mock.calls).toMatchObject([[{ code: "ENOSPC" }]]);
    closeSync(descriptor);
    // The lowest free number: on a disk with room the same one, once those are taken that something else has freed meanwhile.
    const opened = [openSync(file, "a")];
    while ((opened[0] ?? descriptor) < descriptor) opened.unshift(openSync(file, "a"));
    expect(opened[0]).toBe(descriptor);
    log.write("kept ü\n");
    log.flushSync();
    const lines = await vi.waitFor(() => {
      const read = readFileSync(file, "utf8").split("\n");
      expect(read).toHaveLength(3);
      return read;
    }, 10_000);
    opened.forEach(closeSync);
    rmSync(folder, { recursive: true });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "error", lines: 2 });
    expect(lines.slice(1)).toEqual(["kept ü", ""]);
  },
);
