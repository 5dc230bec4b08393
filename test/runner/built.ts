/** For tests that start the built programs: builds them when a source changed. */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "./run-program.ts";

/** Resolves with the folder of the built programs. */
export async function ensureBuilt(): Promise<string> {
  await promisify(execFile)(process.execPath, [path.join(root, "tools/build.ts"), "--quiet"]);
  return path.join(root, "out");
}
