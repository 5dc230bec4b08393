/**
 * Import cycles between folders. The nodes of a folder's graph are its sub-folders, each with everything in it, and its
 * files. An import is an edge in the graph of the deepest folder that contains both ends.
 */
import path from "node:path";
import { Visitor } from "vite";
import type { Parsed } from "./parse.ts";

/** `from` imports `to`; paths from the root, with slashes. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** A shortest cycle. */
interface Cycle {
  /** The folder whose graph it is in; empty for the root. */
  readonly folder: string;
  readonly nodes: readonly string[];
  /** One import for each edge: the first starts in the node where the last one ends. */
  readonly imports: readonly Import[];
}

interface Edge {
  readonly folder: string;
  readonly node: string;
  readonly next: string;
  readonly one: Import;
}

function edgeOf(one: Import): Edge | null {
  const [from, to] = [one.from.split("/"), one.to.split("/")];
  const depth = from.findIndex((name, at) => name !== to[at]);
  const [node, next] = [from[depth], to[depth]];
  return node === undefined || next === undefined ? null : { folder: from.slice(0, depth).join("/"), node, next, one };
}

/** A shortest path from a node back to itself, by breadth-first search, or null. */
function shortestCycle(edgesFrom: ReadonlyMap<string, readonly Edge[]>, start: string): readonly Edge[] | null {
  const paths: (readonly Edge[])[] = [[]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const edge of edgesFrom.get(path.at(-1)?.next ?? start) ?? []) {
      if (edge.next === start) return [...path, edge];
      if (!seen.has(edge.next)) paths.push([...path, edge]);
      seen.add(edge.next);
    }
  }
  return null;
}

/** Every cycle, short ones first, without those whose nodes are all in shorter cycles. */
export function findCycles(imports: readonly Import[]): readonly Cycle[] {
  const edges = imports.flatMap((one) => edgeOf(one) ?? []);
  return [...Map.groupBy(edges, ({ folder }) => folder)].flatMap(([folder, within]) => {
    const edgesFrom = Map.groupBy(within, ({ node }) => node);
    const paths = [...edgesFrom.keys()].flatMap((node) => {
      const path = shortestCycle(edgesFrom, node);
      return path === null ? [] : [path];
    });
    const named = new Set<string>();
    return paths
      .sort((one, other) => one.length - other.length)
      .flatMap((path) => {
        const nodes = path.map(({ node }) => node);
        if (nodes.every((node) => named.has(node))) return [];
        for (const node of nodes) named.add(node);
        return [{ folder, nodes, imports: path.map(({ one }) => one) }];
      });
  });
}

/** The files that a parsed file imports by a relative path, types and dynamic imports included; paths below the same root as `file`. */
export function importsOf(file: string, source: string, parsed: Pick<Parsed, "module" | "program">): readonly string[] {
  const found: string[] = [];
  const note = (name: unknown): void => {
    if (typeof name !== "string" || !name.startsWith(".")) return;
    // Removes the bundler's query: `./worker.ts?worker`.
    found.push(path.posix.join(path.posix.dirname(file), name.split("?")[0] ?? ""));
  };
  const { staticImports, staticExports } = parsed.module;
  for (const { moduleRequest } of staticImports) note(moduleRequest.value);
  for (const { entries } of staticExports) note(entries[0]?.moduleRequest?.value);
  // Dynamic imports, and those of types, may be anywhere in the tree; most files have none, so skip the walk.
  if (/\bimport\s*\(/.test(source)) {
    new Visitor({
      ImportExpression: ({ source: from }) => note("value" in from ? from.value : null),
      TSImportType: ({ source: from }) => note(from.value),
    }).visit(parsed.program);
  }
  return found;
}
