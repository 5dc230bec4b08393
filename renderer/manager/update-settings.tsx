import { Button, NativeSelect, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { updateChannels } from "../../preload/choices.ts";
import classes from "../updates/updates.module.css";
import { useUpdate, useUpdateActions, useUpdateText } from "../updates/use-update.ts";
import type { Draft } from "./draft.ts";
import shared from "./manager.module.css";
import { type DraftProps, Section } from "./settings-section.tsx";

const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
/** Whole hours, and what the file has in between. */
const timesWith = (own: string): string[] => [...new Set([...hours, own])].sort();
const usualWindow = { from: "02:00", to: "05:00" };

/** New versions of the program: whether, which, and when. Not there where this program takes none. */
export const UpdateSettings = ({ draft, change }: Pick<DraftProps, "draft" | "change">) => {
  const { t } = useTranslation();
  const update = useUpdate();
  const text = useUpdateText();
  const { answer, check } = useUpdateActions();
  if (update === null) return null;
  const { progress } = update;
  const { updates } = draft;
  const set = (part: Partial<Draft["updates"]>) => change({ updates: { ...updates, ...part } });
  const time = (end: "from" | "to", window: NonNullable<Draft["updates"]["window"]>) => (
    <NativeSelect
      size="md"
      label={t(`updates.${end}`)}
      value={window[end]}
      onChange={(event) => set({ window: { ...window, [end]: event.currentTarget.value } })}
      data={timesWith(window[end])}
    />
  );
  return (
    <Section title={t("updates.title")}>
      <p role="status">{text}</p>
      <Switch
        size="lg"
        label={t("updates.on")}
        description={t("updates.onHint")}
        checked={updates.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      {updates.enabled && (
        <>
          <NativeSelect
            size="md"
            label={t("updates.channel")}
            value={updates.channel}
            onChange={(event) => set({ channel: event.currentTarget.value as Draft["updates"]["channel"] })}
            data={updateChannels.map((value) => ({ value, label: t(`updates.channels.${value}`) }))}
          />
          <NativeSelect
            size="md"
            label={t("updates.time")}
            value={updates.window === null ? "any" : "between"}
            onChange={(event) => set({ window: event.currentTarget.value === "any" ? null : usualWindow })}
            data={[
              { value: "any", label: t("updates.anyTime") },
              { value: "between", label: t("updates.between") },
            ]}
          />
          {updates.window !== null && (
            <div className={classes.times}>
              {time("from", updates.window)}
              {time("to", updates.window)}
            </div>
          )}
          {!update.isUnattended ? (
            <p className={shared.hint}>{t("updates.admin")}</p>
          ) : (
            !draft.drawerMoney && updates.window === null && <p className={shared.hint}>{t("updates.noDays")}</p>
          )}
          <Button
            size="md"
            variant="default"
            loading={answer === "sent" || progress.kind === "checking"}
            disabled={progress.kind === "downloading" || progress.kind === "installing"}
            onClick={check}
          >
            {t("updates.checkNow")}
          </Button>
        </>
      )}
    </Section>
  );
};
