/** Settings are kept as they are changed: there is nothing to save, and so nothing to lose on the way out. */

import { Button } from "@mantine/core";
import { t } from "i18next";
import { useEffect, useRef, useState } from "react";
import type { Settings } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { useProfile, useSnapshotStore } from "../ui/snapshot-store.ts";
import classes from "./manager.module.css";
import { groupsOf, hasFault, SettingsGroups, type SettingsPart } from "./settings-fields.tsx";
import {
  changed,
  type Draft,
  faultsOf,
  fromDraft,
  isSame,
  Section,
  type SettingsForm,
  SettingsFormContext,
  toDraft,
} from "./settings-form.tsx";
import { UpdateSettings } from "./update-settings.tsx";

/** Nothing while every setting of the file holds. */
const WrongSettings = ({ settings }: { readonly settings: Settings }) => {
  const commands = useCommands();
  const header = useSnapshotStore((store) => store.snapshot?.header);
  const keep = (
    <Button onClick={() => void commands.dispatch({ type: "change_settings", settings })}>
      {t("settings.wrongKeep")}
    </Button>
  );
  const { wrongSettings: wrong = [], changedSettings: changed = [] } = header ?? {};
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

type Saving = "idle" | "saving" | "saved" | "failed";

interface SettingsPageProps {
  readonly part: SettingsPart;
  readonly settings: Settings;
  readonly training: boolean;
}

/** The form of one part of the settings. */
export const SettingsPage = ({ part, settings, training }: SettingsPageProps) => {
  const commands = useCommands();
  const [draft, setDraft] = useState(() => toDraft(settings));
  const [saving, setSaving] = useState<Saving>("idle");
  const faults = faultsOf(draft);
  const groups = groupsOf[part]({ t, draft, training, profile: useProfile() });
  const shown = groups.flatMap(({ fields, expert = [] }) => [...fields, ...expert]);
  /** What was sent last, so that the same is not sent twice, nor out of turn. */
  const sent = useRef({ settings, queue: Promise.resolve() });
  const keep = (typed: Draft): void => {
    const known = sent.current.settings;
    const { keyboardScanner, tourSeen, people } = settings;
    const next = fromDraft(typed, { ...known, keyboardScanner, tourSeen, people });
    if (isSame(next, known)) return;
    setSaving("saving");
    const send = async (): Promise<void> => {
      const reply = await commands.dispatch({ type: "change_settings", settings: next });
      if (sent.current.settings !== next) return;
      setSaving(reply.ok ? "saved" : "failed");
      // So that leaving the field, or the page, tries once more.
      if (!reply.ok) sent.current = { ...sent.current, settings: known };
    };
    sent.current = { settings: next, queue: sent.current.queue.then(send) };
  };
  const form: SettingsForm = {
    draft,
    faults,
    set: (path, value) => {
      const next = changed(draft, path.split("."), value);
      setDraft(next);
      keep(next);
    },
    type: (path, value) => {
      setDraft(changed(draft, path.split("."), value));
      setSaving("idle");
    },
  };
  const saveTyped = (): void => keep(draft);
  // Leaving with the cursor still in a field: closing with Esc sends no blur.
  const onLeave = useRef(saveTyped);
  onLeave.current = saveTyped;
  useEffect(() => () => onLeave.current(), []);
  const message = hasFault(shown, faults)
    ? t("settings.invalid")
    : saving === "saved"
      ? t("settings.saved")
      : saving === "failed"
        ? t("settings.failed")
        : t("settings.atOnce");
  return (
    <div className={classes.settings}>
      <form
        onBlur={saveTyped}
        onSubmit={(event) => {
          event.preventDefault();
          saveTyped();
        }}
      >
        <WrongSettings settings={settings} />
        <div className={classes.columns}>
          <SettingsFormContext value={form}>
            <SettingsGroups groups={groups} />
            {part === "computer" && <UpdateSettings />}
          </SettingsFormContext>
        </div>
      </form>
      <p role="status">{message}</p>
    </div>
  );
};
