/** Finds exports without a doc comment. */
import type { ParseResult } from "vite";

/** An export without a doc comment; `line` counts from 1. */
interface Undocumented {
  readonly name: string;
  readonly line: number;
}

interface Declaration {
  readonly id?: { readonly name?: string } | null;
  readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
}

/** Null for a value without a name: `export default defineConfig(…)`. */
const namesOf = ({ id, declarations }: Declaration): string | null =>
  declarations?.map((one) => one.id.name ?? "a pattern").join(", ") ?? id?.name ?? null;

/**
 * Every exported function, const, class, interface and type without a doc comment directly above it. Overloads need
 * only one; a re-export (`export { a } from …`) needs none.
 */
export function undocumentedIn(
  source: string,
  { program, comments }: Pick<ParseResult, "program" | "comments">,
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
  return program.body.flatMap((node) => {
    if (node.type !== "ExportNamedDeclaration" && node.type !== "ExportDefaultDeclaration") return [];
    if (node.declaration === null) return [];
    const name = namesOf(node.declaration as Declaration);
    if (name === null) return [];
    if (isDocumented(node.start)) seen.add(name);
    if (seen.has(name)) return [];
    return [{ name, line: source.slice(0, node.start).split("\n").length }];
  });
}
