import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import { colorSchemes, customerDisplays, settingBounds, windowModes } from "../../preload/choices.ts";
import type { Refusal } from "../../preload/contract.ts";
import { languages } from "../../preload/languages.ts";
import { languageNames } from "../texts/index.ts";
import { isInProgram } from "../ui/bridge.ts";
import { useCommands } from "../ui/command-context.tsx";
import { amountText } from "../ui/format.ts";
import { useProfile, useSnapshotStore, useSupport } from "../ui/snapshot-store.ts";
import { play } from "../ui/sounds.ts";
import { useLanguage } from "../ui/use-language.ts";
import { DrawerMoneySettings, DrawerSettings } from "./drawer-settings.tsx";
import classes from "./manager.module.css";
import { PrinterSettings } from "./printer-settings.tsx";
import { Choice, NumberField, Section, TextField, Toggle, useSettingsForm } from "./settings-form.tsx";
import { UpdateSettings } from "./update-settings.tsx";

/** Which terminal of which shop this is, and what the service says about the shop. */
const TerminalSettings = () => {
  const { t } = useTranslation();
  const language = useLanguage();
  const profile = useProfile();
  const support = useSupport();
  const commands = useCommands();
  const { set } = useSettingsForm();
  const header = useSnapshotStore((store) => store.snapshot?.header);
  const { limits } = profile ?? { limits: null };
  const text = (amount: string): string => amountText({ amount, currency: limits?.currency ?? "" }, language);
  return (
    <Section title={t("settings.terminal")}>
      <TextField
        path="terminalName"
        label={t("settings.terminalName")}
        description={t("settings.terminalNameHint")}
        maxLength={settingBounds.terminalNameLength.max}
      />
      {profile && (
        <dl className={classes.about}>
          <dt>{t("facts.shop")}</dt>
          <dd>{profile.name}</dd>
          {limits && (
            <>
              <dt>{t("settings.amounts")}</dt>
              <dd>
                {t("settings.amountsRange", { min: text(limits.min), max: text(limits.max), step: text(limits.step) })}
              </dd>
            </>
          )}
          {support && (
            <>
              <dt>{t("facts.support")}</dt>
              <dd>{support}</dd>
            </>
          )}
        </dl>
      )}
      <div className={classes.again}>
        {!header?.training && (
          <>
            <Button size="md" variant="default" onClick={() => set("setUp", "connect")}>
              {t("setup.again.connect")}
            </Button>
            <Button size="md" variant="default" onClick={() => set("setUp", "devices")}>
              {t("setup.again.devices")}
            </Button>
          </>
        )}
        <Button
          size="md"
          variant="default"
          onClick={() => void commands.dispatch({ type: "switch_purpose", training: !header?.training })}
        >
          {header?.training ? t("setup.again.live") : t("practice.start")}
        </Button>
      </div>
    </Section>
  );
};

/** The customer's display: a window of the desktop program, or a page that is opened by hand. */
const CustomerDisplaySettings = () => {
  const { t } = useTranslation();
  const { customerDisplay } = useSettingsForm().draft;
  return (
    <Section title={t("customerDisplay.title")}>
      <p className={classes.hint}>{t("customerDisplay.hint")}</p>
      {isInProgram() ? (
        <>
          <Choice
            path="customerDisplay"
            label={t("customerDisplay.shown")}
            data={customerDisplays.map((value) => ({ value, label: t(`customerDisplay.${value}`) }))}
          />
          {customerDisplay === "second_screen" && <NextScreen />}
        </>
      ) : (
        <>
          <p className={classes.hint}>{t("customerDisplay.openHint")}</p>
          <Button size="md" variant="default" component="a" href="/customer-display" target="_blank" rel="noreferrer">
            {t("customerDisplay.open")}
          </Button>
        </>
      )}
    </Section>
  );
};

/** Moves the display on, screen by screen; the one where it stays is remembered. */
const NextScreen = () => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const move = async (): Promise<void> => {
    const reply = await commands.dispatch({ type: "move_customer_display" });
    setRefusal(reply.ok ? null : reply.code);
  };
  return (
    <>
      <Button size="md" variant="default" onClick={() => void move()}>
        {t("customerDisplay.next")}
      </Button>
      <p role="status" className={classes.hint}>
        {refusal !== null && t(`refusals.${refusal}`)}
      </p>
    </>
  );
};

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
