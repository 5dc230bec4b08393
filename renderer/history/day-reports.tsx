/** The closed days for the manager: read one, print it, save all of them. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DayReport } from "../../preload/contract.ts";
import { usePersonName } from "../people/authority.tsx";
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
  const [read, setRead] = useState<number | null>(null);
  const hasNights = reports.some(({ night }) => night !== null && night.differenceMinor !== 0);
  if (reports.length === 0) return <p>{t("day.noReports")}</p>;
  if (read !== null)
    return (
      <div className={page.stack}>
        <Button size="lg" onClick={() => setRead(null)}>
          {t("story.back")}
        </Button>
        <ReportView number={read} />
      </div>
    );
  return (
    <div className={page.stack}>
      <table className={page.table}>
        <thead>
          <tr>
            <th>{t("day.number")}</th>
            <th>{t("day.closedAt")}</th>
            {hasNights && <th>{t("day.night")}</th>}
            <th>{t("day.expected")}</th>
            <th>{t("day.counted")}</th>
            <th>{t("day.difference")}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {reports.map((report) => (
            <tr key={report.number}>
              <td>{report.number}</td>
              <td>{momentText(new Date(report.closedAtMs).toISOString(), language)}</td>
              {hasNights && (
                <td>
                  {report.night === null ? "" : signedText(report.night.differenceMinor, report.currency, language)}{" "}
                  {report.night?.reason} <Noted report={report} about="night" />
                </td>
              )}
              <td>{minorText(report.expectedMinor, report.currency, language)}</td>
              <td>{minorText(report.countedMinor, report.currency, language)}</td>
              <td>
                {signedText(report.differenceMinor, report.currency, language)} {report.reason}{" "}
                <Noted report={report} about="count" />
              </td>
              <td>
                <Button size="compact-md" onClick={() => setRead(report.number)}>
                  {t("day.read")}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className={page.row}>
        {(["days", "moves", "counts"] as const).map((table) => (
          <SaveSheet
            key={table}
            name={`day-reports-${table}`}
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
