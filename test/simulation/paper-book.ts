/** What came out of a till's printer, and whether its driver said so: promise 12. */

import type { PrintAnswer } from "../../main/terminal/ports.ts";
import { paperTexts } from "../../main/terminal/printing/paper.ts";
import type { PaperLine } from "../../preload/paper-line.ts";

/** Is told of each job. */
export interface PaperBook {
  take(lines: readonly PaperLine[], answer: PrintAnswer, isOnPaper: boolean): void;
}

const isReprint = (lines: readonly PaperLine[]): boolean =>
  lines.some((line) => line.kind === "text" && line.text.includes(paperTexts.en.receipt.reprint));

/** @param broken is told what the driver says wrongly, and which slip came out twice as if it were the first. */
export const createPaperBook = (till: number, broken: (text: string) => void): PaperBook => {
  const originals = new Set<string>();
  return {
    take(lines, answer, isOnPaper) {
      if (answer.kind === "not_printed" && isOnPaper)
        broken(`till ${till} takes a slip for not printed, and some of it is on paper`);
      if (!isOnPaper || isReprint(lines)) return;
      const slip = JSON.stringify(lines);
      if (originals.has(slip)) broken(`till ${till} prints a slip twice, and no copy says that it is one`);
      originals.add(slip);
    },
  };
};
