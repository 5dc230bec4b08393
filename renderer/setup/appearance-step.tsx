import { IconArrowRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { colorSchemes } from "../../preload/choices.ts";
import type { Settings } from "../../preload/contract.ts";
import { languages } from "../../preload/languages.ts";
import { languageNames } from "../texts/index.ts";
import { useCommands } from "../ui/command-context.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { Choice } from "./choice.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** Language and appearance; each press is saved and shown at once. */
export const AppearanceStep = ({ next }: { readonly next: () => void }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const settings = useSnapshotStore((store) => store.snapshot?.settings ?? null);
  if (settings === null) return null;
  const change = (part: Partial<Settings>) => (): void =>
    void commands.dispatch({ type: "change_settings", settings: { ...settings, ...part } });
  return (
    <StepPage
      step="appearance"
      title={t("setup.appearanceTitle")}
      next={t("setup.appearanceNext")}
      actions={{ main: { label: t("setup.go"), icon: <IconArrowRight size={34} aria-hidden />, run: next } }}
    >
      <fieldset className={classes.choices}>
        <legend className="visually-hidden">{t("settings.language")}</legend>
        {languages.map((language) => (
          <Choice
            key={language}
            lang={language}
            label={languageNames[language]}
            chosen={settings.language === language}
            choose={change({ language })}
          />
        ))}
      </fieldset>
      <fieldset className={classes.choices}>
        <legend className="visually-hidden">{t("settings.colors")}</legend>
        {colorSchemes.map((colorScheme) => (
          <Choice
            key={colorScheme}
            label={t(`settings.${colorScheme}`)}
            chosen={settings.colorScheme === colorScheme}
            choose={change({ colorScheme })}
          />
        ))}
      </fieldset>
    </StepPage>
  );
};
