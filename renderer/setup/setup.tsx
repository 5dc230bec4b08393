/** The set-up of a terminal without a service: language and look, the manager, the connection; then the parts that follow it. */
import { Button, Group } from "@mantine/core";
import { IconArrowRight, IconCheck } from "@tabler/icons-react";
import { t } from "i18next";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { colorSchemes } from "../../preload/choices.ts";
import type { ScreenOf, Settings } from "../../preload/contract.ts";
import { languages } from "../../preload/languages.ts";
import { languageNames } from "../texts/index.ts";
import { RefusalText, useCommands, useSend, useSettingsChange } from "../ui/command-context.tsx";
import { Working } from "../ui/screen-body.tsx";
import { useSnapshot } from "../ui/snapshot-store.ts";
import { type ConnectMethod, ConnectStep } from "./connect-step.tsx";
import { DevicesStep } from "./devices-step.tsx";
import { CashiersStep, ManagerStep } from "./people-steps.tsx";
import { useScannedLink } from "./scanned-link.ts";
import { StepPage } from "./step-page.tsx";

interface ChoicesProps<Value> {
  readonly title: string;
  readonly values: readonly Value[];
  readonly chosen: Value;
  readonly label: (value: Value) => string;
  readonly choose: (value: Value) => void;
  /** Each label is in the language that it names. */
  readonly areLanguages?: boolean;
}

const Choices = <Value extends string>(props: ChoicesProps<Value>) => {
  const { title, values, chosen, label, choose, areLanguages } = props;
  const commands = useCommands();
  return (
    <fieldset aria-label={title}>
      <Group gap="sm">
        {values.map((value) => (
          <Button
            key={value}
            miw={150}
            size="xl"
            fz="lg"
            fw={700}
            justify="start"
            lang={areLanguages ? value : undefined}
            aria-pressed={value === chosen}
            onClick={(press) => commands.runLocally(press, () => choose(value))}
          >
            {label(value)}
          </Button>
        ))}
      </Group>
    </fieldset>
  );
};

const AppearanceStep = ({ next }: { readonly next: () => void }) => {
  const change = useSettingsChange();
  const { language, colorScheme } = useSnapshot().settings;
  return (
    <StepPage
      step="appearance"
      title={t("setup.appearanceTitle")}
      next={t("setup.appearanceNext")}
      actions={{ main: { label: t("setup.go"), icon: IconArrowRight, shortcut: "main", run: next } }}
    >
      <Choices
        title={t("settings.language")}
        values={languages}
        chosen={language}
        label={(one) => languageNames[one]}
        choose={(one) => void change({ language: one })}
        areLanguages
      />
      <Choices
        title={t("settings.colors")}
        values={colorSchemes}
        chosen={colorScheme}
        label={(one) => t(`settings.${one}`)}
        choose={(one) => void change({ colorScheme: one })}
      />
    </StepPage>
  );
};

const OwnStep = lazy(async () => ({ default: (await import("./own-service.tsx")).OwnStep }));

/** Starts with the connection where the terminal was set up before. */
export const Setup = ({ screen }: { readonly screen: ScreenOf<"setup"> }) => {
  const isFirst = screen.why === "not_enrolled";
  const hasManager = useSnapshot().people.managers !== "none";
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
      why={screen.why}
      known={screen.known}
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
      actions={{ second: { label: t("practice.finish"), icon: IconCheck, run: done } }}
    >
      {refusal === null ? <Working /> : <RefusalText refusal={refusal} />}
    </StepPage>
  );
};

/** The part that the settings name. */
export const SetUpParts = () => {
  const { setUp } = useSnapshot().settings;
  const change = useSettingsChange();
  const [method, setMethod] = useState<ConnectMethod>("code");
  const go = (to: Settings["setUp"]) => (): void => void change({ setUp: to });
  switch (setUp) {
    case "connect":
      return (
        <ConnectStep
          key={method}
          method={method}
          why="not_enrolled"
          known={null}
          change={setMethod}
          back={go("done")}
          runService={null}
        />
      );
    case "people":
      return <CashiersStep />;
    case "devices":
      return <DevicesStep next={go("practice")} later={go("done")} />;
    case "practice":
      return <PracticeStep done={go("done")} />;
    case "done":
      return null;
  }
};
