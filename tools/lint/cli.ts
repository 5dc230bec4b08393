/** Part of `npm run lint`: refuses circles between the folders below the working directory. Exit code 1 when there is one. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { readFlags } from "../command-line.ts";
import { findCircles } from "./circles.ts";
import { importsOf } from "./imports.ts";

readFlags("Usage: npm run lint\n\nBiome, then circles between folders. npx biome check --write mends what it can.", {});
const files = globSync("{backend,main,preload,renderer,test,tools}/**/*.{ts,tsx,mjs,cjs}", {
  exclude: ["**/node_modules", "test/service/clients/generated"],
})
  .map((file) => file.replaceAll(path.sep, "/"))
  .sort();
const imports = files.flatMap((file) => importsOf(file, readFileSync(file, "utf8")).map((to) => ({ from: file, to })));
const circles = findCircles(imports);
for (const { folder, rooms, imports: arrows } of circles) {
  console.error(`Circle in ${folder || "the root"}: ${[...rooms, rooms[0]].join(" → ")}`);
  for (const { from, to } of arrows) console.error(`  ${from} imports ${to}`);
}
if (circles.length > 0) {
  console.error("\nFolders import in one direction, types too: move what both need below both.");
  process.exitCode = 1;
}
