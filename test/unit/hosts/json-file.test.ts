/** A small file where the disk takes only a part of it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const jsonFile = pathToFileURL(path.resolve(import.meta.dirname, "../../../main/host/json-file.ts")).href;

test.runIf(process.platform !== "win32")("one that is written in part does not take the place of the old one", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-json-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "people.json");
  writeFileSync(file, '"old"');
  const write = `const { tryWriteJson } = await import("${jsonFile}");
    process.stdout.write(String(tryWriteJson(process.argv[1], "x".repeat(9_000))));`;
  // A limit of the file's size ends a write half way, as a full disk does.
  const limited = 'trap "" XFSZ; ulimit -f 2; exec "$0" --input-type=module -e "$1" "$2"';
  const written = execFileSync("/bin/sh", ["-c", limited, process.execPath, write, file], { encoding: "utf8" });
  expect([written, readFileSync(file, "utf8")]).toEqual(["false", '"old"']);
});
