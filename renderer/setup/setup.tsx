/** The set-up of a terminal without a service: language and look, the manager, the connection; then the parts that follow it. */

import { IconArrowRight, IconCheck } from "@tabler/icons-react";
import { t } from "i18next";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { colorSchemes } from "../../preload/choices.ts";
import type { ScreenOf, Settings, Snapshot } from "../../preload/contract.ts";
import { languages } from "../../preload/languages.ts";
import { languageNames } from "../texts/index.ts";
import { RefusalText, useSend } from "../ui/command-context.tsx";
import page from "../ui/page.module.css";
import { Working } from "../ui/screen-body.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { type ConnectMethod, ConnectStep } from "./connect-step.tsx";
import { DevicesStep } from "./devices-step.tsx";
import { CashiersStep, ManagerStep } from "./people-steps.tsx";
import { useScannedLink } from "./scanned-link.ts";
import { Choice, StepPage, useSettingsChange } from "./step-page.tsx";

const iconProps = { size: 34, "aria-hidden": true } as const;

/** Language and appearance; each press is saved and shown at once. */
const AppearanceStep = ({ next }: { readonly next: () => void }) => {
  const change = useSettingsChange();
  const settings = useSnapshotStore((store) => store.snapshot?.settings ?? null);
  if (settings === null) return null;
  return (
    <StepPage
      step="appearance"
      title={t("setup.appearanceTitle")}
      next={t("setup.appearanceNext")}
      actions={{ main: { label: t("setup.go"), icon: <IconArrowRight {...iconProps} />, shortcut: "main", run: next } }}
    >
      <fieldset className={page.row}>
        <legend className="visually-hidden">{t("settings.language")}</legend>
        {languages.map((language) => (
          <Choice
            key={language}
            lang={language}
            label={languageNames[language]}
            chosen={settings.language === language}
            choose={() => void change({ language })}
          />
        ))}
      </fieldset>
      <fieldset className={page.row}>
        <legend className="visually-hidden">{t("settings.colors")}</legend>
        {colorSchemes.map((colorScheme) => (
          <Choice
            key={colorScheme}
            label={t(`settings.${colorScheme}`)}
            chosen={settings.colorScheme === colorScheme}
            choose={() => void change({ colorScheme })}
          />
        ))}
      </fieldset>
    </StepPage>
  );
};

const OwnStep = lazy(async () => ({ default: (await import("./own-service.tsx")).OwnStep }));

/** Starts with the connection where the terminal was set up before. */
export const Setup = ({ screen }: { readonly screen: ScreenOf<"setup"> }) => {
  const isFirst = screen.why === "not_enrolled";
  const hasManager = useSnapshotStore((store) => (store.snapshot?.people.managers ?? "none") !== "none");
  const [at, setAt] = useState<"appearance" | "connect" | "own">(isFirst ? "appearance" : "connect");
  const [isManagerSet, setManagerSet] = useState(false);
  const [method, setMethod] = useState<ConnectMethod>("code");
  const link = useScannedLink((store) => store.link);
  // Whoever scans the provider's code has said how, whatever step is shown.
  useEffect(() => {
    if (link === null) return;
    setMethod("code");
    setAt("connect");
  }, [link]);
  const begin = () => setAt("appearance");
  if (at === "appearance") return <AppearanceStep next={() => setAt("connect")} />;
  if (isFirst && !hasManager && !isManagerSet) return <ManagerStep back={begin} done={() => setManagerSet(true)} />;
  if (at === "own")
    return (
      <Suspense>
        <OwnStep back={() => setAt("connect")} />
      </Suspense>
    );
  return (
    <ConnectStep
      key={method}
      method={method}
      screen={screen}
      change={setMethod}
      back={isFirst ? begin : null}
      runService={isFirst ? () => setAt("own") : null}
    />
  );
};

/** Starts by itself: the terminal changes to training for one withdrawal, and comes back. */
const PracticeStep = ({ done }: { readonly done: () => void }) => {
  const { send, refusal } = useSend();
  const hasStarted = useRef(false);
  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    void send({ type: "switch_purpose", training: true, practice: true });
  }, [send]);
  return (
    <StepPage
      step="practice"
      title={t("practice.title")}
      next={t("practice.next")}
      actions={{
        second: {
          label: t("practice.finish"),
          icon: <IconCheck {...iconProps} />,
          run: done,
        },
      }}
    >
      {refusal === null ? <Working /> : <RefusalText refusal={refusal} />}
    </StepPage>
  );
};

/** The part that the settings name. */
export const SetUpParts = ({ snapshot }: { readonly snapshot: Snapshot }) => {
  const { settings, screen, people } = snapshot;
  const change = useSettingsChange();
  const [method, setMethod] = useState<ConnectMethod>("code");
  const go = (setUp: Settings["setUp"]) => (): void => void change({ setUp });
  switch (settings.setUp) {
    case "connect":
      return (
        <ConnectStep
          key={method}
          method={method}
          screen={{ kind: "setup", step: screen.step, why: "not_enrolled", known: null }}
          change={setMethod}
          back={go("done")}
          runService={null}
        />
      );
    case "people":
      return (
        <CashiersStep
          settings={settings}
          people={people}
          next={(part) => void change({ ...part, setUp: "devices" })}
          later={(part) => void change({ ...part, setUp: "done" })}
        />
      );
    case "devices":
      return <DevicesStep settings={settings} next={go("practice")} later={go("done")} />;
    case "practice":
      return <PracticeStep done={go("done")} />;
    case "done":
      return null;
  }
};
