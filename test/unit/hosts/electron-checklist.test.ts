/** Electron's own checklist (electronjs.org/docs/latest/tutorial/security), item by item, against the built desktop program and its sources. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { desktopProgram, type Seen } from "./desktop-program.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const { newFolder, out, play } = desktopProgram();
let seen: Seen;
let preferences: Readonly<Record<string, unknown>>[];
let policy: string;
let page: string;
const sources = ["main", "preload"]
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => path.join(folder, name)),
  )
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: readFileSync(path.join(root, name), "utf8") }));
const filesWith = (word: RegExp): readonly string[] =>
  sources
    .filter(({ text }) => word.test(text))
    .map(({ name }) => name.replaceAll("\\", "/"))
    .sort();

beforeAll(async () => {
  seen = await play(newFolder());
  const { options } = seen.customerDisplay as { options: { webPreferences: Record<string, unknown> } };
  preferences = [seen.webPreferences as Record<string, unknown>, options.webPreferences];
  policy = (seen.page as { page: { policy: string } }).page.policy;
  page = readFileSync(path.join(out(), "renderer", "index.html"), "utf8");
});

/** In both windows: the terminal's and the customer's display. */
const everywhere = (wanted: Readonly<Record<string, unknown>>): void => {
  expect(preferences).toHaveLength(2);
  for (const each of preferences) expect(each).toMatchObject(wanted);
};
const navigation = (): Readonly<Record<string, unknown>> => seen.navigation as Record<string, unknown>;

