/** Exports without a doc comment: whoever imports a name reads its sentence in the editor, not the file it stands in. */
import type { ParseResult } from "vite";

/** An export that stands without a doc comment; `line` counts from 1. */
export interface Undocumented {
  readonly name: string;
  readonly line: number;
}

interface Declaration {
  readonly id?: { readonly name?: string } | null;
  readonly declarations?: readonly { readonly id: { readonly name?: string } }[];
}

/** Null for a value that has no name of its own: `export default defineConfig(…)`. */
const namesOf = ({ id, declarations }: Declaration): string | null =>
  declarations?.map((one) => one.id.name ?? "a pattern").join(", ") ?? id?.name ?? null;

/**
 * Every exported function, const, class, interface and type with no doc comment on the lines right above it. Overloads
 * need one for all; a name that is only handed on (`export { a } from …`) has its sentence where it is declared.
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
