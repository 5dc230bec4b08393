/** This terminal's withdrawals, newest first, a page at a time; one of them opens as its story. */
import { Button } from "@mantine/core";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { HistoryFilter } from "../../preload/contract.ts";
import { Query } from "../ui/query.tsx";
import { everything, Filters } from "./filters.tsx";
import classes from "./history.module.css";
import { LinesTable } from "./lines-table.tsx";
import { SaveLines } from "./save-lines.tsx";
import { StoryPage } from "./story-page.tsx";
import { useLines } from "./use-lines.ts";

/** The list with its filters. @param props.saves whether the list can be saved as a file. */
export const History = ({ saves }: { readonly saves: boolean }) => {
  const [filter, setFilter] = useState<HistoryFilter>(everything);
  const [opened, setOpened] = useState<string | null>(null);
  if (opened !== null) return <StoryPage withdrawalId={opened} back={() => setOpened(null)} saves={saves} />;
  return (
    <div className={classes.history}>
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
  const { t } = useTranslation();
  const { lines, hasFailed, older, newer, again } = useLines(filter);
  const top = useRef<HTMLDivElement>(null);
  /** Another page begins at its top. */
  const turn = (go: () => void) => (): void => {
    go();
    top.current?.scrollIntoView({ block: "start" });
  };
  if (lines === null)
    return (
      <Query state={{ kind: hasFailed ? "failed" : "asking" }} again={again}>
        {() => null}
      </Query>
    );
  if (lines.length === 0)
    return <p className={classes.empty}>{t(filter === everything ? "history.empty" : "history.none")}</p>;
  return (
    <>
      <div ref={top} className={classes.lines}>
        <LinesTable lines={lines} open={open} />
      </div>
      <div className={classes.pages}>
        {newer !== null && (
          <Button size="lg" variant="default" onClick={turn(newer)}>
            {t("history.newer")}
          </Button>
        )}
        {older !== null && (
          <Button size="lg" variant="default" onClick={turn(older)}>
            {t("history.more")}
          </Button>
        )}
        {saves && <SaveLines filter={filter} />}
      </div>
      <p className={classes.scope}>{t("history.scope")}</p>
    </>
  );
};
