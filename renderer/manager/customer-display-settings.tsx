import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { customerDisplays } from "../../preload/choices.ts";
import type { Refusal } from "../../preload/contract.ts";
import { isInProgram } from "../ui/bridge.ts";
import { useCommands } from "../ui/command-context.tsx";
import classes from "./manager.module.css";
import { Choice, Section, useSettingsForm } from "./settings-form.tsx";

/** The customer's display: a window of the desktop program, or a page that is opened by hand. */
export const CustomerDisplaySettings = () => {
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
