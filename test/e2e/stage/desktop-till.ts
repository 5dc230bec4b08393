/** The same till in Electron, where its runtime is present. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { _electron, type Page } from "@playwright/test";
import { root } from "./programs.ts";

export interface DesktopTill {
  page(): Promise<Page>;
  serviceUrl(): Promise<string>;
  close(): Promise<void>;
}

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

export const startDesktopTill = async (options: {
  readonly data: string;
  readonly live: boolean;
}): Promise<DesktopTill> => {
  const executablePath = program();
  if (executablePath === null) throw new Error("Electron's runtime is not installed");
  const app = await _electron.launch({
    executablePath,
    args: [root, `--data=${options.data}`, ...(options.live ? [] : ["--training"])],
  });
  const page = await app.firstWindow();
  return {
    page: async () => page,
    serviceUrl: async () => {
      const link = page.locator("a[href$='/sandbox']");
      return new URL((await link.getAttribute("href")) ?? "").origin;
    },
    close: () => app.close(),
  };
};
