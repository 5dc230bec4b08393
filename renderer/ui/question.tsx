import { Button, Loader } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./question.module.css";
import type { QuestionState } from "./use-question.ts";

interface QuestionProps<T> {
  readonly state: QuestionState<T>;
  readonly again: () => void;
  readonly children: (data: T) => ReactNode;
}

export const Question = <T,>({ state, again, children }: QuestionProps<T>) => {
  const { t } = useTranslation();
  if (state.kind === "answered") return children(state.data);
  return (
    <div className={classes.question} role="status">
      {state.kind === "asking" ? (
        <>
          <Loader size={56} color="var(--accent)" />
          <p>{t("manager.loading")}</p>
        </>
      ) : (
        <>
          <p>{t("manager.failed")}</p>
          <Button size="lg" variant="default" onClick={again}>
            {t("manager.again")}
          </Button>
        </>
      )}
    </div>
  );
};
