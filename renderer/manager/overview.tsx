/** The day at a glance: what was handed out, what is open, and what has to be cleared up. */

import { Button, Textarea } from "@mantine/core";
import { useInputState } from "@mantine/hooks";
import { t } from "i18next";
import { noteLengthMax } from "../../preload/choices.ts";
import type { Command, DrawerProblem, FiguresView, Problem } from "../../preload/contract.ts";
import { dayOf, PaidTotals } from "../history/period-page.tsx";
import { discrepancyText } from "../history/words.ts";
import { usePersonName } from "../people/authority.tsx";
import { useSend } from "../ui/command-context.tsx";
import { amountText, codeText, momentText, signedText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query, useQuery } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import classes from "./manager.module.css";
import { Section } from "./settings-form.tsx";

/** The first page of the manager's area. */
export const Overview = () => {
  const today = dayOf(new Date());
  const { state, refetch } = useQuery<FiguresView>({ type: "get_figures", from: today, to: today });
  const open = useSnapshotStore((store) => store.snapshot?.header.open.length ?? 0);
  const day = useSnapshotStore((store) => store.snapshot?.header.day ?? null);
  return (
    <div className={classes.overview}>
      <Section title={t("manager.today")}>
        <Query state={state} again={refetch}>
          {({ paid }) =>
            paid.length === 0 ? (
              <p className={page.soft}>{t("manager.nothingYet")}</p>
            ) : (
              paid.map((one) => <PaidTotals key={one.currency} paid={one} />)
            )
          }
        </Query>
        {open > 0 && <p>{t("header.open", { count: open })}</p>}
        {day !== null && (
          <p className={page.soft}>
            {day.kind === "closed" ? t("day.ready") : t("day.openTitle", { number: day.number })}
          </p>
        )}
      </Section>
      <Section title={t("problems.tab")}>
        <Problems />
      </Section>
    </div>
  );
};

/** What is open and what is unresolved: each leaves this list with a manager's note alone. */
const Problems = () => {
  const { state, refetch } = useQuery<readonly Problem[]>({ type: "list_problems" });
  return (
    <Query state={state} again={refetch}>
      {(problems) =>
        problems.length === 0 ? (
          <p>{t("problems.none")}</p>
        ) : (
          <ul className={page.stack}>
            {problems.map((problem) => (
              <Entry key={problem.withdrawalId} problem={problem} changed={refetch} />
            ))}
          </ul>
        )
      }
    </Query>
  );
};

const Entry = ({ problem, changed }: { readonly problem: Problem; readonly changed: () => void }) => {
  const { send, refusal } = useSend();
  const [note, setNote] = useInputState("");
  const { withdrawalId } = problem;
  const clear = async (command: Command): Promise<void> => {
    if ((await send(command)).ok) changed();
  };
  const isWritten = note.trim() !== "";
  return (
    <li className={page.card}>
      <Subject problem={problem} />
      <Textarea
        label={t("problems.note")}
        value={note}
        size="lg"
        maxLength={noteLengthMax}
        onChange={setNote}
        error={refusal !== null && t("problems.refused")}
      />
      <div className={page.row}>
        {problem.kind !== "open" ? (
          <Button
            variant="filled"
            size="lg"
            disabled={!isWritten}
            onClick={() => void clear({ type: "acknowledge_problem", withdrawalId, note })}
          >
            {t("problems.acknowledge")}
          </Button>
        ) : (
          problem.decisions.map((decision) => (
            <Button
              key={decision}
              size="lg"
              disabled={!isWritten}
              onClick={() => void clear({ type: "decide_withdrawal", withdrawalId, decision, note })}
            >
              {t(`problems.${decision}`)}
            </Button>
          ))
        )}
      </div>
    </li>
  );
};

/** What the problem is about: a withdrawal, the drawer, or the journal itself. */
const Subject = ({ problem }: { readonly problem: Problem }) => {
  if (problem.kind === "journal")
    return (
      <>
        <h2 className={page.row}>
          {t("problems.journalForked")}
          <span>{momentText(problem.since)}</span>
        </h2>
        <p>{t("problems.journalForkedNext")}</p>
      </>
    );
  if (problem.kind === "drawer") return <DrawerSubject problem={problem} />;
  const { kind, money, since, transactionId, about, otherShop } = problem;
  return (
    <>
      <h2 className={page.row}>
        {amountText(money)}
        <span>{momentText(since)}</span>
        <span>{codeText(transactionId)}</span>
      </h2>
      <p>
        {kind === "open" ? t("problems.open") : discrepancyText(about, t)}
        {otherShop !== null && ` (${t("problems.otherShop", { shop: otherShop })})`}
      </p>
    </>
  );
};

const DrawerSubject = ({ problem }: { readonly problem: DrawerProblem }) => {
  const name = usePersonName();
  const { about, day, differenceMinor, currency, since, who } = problem;
  const people = who === null ? "–" : who.split(", ").map(name).join(", ");
  const difference = currency === null ? "" : signedText(differenceMinor, currency);
  return (
    <>
      <h2 className={page.row}>
        {difference || t("problems.drawer")}
        <span>{momentText(since)}</span>
        {day !== null && <span>{t("problems.day", { day })}</span>}
      </h2>
      <p>
        {[
          t(`problems.about.${about}`, { who: people }),
          problem.noSale && t(`day.noSaleReasons.${problem.noSale.reason}`),
          problem.noSale?.note,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
    </>
  );
};
