/** Cash in or out, with a reason. */
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { cashBounds, cashReasons } from "../../preload/choices.ts";
import type { CashMove } from "../../preload/contract.ts";
import { typedAmount } from "./count-draft.ts";
import classes from "./day.module.css";
import { RefusalText } from "./refusal-text.tsx";
import { useSend } from "./use-send.ts";

interface MoveFormProps {
  readonly direction: CashMove["direction"];
  readonly number: number;
  readonly currency: string;
  readonly done: () => void;
  readonly back: () => void;
}

/** The form for cash that is put into the drawer or taken out. */
export const MoveForm = ({ direction, number, currency, done, back }: MoveFormProps) => {
  const { t } = useTranslation();
  const { send, isSending, refusal } = useSend();
  const [amount, setAmount] = useState("");
  const [reason, setReason] = useState<CashMove["reason"]>(direction === "in" ? "change" : "bank");
  const [note, setNote] = useState("");
  // One for the form: pressed twice, or sent again after a silence, it is the same move.
  const [moveId] = useState(() => crypto.randomUUID());
  const amountMinor = typedAmount(amount, currency);
  const submit = async (): Promise<void> => {
    if (amountMinor === null || amountMinor === 0) return;
    const move = { direction, amountMinor, count: null, reason, note: note.trim(), moveId } as const;
    if (await send({ type: "move_cash", number, ...move })) done();
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>{t(direction === "in" ? "day.cashIn" : "day.cashOut")}</h2>
      <TextInput
        size="lg"
        inputMode="decimal"
        autoComplete="off"
        data-autofocus
        label={t("day.amount", { currency })}
        value={amount}
        error={amountMinor === null && t("day.amountFault")}
        onChange={(event) => setAmount(event.currentTarget.value)}
      />
      <NativeSelect
        size="lg"
        label={t("day.reason")}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value as CashMove["reason"])}
        data={cashReasons.map((value) => ({ value, label: t(`day.reasons.${value}`) }))}
      />
      <TextInput
        size="lg"
        className={classes.note}
        autoComplete="off"
        maxLength={cashBounds.noteLength.max}
        label={t("day.note")}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <RefusalText refusal={refusal} />
      <div className={classes.buttons}>
        <Button size="lg" variant="default" onClick={back}>
          {t("day.back")}
        </Button>
        <Button size="lg" type="submit" disabled={amountMinor === null || amountMinor === 0} loading={isSending}>
          {t("day.record")}
        </Button>
      </div>
    </form>
  );
};
