/** A folder in the shape of Electron's runtime for Linux, so that packing can be checked where the real one cannot be had. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** What the fuse tool looks for in Electron's program: a sentinel, the version, the number of fuses, each one. */
export const fuseSentinel = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
const fuseCount = 9;

/** Writes the stub with every fuse on, so that each one that is to be off has to be switched. @param fuses of Electron 45: 9. */
export function writeStubRuntime(folder: string, fuses = fuseCount): void {
  mkdirSync(path.join(folder, "resources"), { recursive: true });
  const program = Buffer.concat([
    Buffer.from(`#!/bin/sh\nexit 1\n${fuseSentinel}`),
    Buffer.from([1, fuses]),
    Buffer.from("1".repeat(fuses)),
  ]);
  writeFileSync(path.join(folder, "electron"), program, { mode: 0o755 });
  for (const name of ["version", "LICENSE", "LICENSES.chromium.html", "chrome-sandbox"]) {
    writeFileSync(path.join(folder, name), name);
  }
}
