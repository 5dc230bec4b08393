/** A closed day's report to read on the screen, line by line as its paper has it, with a button that prints it. */

import { Button } from "@mantine/core";
import { t } from "i18next";
import type { PaperLine } from "../../preload/contract.ts";
import page from "../ui/page.module.css";
import { Query } from "../ui/query.tsx";
import { useSend, useSnapshotStore } from "../ui/terminal.tsx";
import classes from "./report-view.module.css";

const Line = ({ line }: { readonly line: PaperLine }) => {
  switch (line.kind) {
    case "text":
      return (
        <p data-style={line.style} data-align={line.align}>
          {line.text}
        </p>
      );
    case "pair":
      return (
        <p className={classes.pair} data-style={line.style}>
          <span>{line.label}</span>
          <span>{line.value}</span>
        </p>
      );
    case "rule":
      return <hr />;
    default:
      return null;
  }
};

/** The report of the closed day `number`, as far as whoever is here may see it. */
export const ReportView = ({ number }: { readonly number: number }) => (
  <Query<readonly PaperLine[]> command={{ type: "read_day", number }}>
    {(lines) => (
      <>
        <article className={`${page.card} ${classes.paper}`}>
          {lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a report is shown whole and never reordered
            <Line key={at} line={line} />
          ))}
        </article>
        <PrintReport number={number} />
      </>
    )}
  </Query>
);

/** A manager's copy; nothing where no printer is set up. */
const PrintReport = ({ number }: { readonly number: number }) => {
  const { send, reply } = useSend();
  const prints = useSnapshotStore((store) => store.snapshot?.settings.printer.kind !== "none");
  return (
    prints && (
      <p className={page.row}>
        <Button onClick={() => void send({ type: "print_day", number })}>{t("day.print")}</Button>
        <span role="status">{reply?.ok && t("history.sentToPrinter")}</span>
      </p>
    )
  );
};
