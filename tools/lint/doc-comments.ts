/** Finds exports without a doc comment. */
import type { Parsed } from "./parse.ts";

/** An export without a doc comment; `line` counts from 1. */
interface Undocumented {
  readonly name: string;
  readonly line: number;
}

/** `export { a }`, `export * from …`: what it names is declared elsewhere. */
const isReExport = /^export\s+(?:type\s+)?[{*]/;

/**
 * Every exported function, const, class, interface and type without a doc comment directly above it. Overloads need
 * only one; a re-export (`export { a } from …`) needs none.
 */
export function undocumentedIn(
  source: string,
  { module, comments }: Pick<Parsed, "module" | "comments">,
): readonly Undocumented[] {
  const isDocumented = (start: number): boolean =>
    comments.some(
      ({ type, value, end }) =>
        type === "Block" &&
        value.startsWith("*") &&
        end <= start &&
        /^\s*$/.test(source.slice(end, start)) &&
        !/\n\s*\n/.test(source.slice(end, start)),
    );
  const seen = new Set<string>();
  return module.staticExports.flatMap(({ start, entries }) => {
    if (isReExport.test(source.slice(start))) return [];
    // None for a value without a name: `export default defineConfig(…)`.
    const name = entries.flatMap(({ localName }) => localName.name ?? []).join(", ");
    if (name === "") return [];
    if (isDocumented(start)) seen.add(name);
    if (seen.has(name)) return [];
    return [{ name, line: source.slice(0, start).split("\n").length }];
  });
}
