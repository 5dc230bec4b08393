/** The closed days for the manager: read one, print it, save all of them. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DayReport } from "../../preload/contract.ts";
import { usePersonName } from "../people/authority.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { minorText, momentText, signedText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query, useQuery } from "../ui/query.tsx";
import { useLanguage } from "../ui/snapshot-store.ts";
import { reportSheets } from "./csv-columns.ts";
import { ReportView } from "./report-view.tsx";
import { SaveSheet } from "./save-sheet.tsx";

/** The closing reports of earlier days. */
export const DayReports = () => {
  const { state, refetch } = useQuery<readonly DayReport[]>({ type: "list_days" });
  return (
    <Query state={state} again={refetch}>
      {(reports) => <Reports reports={reports} />}
    </Query>
  );
};

const Reports = ({ reports }: { readonly reports: readonly DayReport[] }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const [opened, setOpened] = useState<number | null>(null);
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
  type Difference = Pick<DayReport, "differenceMinor" | "reason">;
  const difference = (report: DayReport, about: "night" | "count", { differenceMinor, reason }: Difference) => (
    <>
      {signedText(differenceMinor, report.currency, language)} {reason} <Noted report={report} about={about} />
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
          [t("day.closedAt"), ({ closedAtMs }) => momentText(new Date(closedAtMs).toISOString(), language)],
          hasNights && [t("day.night"), (report) => report.night && difference(report, "night", report.night)],
          [t("day.expected"), ({ expectedMinor, currency }) => minorText(expectedMinor, currency, language)],
          [t("day.counted"), ({ countedMinor, currency }) => minorText(countedMinor, currency, language)],
          [t("day.difference"), (report) => difference(report, "count", report)],
          ["", read],
        ]}
      />
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

/** What a manager wrote when a difference was cleared up. */
const Noted = ({ report, about }: Readonly<{ report: DayReport; about: "night" | "count" }>) => {
  const nameOf = usePersonName();
  return report.clearedUp
    .filter((one) => one.about === about)
    .map(({ by, note }) => (
      <small key={about}>
        {nameOf(by)}: {note}
      </small>
    ));
};
