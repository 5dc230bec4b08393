import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Actions } from "../ui/action-bar.tsx";
import { Frame } from "../ui/frame.tsx";
import classes from "./setup.module.css";

/** The numbered steps, in their order. */
export const setUpSteps = ["appearance", "method", "connect", "devices", "practice"] as const;

interface StepPageProps {
  readonly step: (typeof setUpSteps)[number];
  readonly title: string;
  readonly next: string;
  readonly actions: Actions;
  readonly children: ReactNode;
}

/** One step of the set-up: its number, its title, what to do next, and the actions. */
export const StepPage = ({ step, title, next, actions, children }: StepPageProps) => {
  const { t } = useTranslation();
  return (
    <Frame tone="setup" actions={actions}>
      <div className={classes.setup} data-setup={step}>
        <p className={classes.count}>
          {t("setup.step", { number: setUpSteps.indexOf(step) + 1, total: setUpSteps.length })}
        </p>
        <h1 className={classes.title}>{title}</h1>
        <p className={classes.next}>{next}</p>
        <div className={classes.body}>{children}</div>
      </div>
    </Frame>
  );
};
