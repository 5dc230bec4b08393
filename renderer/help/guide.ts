/** The guide: what it is made of, and its text in each language, loaded when it is needed. */
import { scaTimeoutSeconds } from "../../backend/contract/sca.ts";
import type { Language } from "../../preload/choices.ts";
import type { HelpSection } from "./sections.ts";

/** One section: what to do, a sentence or two a step. `{{review.confirm}}` stands for the terminal's own text of that key. */
interface GuideSection {
  readonly title: string;
  readonly steps: readonly string[];
}

/** The whole guide in one language. A section without its text does not compile. */
export type Guide = Readonly<Record<HelpSection, GuideSection>>;

/** `{{seconds}}` is the time that a customer has to approve; every other place is a label. */
const withSeconds = ({ default: guide }: { readonly default: Guide }): Guide => ({
  ...guide,
  approval: {
    ...guide.approval,
    steps: guide.approval.steps.map((step) => step.replace("{{seconds}}", String(scaTimeoutSeconds))),
  },
});

/** Leaving a language out is a type error. */
export const guideOf: Readonly<Record<Language, () => Promise<Guide>>> = {
  en: async () => withSeconds(await import("../texts/en/guide.json", { with: { type: "json" } })),
  de: async () => withSeconds(await import("../texts/de/guide.json", { with: { type: "json" } })),
  fr: async () => withSeconds(await import("../texts/fr/guide.json", { with: { type: "json" } })),
  it: async () => withSeconds(await import("../texts/it/guide.json", { with: { type: "json" } })),
};

/** A step in pieces: plain text, and labels of the terminal, which are shown as such. */
export const pieces = (step: string): readonly { readonly text: string; readonly isLabel: boolean }[] =>
  step
    .split(/{{([\w.]+)}}/)
    .map((text, index) => ({ text, isLabel: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
