/** The limit on the length of a file. */

/** Most lines of a file: a file is as long as its subject. */
export const linesMax = 600;

/** Number of lines; a line break at the end begins no new one. */
export const linesOf = (source: string): number => source.trimEnd().split("\n").length;
