/** Settings of the file that do not hold: they could not be read, or were changed outside of the program. */
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Section } from "./settings-section.tsx";

/** Nothing while every setting of the file holds. */
export const WrongSettings = ({ settings }: { readonly settings: Settings }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const header = useSnapshotStore((store) => store.snapshot?.header);
  const keep = (
    <Button size="md" variant="default" onClick={() => void commands.dispatch({ type: "change_settings", settings })}>
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
