/** Counts the drawer: to open a day with its float, or blind at its end. */

import { Button, Checkbox, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CashCount } from "../../preload/contract.ts";
import { drawerCurrencies, totalOf } from "../../preload/notes-and-coins.ts";
import { type CountDraft, countOf, emptyCount } from "./count-draft.ts";
import { CountFields } from "./count-fields.tsx";
import classes from "./day.module.css";
import { RefusalText } from "./refusal-text.tsx";
import type { Sending } from "./use-send.ts";

interface CountFormProps {
  readonly title: string;
  readonly next: string;
  readonly button: string;
  /** Null where nobody has said it: whoever counts does. */
  readonly currency: string | null;
  readonly sending: Sending;
  readonly done: (count: CashCount, isEmpty: boolean, currency: string) => void;
  readonly back?: { readonly label: string; readonly go: () => void };
}

/** The form for a count of the drawer. */
export const CountForm = ({ title, next, button, currency, sending, done, back }: CountFormProps) => {
  const { t } = useTranslation();
  const [draft, setDraft] = useState<CountDraft>(emptyCount);
  const [chosen, setChosen] = useState(currency ?? drawerCurrencies[0] ?? "EUR");
  const [isEmpty, setEmpty] = useState(false);
  const counts = currency ?? chosen;
  const count = countOf(draft, counts);
  const isNothing = count !== null && totalOf(count) === 0;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (count !== null) done(count, isEmpty && isNothing, counts);
      }}
    >
      <h2>{title}</h2>
      <p className={classes.next}>
        {next} {t("day.pieces")}
      </p>
      {currency === null && (
        <NativeSelect
          size="md"
          label={t("day.currency")}
          value={chosen}
          data={[...drawerCurrencies]}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      <CountFields currency={counts} draft={draft} change={setDraft}>
        {isNothing && (
          <Checkbox
            size="md"
            label={t("day.isEmpty")}
            checked={isEmpty}
            onChange={(event) => setEmpty(event.currentTarget.checked)}
          />
        )}
      </CountFields>
      <RefusalText refusal={sending.refusal} />
      <div className={classes.buttons}>
        {back && (
          <Button size="lg" variant="default" onClick={back.go}>
            {back.label}
          </Button>
        )}
        <Button
          size="lg"
          type="submit"
          disabled={count === null || (isNothing && !isEmpty)}
          loading={sending.isSending}
        >
          {button}
        </Button>
      </div>
    </form>
  );
};
