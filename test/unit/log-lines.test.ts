/** What becomes of a line of the log for each answer of the system, and which fields never stand in one. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

const system = vi.hoisted(() => ({
  written: "",
  /** What it says to the writes to come: an error's code, or how many bytes it takes; then it takes all. */
  answers: [] as (string | number)[],
  /** The writes that it has not answered yet, where it is slow. */
  held: null as (() => void)[] | null,
}));
vi.mock("node:fs", async (importActual) => {
  const take = (bytes: Buffer): number => {
    const answer = system.answers.shift() ?? bytes.length;
    if (typeof answer === "string") throw Object.assign(new Error(answer), { code: answer });
    system.written += bytes.subarray(0, answer).toString();
    return answer;
  };
  return {
    ...(await importActual<object>()),
    writeSync: (_: number, bytes: Buffer) => take(bytes),
    write(_: number, bytes: Buffer, done: (error: unknown, written: number) => void) {
      const answer = () => {
        try {
          done(null, take(bytes));
        } catch (error) {
          done(error, 0);
        }
      };
      if (system.held === null) answer();
      else system.held.push(answer);
    },
  };
});

// Other files of the same worker have loaded the log with the system's own, and are to load it so again.
let createLog: typeof import("../../backend/log.ts").createLog;
let createLogStream: typeof import("../../backend/log.ts").createLogStream;
beforeAll(async () => {
  vi.resetModules();
  ({ createLog, createLogStream } = await import("../../backend/log.ts"));
});
afterAll(() => {
  vi.resetModules();
});
beforeEach(() => {
  system.written = "";
  system.answers = [];
  system.held = null;
});
const lost = (lines: number) => `${JSON.stringify({ level: "error", lines, msg: "log lines were lost" })}\n`;

test.each<[string, (string | number)[], string]>([
  ["takes all", [], "a\nb\nc\n"],
  ["takes a part at a time", [1, 1], "a\nb\nc\n"],
  ["is busy (EAGAIN)", ["EAGAIN"], "a\nb\nc\n"],
  ["is busy (EBUSY)", ["EBUSY"], "a\nb\nc\n"],
  ["is busy twice", ["EAGAIN", "EAGAIN"], "a\nb\nc\n"],
  ["has no room (ENOSPC)", ["ENOSPC"], `${lost(1)}b\nc\n`],
  ["has no room for two lines (ENOSPC)", ["ENOSPC", "ENOSPC"], `${lost(2)}c\n`],
  ["fails (EIO)", ["EIO"], `${lost(1)}b\nc\n`],
  ["has no reader any more (EPIPE)", ["EPIPE"], ""],
  ["has no such file open (EBADF)", ["EBADF"], ""],
])("three lines where the system %s", (_, answers, written) => {
  system.answers = answers;
  const log = createLogStream(2);
  for (const line of ["a\n", "b\n", "c\n"]) log.write(line);
  expect(system.written).toBe(written);
});

test.each<[string, (string | number)[], string]>([
  ["takes all", [], "a\n"],
  ["takes a part at a time", [1], "a\n"],
  ["is busy 49 times", Array.from({ length: 49 }, () => "EAGAIN"), "a\n"],
  ["is busy without end", Array.from({ length: 1000 }, () => "EAGAIN"), ""],
  ["has no reader any more", ["EPIPE"], ""],
])("a flush before the end where the system %s", (_, answers, written) => {
  system.answers = ["EAGAIN", ...answers];
  const log = createLogStream(2);
  log.write("a\n");
  log.flushSync();
  expect(system.written).toBe(written);
});

test("of lines that nobody takes 4 MiB wait, and those after them are counted", () => {
  system.held = [];
  const log = createLogStream(2);
  const line = `${"x".repeat(1024 * 1024 - 1)}\n`;
  log.write("first\n");
  for (let each = 0; each < 4; each += 1) log.write(line);
  log.write("one too many\n");
  log.write("and another\n");
  for (let held = system.held.shift(); held !== undefined; held = system.held.shift()) held();
  expect(system.written.length).toBe("first\n".length + 4 * line.length);
  system.held = null;
  log.write("there is room again\n");
  expect(system.written.slice("first\n".length + 4 * line.length)).toBe(`${lost(2)}there is room again\n`);
});

describe("a log's line", () => {
  const lineOf = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const said: string[] = [];
    createLog("info", { write: (line) => void said.push(line) }).info(fields, "said");
    return JSON.parse(said.join(""));
  };

  test.each(["user_id", "userId", "balance", "password", "secret", "access_token", "token", "authorization"])(
    "never has a %s, nor has what is in it",
    (name) => {
      const said = lineOf({ [name]: "hidden", body: { [name]: "hidden", amount: 5 } });
      expect(said).toMatchObject({ [name]: "[redacted]", body: { [name]: "[redacted]", amount: 5 } });
    },
  );

  test("has of an error its kind, code, words and place, its cause, and nothing that a database quotes", () => {
    // Libraries set it to 0 for their own errors; one in the same worker may have left it so.
    Error.stackTraceLimit = 10;
    const cause = Object.assign(new TypeError("below"), { detail: "Key (user_id)=(anna)" });
    const err = Object.assign(new Error("above", { cause }), { code: "23505", detail: "Key (user_id)=(anna)" });
    const said = lineOf({ err });
    expect(said).toMatchObject({
      level: "info",
      msg: "said",
      err: { type: "Error", message: "above", code: "23505", cause: { type: "TypeError", message: "below" } },
    });
    expect(JSON.stringify(said)).not.toContain("(anna)");
    expect((said.err as { stack: string }).stack).toContain("log-lines.test");
  });

  test.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["info", ["info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["error", ["error"]],
  ] as const)("at the level %s is of one of %j", (level, levels) => {
    const said: string[] = [];
    const log = createLog(level, { write: (line) => void said.push(JSON.parse(line).level) });
    for (const each of ["debug", "info", "warn", "error"] as const) log[each]({}, "said");
    expect(said).toEqual(levels);
  });
});
