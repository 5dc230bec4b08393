import { IconCheck, IconSchool } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Choice } from "./choice.tsx";
import { RefusalLine } from "./refusal-line.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";
import { useTraining } from "./use-training.ts";

interface PracticePartProps {
  readonly done: () => void;
  readonly back: () => void;
}

/** Offers a practice withdrawal before the first customer comes. */
export const PracticePart = ({ done, back }: PracticePartProps) => {
  const { t } = useTranslation();
  const training = useTraining();
  const practise = (): void => {
    // The set-up counts as finished: the terminal comes back from training to its first screen.
    done();
    training.start();
  };
  return (
    <StepPage
      step="practice"
      title={t("practice.title")}
      next={t("practice.next")}
      actions={{
        second: { label: t("setup.back"), shortcut: "secondDeliberate", run: back },
        main: {
          label: t("practice.finish"),
          icon: <IconCheck size={34} aria-hidden />,
          shortcut: "mainDeliberate",
          run: done,
        },
      }}
    >
      <div className={classes.methods}>
        <Choice
          icon={<IconSchool size={44} stroke={1.7} aria-hidden />}
          label={t("practice.start")}
          hint={t("setup.trainingHint")}
          choose={practise}
        />
      </div>
      <RefusalLine refusal={training.refusal} />
    </StepPage>
  );
};
