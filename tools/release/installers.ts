/** The installers that `npm run package` makes, and how each installs unattended. */
import { existsSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isFeedFile } from "./feed.ts";

/** Platforms with an installer. */
export type Platform = "linux" | "win32" | "darwin";
/** A program and its arguments, run without a shell. */
export type Command = readonly [program: string, ...args: readonly string[]];

/** The commands that install and remove one installer's program. */
interface Installation {
  readonly install: readonly Command[];
  /** The installed program. */
  readonly program: string;
  readonly uninstall: readonly Command[];
}

/** The bill of materials (`npm run sbom`), beside the installers. */
export const bomFile = "sbom.cdx.json";

/** Whether a file belongs to a release: installers, and what an updater reads. */
export const isReleaseFile = (name: string): boolean =>
  /\.(AppImage|deb|exe|dmg|zip|blockmap)$|^UNSIGNED-\w+\.txt$/.test(name) || isFeedFile(name) || name === bomFile;

const archNames: Readonly<Record<string, RegExp>> = { x64: /x64|x86_64|amd64/, arm64: /arm64|aarch64/ };
const kinds: Readonly<Record<Platform, RegExp>> = { linux: /\.deb$/, win32: /setup.*\.exe$/i, darwin: /\.dmg$/ };

/**
 * The installer among `files` for a platform and processor. A file without a processor in its name is for x64, on
 * Windows for all.
 * @param kind pattern of its name. Default: the kind that a shop should use.
 * @returns null if there is none.
 */
export const installerIn = (
  files: readonly string[],
  platform: Platform,
  arch: string,
  kind: RegExp = kinds[platform],
): string | null => {
  const ofPlatform = files.filter((name) => kind.test(name));
  const named = ofPlatform.find((name) => archNames[arch]?.test(name));
  const isUnnamed = (name: string): boolean => !Object.values(archNames).some((pattern) => pattern.test(name));
  return named ?? (arch === "x64" || platform === "win32" ? ofPlatform.find(isUnnamed) : undefined) ?? null;
};

/** An AppImage is only copied. Its name here has no version, so that an update replaces it. */
const appImage = (installer: string, folder: string): Installation => {
  const program = path.join(folder, "Tillcash.AppImage");
  return {
    install: [["install", "-D", "--mode=755", path.resolve(installer), program]],
    program,
    uninstall: [["rm", program]],
  };
};

/** The commands for one installer. @param folder an empty folder, used on systems without packages. */
export const installationOf = (installer: string, platform: Platform, folder: string): Installation => {
  if (installer.endsWith(".AppImage")) return appImage(installer, folder);
  switch (platform) {
    case "linux":
      return {
        install: [["sudo", "apt-get", "install", "--yes", "--allow-downgrades", path.resolve(installer)]],
        program: "/opt/Tillcash/tillcash",
        uninstall: [["sudo", "apt-get", "remove", "--yes", "tillcash"]],
      };
    case "win32":
      return {
        // NSIS takes its folder last and unquoted.
        install: [[installer, "/S", "/currentuser", `/D=${folder}`]],
        program: path.win32.join(folder, "Tillcash.exe"),
        uninstall: [[path.win32.join(folder, "Uninstall Tillcash.exe"), "/S", "/currentuser"]],
      };
    case "darwin": {
      const [volume, app] = [path.posix.join(folder, "volume"), path.posix.join(folder, "Tillcash.app")];
      return {
        install: [
          ["hdiutil", "attach", "-nobrowse", "-mountpoint", volume, installer],
          ["ditto", path.posix.join(volume, "Tillcash.app"), app],
          ["hdiutil", "detach", volume],
        ],
        program: path.posix.join(app, "Contents/MacOS/Tillcash"),
        uninstall: [["rm", "-rf", app]],
      };
    }
  }
};

/** Waits until an uninstaller that returned early (NSIS goes on from a copy of itself) has removed the program. @throws Error */
export const goneWithin = async (program: string, maxMs: number): Promise<void> => {
  const endsAt = performance.now() + maxMs;
  while (existsSync(program)) {
    if (performance.now() > endsAt) throw new Error(`${program} is still there`);
    await delay(50);
  }
};
