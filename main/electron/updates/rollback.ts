/** Rollback to the version before an update. Pure but for `rollBack`, which does it. */
import { spawn } from "node:child_process";
import { copyAtomically } from "../../terminal/journal/files.ts";
import type { KeptVersion } from "../../updates/update-file.ts";
import type { InstallKind } from "./install-kind.ts";
import { isUnchanged } from "./kept-versions.ts";

/** What a rollback does on this kind of installation. */
export type Rollback =
  /** The program is one file: the old one is put in its place and started. */
  | { readonly kind: "replace"; readonly file: string; readonly place: string }
  /** Its installer is started; it replaces the newer one. */
  | { readonly kind: "run"; readonly file: string; readonly args: readonly string[] }
  /** A person installs it: this program may not. */
  | { readonly kind: "show"; readonly file: string; readonly how: "deb" | "mac" }
  /** Nothing was kept: a person gets that version's installer. */
  | { readonly kind: "none" };

/** Chooses the rollback. @param previous what was kept; null: nothing. @param appImage path of the running AppImage; null for others. */
export const rollbackOf = (
  kind: InstallKind | null,
  previous: KeptVersion | null,
  appImage: string | null,
): Rollback => {
  if (kind === null || previous === null) return { kind: "none" };
  const { file } = previous;
  switch (kind) {
    case "appimage":
      return appImage === null ? { kind: "none" } : { kind: "replace", file, place: appImage };
    case "nsis_user":
      // As NsisUpdater starts one (`NsisUpdater.js`, doInstall).
      return { kind: "run", file, args: ["--updated", "/S", "--force-run"] };
    case "nsis_machine":
      // It asks for an administrator, so it is shown.
      return { kind: "run", file, args: ["--updated"] };
    case "deb":
    case "mac":
      return { kind: "show", file, how: kind };
  }
};

const start = (program: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { detached: true, stdio: "ignore" });
    child.once("error", reject);
    child.once("spawn", () => {
      child.unref();
      resolve();
    });
  });

/**
 * Executes a rollback. The caller exits this program afterwards.
 * @param show opens the folder of a file for the person.
 * @throws Error when the kept file changed or cannot be used; nothing was replaced then.
 */
export const rollBack = async (way: Rollback, previous: KeptVersion, show: (file: string) => void): Promise<void> => {
  if (way.kind === "none") return;
  if (!(await isUnchanged(previous))) throw new Error(`the copy of version ${previous.version} is not what it was`);
  switch (way.kind) {
    case "replace":
      copyAtomically(way.file, way.place, 0o755);
      return start(way.place, []);
    case "run":
      return start(way.file, way.args);
    case "show":
      return show(way.file);
  }
};
