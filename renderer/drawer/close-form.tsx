/** The counted day before its report: a remark, what is taken out, what is still open; whether it differs only for whoever may see it. */

import { Button, Checkbox, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { cashBounds } from "../../preload/choices.ts";
import type { DayView } from "../../preload/contract.ts";
import { totalOf } from "../../preload/notes-and-coins.ts";
import { amountText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { codeText } from "../withdrawal/facts.ts";
import { countOf, draftOf } from "./count-draft.ts";
import { CountFields } from "./count-fields.tsx";
import classes from "./day.module.css";
import { Figures } from "./figures.tsx";
import { minorText } from "./money-text.ts";
import { RefusalText } from "./refusal-text.tsx";
import { useSend } from "./use-send.ts";

/** A day whose count is known to the screen. */
export type CountedDay = Extract<DayView, { kind: "open" | "counted" }> & {
  readonly counted: NonNullable<Extract<DayView, { kind: "open" | "counted" }>["counted"]>;
};

interface CloseFormProps {
  readonly day: CountedDay;
  readonly reveal: () => void;
  readonly again: () => void;
}

/** The form that counts the drawer and closes the day. */
export const CloseForm = ({ day, reveal, again }: CloseFormProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const { send, isSending, refusal } = useSend();
  const { number, currency, counted, expected, over, floatMinor } = day;
  const [takeOut, setTakeOut] = useState(() => draftOf(counted.proposal, currency));
  const [reason, setReason] = useState("");
  const [isNamed, setNamed] = useState(false);
  const taken = countOf(takeOut, currency);
  const isReady = taken !== null && (over.length === 0 || isNamed);
  const isOff = expected !== null && expected.differenceMinor !== 0;
  const close = async (): Promise<void> => {
    if (taken === null) return;
    const named = over.map(({ withdrawalId }) => withdrawalId);
    await send({
      type: "close_day",
      number,
      counts: counted.counts,
      takeOut: taken,
      reason: reason.trim(),
      over: named,
    });
    again();
  };
  const recount = async (): Promise<void> => {
    if (await send({ type: "recount_day", number, counts: counted.counts })) again();
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void close();
      }}
    >
      <h2>{t("day.closeTitle")}</h2>
      <Figures currency={currency} floatMinor={floatMinor} expected={expected} countedMinor={counted.countedMinor} />
      {isOff && <p className={classes.warning}>{t("day.differs")}</p>}
      {expected === null && (
        <Button variant="default" size="md" onClick={reveal}>
          {t("day.reveal")}
        </Button>
      )}
      <TextInput
        size="lg"
        className={classes.note}
        autoComplete="off"
        maxLength={cashBounds.noteLength.max}
        label={t(isOff ? "day.why" : "day.remark")}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <h3>{t("day.takeOut")}</h3>
      <p className={classes.next}>
        {t("day.takeOutNext")} {t("day.pieces")}
      </p>
      <CountFields currency={currency} draft={takeOut} change={setTakeOut} />
      {taken !== null && (
        <p className={classes.total}>
          {t("day.stays", { sum: minorText(counted.countedMinor - totalOf(taken), currency, language) })}
        </p>
      )}
      {over.length > 0 && (
        <section className={classes.over}>
          <h3>{t("day.over")}</h3>
          <ul>
            {over.map(({ withdrawalId, transactionId, amount }) => (
              <li key={withdrawalId}>
                {codeText(transactionId)} <strong>{amountText({ amount, currency }, language)}</strong>
              </li>
            ))}
          </ul>
          <Checkbox
            size="md"
            label={t("day.overNamed")}
            checked={isNamed}
            onChange={(event) => setNamed(event.currentTarget.checked)}
          />
        </section>
      )}
      <RefusalText refusal={refusal} />
      <div className={classes.buttons}>
        <Button size="lg" variant="default" onClick={() => void recount()}>
          {t("day.recount")}
        </Button>
        <Button size="lg" type="submit" disabled={!isReady} loading={isSending}>
          {t("day.close")}
        </Button>
      </div>
    </form>
  );
};
