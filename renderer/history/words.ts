/** The core's codes of the past as words, for screens and files. */
import type { TFunction } from "i18next";
import { reasons, undeliveredReasons } from "../../backend/contract/reasons.ts";
import type { BookLine, Outcome, StoryStep } from "../../preload/contract.ts";
import { discrepancies, outcomes, storySteps, storyWords } from "../../preload/enums.ts";

const known = <T extends string>(words: readonly T[], word: string): T | undefined => words.find((one) => one === word);

/** How it ended; null: not yet. */
export const outcomeText = (outcome: Outcome | null, t: TFunction): string =>
  outcome === null ? t("history.inProgress") : t(`outcomes.${outcome}`);

/** The core's comma-separated codes as text; a code of a newer program is shown as it is. */
export const discrepancyText = (codes: string, t: TFunction): string =>
  codes
    .split(", ")
    .map((code) => {
      const one = known(discrepancies, code);
      if (one === undefined) return code;
      return one === "undelivered_by_another" ? t("discrepancies.by_another") : t(`discrepancies.${one}`);
    })
    .join("; ");

/** What the service has of it; a status of a newer service is shown as it is. */
export const findingText = ({ finding, status }: NonNullable<BookLine["there"]>, t: TFunction): string => {
  if (finding !== null) return t(`books.findings.${finding}`);
  const step = known(storySteps, `there_${status}`);
  return step === undefined ? status : t(`story.steps.${step}`);
};

const cashWords = ["linked", "undelivered"] as const;
/** The detail of a step as text; a note, and a code of another program, as it is. */
const aboutText = ({ what, about }: StoryStep, t: TFunction): string => {
  if (about === null) return "";
  if (what === "discrepancy") return discrepancyText(about, t);
  if (what === "decided" || what === "acknowledged") return about;
  const cash = what === "there_cash_reported" ? known(cashWords, about) : undefined;
  if (cash) return t(`story.steps.there_${cash}`);
  const undelivered = known(undeliveredReasons, about);
  if ((what === "not_handed_out" || what === "there_undelivered") && undelivered)
    return t(`notHandedOut.${undelivered}`);
  const outcome = what === "closed" ? known(outcomes, about) : undefined;
  if (outcome) return t(`outcomes.${outcome}`);
  const own = known(storyWords, about);
  if (own) return t(`story.about.${own}`);
  const reason = known(reasons, about);
  return reason ? t(`story.reasons.${reason}`) : about;
};

const actors = ["terminal", "counter", "device", "partner", "sweeper", "operator"] as const;

/** A step of a story in words; empty where there is nothing to say. */
export const stepText = (step: StoryStep, t: TFunction, nameOf: (code: string) => string) => {
  const { side, by, byName, what } = step;
  const actor = known(actors, by ?? "");
  const who = by === null ? "" : actor ? t(`story.actors.${actor}`) : nameOf(by);
  const isThere = side === "there";
  return {
    what: t(`story.steps.${what}`),
    about: aboutText(step, t),
    who: isThere && byName !== null ? `${who} ${byName}`.trim() : who,
    approvedBy: isThere || byName === null ? "" : nameOf(byName),
  };
};
