/** Counts the drawer: to open a day with its float, or blind at its end. */

import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatAmount, minorDigits } from "../../backend/contract/money.ts";
import { cashBounds } from "../../preload/choices.ts";
import type { CashCount, Command, Refusal } from "../../preload/contract.ts";
import { drawerCurrencies, faceValuesOf, totalOf } from "../../preload/notes-and-coins.ts";
import { useCommands } from "../ui/command-context.tsx";
import { minorText, signedText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./day.module.css";

/** The state of one form's commands. */
interface Sending {
  readonly isSending: boolean;
  /** Why the last one was refused; null after one that was not. */
  readonly refusal: Refusal | null;
  /** Sends one command at a time; true when it was done. */
  send(command: Command): Promise<boolean>;
}

/** A hook for forms that send: while one command is under way, another one is not sent. */
export const useSend = (): Sending => {
  const commands = useCommands();
  const [state, setState] = useState<{ isSending: boolean; refusal: Refusal | null }>({
    isSending: false,
    refusal: null,
  });
  return {
    ...state,
    async send(command) {
      if (state.isSending) return false;
      setState({ isSending: true, refusal: null });
      const reply = await commands.dispatch(command);
      setState({ isSending: false, refusal: reply.ok ? null : reply.code });
      return reply.ok;
    },
  };
};

/** Why a form's last command was refused; keeps its room while there is nothing to say. */
export const RefusalText = ({ refusal }: { readonly refusal: Refusal | null }) => {
  const { t } = useTranslation();
  return (
    <p className={classes.refusal} role="alert">
      {refusal === null ? "" : t(`refusals.${refusal}`)}
    </p>
  );
};

/** The fields as they were typed; empty ones count as zero. */
interface CountDraft {
  /** By value in minor units. */
  readonly pieces: Readonly<Record<number, string>>;
  readonly other: string;
}

/** Nothing typed yet. */
export const emptyCount: CountDraft = { pieces: {}, other: "" };

/** `12`, `12,5` or `12.50` in minor units; 0 for nothing; null for anything else. */
export const typedAmount = (text: string, currency: string): number | null => {
  const trimmed = text.trim();
  if (trimmed === "") return 0;
  const digits = minorDigits(currency);
  const match = /^(\d{1,12})(?:[.,](\d*))?$/.exec(trimmed);
  const fraction = match?.[2] ?? "";
  if (match === null || fraction.length > digits) return null;
  const minor = Number(`${match[1]}${fraction.padEnd(digits, "0")}`);
  return minor <= cashBounds.amountMinor.max ? minor : null;
};

/** How many of one note or coin; 0 for nothing, null for what is no number of them. */
export const typedPieces = (text: string): number | null => {
  const trimmed = text.trim();
  if (trimmed === "") return 0;
  return /^\d{1,5}$/.test(trimmed) ? Number(trimmed) : null;
};

/** The count, or null while something in it is wrong. */
export const countOf = (draft: CountDraft, currency: string): CashCount | null => {
  const otherMinor = typedAmount(draft.other, currency);
  const pieces = faceValuesOf(currency).map((valueMinor) => ({
    valueMinor,
    count: typedPieces(draft.pieces[valueMinor] ?? ""),
  }));
  if (otherMinor === null || pieces.some(({ count }) => count === null)) return null;
  return {
    pieces: pieces.flatMap(({ valueMinor, count }) => (count === null || count === 0 ? [] : [{ valueMinor, count }])),
    otherMinor,
  };
};

/** A stored count as the content of the fields. */
export const draftOf = ({ pieces, otherMinor }: CashCount, currency: string): CountDraft => ({
  pieces: Object.fromEntries(pieces.map(({ valueMinor, count }) => [valueMinor, String(count)])),
  other: otherMinor === 0 ? "" : formatAmount(otherMinor, currency),
});

/** Whether nothing was typed in any field. */
const isEmptyDraft = ({ pieces, other }: CountDraft): boolean =>
  other.trim() === "" && Object.values(pieces).every((text) => text.trim() === "");

interface CountFieldsProps {
  readonly currency: string;
  readonly draft: CountDraft;
  readonly change: (draft: CountDraft) => void;
  /** Stands beside the sum. */
  readonly children?: ReactNode;
}

/** The fields for a count of the drawer. */
export const CountFields = ({ currency, draft, change, children }: CountFieldsProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const count = countOf(draft, currency);
  return (
    <div className={classes.count}>
      <div className={classes.faces}>
        {faceValuesOf(currency).map((valueMinor) => {
          const text = draft.pieces[valueMinor] ?? "";
          return (
            <TextInput
              key={valueMinor}
              size="md"
              inputMode="numeric"
              autoComplete="off"
              label={minorText(valueMinor, currency, language)}
              value={text}
              error={typedPieces(text) === null}
              onChange={(event) =>
                change({ ...draft, pieces: { ...draft.pieces, [valueMinor]: event.currentTarget.value } })
              }
            />
          );
        })}
        <TextInput
          size="md"
          inputMode="decimal"
          autoComplete="off"
          label={t("day.otherSum")}
          value={draft.other}
          error={typedAmount(draft.other, currency) === null}
          onChange={(event) => change({ ...draft, other: event.currentTarget.value })}
        />
      </div>
      <div className={classes.sum}>
        <p className={classes.total} role="status">
          {count === null ? t("day.wrong") : t("day.total", { sum: minorText(totalOf(count), currency, language) })}
        </p>
        {children}
      </div>
    </div>
  );
};

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
