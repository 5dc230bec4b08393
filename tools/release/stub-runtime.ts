/** A stub of Electron's runtime for Linux, so that packing can be tested where the real one is not available. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fuseSentinel } from "../../main/electron/fuses.ts";

const fuseCount = 9;

/** Writes the stub with every fuse on, so that each one that must be off has to be flipped. @param fuses number of fuses. Default: 9, as Electron 45. */
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
