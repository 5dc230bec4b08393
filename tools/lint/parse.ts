/** Parses a source file once for all that the linter asks of it: its tree is the dear part. */
import { type ParseResult, parseSync } from "vite";

/** Its statements and comments. @throws SyntaxError when the file cannot be parsed. */
export function parseSource(file: string, source: string): Pick<ParseResult, "program" | "comments"> {
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0]?.message}`);
  return { program, comments };
}
