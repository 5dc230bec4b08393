/** What `npm test` counts: nothing that failed may look as if it had passed, and nothing may vanish. */

import path from "node:path";
import { describe, expect, test } from "vitest";
import { add, countPlaywright, countProgram, countVitest, nothing, slowest, summary } from "../../runner/count.ts";
import { root } from "../../runner/run-program.ts";

const assertion = (status: string, fullName = status) => ({ status, fullName, failureMessages: [`${status}!`] });
const file = (status: string, statuses: readonly string[], message = "") => ({
  name: path.join(root, "a.test.ts"),
  startTime: 1_000,
  endTime: 3_500,
  status,
  message,
  assertionResults: statuses.map((one) => assertion(one)),
});
const vitest = (...testResults: object[]) => JSON.stringify({ testResults });

describe("vitest", () => {
  test.each<[string, string | null, number | null, string]>([
    ["passed", vitest(file("passed", ["passed", "passed"])), 0, "2 passed, 0 failed"],
    ["failed", vitest(file("failed", ["passed", "failed"])), 1, "1 passed, 1 failed"],
    ["skipped", vitest(file("passed", ["passed", "skipped", "pending", "todo"])), 0, "1 passed, 0 failed, 3 skipped"],
    ["a file that cannot be loaded", vitest(file("failed", []), file("passed", ["passed"])), 1, "1 passed, 1 failed"],
    ["a failing hook", vitest(file("failed", ["passed"])), 1, "1 passed, 1 failed"],
    ["an unhandled rejection", vitest(file("passed", ["passed"])), 1, "1 passed, 1 failed"],
    ["killed after its report", vitest(file("passed", ["passed"])), null, "1 passed, 1 failed"],
    ["no test at all", vitest(), 0, "0 passed, 1 failed"],
    ["no report", null, 0, "0 passed, 1 failed"],
    ["half a report", '{"testResults":[', 1, "0 passed, 1 failed"],
    ["another report", "[]", 0, "0 passed, 1 failed"],
  ])("%s", (_what, report, code, expected) => {
    const count = countVitest(report, code);
    expect(summary(count)).toBe(expected);
    expect(count.failures).toHaveLength(count.failed);
    expect(count.skips).toHaveLength(count.skipped);
  });
});

const outcome = (status: string, more: object = {}) => ({ projectName: "browser", status, ...more });
const spec = (...tests: object[]) => ({ title: "t", file: "a.spec.ts", tests });
const playwright = (specs: object[], more: object = {}) =>
  JSON.stringify({ suites: [{ suites: [{ specs }] }, { specs: [] }], ...more });

describe("playwright", () => {
  test.each<[string, string | null, number | null, string]>([
    ["passed in two projects", playwright([spec(outcome("expected"), outcome("expected"))]), 0, "2 passed, 0 failed"],
    ["failed", playwright([spec(outcome("unexpected"))]), 1, "0 passed, 1 failed"],
    ["passed when repeated", playwright([spec(outcome("flaky"))]), 0, "0 passed, 1 failed"],
    ["skipped", playwright([spec(outcome("skipped"), outcome("expected"))]), 0, "1 passed, 0 failed, 1 skipped"],
    ["a broken file", playwright([spec(outcome("expected"))], { errors: [{ message: "x" }] }), 1, "1 passed, 1 failed"],
    ["failed without a name", playwright([spec(outcome("expected"))]), 1, "1 passed, 1 failed"],
    ["no test at all", playwright([]), 0, "0 passed, 1 failed"],
    ["no report", null, 1, "0 passed, 1 failed"],
    ["half a report", "{", 0, "0 passed, 1 failed"],
  ])("%s", (_what, report, code, expected) => {
    const count = countPlaywright(report, code);
    expect(summary(count)).toBe(expected);
    expect(count.failures).toHaveLength(count.failed);
  });

  test("says why tests were skipped", () => {
    const annotations = [{ type: "skip", description: "Electron: there is no display" }];
    const count = countPlaywright(playwright([spec(outcome("skipped", { annotations }), outcome("expected"))]), 0);
    expect(count.skips).toEqual(["browser: Electron: there is no display"]);
  });
});

test("the slowest files come first, with what all of their tests took", () => {
  const run = (...durations: number[]) => outcome("expected", { results: durations.map((duration) => ({ duration })) });
  const other = { ...spec(run(500)), file: "b.spec.ts" };
  const played = add(
    countPlaywright(playwright([spec(run(2_000, 1_000)), other, spec(run(1_250))]), 0),
    countVitest(vitest(file("passed", ["passed"])), 0),
  );
  expect(slowest(played, 2)).toEqual(["    4.3 s  test/e2e/a.spec.ts", "    2.5 s  a.test.ts"]);
});

test("a program that is its own test counts one", () => {
  const count = add(add(nothing, countProgram("lint", 0, "")), countProgram("types", 2, "a.ts(1,1): error"));
  expect(summary(count)).toBe("1 passed, 1 failed");
  expect(count.failures).toEqual([{ name: "types", message: "a.ts(1,1): error" }]);
  expect(summary(countProgram("build", null, ""))).toBe("0 passed, 1 failed");
});
