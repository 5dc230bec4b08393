/** What the desktop program makes of its command line. */
import { describe, expect, test } from "vitest";
import { debuggingSwitch, readDesktopFlags } from "../../../main/electron/command-line.ts";

describe("flags", () => {
  test.each<[string, readonly string[], boolean, { training: boolean; data: string | undefined }]>([
    ["none", ["tillcash"], true, { training: false, data: undefined }],
    ["training", ["tillcash", "--training"], true, { training: true, data: undefined }],
    ["a data folder", ["tillcash", "--data", "/srv/till"], true, { training: false, data: "/srv/till" }],
    ["a data folder without a name", ["tillcash", "--data"], true, { training: false, data: undefined }],
    [
      "training with a value is no flag of ours",
      ["tillcash", "--training=no"],
      true,
      { training: false, data: undefined },
    ],
    [
      "Chromium's own are left alone",
      ["tillcash", "--disable-gpu", "--training"],
      true,
      { training: true, data: undefined },
    ],
    [
      "in development the app's folder comes first",
      ["electron", "--training", "."],
      false,
      { training: false, data: undefined },
    ],
    ["in development, after the folder", ["electron", ".", "--training"], false, { training: true, data: undefined }],
  ])("%s", (_, argv, isPackaged, flags) => {
    expect(readDesktopFlags(argv, isPackaged)).toEqual(flags);
  });
});

test.each(["remote-debugging-port", "remote-debugging-pipe", "remote-allow-origins", "js-flags"])(
  "--%s would open the page to whoever started the program",
  (name) => {
    expect(debuggingSwitch({ hasSwitch: (asked) => asked === name })).toBe(name);
  },
);

test("any other switch of Chromium is no debugging", () => {
  expect(debuggingSwitch({ hasSwitch: (asked) => asked === "disable-gpu" })).toBeNull();
});
