import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { reasons } from "../../backend/contract/reasons.ts";
import { undeliveredReasons } from "../../backend/contract/undelivered-reasons.ts";
import type { StoryStep } from "../../preload/contract.ts";
import { outcomes, storyWords } from "../../preload/words.ts";
import { usePeople } from "../people/use-people.ts";
import { timeText } from "../ui/figure-text.ts";
import { useLanguage } from "../ui/use-language.ts";
import { discrepancyText } from "./discrepancy-text.ts";
import classes from "./history.module.css";

const known = <T extends string>(words: readonly T[], word: string): T | undefined => words.find((one) => one === word);

/** The detail of a step as text; a note, and a code of another program, as it is. */
const aboutText = ({ what, about }: StoryStep, t: TFunction): string => {
  if (about === null) return "";
  if (what === "discrepancy") return discrepancyText(about, t);
  if (what === "decided" || what === "acknowledged") return about;
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
interface StepProps {
  readonly step: StoryStep;
}

const Step = ({ step }: StepProps) => {
  const { t } = useTranslation();
  const people = usePeople();
  const { side, by, byName, what } = step;
  const person = (code: string): string => people.find((one) => one.code === code)?.name ?? code;
  const actor = known(actors, by ?? "");
  const who = by === null ? "" : actor ? t(`story.actors.${actor}`) : person(by);
  const name = side === "there" && byName !== null ? ` ${byName}` : "";
  const about = aboutText(step, t);
  return (
    <div className={classes.step} data-side={side}>
      <strong>{t(`story.steps.${what}`)}</strong>
      {about !== "" && <span>{about}</span>}
      {who !== "" && <small>{t("story.by", { who: `${who}${name}` })}</small>}
      {side === "here" && byName !== null && <small>{t("story.approved", { who: person(byName) })}</small>}
    </div>
  );
};

interface StoryStepsProps {
  readonly steps: readonly StoryStep[];
  readonly hasService: boolean;
}

/** A row a step: on the left this terminal, on the right the service. */
export const StorySteps = ({ steps, hasService }: StoryStepsProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <table className={`${classes.table} ${classes.steps}`}>
      <thead>
        <tr>
          <th>{t("story.time")}</th>
          <th>{t("story.here")}</th>
          {hasService && <th>{t("story.there")}</th>}
        </tr>
      </thead>
      <tbody>
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a story is shown whole and never reordered
          <tr key={index}>
            <td>{timeText(step.atMs, steps[index - 1]?.atMs ?? null, language)}</td>
            <td>{step.side === "here" && <Step step={step} />}</td>
            {hasService && <td>{step.side === "there" && <Step step={step} />}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
