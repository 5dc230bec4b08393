/** The same till in Electron, where its runtime is present. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { _electron, type Page } from "@playwright/test";
import { type Film, type Luma, writeCameraStream, writeFilm } from "./camera-stream.ts";
import { root } from "./programs.ts";

/** The desktop program with its window's page. */
export interface DesktopTill {
  page(): Promise<Page>;
  /** Plays a film to the till's camera. */
  show(film: Film): Promise<void>;
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

const emptyDesk: Luma = { width: 1, height: 1, levels: Uint8Array.of(120) };

/** Starts Electron on a data folder. Throws when its runtime is not installed. */
export const startDesktopTill = async (options: {
  readonly data: string;
  readonly live: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** The file that its camera plays; written here, and read again whenever the camera is opened. */
  readonly film: string;
}): Promise<DesktopTill> => {
  const executablePath = program();
  if (executablePath === null) throw new Error("Electron's runtime is not installed");
  writeCameraStream(options.film, emptyDesk);
  const app = await _electron.launch({
    executablePath,
    args: [
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-video-capture=${options.film}`,
      root,
      `--data=${options.data}`,
      ...(options.live ? [] : ["--training"]),
    ],
    env: { ...definedEnv(), ...options.env },
  });
  const page = await app.firstWindow();
  return {
    page: async () => page,
    show: async (film) => {
      writeFilm(options.film, film);
      await page.reload();
    },
    close: () => app.close(),
  };
};
