/** A new version that waits to be installed: one line in the manager's area, and nowhere else. */
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./updates.module.css";
import { useUpdate, useUpdateActions, useUpdateText } from "./use-update.ts";

/** Installs the downloaded version, and shows why not. */
const InstallNow = ({ version }: { readonly version: string }) => {
  const { t } = useTranslation();
  const { answer, install } = useUpdateActions();
  return (
    <>
      <Button size="md" variant="default" loading={answer === "sent"} onClick={() => install(version)}>
        {t("updates.installNow")}
      </Button>
      <p role="status" className={classes.answer}>
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
    <div className={classes.line}>
      {isShown && <p>{text}</p>}
      {progress?.kind === "ready" && <InstallNow version={progress.version} />}
    </div>
  );
};
