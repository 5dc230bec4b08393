import { expect, test } from "vitest";
import { liesInProgram, usualDataFolder } from "../../../main/electron/data-folder.ts";

const roaming = "C:\\Users\\ann\\AppData\\Roaming\\Tillcash";
const local = "C:\\Users\\ann\\AppData\\Local\\Tillcash";
const support = "/Users/ann/Library/Application Support/Tillcash";
const config = "/home/ann/.config/Tillcash";
const state = "/home/ann/.local/state/tillcash";

/** [platform, environment, Electron's choice, folders with a journal, the terminal's choice] */
test.each<[NodeJS.Platform, Record<string, string>, string, readonly string[], string]>([
  ["win32", { LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local" }, roaming, [], local],
  ["win32", { LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local" }, roaming, [roaming], roaming],
  ["win32", { LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local" }, roaming, [roaming, local], local],
  ["win32", {}, roaming, [], roaming],
  ["linux", {}, config, [], state],
  ["linux", { XDG_STATE_HOME: "/var/till" }, config, [], "/var/till/tillcash"],
  ["linux", { XDG_STATE_HOME: "relative" }, config, [], state],
  ["linux", {}, config, [config], config],
  ["linux", { XDG_STATE_HOME: "/var/till" }, config, [config], config],
  // The start before was another session's, whose surroundings did not name one.
  ["linux", { XDG_STATE_HOME: "/var/till" }, config, [state], state],
  ["linux", { XDG_STATE_HOME: "/var/till" }, config, [state, config], state],
  ["linux", { XDG_STATE_HOME: "/var/till" }, config, [state, "/var/till/tillcash"], "/var/till/tillcash"],
  ["darwin", {}, support, [], support],
])("%s with %j, Electron's %s and journals in %j: %s", (platform, env, userData, journals, expected) => {
  const hasJournal = (folder: string): boolean => journals.includes(folder);
  expect(usualDataFolder({ platform, env, home: "/home/ann", userData, hasJournal })).toBe(expected);
});

test.each([
  ["win32", "C:\\Users\\ann\\AppData\\Local\\Tillcash\\Tillcash.exe", "C:\\Users\\ann\\AppData\\Local\\tillcash", true],
  ["win32", "C:\\Program Files\\Tillcash\\Tillcash.exe", "C:\\Program Files\\Tillcash\\data", true],
  ["win32", "C:\\Program Files\\Tillcash\\Tillcash.exe", "D:\\till", false],
  [
    "win32",
    "C:\\Users\\ann\\AppData\\Local\\Programs\\Tillcash\\Tillcash.exe",
    "C:\\Users\\ann\\AppData\\Local\\Tillcash",
    false,
  ],
  ["linux", "/home/ann/tillcash-1.0.0/tillcash", "/home/ann/tillcash-1.0.0/till", true],
  ["linux", "/home/ann/tillcash-1.0.0/tillcash", "/home/ann/tillcash-1.0.0-data", false],
  ["darwin", "/Applications/Tillcash.app/Contents/MacOS/Tillcash", "/Applications/Tillcash.app/Contents/till", true],
  ["darwin", "/Applications/Tillcash.app/Contents/MacOS/Tillcash", "/Users/ann/till", false],
] as const)("on %s the program %s may not keep its data in %s: %s", (platform, program, folder, lies) => {
  expect(liesInProgram(folder, program, platform)).toBe(lies);
});
