#!/usr/bin/env node
/** Entry point of the built program. It loads little, so that all the rest comes from Node's compile cache. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Beside the program, where only who could change the program itself can write; without the right to write nothing is
// kept. NODE_COMPILE_CACHE names another folder. Electron takes code from its package alone.
if (process.versions.electron === undefined) enableCompileCache(join(import.meta.dirname, ".compile-cache"));
await import("./cli.ts");