const items: readonly [number, string, () => void][] = [
  [
    1,
    "Only load secure content",
    () => {
      expect((seen.calls as string[]).filter((call) => call.startsWith("load "))).toEqual(["load app://till/"]);
      expect(seen.canceled).toMatchObject({ web: true, loopback: true });
      expect(page).not.toMatch(/(?:src|href)="https?:/);
    },
  ],
  [
    2,
    "Do not enable Node.js integration for remote content",
    () => everywhere({ nodeIntegration: false, nodeIntegrationInWorker: false, nodeIntegrationInSubFrames: false }),
  ],
  [3, "Enable context isolation", () => everywhere({ contextIsolation: true })],
  [
    4,
    "Enable process sandboxing",
    () => {
      everywhere({ sandbox: true });
      expect((seen.calls as string[])[0]).toBe("enableSandbox");
      expect(filesWith(/no-sandbox|disableSandbox/)).toEqual(["main/electron/desktop-flags.ts"]);
    },
  ],
  [
    5,
    "Handle session permission requests",
    () => {
      expect(Object.entries(seen.requests as object).filter(([, granted]) => granted)).toEqual([["camera", true]]);
      expect(seen.checks).toMatchObject({ microphone: false, cameraElsewhere: false, hidElsewhere: false, usb: false });
      expect(seen.devices).toMatchObject({ before: false, afterElsewhere: false });
      // No page is loaded in the session of the updates: it only fetches them.
      expect(filesWith(/fromPartition|partition:/)).toEqual(["main/electron/updates/desktop-updates.ts"]);
      for (const each of preferences) expect(Object.keys(each)).not.toContain("session");
    },
  ],
  [6, "Do not disable webSecurity", () => everywhere({ webSecurity: true })],
  [
    7,
    "Define a Content-Security-Policy",
    () => {
      expect(policy).toMatch(/^default-src 'none'; /);
      expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';");
      expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|\*|https?:/);
      for (const name of ["base-uri", "form-action", "frame-src", "frame-ancestors", "object-src"])
        expect(policy).toContain(`${name} 'none'`);
      expect(policy).toContain("webrtc 'block'");
      expect(seen.calls).toContain("webrtc disable_non_proxied_udp");
    },
  ],
  [8, "Do not enable allowRunningInsecureContent", () => everywhere({ allowRunningInsecureContent: false })],
  [9, "Do not enable experimental features", () => everywhere({ experimentalFeatures: false })],
  [
    10,
    "Do not use enableBlinkFeatures",
    () => {
      for (const each of preferences) expect(each).not.toHaveProperty("enableBlinkFeatures");
      expect(filesWith(/enableBlinkFeatures|enable-blink-features|enable-features/)).toEqual([]);
    },
  ],
  [
    11,
    "Do not use allowpopups for WebViews",
    () => {
      everywhere({ webviewTag: false });
      expect(filesWith(/allowpopups/i)).toEqual([]);
      expect(page).not.toMatch(/<webview/i);
    },
  ],
  [12, "Verify WebView options before creation", () => expect(navigation().webview).toBe(true)],
  [
    13,
    "Disable or limit navigation",
    () => {
      expect(navigation()).toMatchObject({ web: true, file: true, otherPage: true, redirect: true, frame: true });
      everywhere({ navigateOnDragDrop: false });
    },
  ],
  [14, "Disable or limit creation of new windows", () => expect(navigation().newWindow).toEqual({ action: "deny" })],
  [
    15,
    "Do not use shell.openExternal with untrusted content",
    () => {
      expect(navigation().opened).toEqual([]);
      // The customer's phone in training, which the host offered, and its own terminal in a browser (desktop-starts.test.ts).
      expect(filesWith(/openExternal\(/)).toEqual(["main/electron/window.ts", "main/index.ts"]);
    },
  ],
  [
    16,
    "Use a current version of Electron",
    () => {
      const { devDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
      // Which majors are looked after is known to the registry alone: `npm run check:lockfile` asks it.
      expect(devDependencies.electron).toMatch(/^\d+\.\d+\.\d+$/);
    },
  ],
  [
    17,
    "Validate the sender of all IPC messages",
    () => {
      const { own, garbage, nothing, ...strangers } = seen.dispatch as Record<string, { ok: boolean; code?: string }>;
      expect(own?.ok).toBe(true);
      expect([garbage?.ok, nothing?.ok]).toEqual([false, false]);
      for (const answer of Object.values(strangers)) expect(answer).toEqual({ ok: false, code: "denied" });
      expect(seen.sentToStrangers).toBe(0);
      expect(filesWith(/ipcMain\.(?:on|handle)/)).toEqual(["main/electron/customer-window.ts", "main/electron/ipc.ts"]);
    },
  ],
  [
    18,
    "Avoid the file:// protocol and prefer custom protocols",
    () => {
      expect(seen.canceled).toMatchObject({ file: true });
      expect(navigation().file).toBe(true);
      expect(filesWith(/loadFile\(/)).toEqual([]);
      expect((seen.schemes as { scheme: string }[]).map(({ scheme }) => scheme)).toEqual(["app"]);
    },
  ],
  [
    19,
    "Check which fuses you can change",
    () => {
      // What they are set to is read from the packed program (packaging.test.ts).
      expect(readFileSync(path.join(root, "electron-builder.yml"), "utf8")).toMatch(/^afterPack: .+flip-fuses\.ts$/m);
      expect(readFileSync(path.join(root, "tools/release/flip-fuses.ts"), "utf8")).toContain(
        "strictlyRequireAllFuses: true",
      );
    },
  ],
  [
    20,
    "Do not expose Electron APIs to untrusted web content",
    () => {
      expect(seen.preload).toMatchObject({
        required: ["electron"],
        exposed: ["till"],
        members: ["dispatch", "subscribe"],
      });
      expect(filesWith(/exposeInMainWorld/)).toEqual(["preload/customer.ts", "preload/index.ts"]);
    },
  ],
];

test("every item of the checklist has a row", () => {
  expect(items.map(([number]) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
});

test.each(items)("%i. %s", (_, _name, holds) => holds());

describe("the tables of docs/desktop.md", () => {
  const [checklist = "", findings = ""] = readFileSync(path.join(root, "docs/desktop.md"), "utf8")
    .split("\n## ")
    .slice(1);

  test("the checklist has the rows that are tested here", () => {
    const rows = [...checklist.matchAll(/^\| (\d+) \| \*(.+?)\* \| \S/gm)].map(([, number, name]) => [
      Number(number),
      name,
    ]);
    expect(rows).toEqual(items.map(([number, name]) => [number, name]));
  });

  const rows = findings.split("\n").filter((line) => /^\| (?!what would|---)/.test(line));
  test.each(rows)("%s: is a test of that name", (row) => {
    const tests = row.split(" | ")[2] ?? "";
    let file = "";
    const named = [...tests.matchAll(/`([\w./-]+)`|\*(.+?)\*/g)];
    expect(named.length).toBeGreaterThan(1);
    for (const [, name, title = ""] of named) {
      if (name === undefined) expect(readFileSync(path.join(root, file), "utf8")).toContain(title);
      else file = name.includes("/") ? name : path.posix.join(path.posix.dirname(file), name);
    }
  });
});
