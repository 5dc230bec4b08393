/** Loaded before each test of the projects `fast` and `simulation`: what starts a program belongs to the project `processes`. */
import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

const refuse = (): never => {
  throw new Error("This test starts a program: name its file among `startsProcesses` in vitest.config.ts.");
};
Object.assign(childProcess.ChildProcess.prototype, { spawn: refuse });
childProcess.spawnSync = refuse;
childProcess.execFileSync = refuse;
childProcess.execSync = refuse;
syncBuiltinESMExports();
