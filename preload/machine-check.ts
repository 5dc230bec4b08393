/** What this machine gives the program: `tillcash --check`, a page for support, and a part of the support report. Always in English. */

/** One check. `unknown`: it does not apply or cannot be determined here; no failure. */
export interface CheckLine {
  readonly name: string;
  readonly is: "yes" | "no" | "unknown";
  readonly says: string;
}

/** The lines as they are printed, shown and copied. */
export const checkText = (lines: readonly CheckLine[]): string =>
  lines.map(({ name, is, says }) => `${is.padEnd(8)}${name}: ${says}\n`).join("");
