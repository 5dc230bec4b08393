import { Button } from "@mantine/core";
import { IconFileAlert, IconFileCheck } from "@tabler/icons-react";
import { t } from "i18next";
import type { JournalHealth as Health, SavedReport } from "../../preload/contract.ts";
import page from "../ui/page.module.css";
import { Query } from "../ui/query.tsx";
import { useSend, useSnapshot } from "../ui/terminal.tsx";
import classes from "./manager.module.css";

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
  const { journalCheck } = useSnapshot().header;
  return (
    <Query<Health>
      command={{ type: "check_journal" }}
      progress={journalCheck === null ? undefined : t("journal.progress", { ...journalCheck })}
    >
      {(health, again) => {
        const faults = faultsOf(health);
        const Sign = faults.length === 0 ? IconFileCheck : IconFileAlert;
        return (
          <div className={`${page.stack} ${classes.health}`}>
            <Sign size={72} stroke={1.6} aria-hidden />
            <h2>{t(faults.length === 0 ? "journal.sound" : "journal.damaged")}</h2>
            <p>{t("journal.entries", { count: health.entries })}</p>
            <p>
              {health.anchors === null
                ? t("journal.notCompared")
                : t("journal.compared", { count: health.anchors.compared })}
            </p>
            {faults.length > 0 && <p>{t("journal.next")}</p>}
            {faults.length > 0 && (
              <ul>
                {faults.slice(0, shownMax).map(({ sequence, why }) => (
                  <li key={`${sequence} ${why}`}>
                    <strong>{t("journal.entry", { sequence })}</strong> {t(`journal.why.${why}`)}
                  </li>
                ))}
              </ul>
            )}
            <Button size="lg" onClick={again}>
              {t("journal.check")}
            </Button>
            <SaveReport />
          </div>
        );
      }}
    </Query>
  );
};
