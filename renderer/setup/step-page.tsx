import { t } from "i18next";
import type { ReactNode } from "react";
import { type Actions, Frame } from "../ui/frame.tsx";
import page from "../ui/page.module.css";
import classes from "./setup.module.css";

/** The numbered steps, in their order. */
const setUpSteps = ["appearance", "manager", "connect", "people", "devices", "practice"] as const;

interface StepPageProps {
  readonly step: (typeof setUpSteps)[number];
  readonly title: string;
  readonly next: string;
  readonly actions: Actions;
  readonly children: ReactNode;
}

/** One step of the set-up: its number, its title, what to do next, and the actions. Enter and Esc, pressed by habit, do nothing by default. */
export const StepPage = ({ step, title, next, actions: { main, second, ...actions }, children }: StepPageProps) => (
  <Frame
    tone="setup"
    actions={{
      ...actions,
      ...(second && { second: { shortcut: "secondDeliberate", ...second } }),
      ...(main && { main: { shortcut: "mainDeliberate", ...main } }),
    }}
  >
    <div className={classes.setup} data-setup={step}>
      <p className={page.soft}>
        <strong>{t("setup.step", { number: setUpSteps.indexOf(step) + 1, total: setUpSteps.length })}</strong>
      </p>
      <h1>{title}</h1>
      <p className={page.soft}>{next}</p>
      <div className={classes.body}>{children}</div>
    </div>
  </Frame>
);
