/** A withdrawal's story: the terminal's journal and the service's history side by side, in the order of their times. */

import { Button } from "@mantine/core";
import { t } from "i18next";
import { codeText } from "../../backend/contract/ids.ts";
import type { Cleared, HistoryLine, Story, StoryStep } from "../../preload/contract.ts";
import { usePersonName } from "../people/authority.tsx";
import { useSend } from "../ui/command-context.tsx";
import { DataTable, Facts } from "../ui/data-table.tsx";
import { amountText, durationText, momentText, timeText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { storySheet } from "./csv-columns.ts";
import classes from "./history.module.css";
import { SaveSheet } from "./save-sheet.tsx";
import { discrepancyText, outcomeText, stepText } from "./words.ts";

/** A coloured mark with the outcome's name. */
export const ResultMark = ({ line }: { readonly line: HistoryLine }) => (
  <span className={classes.mark} data-result={line.result}>
    {outcomeText(line.outcome, t)}
  </span>
);

const Reprint = ({ withdrawalId }: { readonly withdrawalId: string }) => {
  const { send, reply } = useSend();
  return (
    <span className={page.row}>
      {(["customer", "shop"] as const).map((copy) => (
        <Button key={copy} size="compact-md" onClick={() => void send({ type: "print_receipt", withdrawalId, copy })}>
          {t(`printing.${copy}`)}
        </Button>
      ))}
      <span role="status">{reply?.ok && t("history.sentToPrinter")}</span>
    </span>
  );
};

const Step = ({ step }: { readonly step: StoryStep }) => {
  const nameOf = usePersonName();
  const { what, about, who, approvedBy } = stepText(step, t, nameOf);
  return (
    <div className={classes.step} data-side={step.side}>
      <strong>{what}</strong>
      {about !== "" && <span>{about}</span>}
      {who !== "" && <small>{t("story.by", { who })}</small>}
      {approvedBy !== "" && <small>{t("story.approved", { who: approvedBy })}</small>}
    </div>
  );
};

interface StoryPageProps {
  readonly withdrawalId: string;
  readonly back: () => void;
  readonly saves: boolean;
}

/** Loads and shows the story, with the receipts that can be printed again. */
export const StoryPage = ({ withdrawalId, back, saves }: StoryPageProps) => (
  <div className={page.stack}>
    <Button size="lg" onClick={back}>
      {t("story.back")}
    </Button>
    <Query<Story> command={{ type: "get_story", withdrawalId }}>
      {(story) => <StoryView story={story} saves={saves} />}
    </Query>
  </div>
);

/** Smaller differences of the clocks are not shown. */
const clockShownMs = 2_000;

const StoryView = ({ story, saves }: { readonly story: Story; readonly saves: boolean }) => {
  const prints = useSnapshotStore((store) => store.snapshot?.settings.printer.kind !== "none");
  const { line, service, clockOffMs, steps } = story;
  return (
    <>
      <h2 className={page.row}>
        {line.money && amountText(line.money)}
        <ResultMark line={line} />
      </h2>
      <DiscrepancyNote {...line} />
      {line.cleared !== null && <ClearedBy cleared={line.cleared} />}
      <Facts
        rows={[
          [t("history.code"), codeText(line.transactionId)],
          [t("story.ownId"), line.terminalReference],
        ]}
      />
      {service !== "available" && (
        <p className={page.caution} role="status">
          {t(`story.${service}`)}
        </p>
      )}
      <DataTable
        rows={steps}
        keyOf={(_, at) => at}
        columns={[
          [t("story.time"), ({ atMs }, at) => timeText(atMs, steps[at - 1]?.atMs ?? null)],
          [t("story.here"), (step) => step.side === "here" && <Step step={step} />],
          service === "available" && [t("story.there"), (step) => step.side === "there" && <Step step={step} />],
        ]}
      />
      {Math.abs(clockOffMs) >= clockShownMs && (
        <p className={page.soft}>{t("story.clock", { time: durationText(Math.abs(clockOffMs)) })}</p>
      )}
      <div className={page.row}>
        {prints && line.outcome === "handed_out" && (
          <>
            <span>{t("history.receipt")}</span>
            <Reprint withdrawalId={line.withdrawalId} />
          </>
        )}
        {saves && <SaveSheet name={line.transactionId} sheet={(context) => storySheet(context, story)} />}
      </div>
    </>
  );
};

type Noted = Pick<HistoryLine, "discrepancy" | "cleared">;

/** Says what is to be cleared up, or was; nothing where there was nothing. The codes are missing where only the end was unclear. */
export const DiscrepancyNote = ({ discrepancy, cleared }: Noted) => {
  if (discrepancy === null && cleared === null) return null;
  const what = discrepancyText(discrepancy ?? "unclear", t);
  return cleared === null ? (
    <strong className={classes.mark} data-result="to_clear">
      {t("history.discrepancy", { what })}
    </strong>
  ) : (
    <span className={page.soft}>{t("history.cleared", { what })}</span>
  );
};

/** Who cleared it up, when, and the note. */
export const ClearedBy = ({ cleared }: { readonly cleared: Cleared }) => {
  const who = usePersonName()(cleared.by);
  return (
    <span className={page.soft}>
      {t("history.clearedBy", { who, when: momentText(cleared.at) })} <q>{cleared.note}</q>
    </span>
  );
};
