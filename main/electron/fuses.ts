/** Reads Electron's fuses from a program's file. */
import { readFileSync } from "node:fs";
import path from "node:path";

/** The sentinel before the fuse wire in Electron's program; after it: version, number of fuses, each fuse. */
export const fuseSentinel = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";

/** The fuses that every package has, in the fuse wire's order (electron/fuses, FuseV1Options). */
export const wantedFuses = {
  runAsNode: false,
  enableCookieEncryption: true,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
  wasmTrapHandlers: true,
};
type Fuses = Readonly<typeof wantedFuses>;

/** The file with a program's fuses. @param program `process.execPath`. */
export const fuseFile = (program: string, platform: NodeJS.Platform): string =>
  platform === "darwin"
    ? path.join(path.dirname(program), "../Frameworks/Electron Framework.framework/Electron Framework")
    : program;

/** The fuses of a packed program. @throws Error without a fuse wire, or with another number of fuses. */
export function readFuses(program: string): Fuses {
  const bytes = readFileSync(program);
  const at = bytes.indexOf(fuseSentinel);
  if (at < 0) throw new Error(`${program} has no fuses`);
  const names = Object.keys(wantedFuses);
  const wire = bytes.toString("latin1", at + fuseSentinel.length + 2, at + fuseSentinel.length + 2 + names.length);
  const count = bytes[at + fuseSentinel.length + 1];
  if (count !== names.length) throw new Error(`${program} has ${count} fuses, ${names.length} are known`);
  return Object.fromEntries(names.map((name, index) => [name, wire[index] === "1"])) as Fuses;
}
