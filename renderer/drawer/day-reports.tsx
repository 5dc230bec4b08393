/** The closed days for the manager: print one again, save all of them. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DayReport } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { saveCsv } from "../ui/csv-file.ts";
import { minorText, momentText, signedText } from "../ui/format.ts";
import { Query, useQuery } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./day.module.css";
import { reportsCsv } from "./reports-csv.ts";

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
  const commands = useCommands();
  const prints = useSnapshotStore((store) => store.snapshot?.settings.printer.kind !== "none");
  const [sent, setSent] = useState<number | null>(null);
  const print = async (number: number): Promise<void> => {
    const reply = await commands.dispatch({ type: "print_day", number });
    setSent(reply.ok ? number : null);
  };
  const hasNights = reports.some(({ night }) => night !== null && night.differenceMinor !== 0);
  if (reports.length === 0) return <p>{t("day.noReports")}</p>;
  return (
    <div className={classes.reports}>
      <Button size="lg" variant="default" onClick={() => saveCsv("day-reports", reportsCsv(reports))}>
        {t("day.saveCsv")}
      </Button>
      <table>
        <thead>
          <tr>
            <th>{t("day.number")}</th>
            <th>{t("day.closedAt")}</th>
            {hasNights && <th>{t("day.night")}</th>}
            <th>{t("day.expected")}</th>
            <th>{t("day.counted")}</th>
            <th>{t("day.difference")}</th>
            {prints && <th>{t("history.receipt")}</th>}
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
              {prints && (
                <td>
                  <Button size="compact-md" variant="default" onClick={() => void print(report.number)}>
                    {t("day.print")}
                  </Button>{" "}
                  <span role="status">{sent === report.number ? t("history.sentToPrinter") : ""}</span>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

/** What a manager wrote when a difference was cleared up. */
const Noted = ({ report, about }: { readonly report: DayReport; readonly about: "night" | "count" }) =>
  report.clearedUp
    .filter((one) => one.about === about)
    .map(({ by, note }) => (
      <small key={about}>
        {by}: {note}
      </small>
    ));
