/** Which lines a change touches, for `--changed`. */
import { execFileSync } from "node:child_process";

/** The first and the last line, from 1 on. */
export type Lines = readonly [first: number, last: number];

/** Of `git diff -U0`: the lines that there are now, by file. What was only taken away leaves none. */
export const linesIn = (diff: string): ReadonlyMap<string, readonly Lines[]> => {
  const found = new Map<string, Lines[]>();
  let file = "";
  for (const line of diff.split("\n")) {
    file = /^\+\+\+ b\/(.+)$/.exec(line)?.[1] ?? file;
    const [, from, count = "1"] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (from === undefined || count === "0") continue;
    const [first, length] = [Number(from), Number(count)];
    found.set(file, [...(found.get(file) ?? []), [first, first + length - 1]]);
  }
  return found;
};

const git = (...words: readonly string[]): string =>
  execFileSync("git", words, { encoding: "utf8", maxBuffer: 2 ** 28, stdio: ["ignore", "pipe", "pipe"] });

/** What differs between a commit and the files as they are. @param since null: where this branch left `main`. @throws what git said. */
export const changedLines = (since: string | null): ReadonlyMap<string, readonly Lines[]> => {
  const base = since ?? git("merge-base", "HEAD", "main").trim();
  return linesIn(git("diff", "-U0", "--no-color", "--no-ext-diff", "--no-renames", base, "--"));
};
