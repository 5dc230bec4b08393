/** Files that do not fit on two screens: a reader has to remember the one half while reading the other. */

/** Lines that a file may have. Product code aims at less than 200. */
export const linesMax = 300;

/** How many lines a text has; a line break at its end begins no new one. */
export const linesOf = (source: string): number => source.trimEnd().split("\n").length;
