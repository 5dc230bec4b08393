/** Settings that could not be read and have their usual value: the manager sees which, and keeps that value or sets another. */
import { Alert, Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { useCommands } from "../ui/command-context.tsx";

/** Nothing while every setting could be read. */
export const WrongSettings = ({ settings }: { readonly settings: Settings }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const wrong = useSnapshotStore((store) => store.snapshot?.header.wrongSettings);
  if (wrong === undefined || wrong.length === 0) return null;
  return (
    <Alert color="yellow" title={t("settings.wrong")} mb="lg">
      <p>{t("settings.wrongNext", { names: wrong.join(", ") })}</p>
      <Button size="md" variant="default" onClick={() => void commands.dispatch({ type: "change_settings", settings })}>
        {t("settings.wrongKeep")}
      </Button>
    </Alert>
  );
};
