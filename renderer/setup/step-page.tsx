import { UnstyledButton } from "@mantine/core";
import { t } from "i18next";
import type { ReactNode } from "react";
import type { Reply, Settings } from "../../preload/contract.ts";
import type { Actions } from "../ui/action-bar.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { Frame } from "../ui/frame.tsx";
import page from "../ui/page.module.css";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
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
export const StepPage = ({ step, title, next, actions, children }: StepPageProps) => {
  return (
    <Frame
      tone="setup"
      actions={{
        ...actions,
        ...(actions.second && { second: { shortcut: "secondDeliberate", ...actions.second } }),
        ...(actions.main && { main: { shortcut: "mainDeliberate", ...actions.main } }),
      }}
    >
      <div className={classes.setup} data-setup={step}>
        <p className={`${page.soft} ${classes.count}`}>
          {t("setup.step", { number: setUpSteps.indexOf(step) + 1, total: setUpSteps.length })}
        </p>
        <h1>{title}</h1>
        <p className={page.soft}>{next}</p>
        <div className={classes.body}>{children}</div>
      </div>
    </Frame>
  );
};

interface ChoiceProps {
  readonly label: string;
  readonly lang?: string;
  /** Whether it is the one in use. */
  readonly chosen: boolean;
  readonly choose: () => void;
}

/** A large button for one of a few choices. */
export const Choice = ({ label, lang, chosen, choose }: ChoiceProps) => {
  const commands = useCommands();
  return (
    <UnstyledButton
      className={classes.choice}
      lang={lang}
      aria-pressed={chosen}
      onClick={(press) => commands.runLocally(press, choose)}
    >
      <strong>{label}</strong>
    </UnstyledButton>
  );
};

/** Changes settings from what holds at the moment of the call. */
export const useSettingsChange = () => {
  const commands = useCommands();
  return async (part: Partial<Settings>): Promise<Reply> => {
    const settings = useSnapshotStore.getState().snapshot?.settings;
    if (settings === undefined) return { ok: false, code: "failed" };
    return commands.dispatch({ type: "change_settings", settings: { ...settings, ...part } });
  };
};
