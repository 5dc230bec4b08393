/** The imports of a file, types and dynamic imports included. */
import path from "node:path";
import { type ParseResult, Visitor } from "vite";

/** The files that a parsed file imports by a relative path, as paths below the same root as `file`. */
export function importsOf(file: string, source: string, program: ParseResult["program"]): readonly string[] {
  const found: string[] = [];
  const note = (node: { readonly type: string; readonly value?: unknown } | null): void => {
    if (typeof node?.value !== "string" || !node.value.startsWith(".")) return;
    // A query is for the bundler: `./worker.ts?worker`.
    found.push(path.posix.join(path.posix.dirname(file), node.value.split("?")[0] ?? ""));
  };
  for (const node of program.body) {
    if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") note(node.source);
    if (node.type === "ExportNamedDeclaration") note(node.source);
  }
  // Dynamic imports may be anywhere in the tree; most files have none, and need no walk.
  if (/\bimport\s*\(/.test(source)) {
    new Visitor({
      ImportExpression: ({ source: from }) => note(from),
      TSImportType: ({ source: from }) => note(from),
    }).visit(program);
  }
  return found;
}
