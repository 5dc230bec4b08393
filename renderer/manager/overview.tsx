/** The day at a glance: what was handed out, what is open, and what has to be cleared up. */
import { useTranslation } from "react-i18next";
import type { FiguresView } from "../../preload/contract.ts";
import { PaidTotals } from "../history/paid-totals.tsx";
import { dayOf } from "../history/period-page.tsx";
import page from "../ui/page.module.css";
import { Query, useQuery } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import classes from "./manager.module.css";
import { Problems } from "./problems.tsx";
import { Section } from "./settings-form.tsx";

/** The first page of the manager's area. */
export const Overview = () => {
  const { t } = useTranslation();
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
