import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import { colorSchemes, settingBounds, windowModes } from "../../preload/choices.ts";
import { languages } from "../../preload/languages.ts";
import { languageNames } from "../texts/index.ts";
import { isInProgram } from "../ui/bridge.ts";
import { useCommands } from "../ui/command-context.tsx";
import { play } from "../ui/sounds.ts";
import { useProfile } from "../ui/use-profile.ts";
import { CustomerDisplaySettings } from "./customer-display-settings.tsx";
import { DrawerMoneySettings, DrawerSettings } from "./drawer-settings.tsx";
import classes from "./manager.module.css";
import { PrinterSettings } from "./printer-settings.tsx";
import { Choice, NumberField, Section, Toggle, useSettingsForm } from "./settings-form.tsx";
import { TerminalSettings } from "./terminal-settings.tsx";
import { UpdateSettings } from "./update-settings.tsx";

/** The desktop program on this computer: how its window stands, when it starts, and the way out. A browser has none of it. */
const ComputerSettings = ({ training }: { readonly training: boolean }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  if (!isInProgram()) return null;
  return (
    <Section title={t("computer.title")}>
      <Choice
        path="windowMode"
        label={t("computer.window")}
        description={t("computer.windowHint")}
        data={windowModes.map((value) => ({ value, label: t(`computer.windowModes.${value}`) }))}
      />
      {!training && (
        <Toggle
          path="startWithSystem"
          size="md"
          label={t("computer.startWithSystem")}
          description={t("computer.startWithSystemHint")}
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

const Volume = () => {
  const { t } = useTranslation();
  const { draft, set } = useSettingsForm();
  return (
    <div className={classes.volume}>
      <label>
        <span>{t("settings.volume", { percent: draft.volume })}</span>
        <input
          type="range"
          {...settingBounds.volume}
          step={10}
          value={draft.volume}
          onChange={(event) => set("volume", event.currentTarget.valueAsNumber)}
        />
      </label>
      <Button size="md" variant="default" onClick={() => play("give", draft.volume)}>
        {t("settings.soundTest")}
      </Button>
    </div>
  );
};

/** Language, sound, waiting time, camera and devices. */
export const GeneralSettings = ({ training }: { readonly training: boolean }) => {
  const { t } = useTranslation();
  const { sound } = useSettingsForm().draft;
  const serviceSeconds = useProfile()?.scaTimeoutSeconds;
  const ownHint = t("settings.scaTimeoutHint", settingBounds.scaTimeoutSeconds);
  return (
    <>
      <TerminalSettings />
      <Section title={t("settings.general")}>
        <Choice
          path="language"
          label={t("settings.language")}
          data={languages.map((value) => ({ value, label: languageNames[value] }))}
        />
        <Choice
          path="colorScheme"
          label={t("settings.colors")}
          data={colorSchemes.map((value) => ({ value, label: t(`settings.${value}`) }))}
        />
        <Toggle
          path="sound"
          label={t("settings.sound")}
          description={t("settings.soundHint", { seconds: scaLastSeconds })}
        />
        {sound && <Volume />}
      </Section>
      <Section title={t("settings.waiting")}>
        <NumberField
          path="scaTimeoutSeconds"
          label={t("settings.scaTimeout")}
          description={
            serviceSeconds == null
              ? ownHint
              : t("settings.scaTimeoutService", { hint: ownHint, seconds: serviceSeconds })
          }
        />
      </Section>
      <Section title={t("settings.camera")}>
        <Toggle path="camera.enabled" label={t("settings.cameraOn")} />
      </Section>
      <PrinterSettings />
      <DrawerSettings training={training} />
      <DrawerMoneySettings />
      <CustomerDisplaySettings />
      <ComputerSettings training={training} />
      <UpdateSettings />
    </>
  );
};
