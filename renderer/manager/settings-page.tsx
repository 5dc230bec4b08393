/** Settings are saved as they are changed: there is no save button, and nothing is lost on the way out. */
import { Button } from "@mantine/core";
import { t } from "i18next";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useCommands } from "../ui/command-context.tsx";
import { Section } from "../ui/controls.tsx";
import { useProfile, useSnapshot } from "../ui/snapshot-store.ts";
import classes from "./manager.module.css";
import { groupsOf, hasFault, SettingsGroups, type SettingsPart } from "./settings-fields.tsx";
import {
  changed,
  type Draft,
  faultsOf,
  fromDraft,
  isSame,
  type Path,
  SettingsFormContext,
  toDraft,
} from "./settings-form.tsx";
import { UpdateSettings } from "./update-settings.tsx";

/** Settings of the file that are invalid, or differ from what a manager set; a press saves the settings that are in use. */
const WrongSettings = () => {
  const { dispatch } = useCommands();
  const { header, settings } = useSnapshot();
  const keep = (
    <Button onClick={() => void dispatch({ type: "change_settings", settings })}>{t("settings.wrongKeep")}</Button>
  );
  const { wrongSettings: wrong, changedSettings: changed } = header;
  return (
    <>
      {wrong.length > 0 && (
        <Section title={t("settings.wrong")}>
          <p>{t("settings.wrongNext", { names: wrong.join(", ") })}</p>
          {keep}
        </Section>
      )}
      {changed.length > 0 && (
        <Section title={t("settings.changed")}>
          <p>{t("settings.changedNext", { names: changed.join(", ") })}</p>
          {wrong.length === 0 && keep}
        </Section>
      )}
    </>
  );
};

/** The form of one part of the settings. */
export const SettingsPage = ({ part }: { readonly part: SettingsPart }) => {
  const { dispatch } = useCommands();
  const { header, settings } = useSnapshot();
  const profile = useProfile();
  const [draft, setDraft] = useState(() => toDraft(settings));
  const [saving, setSaving] = useState<"atOnce" | "saved" | "failed">("atOnce");
  const faults = faultsOf(draft);
  const groups = groupsOf[part]({ draft, training: header.training, profile });
  /** The settings that were sent last, and a queue: nothing is sent twice, or out of order. */
  const sent = useRef({ settings, queue: Promise.resolve() });
  const keep = (typed: Draft): void => {
    const known = sent.current.settings;
    const { keyboardScanner, tourSeen, people } = settings;
    const next = fromDraft(typed, { ...known, keyboardScanner, tourSeen, people });
    if (isSame(next, known)) return;
    setSaving("atOnce");
    const send = async (): Promise<void> => {
      const reply = await dispatch({ type: "change_settings", settings: next });
      if (sent.current.settings !== next) return;
      setSaving(reply.ok ? "saved" : "failed");
      // So that leaving the field, or the page, tries once more.
      if (!reply.ok) sent.current = { ...sent.current, settings: known };
    };
    sent.current = { settings: next, queue: sent.current.queue.then(send) };
  };
  const type = (path: Path | "updates.window", value: unknown): Draft => {
    const next = changed(draft, path.split("."), value);
    setDraft(next);
    setSaving("atOnce");
    return next;
  };
  const saveTyped = (): void => keep(draft);
  // Leaving with the cursor still in a field: closing with Esc sends no blur.
  const onLeave = useEffectEvent(saveTyped);
  useEffect(() => () => onLeave(), []);
  const isWrong = groups.some(({ fields, expert = [] }) => hasFault([...fields, ...expert], faults));
  return (
    <div className={classes.settings}>
      <form
        onBlur={saveTyped}
        onSubmit={(event) => {
          event.preventDefault();
          saveTyped();
        }}
      >
        <WrongSettings />
        <div className={classes.columns}>
          <SettingsFormContext value={{ draft, faults, type, set: (path, value) => keep(type(path, value)) }}>
            <SettingsGroups groups={groups} />
            {part === "computer" && <UpdateSettings />}
          </SettingsFormContext>
        </div>
      </form>
      <p role="status">{t(`settings.${isWrong ? "invalid" : saving}`)}</p>
    </div>
  );
};
