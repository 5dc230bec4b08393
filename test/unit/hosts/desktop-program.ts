/** The built desktop program on plain Node with a fake `electron`, started as often as a test wants. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { ensureBuilt } from "../../runner/built.ts";

const stage = path.join(import.meta.dirname, "stage.ts");

/** What the play saw; see desktop-play.ts. */
export type Seen = Readonly<Record<string, unknown>>;

/** Registers the hooks of a file: the build before it, and the folders' end after it. */
export const desktopProgram = () => {
  const folders: string[] = [];
  let out: string;
  beforeAll(async () => {
    out = await ensureBuilt();
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return {
    /** Where the built programs lie. */
    out: () => out,
    newFolder(): string {
      const folder = mkdtempSync(path.join(tmpdir(), "tillcash-desktop-"));
      folders.push(folder);
      return folder;
    },
    /** One run of the program on a data folder, to its end. @param programs another build. */
    async play(
      data: string,
      flags: readonly string[] = [],
      env: Record<string, string> = {},
      programs = out,
    ): Promise<Seen> {
      const program = path.join(import.meta.dirname, "desktop-play.ts");
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ["--import", stage, program, programs, data, ...flags],
        {
          env: { ...process.env, ...env },
        },
      );
      return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
    },
  };
};
