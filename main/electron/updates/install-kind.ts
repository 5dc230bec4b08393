/** Detects how this program was installed, which decides how it is updated. */
import path from "node:path";

/** `nsis_machine` and `deb` need an administrator. Manually unpacked programs are not updated. */
export type InstallKind = "appimage" | "deb" | "nsis_user" | "nsis_machine" | "mac";

/** Facts to detect the kind of installation from. */
export interface Installed {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isPackaged: boolean;
  readonly program: string;
  /** The content of `resources/package-type`, which electron-builder writes for packages of a Linux distribution. */
  readonly packageType: string | null;
  readonly exists: (file: string) => boolean;
}

const onWindows = ({ env, program, exists }: Installed): InstallKind | null => {
  const folder = path.win32.dirname(program);
  if (!exists(path.win32.join(folder, "Uninstall Tillcash.exe"))) return null;
  const own = env.LOCALAPPDATA;
  const isOwn = own !== undefined && own !== "" && `${folder.toLowerCase()}\\`.startsWith(`${own.toLowerCase()}\\`);
  return isOwn ? "nsis_user" : "nsis_machine";
};

const onLinux = ({ env, program, packageType }: Installed): InstallKind | null => {
  if (env.APPIMAGE !== undefined) return path.posix.isAbsolute(env.APPIMAGE) ? "appimage" : null;
  // The plain archive has the same files but is not an installed package.
  return packageType?.trim() === "deb" && program.startsWith("/opt/") ? "deb" : null;
};

const onMac = ({ program }: Installed): InstallKind | null => {
  const isOnImage = program.startsWith("/Volumes/") || program.includes("/AppTranslocation/");
  return program.includes(".app/Contents/MacOS/") && !isOnImage ? "mac" : null;
};

/** The kind of installation; null: no updates. */
export const installKind = (installed: Installed): InstallKind | null => {
  if (!installed.isPackaged) return null;
  switch (installed.platform) {
    case "win32":
      return onWindows(installed);
    case "linux":
      return onLinux(installed);
    case "darwin":
      return onMac(installed);
    default:
      return null;
  }
};

/** Whether a new version starts without a person: needs no password, and no `--data`, which installers do not pass on. */
export const isUnattended = (kind: InstallKind, argv: readonly string[]): boolean =>
  kind !== "deb" && kind !== "nsis_machine" && !argv.some((arg) => arg === "--data" || arg.startsWith("--data="));

/** The suffix of a feed's name, as electron-updater's `Provider` makes it: `latest-linux-arm64`, `latest-mac`, `latest`. */
export const feedSuffix = (platform: NodeJS.Platform, arch: string): string => {
  if (platform === "linux") return arch === "x64" ? "-linux" : `-linux-${arch}`;
  return platform === "darwin" ? "-mac" : "";
};
