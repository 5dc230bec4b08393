/** Parses a source file once for all checks: parsing is their slowest part. */
import { type ParseResult, parseSync } from "vite";

/**
 * What the checks read of a file: its comments, and where it imports and exports. The syntax tree is built where `program` is read,
 * which takes three times as long as all else, so the checks go by `module` wherever that says enough.
 */
export type Parsed = Pick<ParseResult, "program" | "module" | "comments">;

/** @throws SyntaxError if it cannot be parsed. */
export function parseSource(file: string, source: string): Parsed {
  const parsed = parseSync(file, source);
  const [error] = parsed.errors;
  if (error !== undefined) throw new SyntaxError(`${file}: ${error.message}`);
  return parsed;
}
