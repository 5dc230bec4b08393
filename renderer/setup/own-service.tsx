/** The manager's tab about the own service: its page, or the form that sets one up. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Action } from "../ui/action-bar.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import classes from "./own-service.module.css";
import { OwnServicePage } from "./own-service-page.tsx";
import { useOwnSetUp } from "./own-set-up.tsx";

const runOf = (action: Action | undefined) => (action && "run" in action ? action.run : undefined);

const Begin = ({ back }: { readonly back: () => void }) => {
  const { title, next, actions, body } = useOwnSetUp(back, false);
  return (
    <div className={classes.page}>
      <h2>{title}</h2>
      <p className={classes.note}>{next}</p>
      {body}
      <div className={classes.buttons}>
        <Button size="lg" variant="default" onClick={runOf(actions.second)}>
          {actions.second?.label}
        </Button>
        <Button size="lg" disabled={actions.main?.enabled === false} onClick={runOf(actions.main)}>
          {actions.main?.label}
        </Button>
      </div>
    </div>
  );
};

/** The set-up is refused while withdrawals are open: another service needs another journal. */
export const OwnService = () => {
  const { t } = useTranslation();
  const status = useSnapshotStore((store) => store.snapshot?.header.ownService ?? null);
  const [isBeginning, setBeginning] = useState(false);
  if (status !== null) return <OwnServicePage status={status} />;
  if (isBeginning) return <Begin back={() => setBeginning(false)} />;
  return (
    <div className={classes.page}>
      <section>
        <h2>{t("ownService.way")}</h2>
        <p className={classes.note}>{t("ownService.laterNext")}</p>
        <Button size="lg" variant="default" onClick={() => setBeginning(true)}>
          {t("ownService.begin")}
        </Button>
      </section>
    </div>
  );
};
