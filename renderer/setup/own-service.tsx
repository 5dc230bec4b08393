/** The manager's tab about the own service: its page, or the form that sets one up. */

import { Button } from "@mantine/core";
import { IconArrowRight, IconServer } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Action, Actions } from "../ui/action-bar.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import classes from "./own-service.module.css";
import { emptyForm, missingIn, type OwnForm, partFields, setUpCommand } from "./own-service-form.ts";
import { OwnFields, OwnServicePage, OwnTrouble, useOwnService } from "./own-service-page.tsx";
import { StepPage } from "./step-page.tsx";

const iconProps = { size: 34, stroke: 2, "aria-hidden": true } as const;
const bankFields = [...partFields.bank, ...partFields.backups] as const;

/** One step for the page around it: title, next thing to do, buttons, body. */
interface OwnSetUpStep {
  readonly title: string;
  readonly next: string;
  readonly actions: Actions;
  readonly body: React.ReactNode;
}

/** The form as steps. @param back leaves the form. @param isFirst the set-up continues with the devices and practice afterwards. */
const useOwnSetUp = (back: () => void, isFirst: boolean): OwnSetUpStep => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [form, setForm] = useState<OwnForm>(emptyForm);
  const [step, setStep] = useState<"shop" | "bank">("shop");
  const { answer, send, mark, clearResult } = useOwnService();
  const set = (field: keyof OwnForm, value: string): void => {
    setForm({ ...form, [field]: value });
    clearResult();
  };
  const continueSetUp = (): void => {
    const missing = missingIn(form, "shop");
    if (missing.length > 0) mark(missing);
    else {
      clearResult();
      setStep("bank");
    }
  };
  const start = async (): Promise<void> => {
    if (answer.kind === "working") return;
    const missing = missingIn(form, "bank");
    if (missing.length > 0) return mark(missing);
    const settings = useSnapshotStore.getState().snapshot?.settings;
    if (isFirst && settings)
      await commands.dispatch({ type: "change_settings", settings: { ...settings, setUp: "devices" } });
    await send(setUpCommand(form));
  };
  /** A wrong field of the shop leads back to the first step. */
  const isShopWrong =
    step === "bank" && answer.fields.some((field) => (partFields.shop as readonly string[]).includes(field));
  const shown = isShopWrong ? "shop" : step;
  const isWorking = answer.kind === "working";
  return {
    title: shown === "shop" ? t("ownService.shopTitle") : t("ownService.bankTitle"),
    next: shown === "shop" ? t("ownService.shopNext") : t("ownService.bankNext"),
    actions: {
      second: {
        label: t("setup.back"),
        shortcut: "secondDeliberate",
        run: shown === "shop" && !isShopWrong ? back : () => setStep("shop"),
      },
      main:
        shown === "shop"
          ? {
              label: t("setup.go"),
              icon: <IconArrowRight {...iconProps} />,
              shortcut: "mainDeliberate",
              run: continueSetUp,
            }
          : {
              label: isWorking ? t("ownService.starting") : t("ownService.start"),
              icon: <IconServer {...iconProps} />,
              shortcut: "mainDeliberate",
              enabled: !isWorking,
              run: () => void start(),
            },
    },
    body: (
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (shown === "shop") continueSetUp();
          else void start();
        }}
      >
        <OwnFields fields={shown === "shop" ? partFields.shop : bankFields} form={form} set={set} answer={answer} />
        <OwnTrouble answer={answer} />
        <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden>
          {t("setup.go")}
        </button>
      </form>
    ),
  };
};

interface OwnStepProps {
  readonly back: () => void;
  readonly isFirst: boolean;
}

/** The set-up step of an own service. */
export const OwnStep = ({ back, isFirst }: OwnStepProps) => {
  const { title, next, actions, body } = useOwnSetUp(back, isFirst);
  return (
    <StepPage step="connect" title={title} next={next} actions={actions}>
      {body}
    </StepPage>
  );
};

const runOf = (action: Action | undefined) => (action && "run" in action ? action.run : undefined);

const Begin = ({ back }: { readonly back: () => void }) => {
  const { title, next, actions, body } = useOwnSetUp(back, false);
  return (
    <div className={classes.page}>
      <h2>{title}</h2>
      <p className={classes.note}>{next}</p>
      {body}
      <div className={classes.buttons}>
        <Button size="lg" variant="default" onClick={runOf(actions.second)}>
          {actions.second?.label}
        </Button>
        <Button size="lg" disabled={actions.main?.enabled === false} onClick={runOf(actions.main)}>
          {actions.main?.label}
        </Button>
      </div>
    </div>
  );
};

/** The set-up is refused while withdrawals are open: another service needs another journal. */
export const OwnService = () => {
  const { t } = useTranslation();
  const status = useSnapshotStore((store) => store.snapshot?.header.ownService ?? null);
  const [isBeginning, setBeginning] = useState(false);
  if (status !== null) return <OwnServicePage status={status} />;
  if (isBeginning) return <Begin back={() => setBeginning(false)} />;
  return (
    <div className={classes.page}>
      <section>
        <h2>{t("ownService.way")}</h2>
        <p className={classes.note}>{t("ownService.laterNext")}</p>
        <Button size="lg" variant="default" onClick={() => setBeginning(true)}>
          {t("ownService.begin")}
        </Button>
      </section>
    </div>
  );
};
