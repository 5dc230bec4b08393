/** How the running program was installed. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { app } from "electron";
import { type InstallKind, installKind } from "./install-kind.ts";

const readPackageType = (): string | null => {
  try {
    return readFileSync(path.join(process.resourcesPath, "package-type"), "utf8");
  } catch {
    return null;
  }
};

/** Null: it takes no updates. See `installKind`. */
export const thisInstallation = (): InstallKind | null =>
  installKind({
    platform: process.platform,
    env: process.env,
    isPackaged: app.isPackaged,
    program: process.execPath,
    packageType: readPackageType(),
    exists: existsSync,
  });
