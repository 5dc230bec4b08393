/** The cashier's history: this terminal's withdrawals one by one, no sums. Loaded when it is first opened. */
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Area } from "../ui/area.tsx";
import { PickOne } from "../ui/pick-one.tsx";
import { Working } from "../ui/screen-body.tsx";
import classes from "./history.module.css";
import { History } from "./history.tsx";

// The chart library is larger than the rest of the screens together.
const loadFigures = async () => ({ default: (await import("./figures-page.tsx")).FiguresPage });
const loadBooks = async () => ({ default: (await import("./books-page.tsx")).BooksPage });
const Figures = lazy(loadFigures);
const Books = lazy(loadBooks);

/** Loads the charts' code while the list is read. A load that fails is repeated when the part is opened. */
const loadAhead = (): void => {
  for (const load of [loadFigures, loadBooks]) load().catch(() => undefined);
};

/** The three parts, one at a time. */
export const ManagerHistory = () => {
  const { t } = useTranslation();
  const [part, setPart] = useState<"list" | "figures" | "books">("list");
  useEffect(loadAhead, []);
  return (
    <div className={classes.manager}>
      <PickOne
        label={t("history.part")}
        options={[
          { value: "list", text: t("history.list") },
          { value: "figures", text: t("figures.title") },
          { value: "books", text: t("books.title") },
        ]}
        picked={part}
        pick={setPart}
      />
      <Suspense fallback={<Working />}>
        {part === "list" ? <History saves /> : part === "figures" ? <Figures /> : <Books />}
      </Suspense>
    </div>
  );
};

interface HistoryAreaProps {
  readonly close: () => void;
  /** Grows with each scan that came while this area was open. */
  readonly ignoredScans: number;
}

/** The list over the screens. */
export const HistoryArea = ({ close, ignoredScans }: HistoryAreaProps) => {
  const { t } = useTranslation();
  return (
    <Area title={t("manager.history")} close={close} ignoredScans={ignoredScans}>
      <div className={classes.panel}>
        <History saves={false} />
      </div>
    </Area>
  );
};
