/** The customer's phone beside the terminal, in training: the same person plays both. */
import { Button } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { groupId } from "../../backend/contract/ids.ts";
import type { Snapshot } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { amountText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { PhoneActions } from "./phone-actions.tsx";
import classes from "./practice.module.css";
import { RealPhone, UseRealPhone } from "./real-phone.tsx";
import { tourStep, tourSteps } from "./tour.ts";
import { usePractice } from "./use-practice.ts";

interface PracticePhoneProps {
  readonly snapshot: Snapshot;
  readonly close: () => void;
}

/** The customer's phone to practise with, beside the terminal in training. */
export const PracticePhone = ({ snapshot, close }: PracticePhoneProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const commands = useCommands();
  const { settings, header, screen, people } = snapshot;
  const practice = usePractice(screen);
  const { withdrawal } = practice;
  const step = tourStep(withdrawal, screen.kind);
  // Where only a manager may change a setting, a tour that is over is nothing to ask a PIN for.
  const isTouring = !settings.tourSeen && (!people.guarded || people.manager !== null);
  useEffect(() => {
    if (step === tourSteps && isTouring)
      void commands.dispatch({ type: "change_settings", settings: { ...settings, tourSeen: true } });
  }, [step, isTouring, commands, settings]);
  return (
    <aside className={classes.panel} aria-label={t("phone.title")}>
      <div className={classes.top}>
        <h2>{t("phone.title")}</h2>
        <Button variant="subtle" size="md" onClick={close} aria-label={t("phone.close")}>
          <IconX size={26} aria-hidden />
        </Button>
      </div>
      {header.phoneAccess === null ? (
        <>
          <p className={classes.tour} role="status" data-step={step}>
            {step > 0 && <strong>{t("phone.step", { number: step, total: tourSteps })}</strong>}
            {t(`phone.tour.step${step}`)}
          </p>
          <section className={classes.phone}>
            {withdrawal === null ? (
              <p className={classes.ask}>{t("phone.ask")}</p>
            ) : (
              <>
                <p className={classes.amount}>{amountText(withdrawal, language)}</p>
                <p>{withdrawal.shop}</p>
                {withdrawal.status === "ready" && <p className={classes.code}>{groupId(withdrawal.transactionId)}</p>}
              </>
            )}
            <PhoneActions practice={practice} screen={screen} />
            {practice.hasFailed && <p role="alert">{t("refusals.failed")}</p>}
          </section>
          <UseRealPhone />
        </>
      ) : (
        <RealPhone access={header.phoneAccess} />
      )}
      {header.sandboxUrl !== null && (
        <a className={classes.real} href={header.sandboxUrl} target="_blank" rel="noreferrer">
          {t("ready.trainingOpen")}
        </a>
      )}
    </aside>
  );
};
