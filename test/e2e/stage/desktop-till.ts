/** The same till in Electron, where its runtime is present; and a page of a test's own in Electron's window. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { _electron, type ElectronApplication, type Page } from "@playwright/test";
import { type Film, type Luma, writeCameraStream, writeFilm } from "./camera-stream.ts";
import { root } from "./programs.ts";

/** The desktop program with its window's page. */
export interface DesktopTill {
  readonly page: Page;
  /** Plays a film to the till's camera. */
  show(film: Film): Promise<void>;
  /** Moves the program's wall clock, as a corrected clock does. */
  jumpClock(byMs: number): Promise<void>;
  /** As a power cut. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const definedEnv = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined));

const program = (): string | null => {
  const folder = path.dirname(createRequire(import.meta.url).resolve("electron/package.json"));
  try {
    const file = path.join(folder, "dist", readFileSync(path.join(folder, "path.txt"), "utf8"));
    return existsSync(file) ? file : null;
  } catch {
    return null;
  }
};

/** Why Electron cannot run here; null when it can. Looks at files alone: importing `electron` would start a download. */
export const desktopObstacle = (): string | null => {
  if (program() === null) return "its runtime is not installed";
  if (process.platform === "linux" && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return "there is no display";
  return process.getuid?.() === 0 ? "its sandbox does not run as root" : null;
};

const launch = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ElectronApplication> => {
  const executablePath = program();
  if (executablePath === null) throw new Error("Electron's runtime is not installed");
  return _electron.launch({ executablePath, args: [...args], env: { ...definedEnv(), ...env }, locale: "en-GB" });
};

/** A terminal for real money keeps its key in the desktop's keyring; a bare X server in a D-Bus session has a locked one. */
const unlockKeyring = (): void => {
  if (process.platform !== "linux" || !process.env.DBUS_SESSION_BUS_ADDRESS) return;
  execFileSync("gnome-keyring-daemon", ["--unlock", "--components=secrets"], {
    input: "\n",
    stdio: ["pipe", "ignore", "inherit"],
  });
};

const emptyDesk: Luma = { width: 1, height: 1, levels: Uint8Array.of(120) };

/** Starts Electron on a data folder. Throws when its runtime is not installed. */
export const startDesktopTill = async (options: {
  readonly data: string;
  readonly live: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** The file that its camera plays; written here, and read again whenever the camera is opened. */
  readonly film: string;
}): Promise<DesktopTill> => {
  writeCameraStream(options.film, emptyDesk);
  if (options.live) unlockKeyring();
  const camera = ["--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${options.film}`];
  const purpose = options.live ? ["--allow-sandbox", "--allow-plain-http"] : ["--training"];
  const app = await launch([...camera, root, `--data=${options.data}`, ...purpose], options.env);
  const page = await app.firstWindow();
  return {
    page,
    show: async (film) => {
      writeFilm(options.film, film);
      await page.reload();
    },
    jumpClock: (byMs) =>
      app.evaluate((_, offsetMs) => {
        const Real = Date;
        globalThis.Date = class extends Real {
          constructor(...parts: []) {
            super(...((parts.length === 0 ? [Real.now() + offsetMs] : parts) as []));
          }
          static override now = (): number => Real.now() + offsetMs;
        } as DateConstructor;
      }, byMs),
    kill: async () => {
      const ended = app.waitForEvent("close");
      app.process().kill("SIGKILL");
      await ended;
    },
    close: () => app.close(),
  };
};

/** A page of Electron's engine with nothing of the program around it, of the size that pages of the suite have. */
export const openBareWindow = async (): Promise<{ readonly page: Page; close(): Promise<void> }> => {
  const app = await launch([path.join(import.meta.dirname, "bare-window.cjs")]);
  const page = await app.firstWindow();
  await page.setViewportSize({ width: 1024, height: 768 });
  return { page, close: () => app.close() };
};
