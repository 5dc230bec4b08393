/** The closed days for the manager: read one, print it, save all of them. */

import { Button } from "@mantine/core";
import { t } from "i18next";
import { useState } from "react";
import type { DayReport } from "../../preload/contract.ts";
import { usePersonName } from "../people/authority.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { minorText, momentText, signedText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { answerOf, Query } from "../ui/query.tsx";
import { RefusalText, useSend } from "../ui/terminal.tsx";
import { reportSheets } from "./csv-columns.ts";
import classes from "./history.module.css";
import { ReportView } from "./report-view.tsx";
import { SaveSheet } from "./save-sheet.tsx";

/** The closing reports of earlier days. */
export const DayReports = () => (
  <Query<readonly DayReport[]> command={{ type: "list_days" }}>{(newest) => <Reports newest={newest} />}</Query>
);

/** @param newest the newest ones, up to the most of an answer; days are numbered from 1. */
const Reports = ({ newest }: { readonly newest: readonly DayReport[] }) => {
  const { send, isSending, refusal } = useSend();
  const [reports, setReports] = useState(newest);
  const [hasOlder, setOlder] = useState((newest.at(-1)?.number ?? 1) > 1);
  const [opened, setOpened] = useState<number | null>(null);
  const addOlder = async () => {
    const before = reports.at(-1)?.number ?? 1;
    const answer = answerOf<readonly DayReport[]>(await send({ type: "list_days", before }));
    if (answer.kind !== "answered") return;
    setReports([...reports, ...answer.data]);
    setOlder(answer.data.length > 0 && (answer.data.at(-1)?.number ?? 1) > 1);
  };
  const hasNights = reports.some(({ night }) => night !== null && night.differenceMinor !== 0);
  if (reports.length === 0) return <p>{t("day.noReports")}</p>;
  if (opened !== null)
    return (
      <div className={page.stack}>
        <Button size="lg" onClick={() => setOpened(null)}>
          {t("story.back")}
        </Button>
        <ReportView number={opened} />
      </div>
    );
  const night = (report: DayReport, { differenceMinor, reason }: NonNullable<DayReport["night"]>) => (
    <>
      {signedText(differenceMinor, report.currency)} <Remark report={report} about="night" reason={reason} />
    </>
  );
  const read = ({ number }: DayReport) => (
    <Button size="compact-md" onClick={() => setOpened(number)}>
      {t("day.read")}
    </Button>
  );
  return (
    <div className={page.stack}>
      <DataTable
        rows={reports}
        keyOf={({ number }) => number}
        columns={[
          [t("day.number"), ({ number }) => number],
          [t("day.closedAt"), ({ closedAtMs }) => momentText(closedAtMs)],
          hasNights && [t("day.night"), (report) => report.night && night(report, report.night)],
          [t("day.expected"), ({ expectedMinor: sum, currency }) => minorText(sum, currency), classes.amount],
          [t("day.counted"), ({ countedMinor: sum, currency }) => minorText(sum, currency), classes.amount],
          [t("day.difference"), ({ differenceMinor: sum, currency }) => signedText(sum, currency), classes.amount],
          [t("day.reason"), (report) => <Remark report={report} about="count" reason={report.reason} />],
          ["", read],
        ]}
      />
      {hasOlder && (
        <div className={page.row}>
          <Button size="lg" loading={isSending} onClick={() => void addOlder()}>
            {t("history.more")}
          </Button>
          <RefusalText refusal={refusal} />
        </div>
      )}
      <div className={page.row}>
        {(["days", "moves", "counts"] as const).map((table) => (
          <SaveSheet
            key={table}
            name={t("day.reports")}
            what={t(`csv.${table}`)}
            sheet={(context) => reportSheets(context, reports)[table]}
          />
        ))}
      </div>
    </div>
  );
};

type RemarkProps = Readonly<{ report: DayReport; about: "night" | "count"; reason: string | null }>;

/** What was said of a difference, and what a manager wrote when it was cleared up. */
const Remark = ({ report, about, reason }: RemarkProps) => {
  const nameOf = usePersonName();
  const noted = report.clearedUp.filter((one) => one.about === about);
  return (
    <>
      {reason}{" "}
      {noted.map(({ by, note }) => (
        <small key={about}>
          {nameOf(by)}: {note}
        </small>
      ))}
    </>
  );
};
