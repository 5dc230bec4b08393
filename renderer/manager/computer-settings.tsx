import { Button, NativeSelect, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { windowModes } from "../../preload/choices.ts";
import { isInProgram } from "../bridge/bridge.ts";
import { useCommands } from "../ui/command-context.tsx";
import type { Draft } from "./draft.ts";
import classes from "./manager.module.css";
import { type DraftProps, Section } from "./settings-section.tsx";

interface ComputerSettingsProps extends Pick<DraftProps, "draft" | "change"> {
  readonly training: boolean;
}

/** The desktop program on this computer: how its window stands, when it starts, and the way out. A browser has none of it. */
export const ComputerSettings = ({ draft, change, training }: ComputerSettingsProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  if (!isInProgram()) return null;
  return (
    <Section title={t("computer.title")}>
      <NativeSelect
        size="md"
        label={t("computer.window")}
        description={t("computer.windowHint")}
        value={draft.windowMode}
        onChange={(event) => change({ windowMode: event.currentTarget.value as Draft["windowMode"] })}
        data={windowModes.map((value) => ({ value, label: t(`computer.windowModes.${value}`) }))}
      />
      {!training && (
        <Switch
          size="md"
          label={t("computer.startWithSystem")}
          description={t("computer.startWithSystemHint")}
          checked={draft.startWithSystem}
          onChange={(event) => change({ startWithSystem: event.currentTarget.checked })}
        />
      )}
      <div className={classes.again}>
        <Button size="md" variant="default" onClick={() => void commands.dispatch({ type: "close_program" })}>
          {t("computer.close")}
        </Button>
      </div>
    </Section>
  );
};
