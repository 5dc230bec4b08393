import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { useDesk } from "../ui/desk.tsx";
import { BarcodeSettings } from "./barcode-settings.tsx";
import { type Draft, type DraftField, faultsOf, fromDraft, toDraft } from "./draft.ts";
import { GeneralSettings } from "./general-settings.tsx";
import classes from "./manager.module.css";

export interface DraftProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly faults: ReadonlySet<DraftField>;
}

type Saving = "idle" | "saving" | "saved" | "failed";

export const SettingsPage = ({ settings }: { readonly settings: Settings }) => {
  const { t } = useTranslation();
  const desk = useDesk();
  const [draft, setDraft] = useState(() => toDraft(settings));
  const [saving, setSaving] = useState<Saving>("idle");
  const faults = faultsOf(draft);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(toDraft(settings));
  const change = (part: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...part }));
    setSaving("idle");
  };
  const save = async (): Promise<void> => {
    setSaving("saving");
    const reply = await desk.ask({ type: "change_settings", settings: fromDraft(draft, settings) });
    setSaving(reply.ok ? "saved" : "failed");
  };
  const message =
    faults.size > 0
      ? t("settings.invalid")
      : saving === "saved" && !isChanged
        ? t("settings.saved")
        : saving === "failed"
          ? t("refusals.failed")
          : "";
  return (
    <div className={classes.settings}>
      <div className={classes.sections}>
        <div className={classes.columns}>
          <GeneralSettings draft={draft} change={change} faults={faults} />
          <BarcodeSettings draft={draft} change={change} faults={faults} />
        </div>
      </div>
      <div className={classes.savebar}>
        <p role="status">{message}</p>
        <Button variant="default" size="lg" disabled={!isChanged} onClick={() => setDraft(toDraft(settings))}>
          {t("settings.undo")}
        </Button>
        <Button
          size="lg"
          disabled={!isChanged || faults.size > 0}
          loading={saving === "saving"}
          onClick={() => void save()}
        >
          {t("settings.save")}
        </Button>
      </div>
    </div>
  );
};
