/** What the guide is made of, in any language. */
import type { HelpSection } from "./sections.ts";

/** One section: what to do, a sentence or two a step. `{{review.confirm}}` stands for the terminal's own text of that key. */
export interface GuideSection {
  readonly title: string;
  readonly steps: readonly string[];
}

/** The whole guide in one language. A section without its text does not compile. */
export type Guide = Readonly<Record<HelpSection, GuideSection>>;

/** A step in pieces: plain text, and labels of the terminal, which are shown as such. */
export const pieces = (step: string): readonly { readonly text: string; readonly isLabel: boolean }[] =>
  step
    .split(/{{([\w.]+)}}/)
    .map((text, index) => ({ text, isLabel: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
