import { Button, Checkbox, NativeSelect, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import { colorSchemes, drawerMoneyRights, settingBounds, windowModes } from "../../preload/choices.ts";
import { languages } from "../../preload/languages.ts";
import { isInProgram } from "../bridge/bridge.ts";
import { languageNames } from "../texts/index.ts";
import { useCommands } from "../ui/command-context.tsx";
import { play } from "../ui/sounds.ts";
import { useProfile } from "../ui/use-profile.ts";
import { CustomerDisplaySettings } from "./customer-display-settings.tsx";
import type { Draft } from "./draft.ts";
import { DrawerSettings } from "./drawer-settings.tsx";
import classes from "./manager.module.css";
import { NumberField } from "./number-field.tsx";
import { PrinterSettings } from "./printer-settings.tsx";
import { type DraftProps, Section } from "./settings-section.tsx";
import { TerminalSettings } from "./terminal-settings.tsx";
import { UpdateSettings } from "./update-settings.tsx";

interface ComputerSettingsProps extends Pick<DraftProps, "draft" | "change"> {
  readonly training: boolean;
}

/** The desktop program on this computer: how its window stands, when it starts, and the way out. A browser has none of it. */
const ComputerSettings = ({ draft, change, training }: ComputerSettingsProps) => {
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

/** Whether the drawer is counted here, and what of it needs a manager. */
const DrawerMoneySettings = ({ draft, change, faults }: DraftProps) => {
  const { t } = useTranslation();
  return (
    <Section title={t("settings.drawerMoney")}>
      <Switch
        size="lg"
        label={t("settings.drawerMoneyOn")}
        description={t("settings.drawerMoneyHint")}
        checked={draft.drawerMoney}
        onChange={(event) => change({ drawerMoney: event.currentTarget.checked })}
      />
      {draft.drawerMoney && (
        <Checkbox.Group
          label={t("settings.managerFor")}
          value={[...draft.managerFor]}
          onChange={(chosen) => change({ managerFor: drawerMoneyRights.filter((right) => chosen.includes(right)) })}
        >
          {drawerMoneyRights.map((right) => (
            <Checkbox key={right} size="md" value={right} label={t(`settings.drawerMoneyRights.${right}`)} />
          ))}
        </Checkbox.Group>
      )}
      {draft.drawerMoney && (
        <NumberField
          draft={draft}
          change={change}
          faults={faults}
          name="differenceMinor"
          label={t("settings.differenceMinor")}
          description={t("settings.differenceMinorHint", settingBounds.differenceMinor)}
        />
      )}
    </Section>
  );
};

interface GeneralProps extends DraftProps {
  readonly training: boolean;
}

/** Language, sound, waiting time, camera and drawer. */
export const GeneralSettings = ({ draft, change, faults, training }: GeneralProps) => {
  const { t } = useTranslation();
  const serviceSeconds = useProfile()?.scaTimeoutSeconds;
  const ownHint = t("settings.scaTimeoutHint", settingBounds.scaTimeoutSeconds);
  return (
    <>
      <TerminalSettings draft={draft} change={change} />
      <Section title={t("settings.general")}>
        <NativeSelect
          size="md"
          label={t("settings.language")}
          value={draft.language}
          onChange={(event) => change({ language: event.currentTarget.value as Draft["language"] })}
          data={languages.map((value) => ({ value, label: languageNames[value] }))}
        />
        <NativeSelect
          size="md"
          label={t("settings.colors")}
          value={draft.colorScheme}
          onChange={(event) => change({ colorScheme: event.currentTarget.value as Draft["colorScheme"] })}
          data={colorSchemes.map((value) => ({ value, label: t(`settings.${value}`) }))}
        />
        <Switch
          size="lg"
          label={t("settings.sound")}
          description={t("settings.soundHint", { seconds: scaLastSeconds })}
          checked={draft.sound}
          onChange={(event) => change({ sound: event.currentTarget.checked })}
        />
        {draft.sound && (
          <div className={classes.volume}>
            <label>
              <span>{t("settings.volume", { percent: draft.volume })}</span>
              <input
                type="range"
                {...settingBounds.volume}
                step={10}
                value={draft.volume}
                onChange={(event) => change({ volume: event.currentTarget.valueAsNumber })}
              />
            </label>
            <Button size="md" variant="default" onClick={() => play("give", draft.volume)}>
              {t("settings.soundTest")}
            </Button>
          </div>
        )}
      </Section>
      <Section title={t("settings.waiting")}>
        <NumberField
          draft={draft}
          change={change}
          faults={faults}
          name="scaTimeout"
          label={t("settings.scaTimeout")}
          description={
            serviceSeconds == null
              ? ownHint
              : t("settings.scaTimeoutService", { hint: ownHint, seconds: serviceSeconds })
          }
        />
      </Section>
      <Section title={t("settings.camera")}>
        <Switch
          size="lg"
          label={t("settings.cameraOn")}
          checked={draft.cameraEnabled}
          onChange={(event) => change({ cameraEnabled: event.currentTarget.checked })}
        />
      </Section>
      <PrinterSettings draft={draft} change={change} faults={faults} />
      <DrawerSettings draft={draft} change={change} faults={faults} training={training} />
      <DrawerMoneySettings draft={draft} change={change} faults={faults} />
      <CustomerDisplaySettings draft={draft} change={change} />
      <ComputerSettings draft={draft} change={change} training={training} />
      <UpdateSettings draft={draft} change={change} />
    </>
  );
};
