/** Updates of the program, for a manager: the settings, and a version that waits to be installed. */
import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { updateChannels } from "../../preload/choices.ts";
import { useCommands } from "../ui/command-context.tsx";
import page from "../ui/page.module.css";
import { useUpdate, useUpdateText } from "../ui/use-update.ts";
import classes from "./manager.module.css";
import { choice, FieldView, toggle } from "./settings-fields.tsx";
import { Section, useSettingsForm } from "./settings-form.tsx";

type UpdateAnswer = "none" | "sent" | "busy" | "failed";

/** Sends a manager's commands about updates and keeps the last result. */
const useUpdateActions = () => {
  const commands = useCommands();
  const [answer, setAnswer] = useState<UpdateAnswer>("none");
  const send = async (command: Parameters<typeof commands.dispatch>[0]): Promise<void> => {
    setAnswer("sent");
    const reply = await commands.dispatch(command);
    setAnswer(reply.ok ? "none" : reply.code === "busy" ? "busy" : "failed");
  };
  return {
    answer,
    check: () => void send({ type: "check_for_update" }),
    install: (version: string) => void send({ type: "install_update", version }),
  };
};

/** Installs the downloaded version, and shows why not. */
const InstallNow = ({ version }: { readonly version: string }) => {
  const { t } = useTranslation();
  const { answer, install } = useUpdateActions();
  return (
    <>
      <Button loading={answer === "sent"} onClick={() => install(version)}>
        {t("updates.installNow")}
      </Button>
      <p role="status" className={page.soft}>
        {answer === "busy" || answer === "failed" ? t(`updates.${answer}`) : t("updates.away")}
      </p>
    </>
  );
};

/** The line over the tabs; empty while there is nothing to say. */
export const UpdateLine = () => {
  const update = useUpdate();
  const text = useUpdateText();
  const progress = update?.progress;
  const isShown = progress?.kind === "ready" || progress?.kind === "installing";
  return (
    <div className={`${page.row} ${classes.updateLine}`}>
      {isShown && <p>{text}</p>}
      {progress?.kind === "ready" && <InstallNow version={progress.version} />}
    </div>
  );
};

const hours = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, "0")}:00`);
/** Whole hours, and what the file has in between. */
const timesWith = (own: string): string[] => [...new Set([...hours, own])].sort();
const usualWindow = { from: "02:00", to: "05:00" };

/** New versions of the program: whether, which, and when. Not there where this program takes none. */
export const UpdateSettings = () => {
  const { t } = useTranslation();
  const update = useUpdate();
  const text = useUpdateText();
  const { answer, check } = useUpdateActions();
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
          <NativeSelect
            size="md"
            label={t("updates.time")}
            value={window === null ? "any" : "between"}
            onChange={(event) => set("updates.window", event.currentTarget.value === "any" ? null : usualWindow)}
            data={[
              { value: "any", label: t("updates.anyTime") },
              { value: "between", label: t("updates.between") },
            ]}
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
