import { Button } from "@mantine/core";
import { IconFileAlert, IconFileCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { JournalHealth as Health } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { Query } from "../ui/query.tsx";
import { useQuery } from "../ui/use-query.ts";
import classes from "./manager.module.css";
import { SaveReport } from "./save-report.tsx";

/** More than these help nobody on a screen; the journal's own tool lists all. */
const shownMax = 50;

/** What is wrong with which entry: damaged here, or not as the service was given it. */
const faultsOf = ({ damaged, anchors }: Health) => [
  ...damaged,
  ...(anchors?.missing ?? []).map((sequence) => ({ sequence, why: "missing" as const })),
  ...(anchors?.different ?? []).map((sequence) => ({ sequence, why: "different" as const })),
];

/** Checks the whole journal and shows what is damaged. */
export const JournalHealth = () => {
  const { t } = useTranslation();
  const { state, refetch } = useQuery<Health>({ type: "check_journal" });
  const progress = useSnapshotStore((store) => store.snapshot?.header.journalCheck ?? null);
  return (
    <Query
      state={state}
      again={refetch}
      progress={progress === null ? undefined : t("journal.progress", { ...progress })}
    >
      {(health) => (
        <div className={classes.health}>
          {faultsOf(health).length === 0 ? (
            <IconFileCheck size={72} stroke={1.6} aria-hidden />
          ) : (
            <IconFileAlert size={72} stroke={1.6} aria-hidden />
          )}
          <h2>{faultsOf(health).length === 0 ? t("journal.sound") : t("journal.damaged")}</h2>
          <p>{t("journal.entries", { count: health.entries })}</p>
          <p>
            {health.anchors === null
              ? t("journal.notCompared")
              : t("journal.compared", { count: health.anchors.compared })}
          </p>
          {faultsOf(health).length > 0 && (
            <>
              <p>{t("journal.next")}</p>
              <ul>
                {faultsOf(health)
                  .slice(0, shownMax)
                  .map((one) => (
                    <li key={`${one.sequence} ${one.why}`}>
                      <strong>{t("journal.entry", { sequence: one.sequence })}</strong> {t(`journal.why.${one.why}`)}
                    </li>
                  ))}
              </ul>
            </>
          )}
          <Button size="lg" variant="default" onClick={refetch}>
            {t("journal.check")}
          </Button>
          <SaveReport />
        </div>
      )}
    </Query>
  );
};
