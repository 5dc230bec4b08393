/** Parses a source file once for all checks: parsing is their slowest part. */
import { type ParseResult, parseSync } from "vite";

/** Syntax tree and comments of a file. @throws SyntaxError if it cannot be parsed. */
export function parseSource(file: string, source: string): Pick<ParseResult, "program" | "comments"> {
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`);
  return { program, comments };
}
