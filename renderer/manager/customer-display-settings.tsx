import { Button, NativeSelect } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { customerDisplays } from "../../preload/choices.ts";
import { isInProgram } from "../bridge/bridge.ts";
import type { Draft } from "./draft.ts";
import classes from "./manager.module.css";
import { type DraftProps, Section } from "./settings-section.tsx";

/** The customer's display: a window of the desktop program, or a page that is opened by hand. */
export const CustomerDisplaySettings = ({ draft, change }: Pick<DraftProps, "draft" | "change">) => {
  const { t } = useTranslation();
  return (
    <Section title={t("customerDisplay.title")}>
      <p className={classes.hint}>{t("customerDisplay.hint")}</p>
      {isInProgram() ? (
        <NativeSelect
          size="md"
          label={t("customerDisplay.shown")}
          value={draft.customerDisplay}
          onChange={(event) => change({ customerDisplay: event.currentTarget.value as Draft["customerDisplay"] })}
          data={customerDisplays.map((value) => ({ value, label: t(`customerDisplay.${value}`) }))}
        />
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
