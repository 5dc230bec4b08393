/** What this machine gives the program: `tillcash --check`, a page for support, and a part of the report. In English, whoever reads it. */

/** One thing that was looked at. `unknown`: it is not here, or cannot be told from here; no reason to fail. */
export interface CheckLine {
  readonly name: string;
  readonly is: "yes" | "no" | "unknown";
  readonly says: string;
}

/** The lines as they are printed, shown and copied. */
export const checkText = (lines: readonly CheckLine[]): string =>
  lines.map(({ name, is, says }) => `${is.padEnd(8)}${name}: ${says}\n`).join("");
