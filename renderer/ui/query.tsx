import { Button, Loader } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { QueryState } from "../ui/use-query.ts";
import classes from "./query.module.css";

interface QueryProps<T> {
  readonly state: QueryState<T>;
  readonly again: () => void;
  /** Progress of a long query, as text. */
  readonly progress?: string | undefined;
  readonly children: (data: T) => ReactNode;
}

/** Shows a query's loading, its failure with a retry button, or its data. */
export const Query = <T,>({ state, again, progress, children }: QueryProps<T>) => {
  const { t } = useTranslation();
  if (state.kind === "answered") return children(state.data);
  return (
    <div className={classes.query} role="status">
      {state.kind === "asking" ? (
        <>
          <Loader size={56} color="var(--accent)" />
          <p>{progress ?? t("manager.loading")}</p>
        </>
      ) : (
        <>
          <p>{t("manager.failed")}</p>
          <Button size="lg" variant="default" onClick={again}>
            {t("manager.again")}
          </Button>
        </>
      )}
    </div>
  );
};
