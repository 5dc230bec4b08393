/**
 * Part of `npm run lint`, over the folders below the working directory: reports import cycles between folders, exports
 * without a doc comment, and files that are too long. Exit code 1 if there are any.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { readFlags } from "../command-line.ts";
import { undocumentedIn } from "./doc-comments.ts";
import { findCycles, importsOf } from "./import-cycles.ts";
import { parseSource } from "./parse.ts";

/** Maximum length of a file. */
const linesMax = 600;
const linesOf = (source: string): number => source.trimEnd().split("\n").length;

readFlags(
  "Usage: npm run lint\n\nBiome, then import cycles between folders, exports without a doc comment, and files that are too long. npx biome check --write fixes what it can.",
  {},
);
const sources = globSync("{backend,main,outbound,preload,renderer,test,tools}/**/*.{ts,tsx,mjs,cjs}", {
  exclude: ["**/node_modules", "test/service/clients/generated"],
})
  .map((file) => file.replaceAll(path.sep, "/"))
  .sort()
  .map((file) => {
    const source = readFileSync(file, "utf8");
    const parsed = parseSource(file, source);
    return {
      file,
      source,
      imports: importsOf(file, source, parsed),
      undocumented: undocumentedIn(source, parsed),
    };
  });

const imports = sources.flatMap(({ file, imports }) => imports.map((to) => ({ from: file, to })));
const cycles = findCycles(imports);
for (const { folder, nodes, imports: edges } of cycles) {
  console.error(`Import cycle in ${folder || "the root"}: ${[...nodes, nodes[0]].join(" → ")}`);
  for (const { from, to } of edges) console.error(`  ${from} imports ${to}`);
}
if (cycles.length > 0) console.error("\nFolders import in one direction, types too: move what both need below both.\n");

const undocumented = sources.flatMap(({ file, undocumented }) => undocumented.map((one) => ({ file, ...one })));
for (const { file, line, name } of undocumented) console.error(`${file}:${line} exports ${name} without a doc comment`);
if (undocumented.length > 0)
  console.error(
    "\nSay in a sentence above it what the name does not: shapes, units, defaults, errors, section of the spec.",
  );

const long = sources.filter(({ source }) => linesOf(source) > linesMax);
for (const { file, source } of long)
  console.error(`${file} has ${linesOf(source)} lines, ${linesMax} at most: split it by what it is about`);

if (cycles.length + undocumented.length + long.length > 0) process.exitCode = 1;
