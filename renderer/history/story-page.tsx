/** A withdrawal's story: the terminal's journal and the service's history side by side, in the order of their times. */
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Story } from "../../preload/contract.ts";
import { saveCsv } from "../ui/csv-file.ts";
import { amountText, durationText } from "../ui/format.ts";
import { Query } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useLanguage } from "../ui/use-language.ts";
import { useQuery } from "../ui/use-query.ts";
import { codeText } from "../withdrawal/facts.ts";
import { ClearedBy, DiscrepancyNote } from "./discrepancy-note.tsx";
import classes from "./history.module.css";
import { storyCsv } from "./history-csv.ts";
import { Reprint } from "./reprint.tsx";
import { ResultMark } from "./result-mark.tsx";
import { StorySteps } from "./story-steps.tsx";

interface StoryPageProps {
  readonly withdrawalId: string;
  readonly back: () => void;
  readonly saves: boolean;
}

/** Loads and shows the story, with the receipts that can be printed again. */
export const StoryPage = ({ withdrawalId, back, saves }: StoryPageProps) => {
  const { t } = useTranslation();
  const { state, refetch } = useQuery<Story>({ type: "get_story", withdrawalId });
  return (
    <div className={classes.history}>
      <Button size="lg" variant="default" onClick={back}>
        {t("story.back")}
      </Button>
      <Query state={state} again={refetch}>
        {(story) => <StoryView story={story} saves={saves} />}
      </Query>
    </div>
  );
};

/** Smaller differences of the clocks are not shown. */
const clockShownMs = 2_000;

const StoryView = ({ story, saves }: { readonly story: Story; readonly saves: boolean }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const prints = useSnapshotStore((store) => store.snapshot?.settings.printer.kind !== "none");
  const { line, service, clockOffMs, steps } = story;
  return (
    <>
      <h2 className={classes.heading}>
        {line.money && amountText(line.money, language)}
        <ResultMark line={line} />
      </h2>
      {(line.discrepancy !== null || line.cleared !== null) && (
        <DiscrepancyNote noted={line.discrepancy} cleared={line.cleared} />
      )}
      {line.cleared !== null && <ClearedBy cleared={line.cleared} />}
      <dl className={classes.ids}>
        <dt>{t("history.code")}</dt>
        <dd>{codeText(line.transactionId)}</dd>
        <dt>{t("story.ownId")}</dt>
        <dd>{line.partnerId}</dd>
      </dl>
      {service !== "available" && (
        <p className={classes.half} role="status">
          {t(`story.${service}`)}
        </p>
      )}
      <StorySteps steps={steps} hasService={service === "available"} />
      {Math.abs(clockOffMs) >= clockShownMs && (
        <p className={classes.scope}>{t("story.clock", { time: durationText(Math.abs(clockOffMs), language) })}</p>
      )}
      <div className={classes.pages}>
        {prints && line.outcome === "handed_out" && (
          <>
            <span>{t("history.receipt")}</span>
            <Reprint withdrawalId={line.withdrawalId} />
          </>
        )}
        {saves && (
          <Button size="lg" variant="default" onClick={() => saveCsv(line.transactionId, storyCsv(story))}>
            {t("history.csv")}
          </Button>
        )}
      </div>
    </>
  );
};
