/** What a file imports, types and dynamic imports included. */
import path from "node:path";
import { parseSync, Visitor } from "vite";

/** The files that `source` names by a relative path, as paths below the same root as `file`. @throws SyntaxError */
export function importsOf(file: string, source: string): readonly string[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`);
  const found: string[] = [];
  const note = (node: { readonly type: string; readonly value?: unknown } | null): void => {
    if (typeof node?.value !== "string" || !node.value.startsWith(".")) return;
    // What follows a question mark tells the bundler how, not what: `./worker.ts?worker`.
    found.push(path.posix.join(path.posix.dirname(file), node.value.split("?")[0] ?? ""));
  };
  new Visitor({
    ImportDeclaration: ({ source: from }) => note(from),
    ExportNamedDeclaration: ({ source: from }) => note(from),
    ExportAllDeclaration: ({ source: from }) => note(from),
    ImportExpression: ({ source: from }) => note(from),
    TSImportType: ({ source: from }) => note(from),
  }).visit(program);
  return found;
}
