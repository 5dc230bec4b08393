import { IconKey, IconQrcode, IconSchool, IconServer } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Choice } from "./choice.tsx";
import { RefusalLine } from "./refusal-line.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";
import { useTraining } from "./use-training.ts";

/** How the terminal gets its access key. */
export type ConnectMethod = "code" | "key";

interface MethodStepProps {
  readonly choose: (method: ConnectMethod) => void;
  /** Opens the set-up of an own service. */
  readonly runService: () => void;
  readonly back: () => void;
}

const iconProps = { size: 44, stroke: 1.7, "aria-hidden": true } as const;

/** How to set up: by the provider's code, an access key, an own service, or training first. */
export const MethodStep = ({ choose, runService, back }: MethodStepProps) => {
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
