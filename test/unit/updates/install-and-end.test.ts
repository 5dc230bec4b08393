/** How the program ends for a new version: electron-updater's own code starts it, or this version starts again. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { installAndEnd } from "../../../main/electron/updates/desktop-updates.ts";
import { UnattendedNsisUpdater } from "../../../main/electron/updates/nsis-updater.ts";
import { standInForElectron } from "./electron-net.ts";

const calls = vi.hoisted((): string[] => []);
// electron.d.ts (45): App.releaseSingleInstanceLock, App.relaunch, which begins once the program has ended, and App.exit.
vi.mock("electron", () => ({
  app: {
    releaseSingleInstanceLock: () => void calls.push("lock released"),
    relaunch: () => void calls.push("starts again"),
    exit: (code: number) => void calls.push(`exit ${code}`),
  },
  session: {},
}));
standInForElectron();

let folder: string;
beforeEach(() => {
  calls.length = 0;
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-installer-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.runIf(process.platform === "linux")("an installer for one user", () => {
  test.each([
    ["is started", (file: string) => chmodSync(file, 0o755), ["lock released", "exit 0"]],
    // As by AppLocker, or by a virus scanner.
    [
      "that the system refuses to start",
      (file: string) => chmodSync(file, 0o644),
      ["lock released", "starts again", "exit 0"],
    ],
    ["that a virus scanner has taken", (file: string) => rmSync(file), ["lock released", "starts again", "exit 0"]],
  ])("%s", async (_, prepare, done) => {
    const file = path.join(folder, "Tillcash-Setup-0.2.0.exe");
    writeFileSync(file, "#!/bin/sh\n");
    prepare(file);
    // As ElectronAppAdapter.js (6.8.10) and AppUpdater.js, once a download has ended.
    const app = { version: "0.1.0", name: "tillcash", isPackaged: true, whenReady: async () => undefined };
    const updater = new UnattendedNsisUpdater(null, app as never);
    Object.assign(updater, {
      downloadedUpdateHelper: { file, downloadedFileInfo: { isAdminRightsRequired: false }, packageFile: null },
      logger: null,
    });
    installAndEnd(updater, () => undefined);
    await expect.poll(() => calls.at(-1)).toBe("exit 0");
    expect(calls).toEqual(done);
  });
});
