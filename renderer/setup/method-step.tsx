import { IconKey, IconQrcode, IconSchool, IconServer } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Refusal } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Choice } from "./choice.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** How the terminal gets its access key. */
export type Way = "code" | "key";

interface MethodStepProps {
  readonly choose: (way: Way) => void;
  /** This terminal runs the service itself. */
  readonly runService: () => void;
  readonly back: () => void;
}

const iconProps = { size: 44, stroke: 1.7, "aria-hidden": true } as const;

/** With a code of the provider, with an access key, with a service of its own, or in training first. */
export const MethodStep = ({ choose, runService, back }: MethodStepProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const train = (): void =>
    void commands
      .dispatch({ type: "switch_purpose", training: true })
      .then((reply) => setRefusal(reply.ok ? null : reply.code));
  return (
    <StepPage
      step="way"
      title={t("setup.wayTitle")}
      next={t("setup.wayNext")}
      actions={{ second: { label: t("setup.back"), run: back } }}
    >
      <div className={classes.ways}>
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
          choose={train}
        />
      </div>
      <p role="alert" className={classes.trouble} data-empty={refusal === null || undefined}>
        {refusal && t(`refusals.${refusal}`)}
      </p>
    </StepPage>
  );
};
