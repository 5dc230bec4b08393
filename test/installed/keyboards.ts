/** The system's own way to press keys in the window in front; nothing to install but `xdotool` on Linux. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Platform } from "../../tools/release/installers.ts";
import type { Keyboard } from "../e2e/stage/play-by-keyboard.ts";

const run = promisify(execFile);

const powerShell = (keys: string): readonly string[] => [
  "powershell",
  "-NoProfile",
  "-Command",
  `Add-Type -AssemblyName System.Windows.Forms; [System.Windows.Forms.SendKeys]::SendWait('${keys}')`,
];
const appleScript = (line: string): readonly string[] => [
  "osascript",
  "-e",
  `tell application "System Events" to ${line}`,
];

/** Transaction ids are letters and digits, which no program below takes for anything else. */
const keys: Readonly<Record<Platform, { scan(text: string): readonly string[][]; pressMain: readonly string[] }>> = {
  linux: {
    scan: (text) => [
      ["xdotool", "type", "--delay", "5", text],
      ["xdotool", "key", "Return"],
    ],
    pressMain: ["xdotool", "key", "F9"],
  },
  win32: { scan: (text) => [[...powerShell(`${text}{ENTER}`)]], pressMain: powerShell("{F9}") },
  darwin: {
    scan: (text) => [[...appleScript(`keystroke "${text}" & return`)]],
    // 101 is F9.
    pressMain: appleScript("key code 101"),
  },
};

/** The keyboard of a platform; each press is a program that is run. */
export const systemKeyboard = (platform: Platform): Keyboard => {
  const press = async ([program = "", ...args]: readonly string[]): Promise<void> => {
    await run(program, args);
  };
  return {
    async scan(text) {
      for (const command of keys[platform].scan(text)) await press(command);
    },
    pressMain: () => press(keys[platform].pressMain),
  };
};
