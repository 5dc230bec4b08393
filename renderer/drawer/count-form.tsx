/** Counts the drawer: to open a day with its float, or blind at its end. */

import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { cashBounds } from "../../preload/choices.ts";
import type { CashCount } from "../../preload/contract.ts";
import { drawerCurrencies, totalOf } from "../../preload/notes-and-coins.ts";
import { useLanguage } from "../ui/use-language.ts";
import { type CountDraft, countOf, emptyCount, isEmptyDraft } from "./count-draft.ts";
import { CountFields } from "./count-fields.tsx";
import classes from "./day.module.css";
import { signedText } from "./money-text.ts";
import { RefusalText } from "./refusal-text.tsx";
import type { Sending } from "./use-send.ts";

interface CountFormProps {
  readonly title: string;
  readonly next: string;
  readonly button: string;
  /** Null where nobody has said it: whoever counts does. */
  readonly currency: string | null;
  readonly sending: Sending;
  /** What should be there, where whoever counts may know it: another sum asks why. */
  readonly expectedMinor?: number | null;
  readonly done: (count: CashCount, isEmpty: boolean, currency: string, reason: string) => void;
  readonly back?: { readonly label: string; readonly go: () => void };
}

/** The form for a count of the drawer. */
export const CountForm = (props: CountFormProps) => {
  const { title, next, button, currency, sending, expectedMinor = null, done, back } = props;
  const { t } = useTranslation();
  const [draft, setDraft] = useState<CountDraft>(emptyCount);
  const [chosen, setChosen] = useState(currency ?? drawerCurrencies[0] ?? "EUR");
  const [isEmpty, setEmpty] = useState(false);
  const [reason, setReason] = useState("");
  const language = useLanguage();
  const counts = currency ?? chosen;
  const count = countOf(draft, counts);
  const isNothing = count !== null && totalOf(count) === 0;
  const offMinor =
    expectedMinor === null || count === null || (isEmptyDraft(draft) && !isEmpty) ? 0 : totalOf(count) - expectedMinor;
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (count !== null) done(count, isEmpty && isNothing, counts, offMinor === 0 ? "" : reason.trim());
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
      {offMinor !== 0 && (
        <>
          <p className={classes.warning}>
            {t("day.nightDiffers", { difference: signedText(offMinor, counts, language) })}
          </p>
          <TextInput
            size="lg"
            className={classes.note}
            autoComplete="off"
            maxLength={cashBounds.noteLength.max}
            label={t("day.why")}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </>
      )}
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
