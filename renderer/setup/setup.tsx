/** The set-up of a terminal without a service: language and appearance, method, connection. */
import { IconArrowRight, IconKey, IconQrcode, IconSchool, IconServer } from "@tabler/icons-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { colorSchemes } from "../../preload/choices.ts";
import type { ScreenOf, Settings } from "../../preload/contract.ts";
import { languages } from "../../preload/languages.ts";
import { languageNames } from "../texts/index.ts";
import { useCommands } from "../ui/command-context.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { type ConnectMethod, ConnectStep } from "./connect-step.tsx";
import { useScannedLink } from "./scanned-link.ts";
import classes from "./setup.module.css";
import { Choice, RefusalLine, StepPage, useTraining } from "./step-page.tsx";

/** Language and appearance; each press is saved and shown at once. */
const AppearanceStep = ({ next }: { readonly next: () => void }) => {
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

interface MethodStepProps {
  readonly choose: (method: ConnectMethod) => void;
  /** Opens the set-up of an own service. */
  readonly runService: () => void;
  readonly back: () => void;
}

const iconProps = { size: 44, stroke: 1.7, "aria-hidden": true } as const;

/** How to set up: by the provider's code, an access key, an own service, or training first. */
const MethodStep = ({ choose, runService, back }: MethodStepProps) => {
  const { t } = useTranslation();
  const training = useTraining();
  return (
    <StepPage
      step="method"
      title={t("setup.methodTitle")}
      next={t("setup.methodNext")}
      actions={{ second: { label: t("setup.back"), run: back } }}
    >
      <div className={classes.methods}>
        <Choice
          icon={<IconQrcode {...iconProps} />}
          label={t("setup.byCode")}
          hint={t("setup.byCodeHint")}
          choose={() => choose("code")}
        />
        <Choice
          icon={<IconKey {...iconProps} />}
          label={t("setup.byKey")}
          hint={t("setup.byKeyHint")}
          choose={() => choose("key")}
        />
        <Choice
          icon={<IconServer {...iconProps} />}
          label={t("ownService.way")}
          hint={t("ownService.wayHint")}
          choose={runService}
        />
        <Choice
          icon={<IconSchool {...iconProps} />}
          label={t("setup.training")}
          hint={t("setup.trainingHint")}
          choose={training.start}
        />
      </div>
      <RefusalLine refusal={training.refusal} />
    </StepPage>
  );
};

const OwnStep = lazy(async () => ({ default: (await import("./own-service.tsx")).OwnStep }));

type CurrentStep =
  | { readonly step: "appearance" | "method" | "own" }
  | { readonly step: "connect"; readonly method: ConnectMethod };

/** Starts with the connection where the terminal was set up before. */
export const Setup = ({ screen }: { readonly screen: ScreenOf<"setup"> }) => {
  const isFirst = screen.why === "not_enrolled";
  const [at, setAt] = useState<CurrentStep>(isFirst ? { step: "appearance" } : { step: "connect", method: "code" });
  const link = useScannedLink((store) => store.link);
  // Whoever scans the provider's code has said how, whatever step is shown.
  useEffect(() => {
    if (link !== null) setAt({ step: "connect", method: "code" });
  }, [link]);
  switch (at.step) {
    case "appearance":
      return <AppearanceStep next={() => setAt({ step: "method" })} />;
    case "method":
      return (
        <MethodStep
          back={() => setAt({ step: "appearance" })}
          choose={(method) => setAt({ step: "connect", method })}
          runService={() => setAt({ step: "own" })}
        />
      );
    case "own":
      return (
        <Suspense>
          <OwnStep back={() => setAt({ step: "method" })} isFirst />
        </Suspense>
      );
    case "connect":
      return (
        <ConnectStep
          key={at.method}
          method={at.method}
          screen={screen}
          change={(method) => setAt({ step: "connect", method })}
          back={isFirst ? () => setAt({ step: "method" }) : null}
        />
      );
  }
};
