/** What the desktop program makes of its command line. */
import { describe, expect, test } from "vitest";
import { readDesktopFlags, switchRefusal } from "../../../main/electron/command-line.ts";

describe("flags", () => {
  const none = { training: false, check: false, data: undefined, allowSandbox: false, allowPlainHttp: false };
  test.each<[string, readonly string[], boolean, ReturnType<typeof readDesktopFlags>]>([
    ["none", ["tillcash"], true, none],
    ["training", ["tillcash", "--training"], true, { ...none, training: true }],
    ["the check of itself", ["tillcash", "--check"], true, { ...none, check: true }],
    ["a data folder", ["tillcash", "--data", "/srv/till"], true, { ...none, data: "/srv/till" }],
    ["a data folder without a name", ["tillcash", "--data"], true, { ...none, data: "" }],
    ["training with a value is no flag of ours", ["tillcash", "--training=no"], true, none],
    ["Chromium's own are left alone", ["tillcash", "--disable-gpu", "--training"], true, { ...none, training: true }],
    ["in development the app's folder comes first", ["electron", "--training", "."], false, none],
    ["in development, after the folder", ["electron", ".", "--training"], false, { ...none, training: true }],
    ["a sandbox, for developers", ["electron", ".", "--allow-sandbox"], false, { ...none, allowSandbox: true }],
    ["a sandbox, in an installed program", ["tillcash", "--allow-sandbox"], true, none],
    ["plain http, for developers", ["electron", ".", "--allow-plain-http"], false, { ...none, allowPlainHttp: true }],
    ["plain http, in an installed program", ["tillcash", "--allow-plain-http"], true, none],
  ])("%s", (_, argv, isPackaged, flags) => {
    expect(readDesktopFlags(argv, isPackaged)).toEqual(flags);
  });
});

test.each(["remote-debugging-port", "remote-debugging-pipe", "remote-allow-origins", "js-flags"])(
  "--%s would open the page to whoever started the program",
  (name) => {
    expect(switchRefusal({ hasSwitch: (asked) => asked === name })).toBe(`Tillcash does not start with --${name}.`);
  },
);

test("any other switch of Chromium is no debugging", () => {
  expect(switchRefusal({ hasSwitch: (asked) => asked === "disable-gpu" })).toBeNull();
});
