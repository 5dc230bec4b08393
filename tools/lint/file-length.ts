/** The limit on the length of a file. */

/** Most lines of a file. Product code aims at less than 200. */
export const linesMax = 300;

/** Number of lines; a line break at the end begins no new one. */
export const linesOf = (source: string): number => source.trimEnd().split("\n").length;
