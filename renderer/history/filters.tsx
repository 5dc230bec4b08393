/** Filters of the list: day, result, person, code. */
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { HistoryFilter } from "../../preload/contract.ts";
import { historyResults } from "../../preload/words.ts";
import { usePersonName } from "../people/use-people.ts";
import { useQuery } from "../ui/use-query.ts";
import classes from "./history.module.css";

/** The filter that matches every withdrawal. */
export const everything: HistoryFilter = { from: null, to: null, result: null, cashier: null, code: "" };

interface FiltersProps {
  readonly filter: HistoryFilter;
  readonly change: (filter: HistoryFilter) => void;
}

/** The row of fields above the list. */
export const Filters = ({ filter, change }: FiltersProps) => {
  const { t } = useTranslation();
  const { state } = useQuery<readonly string[]>({ type: "list_cashiers" });
  const who = usePersonName();
  const codes = state.kind === "answered" ? state.data : [];
  const set = (changes: Partial<HistoryFilter>): void => change({ ...filter, ...changes });
  return (
    <search className={classes.filters}>
      <TextInput
        type="date"
        label={t("history.from")}
        value={filter.from ?? ""}
        max={filter.to ?? undefined}
        onChange={(event) => set({ from: event.currentTarget.value || null })}
      />
      <TextInput
        type="date"
        label={t("history.to")}
        value={filter.to ?? ""}
        min={filter.from ?? undefined}
        onChange={(event) => set({ to: event.currentTarget.value || null })}
      />
      <NativeSelect
        label={t("history.result")}
        value={filter.result ?? ""}
        onChange={(event) => set({ result: historyResults.find((one) => one === event.currentTarget.value) ?? null })}
        data={[
          { value: "", label: t("history.all") },
          ...historyResults.map((value) => ({ value, label: t(`history.results.${value}`) })),
        ]}
      />
      {codes.length > 0 && (
        <NativeSelect
          label={t("history.cashier")}
          value={filter.cashier ?? ""}
          onChange={(event) => set({ cashier: event.currentTarget.value || null })}
          data={[{ value: "", label: t("history.all") }, ...codes.map((value) => ({ value, label: who(value) }))]}
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
        <Button variant="default" onClick={() => change(everything)}>
          {t("history.reset")}
        </Button>
      )}
    </search>
  );
};
