/** This terminal's withdrawals, newest first, a page at a time; one of them opens as its story. */

import { Button, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { t } from "i18next";
import { useCallback, useEffect, useRef, useState } from "react";
import { codeText } from "../../backend/contract/ids.ts";
import type { Cleared, HistoryFilter, HistoryLine, Story, StoryStep } from "../../preload/contract.ts";
import { historyResults } from "../../preload/enums.ts";
import { usePersonName } from "../people/authority.tsx";
import { Area, type OverScreenProps } from "../ui/area.tsx";
import { saveSheet } from "../ui/csv-file.ts";
import { DataTable, Facts } from "../ui/data-table.tsx";
import { DateField, Select } from "../ui/fields.tsx";
import { amountText, durationText, momentText, timeText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Answer, answerOf, Query, type QueryState, useQuery } from "../ui/query.tsx";
import { useCommands, useSend, useSnapshotStore } from "../ui/terminal.tsx";
import { linesSheet, storySheet } from "./csv-columns.ts";
import classes from "./history.module.css";
import { SaveSheet, useSheetContext } from "./save-sheet.tsx";
import { discrepancyText, outcomeText, stepText } from "./words.ts";

const pageLines = 50;
/** Pause after the last key in the search field before it is sent. */
const typingMs = 120;

/** Asks for one page at a time; a new filter begins at the newest. `older` and `newer` are null at the list's ends. */
const useLines = (filter: HistoryFilter) => {
  const { dispatch } = useCommands();
  /** The last line of each page before this one. */
  const [path, setPath] = useState<readonly string[]>([]);
  const [state, setState] = useState<QueryState<readonly HistoryLine[]>>({ kind: "asking" });
  const number = useRef(0);
  const load = useCallback(
    async (wanted: HistoryFilter, before: string | null) => {
      number.current += 1;
      const mine = number.current;
      const reply = await dispatch({ type: "list_history", before, limit: pageLines + 1, filter: wanted });
      // Another request was sent meanwhile.
      if (mine !== number.current) return;
      setState(answerOf(reply));
    },
    [dispatch],
  );
  const before = path.at(-1) ?? null;
  // An equal one is not sent again, as after a scan that went through a field.
  const wanted = JSON.stringify(useDebouncedValue(filter, typingMs)[0]);
  useEffect(() => {
    setPath([]);
    void load(JSON.parse(wanted), null);
  }, [wanted, load]);
  const go = (to: readonly string[]): void => {
    setPath(to);
    void load(filter, to.at(-1) ?? null);
  };
  const all = state.kind === "answered" ? state.data : [];
  const last = all.slice(0, pageLines).at(-1)?.withdrawalId;
  const hasOlder = all.length > pageLines && last !== undefined;
  return {
    state: state.kind === "answered" ? { ...state, data: all.slice(0, pageLines) } : state,
    older: hasOlder ? () => go([...path, last]) : null,
    newer: path.length > 0 ? () => go(path.slice(0, -1)) : null,
    again: () => void load(filter, before),
  };
};

const everything: HistoryFilter = { from: null, to: null, result: null, cashier: null, code: "" };

const Filters = ({ filter, change }: Readonly<{ filter: HistoryFilter; change: (filter: HistoryFilter) => void }>) => {
  const { state } = useQuery<readonly string[]>({ type: "list_cashiers" });
  const who = usePersonName();
  const codes = state.kind === "answered" ? state.data : [];
  const set = (changes: Partial<HistoryFilter>): void => change({ ...filter, ...changes });
  const all = [null, t("history.all")] as const;
  return (
    <search className={classes.filters}>
      <DateField
        label={t("history.from")}
        value={filter.from ?? ""}
        change={(day) => set({ from: day || null, ...(filter.to !== null && day > filter.to && { to: day }) })}
      />
      <DateField
        label={t("history.to")}
        value={filter.to ?? ""}
        change={(day) =>
          set({ to: day || null, ...(day && filter.from !== null && day < filter.from && { from: day }) })
        }
      />
      <Select
        size="sm"
        label={t("history.result")}
        value={filter.result}
        change={(result) => set({ result })}
        options={[all, ...historyResults.map((one) => [one, t(`history.results.${one}`)] as const)]}
      />
      {codes.length > 0 && (
        <Select
          size="sm"
          label={t("history.cashier")}
          value={filter.cashier}
          change={(cashier) => set({ cashier })}
          options={[all, ...codes.map((code) => [code, who(code)] as const)]}
        />
      )}
      <TextInput
        type="search"
        label={t("history.find")}
        value={filter.code}
        maxLength={64}
        autoComplete="off"
        onChange={(event) => set({ code: event.currentTarget.value })}
      />
      {filter !== everything && (
        <Button size="sm" onClick={() => change(everything)}>
          {t("history.reset")}
        </Button>
      )}
    </search>
  );
};

interface LinesTableProps {
  readonly lines: readonly HistoryLine[];
  readonly open: (withdrawalId: string) => void;
}

const LinesTable = ({ lines, open }: LinesTableProps) => {
  const nameOf = usePersonName();
  const story = ({ withdrawalId, transactionId }: HistoryLine) => (
    <Button
      size="compact-md"
      aria-label={`${t("history.story")}: ${codeText(transactionId)}`}
      onClick={() => open(withdrawalId)}
    >
      {t("history.story")}
    </Button>
  );
  return (
    <DataTable<HistoryLine>
      rows={lines}
      keyOf={({ withdrawalId }) => withdrawalId}
      columns={[
        [t("history.time"), ({ at }) => momentText(at)],
        [t("history.amount"), ({ money }) => (money ? amountText(money) : "–"), classes.amount],
        [
          t("history.result"),
          (line) => (
            <>
              <ResultMark line={line} />
              <DiscrepancyNote {...line} />
            </>
          ),
        ],
        lines.some(({ people }) => people.length > 0) && [
          t("history.cashier"),
          ({ people }) => people.map(nameOf).join(", "),
          classes.code,
        ],
        [t("history.code"), ({ transactionId }) => codeText(transactionId), classes.code],
        ["", story],
      ]}
    />
  );
};

const sliceLines = 200;

/** Saves every line that matches the filter as CSV, requested a slice at a time. */
const SaveLines = ({ filter }: { readonly filter: HistoryFilter }) => {
  const commands = useCommands();
  const context = useSheetContext();
  const [count, setCount] = useState<number | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const save = async (): Promise<void> => {
    const all: HistoryLine[] = [];
    let before: string | null = null;
    setFailed(false);
    for (;;) {
      setCount(all.length);
      const reply = await commands.dispatch({ type: "list_history", before, limit: sliceLines, filter });
      if (!reply.ok) {
        setFailed(true);
        break;
      }
      const lines = (reply.data ?? []) as readonly HistoryLine[];
      all.push(...lines);
      before = lines.at(-1)?.withdrawalId ?? null;
      if (lines.length < sliceLines) {
        saveSheet([t("history.list")], linesSheet(context, all), context.language);
        break;
      }
    }
    setCount(null);
  };
  return (
    <>
      <Button size="lg" disabled={count !== null} onClick={() => void save()}>
        {t("csv.save")}
      </Button>
      <span role="status">
        {count !== null ? t("history.saving", { count }) : hasFailed ? t("history.partial") : ""}
      </span>
    </>
  );
};

/** The list with its filters. @param props.saves whether the list can be saved as a file. */
export const History = ({ saves }: { readonly saves: boolean }) => {
  const [filter, setFilter] = useState<HistoryFilter>(everything);
  const [opened, setOpened] = useState<string | null>(null);
  if (opened !== null) return <StoryPage withdrawalId={opened} back={() => setOpened(null)} saves={saves} />;
  return (
    <div className={page.stack}>
      <Filters filter={filter} change={setFilter} />
      <List filter={filter} open={setOpened} saves={saves} />
    </div>
  );
};

interface ListProps {
  readonly filter: HistoryFilter;
  readonly open: (withdrawalId: string) => void;
  readonly saves: boolean;
}

const List = ({ filter, open, saves }: ListProps) => {
  const { state, older, newer, again } = useLines(filter);
  const top = useRef<HTMLDivElement>(null);
  /** Another page begins at its top. */
  const turn = (go: () => void) => (): void => {
    go();
    top.current?.scrollIntoView({ block: "start" });
  };
  const turned = (to: (() => void) | null, label: string) =>
    to !== null && (
      <Button size="lg" onClick={turn(to)}>
        {label}
      </Button>
    );
  return (
    <Answer state={state} again={again}>
      {(lines) =>
        lines.length === 0 ? (
          <p className={page.soft}>{t(filter === everything ? "history.empty" : "history.none")}</p>
        ) : (
          <>
            <div ref={top}>
              <LinesTable lines={lines} open={open} />
            </div>
            <div className={page.row}>
              {turned(newer, t("history.newer"))}
              {turned(older, t("history.more"))}
              {saves && <SaveLines filter={filter} />}
            </div>
            <p className={page.soft}>{t("history.scope")}</p>
          </>
        )
      }
    </Answer>
  );
};

/** The list over the screens. */
export const HistoryArea = ({ close, ignoredScans }: OverScreenProps) => (
  <Area title={t("manager.history")} close={close} ignoredScans={ignoredScans}>
    <div className={page.scroll}>
      <History saves={false} />
    </div>
  </Area>
);

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

/** A withdrawal's story: the terminal's journal and the service's history side by side, in the order of their times. With the receipts that can be printed again. */
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
