/** Packs the built terminal for Linux with electron-builder, with a stub in place of Electron's runtime. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { writeStubRuntime } from "./stub-runtime.ts";

const root = path.resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Paths of the packed program. */
export interface Packed {
  /** The program's folder as it is installed. */
  readonly unpacked: string;
  /** The archive that the program is loaded from. */
  readonly asar: string;
  /** The archive's content, extracted. */
  readonly app: string;
  /** The Debian package; null where `dpkg-deb` is not installed. */
  readonly deb: string | null;
}

const hasDpkg = (): boolean => existsSync("/usr/bin/dpkg-deb");

/** Left beside the programs by one that was started there. */
export const startedBefore = "out/main/.compile-cache";

/** A copy of what is packed, as programs that run meanwhile write beside the built ones. */
const copyBuilt = (to: string): void => {
  const others = path.join(root, startedBefore);
  for (const part of ["package.json", "out/main", "out/preload", "out/renderer"])
    cpSync(path.join(root, part), path.join(to, part), { recursive: true, filter: (from) => from !== others });
  mkdirSync(path.join(to, startedBefore));
  writeFileSync(path.join(to, startedBefore, "code"), "");
};

/** Packs the built programs (`tools/build.ts`) as where one was started before; takes about ten seconds. @param work an empty folder. */
export async function packWithStub(work: string): Promise<Packed> {
  const [runtime, dist, built] = ["runtime", "dist", "built"].map((name) => path.join(work, name)) as [
    string,
    string,
    string,
  ];
  copyBuilt(built);
  writeStubRuntime(runtime);
  const builder = path.join(root, "node_modules/electron-builder/cli.js");
  const targets = hasDpkg() ? ["dir", "deb"] : ["dir"];
  const folders = [`-c.electronDist=${runtime}`, `-c.directories.output=${dist}`, `-c.directories.app=${built}`];
  const settings = [...folders, "-c.deb.compression=gz"];
  // Others than whoever packs it have to read it.
  const before = process.umask(0o022);
  const building = run(process.execPath, [builder, "--linux", ...targets, "--x64", "--publish", "never", ...settings], {
    cwd: root,
    env: { ...process.env, CUSTOM_FPM_PATH: path.join(import.meta.dirname, "fpm-dpkg.sh") },
  });
  process.umask(before);
  await building.catch((error: Error & { readonly stdout?: string }) => {
    // It says on stdout what went wrong.
    throw new Error(`${error.message}\n${error.stdout ?? ""}`, { cause: error });
  });
  const unpacked = path.join(dist, "linux-unpacked");
  const app = path.join(work, "app");
  const asar = path.join(unpacked, "resources", "app.asar");
  await run(process.execPath, [path.join(root, "node_modules/@electron/asar/bin/asar.js"), "extract", asar, app]);
  const deb = readdirSync(dist).find((name) => name.endsWith(".deb"));
  return { unpacked, asar, app, deb: deb === undefined ? null : path.join(dist, deb) };
}
