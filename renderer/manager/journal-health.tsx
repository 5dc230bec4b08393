import { Button } from "@mantine/core";
import { IconFileAlert, IconFileCheck } from "@tabler/icons-react";
import { t } from "i18next";
import type { JournalHealth as Health, SavedReport } from "../../preload/contract.ts";
import { useSend } from "../ui/command-context.tsx";
import page from "../ui/page.module.css";
import { Query, useQuery } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import classes from "./manager.module.css";

/** The button, and under it what became of the last press. */
const SaveReport = () => {
  const { send, isSending, reply } = useSend();
  return (
    <>
      <Button size="lg" loading={isSending} onClick={() => void send({ type: "save_report" })}>
        {t("supportReport.save")}
      </Button>
      <p role="status" className={page.soft}>
        {reply && (reply.ok ? t("supportReport.saved", { ...(reply.data as SavedReport) }) : t("supportReport.failed"))}
      </p>
    </>
  );
};

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
  const { state, refetch } = useQuery<Health>({ type: "check_journal" });
  const progress = useSnapshotStore((store) => store.snapshot?.header.journalCheck ?? null);
  return (
    <Query
      state={state}
      again={refetch}
      progress={progress === null ? undefined : t("journal.progress", { ...progress })}
    >
      {(health) => (
        <div className={`${page.stack} ${classes.health}`}>
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
          <Button size="lg" onClick={refetch}>
            {t("journal.check")}
          </Button>
          <SaveReport />
        </div>
      )}
    </Query>
  );
};
