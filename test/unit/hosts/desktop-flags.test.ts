/** What the desktop program makes of its command line. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  isOnWayland,
  isOwnAppImage,
  readDesktopFlags,
  switchRefusal,
  x11Switch,
} from "../../../main/electron/desktop-flags.ts";

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

test.each([
  "remote-debugging-port",
  "remote-debugging-pipe",
  "remote-allow-origins",
  "js-flags",
  "disable-web-security",
  // sandbox/policy/switches.cc and content/public/common/content_switches.cc of Chromium.
  "disable-gpu-sandbox",
  "disable-seccomp-filter-sandbox",
  "no-zygote-sandbox",
  "renderer-cmd-prefix",
  "single-process",
])("--%s would open the page, or the sandbox around it, to whoever started the program", (name) => {
  expect(switchRefusal({ hasSwitch: (asked) => asked === name || asked === "no-sandbox" })).toBe(
    `Tillcash does not start with --${name}.`,
  );
});

test("any other switch of Chromium is no debugging", () => {
  expect(switchRefusal({ hasSwitch: (asked) => asked === "disable-gpu" })).toBeNull();
});

test("a start without the sandbox says what to do", () => {
  expect(switchRefusal({ hasSwitch: (asked) => asked === "no-sandbox" })).toMatch(/sandbox/);
});

test("an AppImage is this program's where it runs from what that one has mounted", () => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "tillcash-appimage-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, "mounted"));
  symlinkSync(path.join(folder, "mounted"), path.join(folder, "link"));
  const program = path.join(folder, "mounted", "tillcash");
  const isOwn = (APPDIR: string | undefined) => isOwnAppImage({ APPDIR }, program);
  expect(isOwn(undefined)).toBe(true);
  expect(["mounted", "link", "mount", "nowhere"].map((name) => isOwn(path.join(folder, name)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

describe("the window system", () => {
  const wayland = { XDG_SESSION_TYPE: "wayland", WAYLAND_DISPLAY: "wayland-0" };
  const x11 = "--ozone-platform=x11";
  // docs/breaking-changes.md of Electron 38: Wayland by the session's type; no variable chooses any more, the switch does.
  test.each<[string, NodeJS.Platform, Record<string, string>, string | null, boolean, string | null]>([
    ["X11", "linux", { XDG_SESSION_TYPE: "x11", DISPLAY: ":0" }, null, false, null],
    ["a bare X server", "linux", { DISPLAY: ":99" }, null, false, null],
    ["Wayland with XWayland", "linux", { ...wayland, DISPLAY: ":0" }, null, true, x11],
    ["Wayland by its type alone", "linux", { XDG_SESSION_TYPE: "wayland", DISPLAY: ":0" }, null, true, x11],
    ["Wayland by its socket alone", "linux", { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" }, null, true, x11],
    ["Wayland without XWayland", "linux", wayland, null, true, null],
    ["Wayland, started again under X11", "linux", { ...wayland, DISPLAY: ":0" }, "x11", false, null],
    ["Wayland, asked for by a person", "linux", { ...wayland, DISPLAY: ":0" }, "wayland", true, null],
    [
      "a variable that Electron 38 dropped",
      "linux",
      { DISPLAY: ":0", ELECTRON_OZONE_PLATFORM_HINT: "wayland" },
      null,
      false,
      null,
    ],
    ["Windows with such variables", "win32", { ...wayland, DISPLAY: ":0" }, null, false, null],
    ["macOS with an X server", "darwin", { ...wayland, DISPLAY: ":0" }, null, false, null],
  ])("%s", (_, platform, env, chosen, isWayland, next) => {
    const commandLine = {
      hasSwitch: (name: string) => name === "ozone-platform" && chosen !== null,
      getSwitchValue: (name: string) => (name === "ozone-platform" ? (chosen ?? "") : ""),
    };
    expect(isOnWayland({ platform, env, commandLine })).toBe(isWayland);
    expect(x11Switch({ platform, env, commandLine })).toBe(next);
  });
});
