/** Copies of installed versions for a rollback: the folder `versions` beside the terminal's data, one file a version. */
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Log } from "../../host/log-file.ts";
import type { Fetched, KeptFiles } from "../../updates/source.ts";
import type { KeptVersion, UpdateFile } from "../../updates/update-file.ts";
import type { InstallKind } from "./install-kind.ts";
import { sha512Of } from "./sha512.ts";

const run = promisify(execFile);

/** This program as it is installed. */
export interface InstalledProgram {
  readonly kind: InstallKind;
  readonly version: string;
  /** `process.execPath`. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The terminal's data folder. */
  readonly data: string;
}

const folderOf = (data: string): string => path.join(data, "versions");

/** Copies to a temporary name and renames, so that an incomplete copy is never taken for a whole one. */
const keepCopy = async (data: string, version: string, name: string, make: (draft: string) => Promise<unknown>) => {
  await mkdir(folderOf(data), { recursive: true, mode: 0o700 });
  const file = path.join(folderOf(data), name);
  try {
    await make(`${file}.new`);
    const draft = await open(`${file}.new`, "r+");
    await draft.sync().finally(() => draft.close());
    await rename(`${file}.new`, file);
  } catch (error) {
    // An incomplete copy on a full disk would keep the journal from being written.
    await rm(`${file}.new`, { force: true });
    throw error;
  }
  return { version, file, sha512: await sha512Of(file) } satisfies KeptVersion;
};

/** NSIS's own script copies each installer there when it runs (app-builder-lib, `installSection.nsh`, `APP_INSTALLER_STORE_FILE`). */
const storedInstaller = (env: InstalledProgram["env"]): string =>
  path.join(env.LOCALAPPDATA ?? "", "tillcash-updater", "installer.exe");

/** Copies the running version from where this kind of installation has it. Rejects where there is none. */
const keepPrevious = async (
  { kind, version, program, env, data }: InstalledProgram,
  installer: KeptVersion | null,
): Promise<KeptVersion | null> => {
  switch (kind) {
    case "appimage":
      return keepCopy(data, version, `Tillcash-${version}.AppImage`, async (draft) => {
        await copyFile(env.APPIMAGE ?? "", draft);
        await chmod(draft, 0o755);
      });
    case "nsis_user":
    case "nsis_machine":
      return keepCopy(data, version, `Tillcash-Setup-${version}.exe`, (draft) => copyFile(storedInstaller(env), draft));
    case "mac":
      return keepCopy(data, version, `Tillcash-${version}.zip`, (draft) =>
        run("ditto", ["-c", "-k", "--keepParent", program.slice(0, program.indexOf(".app/") + 4), draft]),
      );
    case "deb":
      // The system deletes the package once it is installed: only one that was downloaded here is left.
      return installer !== null && installer.version === version && (await isUnchanged(installer)) ? installer : null;
  }
};

/** Whether a kept file still has its hash. */
export const isUnchanged = async ({ file, sha512 }: KeptVersion): Promise<boolean> => {
  try {
    return (await sha512Of(file)) === sha512;
  } catch {
    return false;
  }
};

/** Deletes every kept file but `needed`. Never rejects. */
export const pruneKept = async (data: string, needed: readonly (KeptVersion | null)[]): Promise<void> => {
  const names = new Set(needed.flatMap((one) => (one === null ? [] : [path.basename(one.file)])));
  const found = await readdir(folderOf(data)).catch(() => []);
  for (const name of found)
    if (!names.has(name)) await rm(path.join(folderOf(data), name), { force: true }).catch(() => undefined);
};

/** Keeps the running version, and for `deb` also the new one's file for the update after it. Never rejects. */
export const keepVersions =
  (installed: InstalledProgram, file: UpdateFile, log: Log) =>
  async (fetched: Fetched): Promise<KeptFiles> => {
    const { data, kind } = installed;
    const { installer } = file.load();
    try {
      await pruneKept(data, [installer]);
      const previous = await keepPrevious(installed, installer);
      const next =
        kind === "deb"
          ? await keepCopy(data, fetched.version, path.basename(fetched.file), (draft) => copyFile(fetched.file, draft))
          : null;
      return { previous, next };
    } catch (error) {
      log("warn", "the running version could not be kept", { error: String(error) });
      return { previous: null, next: null };
    }
  };
