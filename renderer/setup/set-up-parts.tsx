/** The parts of the set-up after the first connection; each can be opened again from the settings. */
import { IconCheck, IconSchool } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Settings, Snapshot } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import type { ConnectMethod } from "./connect-step.tsx";
import { ConnectStep } from "./connect-step.tsx";
import { DevicesPart } from "./devices-part.tsx";
import classes from "./setup.module.css";
import { Choice, RefusalLine, StepPage, useTraining } from "./step-page.tsx";

interface PracticePartProps {
  readonly done: () => void;
  readonly back: () => void;
}

/** Offers a practice withdrawal before the first customer comes. */
const PracticePart = ({ done, back }: PracticePartProps) => {
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

/** The part that the settings name. */
export const SetUpParts = ({ snapshot }: { readonly snapshot: Snapshot }) => {
  const { settings, screen } = snapshot;
  const commands = useCommands();
  const [method, setMethod] = useState<ConnectMethod>("code");
  const go = (setUp: Settings["setUp"]) => (): void =>
    void commands.dispatch({ type: "change_settings", settings: { ...settings, setUp } });
  switch (settings.setUp) {
    case "connect":
      return (
        <ConnectStep
          key={method}
          method={method}
          screen={{ kind: "setup", step: screen.step, why: "not_enrolled", known: null }}
          change={setMethod}
          back={go("done")}
        />
      );
    case "devices":
      return <DevicesPart settings={settings} next={go("practice")} later={go("done")} />;
    case "practice":
      return <PracticePart done={go("done")} back={go("devices")} />;
    case "done":
      return null;
  }
};
