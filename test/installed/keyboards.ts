/** The system's own way to press keys in the window in front; nothing to install but `xdotool` on Linux. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { shortcuts } from "../../renderer/ui/shortcuts.ts";
import type { Platform } from "../../tools/release/installers.ts";
import type { Keyboard } from "../e2e/stage/play-by-keyboard.ts";

const run = promisify(execFile);

const powerShell = (script: string): readonly string[] => [
  "powershell",
  "-NoProfile",
  "-Command",
  `Add-Type -AssemblyName System.Windows.Forms; ${script}`,
];
/** As `SendKeys` reads it: what it takes for more than itself stands in braces. */
const sentKeys = (text: string): string => text.replace(/[+^%~(){}[\]]/g, "{$&}").replaceAll("'", "''");
const sendKeys = (keys: string): string => `[System.Windows.Forms.SendKeys]::SendWait('${keys}')`;
const appleScript = (line: string): readonly string[] => [
  "osascript",
  "-e",
  `tell application "System Events" to ${line}`,
];

/** Between two keys of a person; a scanner is faster. */
const personMs = 120;

/** macOS presses keys that type nothing by their numbers; `shortcuts.ts` says which one goes on. */
const macKeyCodes: Readonly<Record<(typeof shortcuts.mainDeliberate)[0] | "Tab" | "Enter" | "F8", number>> = {
  F8: 100,
  F9: 101,
  Tab: 48,
  Enter: 36,
};
const [mainKey] = shortcuts.mainDeliberate;

interface Keys {
  scan(text: string): readonly (readonly string[])[];
  type(text: string): readonly (readonly string[])[];
  press(key: keyof typeof macKeyCodes): readonly string[];
}

const windowsKeys = { F8: "{F8}", F9: "{F9}", Tab: "{TAB}", Enter: "{ENTER}" } as const;
const keys: Readonly<Record<Platform, Keys>> = {
  linux: {
    scan: (text) => [
      ["xdotool", "type", "--delay", "5", text],
      ["xdotool", "key", "Return"],
    ],
    type: (text) => [["xdotool", "type", "--delay", String(personMs), text]],
    press: (key) => ["xdotool", "key", key === "Enter" ? "Return" : key],
  },
  win32: {
    scan: (text) => [powerShell(sendKeys(`${sentKeys(text)}{ENTER}`))],
    type: (text) => [
      powerShell([...text].map((one) => sendKeys(sentKeys(one))).join(`; Start-Sleep -Milliseconds ${personMs}; `)),
    ],
    press: (key) => powerShell(sendKeys(windowsKeys[key])),
  },
  darwin: {
    scan: (text) => [appleScript(`keystroke "${text}" & return`)],
    type: (text) => [...text].map((one) => appleScript(`keystroke "${one}"`)),
    press: (key) => appleScript(`key code ${macKeyCodes[key]}`),
  },
};

/** The programs that each key of a platform's keyboard runs. Codes, names and PINs have nothing that a shell or a script would read. */
export const keysOf = (platform: Platform): Keys => keys[platform];

/** The keyboard of a platform; each press is a program that is run. */
export const systemKeyboard = (platform: Platform): Keyboard => {
  const runAll = async (commands: readonly (readonly string[])[]): Promise<void> => {
    for (const [program = "", ...args] of commands) await run(program, args);
  };
  const own = keysOf(platform);
  return {
    scan: (text) => runAll(own.scan(text)),
    type: (text) => runAll(own.type(text)),
    press: (key) => runAll([own.press(key)]),
    pressMain: () => runAll([own.press(mainKey)]),
  };
};

/** A picture of the whole screen, into a file. */
export const pictureOf = (platform: Platform, file: string): readonly string[] => {
  if (platform === "linux") return ["import", "-window", "root", file];
  if (platform === "darwin") return ["screencapture", "-x", file];
  return powerShell(
    `Add-Type -AssemblyName System.Drawing; $all = [System.Windows.Forms.SystemInformation]::VirtualScreen; ` +
      `$picture = New-Object System.Drawing.Bitmap $all.Width, $all.Height; ` +
      `[System.Drawing.Graphics]::FromImage($picture).CopyFromScreen($all.Location, [System.Drawing.Point]::Empty, $all.Size); ` +
      `$picture.Save('${file.replaceAll("'", "''")}')`,
  );
};
