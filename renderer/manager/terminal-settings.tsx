import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { settingBounds } from "../../preload/choices.ts";
import { useCommands } from "../ui/command-context.tsx";
import { amountText } from "../ui/format.ts";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useLanguage } from "../ui/use-language.ts";
import { useProfile, useSupport } from "../ui/use-profile.ts";
import classes from "./manager.module.css";
import { Section, TextField, useSettingsForm } from "./settings-form.tsx";

/** Which terminal of which shop this is, and what the service says about the shop. */
export const TerminalSettings = () => {
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
