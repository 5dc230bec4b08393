/** How a program was installed: each line a machine. */
import { expect, test } from "vitest";
import { feedSuffix, type Installed, installKind, isUnattended } from "../../../main/electron/updates/install-kind.ts";

const windows: Installed = {
  platform: "win32",
  env: { LOCALAPPDATA: "C:\\Users\\Ida\\AppData\\Local" },
  isPackaged: true,
  program: "C:\\Users\\Ida\\AppData\\Local\\Programs\\tillcash\\Tillcash.exe",
  packageType: null,
  exists: (file) => file.endsWith("\\Uninstall Tillcash.exe"),
};
const linux: Installed = {
  ...windows,
  platform: "linux",
  env: {},
  program: "/opt/Tillcash/tillcash",
  packageType: "deb\n",
};
const mac: Installed = {
  ...windows,
  platform: "darwin",
  program: "/Applications/Tillcash.app/Contents/MacOS/Tillcash",
};

test.each<[string, Installed, ReturnType<typeof installKind>]>([
  ["Windows, for one user", windows, "nsis_user"],
  ["Windows, for everyone", { ...windows, program: "C:\\Program Files\\Tillcash\\Tillcash.exe" }, "nsis_machine"],
  [
    "Windows, in a folder whose name only begins alike",
    { ...windows, program: "C:\\Users\\Ida\\AppData\\LocalOther\\Tillcash.exe" },
    "nsis_machine",
  ],
  ["Windows, unpacked", { ...windows, exists: () => false }, null],
  ["Debian", linux, "deb"],
  [
    "an AppImage, which carries the package's files too",
    { ...linux, program: "/tmp/.mount_x/tillcash", env: { APPIMAGE: "/home/ida/Tillcash.AppImage" } },
    "appimage",
  ],
  ["an AppImage's name that is no path", { ...linux, env: { APPIMAGE: "Tillcash.AppImage" } }, null],
  ["the archive, which carries the package's files too", { ...linux, program: "/home/ida/tillcash/tillcash" }, null],
  ["Linux, unpacked", { ...linux, packageType: null }, null],
  ["macOS", mac, "mac"],
  ["macOS, from the image", { ...mac, program: "/Volumes/Tillcash/Tillcash.app/Contents/MacOS/Tillcash" }, null],
  [
    "macOS, moved aside by the system",
    { ...mac, program: "/private/var/x/AppTranslocation/y/Tillcash.app/Contents/MacOS/Tillcash" },
    null,
  ],
  ["a developer's", { ...linux, isPackaged: false }, null],
  ["another system", { ...linux, platform: "freebsd" }, null],
])("%s", (_what, installed, kind) => {
  expect(installKind(installed)).toBe(kind);
});

test("who asks for an administrator, or has a folder of its own, is never installed by itself", () => {
  const kinds = ["appimage", "deb", "nsis_user", "nsis_machine", "mac"] as const;
  const unattended = (...args: string[]) => kinds.filter((kind) => isUnattended(kind, ["tillcash", ...args]));
  expect(unattended("--enable-logging")).toEqual(["appimage", "nsis_user", "mac"]);
  expect([unattended("--data=/tills/2"), unattended("--data", "/tills/2")]).toEqual([[], []]);
});

test("the feed's name is the one that electron-updater would ask for", () => {
  const names = (["linux", "darwin", "win32"] as const).flatMap((platform) =>
    ["x64", "arm64"].map((arch) => `latest${feedSuffix(platform, arch)}`),
  );
  expect(names).toEqual(["latest-linux", "latest-linux-arm64", "latest-mac", "latest-mac", "latest", "latest"]);
});
