#!/usr/bin/env node
/** Entry point of the built program. It loads little, so that all the rest comes from Node's compile cache. */
import { mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Beside the program, and for its user alone whatever the umask: who writes here decides what code runs. Without the right
// to write nothing is kept. NODE_COMPILE_CACHE names another folder. Electron takes code from its package alone.
if (process.versions.electron === undefined) {
  const folder = join(import.meta.dirname, ".compile-cache");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {}
  enableCompileCache(folder);
}
await import("./cli.ts");
