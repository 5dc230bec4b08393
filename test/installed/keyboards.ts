/** The system's own way to press keys in the window in front; nothing to install but `xdotool` on Linux. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { shortcuts } from "../../renderer/ui/shortcuts.ts";
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

/** macOS presses function keys by their numbers; `shortcuts.ts` says which one it is. */
const macKeyCodes: Readonly<Record<(typeof shortcuts.mainDeliberate)[0], number>> = { F9: 101 };
const [mainKey] = shortcuts.mainDeliberate;

/** Transaction ids are letters and digits, which no program below takes for anything else. */
const keys: Readonly<Record<Platform, { scan(text: string): readonly string[][]; pressMain: readonly string[] }>> = {
  linux: {
    scan: (text) => [
      ["xdotool", "type", "--delay", "5", text],
      ["xdotool", "key", "Return"],
    ],
    pressMain: ["xdotool", "key", mainKey],
  },
  win32: { scan: (text) => [[...powerShell(`${text}{ENTER}`)]], pressMain: powerShell(`{${mainKey}}`) },
  darwin: {
    scan: (text) => [[...appleScript(`keystroke "${text}" & return`)]],
    pressMain: appleScript(`key code ${macKeyCodes[mainKey]}`),
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
