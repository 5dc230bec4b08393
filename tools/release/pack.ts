/** Packs the built terminal for Linux with electron-builder, with a stub in place of Electron's runtime. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
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

/** Packs the built programs (`tools/build.ts`); takes about ten seconds. @param work an empty folder. */
export async function packWithStub(work: string): Promise<Packed> {
  const runtime = path.join(work, "runtime");
  const dist = path.join(work, "dist");
  writeStubRuntime(runtime);
  const builder = path.join(root, "node_modules/electron-builder/cli.js");
  const targets = hasDpkg() ? ["dir", "deb"] : ["dir"];
  const settings = [`-c.electronDist=${runtime}`, `-c.directories.output=${dist}`, "-c.deb.compression=gz"];
  await run(process.execPath, [builder, "--linux", ...targets, "--x64", "--publish", "never", ...settings], {
    cwd: root,
    env: { ...process.env, CUSTOM_FPM_PATH: path.join(import.meta.dirname, "fpm-dpkg.sh") },
  });
  const unpacked = path.join(dist, "linux-unpacked");
  const app = path.join(work, "app");
  const asar = path.join(unpacked, "resources", "app.asar");
  await run(process.execPath, [path.join(root, "node_modules/@electron/asar/bin/asar.js"), "extract", asar, app]);
  const deb = readdirSync(dist).find((name) => name.endsWith(".deb"));
  return { unpacked, asar, app, deb: deb === undefined ? null : path.join(dist, deb) };
}
