/** Updates of the program, for a manager: the settings, and a version that waits to be installed. */
import { Button } from "@mantine/core";
import { t } from "i18next";
import { updateChannels } from "../../preload/choices.ts";
import { Section } from "../ui/controls.tsx";
import { Select } from "../ui/fields.tsx";
import page from "../ui/page.module.css";
import { useSend } from "../ui/terminal.tsx";
import { useUpdate, useUpdateText } from "../ui/use-update.ts";
import classes from "./manager.module.css";
import { choice, FieldView, toggle } from "./settings-fields.tsx";
import { useSettingsForm } from "./settings-form.tsx";

/** The line over the tabs, with a button that installs what was downloaded; empty while there is nothing to say. */
export const UpdateLine = () => {
  const { send, isSending, refusal } = useSend();
  const text = useUpdateText();
  const progress = useUpdate()?.progress;
  return (
    <div className={`${page.row} ${classes.updateLine}`}>
      {(progress?.kind === "ready" || progress?.kind === "installing") && <p>{text}</p>}
      {progress?.kind === "ready" && (
        <>
          <Button loading={isSending} onClick={() => void send({ type: "install_update", version: progress.version })}>
            {t("updates.installNow")}
          </Button>
          <p role="status" className={page.soft}>
            {t(`updates.${refusal === null ? "away" : refusal === "busy" ? "busy" : "failed"}`)}
          </p>
        </>
      )}
    </div>
  );
};

const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
/** Whole hours, and the saved time where it is none. */
const timesWith = (own: string): string[] => [...new Set([...hours, own])].sort();
const usualWindow = { from: "02:00", to: "05:00" };

/** New versions of the program: whether, which, and when. Not there where this program takes none. */
export const UpdateSettings = () => {
  const update = useUpdate();
  const text = useUpdateText();
  const { send, isSending } = useSend();
  const { draft, set } = useSettingsForm();
  if (update === null) return null;
  const { progress } = update;
  const { window, enabled } = draft.updates;
  const time = (end: "from" | "to", { [end]: at }: Record<"from" | "to", string>) => (
    <FieldView
      field={choice(
        `updates.window.${end}`,
        t(`updates.${end}`),
        timesWith(at).map((value) => [value, value]),
      )}
    />
  );
  const channels = updateChannels.map((value) => [value, t(`updates.channels.${value}`)] as const);
  return (
    <Section title={t("updates.title")}>
      <p role="status">{text}</p>
      <FieldView field={toggle("updates.enabled", t("updates.on"), t("updates.onHint"))} />
      {enabled && (
        <>
          <FieldView field={choice("updates.channel", t("updates.channel"), channels)} />
          <Select<"anyTime" | "between">
            label={t("updates.time")}
            value={window === null ? "anyTime" : "between"}
            change={(when) => set("updates.window", when === "anyTime" ? null : usualWindow)}
            options={(["anyTime", "between"] as const).map((when) => [when, t(`updates.${when}`)])}
          />
          {window !== null && (
            <div className={classes.pair}>
              {time("from", window)}
              {time("to", window)}
            </div>
          )}
          {!update.isUnattended ? (
            <p className={page.soft}>{t("updates.admin")}</p>
          ) : (
            !draft.drawerMoney.enabled && window === null && <p className={page.soft}>{t("updates.noDays")}</p>
          )}
          <Button
            loading={isSending || progress.kind === "checking"}
            disabled={progress.kind === "downloading" || progress.kind === "installing"}
            onClick={() => void send({ type: "check_for_update" })}
          >
            {t("updates.checkNow")}
          </Button>
        </>
      )}
    </Section>
  );
};
