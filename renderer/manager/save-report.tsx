/** Saves a file for support and says where it is. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { SavedReport } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import classes from "./manager.module.css";

type Outcome = { readonly kind: "saved"; readonly file: string } | { readonly kind: "failed" };

/** The button, and under it what became of the last press. */
export const SaveReport = () => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [saving, setSaving] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const save = async (): Promise<void> => {
    setSaving(true);
    const reply = await commands.dispatch({ type: "save_report" });
    setSaving(false);
    // The data is the host's, so its form is the contract's.
    setOutcome(reply.ok ? { kind: "saved", ...(reply.data as SavedReport) } : { kind: "failed" });
  };
  return (
    <>
      <Button size="lg" variant="default" loading={saving} onClick={() => void save()}>
        {t("supportReport.save")}
      </Button>
      <p role="status" className={classes.reportSaved}>
        {outcome?.kind === "saved" && t("supportReport.saved", { file: outcome.file })}
        {outcome?.kind === "failed" && t("supportReport.failed")}
      </p>
    </>
  );
};
