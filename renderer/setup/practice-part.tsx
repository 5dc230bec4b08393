import { IconCheck, IconSchool } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Refusal } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Choice } from "./choice.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

interface PracticePartProps {
  readonly done: () => void;
  readonly back: () => void;
}

/** A withdrawal without money before the first customer comes. */
export const PracticePart = ({ done, back }: PracticePartProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const practise = (): void => {
    // Back from training, the set-up is over.
    done();
    void commands
      .dispatch({ type: "switch_purpose", training: true })
      .then((reply) => setRefusal(reply.ok ? null : reply.code));
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
      <div className={classes.ways}>
        <Choice
          icon={<IconSchool size={44} stroke={1.7} aria-hidden />}
          label={t("practice.start")}
          hint={t("setup.trainingHint")}
          choose={practise}
        />
      </div>
      <p role="alert" className={classes.trouble} data-empty={refusal === null || undefined}>
        {refusal && t(`refusals.${refusal}`)}
      </p>
    </StepPage>
  );
};
