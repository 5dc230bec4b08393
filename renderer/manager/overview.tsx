/** The day at a glance: what was handed out, what is open, and what has to be cleared up. */

import { Button, Textarea } from "@mantine/core";
import { useInputState } from "@mantine/hooks";
import { t } from "i18next";
import { codeText } from "../../backend/contract/ids.ts";
import { noteLengthMax } from "../../preload/choices.ts";
import type { Command, FiguresView, Problem } from "../../preload/contract.ts";
import { dayOf, PaidTotals } from "../history/period-page.tsx";
import { discrepancyText } from "../history/words.ts";
import { usePersonName } from "../people/authority.tsx";
import { useSend } from "../ui/command-context.tsx";
import { Section } from "../ui/controls.tsx";
import { amountText, momentText, signedText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query } from "../ui/query.tsx";
import { useSnapshot } from "../ui/snapshot-store.ts";
import classes from "./manager.module.css";

/** The first page of the manager's area: today, and what is open or unresolved. */
export const Overview = () => {
  const today = dayOf(new Date());
  const { open, day } = useSnapshot().header;
  return (
    <div className={classes.overview}>
      <Section title={t("manager.today")}>
        <Query<FiguresView> command={{ type: "get_figures", from: today, to: today }}>
          {({ paid }) =>
            paid.length === 0 ? (
              <p className={page.soft}>{t("manager.nothingYet")}</p>
            ) : (
              paid.map((one) => <PaidTotals key={one.currency} paid={one} />)
            )
          }
        </Query>
        {open.length > 0 && <p>{t("header.open", { count: open.length })}</p>}
        {day !== null && (
          <p className={page.soft}>
            {day.kind === "closed" ? t("day.ready") : t("day.openTitle", { number: day.number })}
          </p>
        )}
      </Section>
      <Section title={t("problems.tab")}>
        <Query<readonly Problem[]> command={{ type: "list_problems" }}>
          {(problems, again) =>
            problems.length === 0 ? (
              <p>{t("problems.none")}</p>
            ) : (
              <ul className={page.stack}>
                {problems.map((problem) => (
                  <Entry key={problem.withdrawalId} problem={problem} changed={again} />
                ))}
              </ul>
            )
          }
        </Query>
      </Section>
    </div>
  );
};

/** One problem. It leaves the list only with a manager's note. */
const Entry = ({ problem, changed }: { readonly problem: Problem; readonly changed: () => void }) => {
  const { send, refusal } = useSend();
  const [note, setNote] = useInputState("");
  const { withdrawalId } = problem;
  const button = (label: string, variant: string, command: Command) => (
    <Button
      key={label}
      variant={variant}
      size="lg"
      disabled={note.trim() === ""}
      onClick={() => void send(command).then(({ ok }) => ok && changed())}
    >
      {label}
    </Button>
  );
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
        {problem.kind !== "open"
          ? button(t("problems.acknowledge"), "filled", { type: "acknowledge_problem", withdrawalId, note })
          : problem.decisions.map((decision) =>
              button(t(`problems.${decision}`), "default", { type: "decide_withdrawal", withdrawalId, decision, note }),
            )}
      </div>
    </li>
  );
};

const Subject = ({ problem }: { readonly problem: Problem }) => {
  const nameOf = usePersonName();
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
  if (problem.kind === "drawer") {
    const { about, day, differenceMinor, currency, since, who, noSale } = problem;
    const people = who === null ? "–" : who.split(", ").map(nameOf).join(", ");
    const reason = noSale && [t(`day.noSaleReasons.${noSale.reason}`), noSale.note];
    return (
      <>
        <h2 className={page.row}>
          {(currency && signedText(differenceMinor, currency)) || t("problems.drawer")}
          <span>{momentText(since)}</span>
          {day !== null && <span>{t("problems.day", { day })}</span>}
        </h2>
        <p>{[t(`problems.about.${about}`, { who: people }), ...(reason ?? [])].filter(Boolean).join(" · ")}</p>
      </>
    );
  }
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
