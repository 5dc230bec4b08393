/** The day that is open: what went in and out, and the way to its end. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { DayView } from "../../preload/contract.ts";
import { usePersonName } from "../people/use-people.ts";
import { momentText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { CountForm } from "./count-form.tsx";
import classes from "./day.module.css";
import { Figures } from "./figures.tsx";
import { minorText } from "./money-text.ts";
import { MoveForm } from "./move-form.tsx";
import { useSend } from "./use-send.ts";

interface OpenDayProps {
  readonly day: Extract<DayView, { kind: "open" | "counted" }>;
  readonly reveal: () => void;
  readonly again: () => void;
}

/** The form that opens the drawer's day. */
export const OpenDay = ({ day, reveal, again }: OpenDayProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const sending = useSend();
  const who = usePersonName();
  const [form, setForm] = useState<"in" | "out" | "count" | null>(null);
  const { number, currency, moves, expected, floatMinor, openedAtMs, openedBy } = day;
  const back = (): void => setForm(null);
  const done = (): void => {
    back();
    again();
  };
  if (form === "count")
    return (
      <CountForm
        title={t("day.countTitle")}
        next={t("day.countNext")}
        button={t("day.countDone")}
        currency={currency}
        sending={sending}
        back={{ label: t("day.back"), go: back }}
        done={async (count, isEmpty) => {
          if (await sending.send({ type: "count_day", number, count, isEmpty })) done();
        }}
      />
    );
  if (form !== null) return <MoveForm direction={form} number={number} currency={currency} done={done} back={back} />;
  const at = momentText(new Date(openedAtMs).toISOString(), language);
  return (
    <div className={classes.form}>
      <h2>{t("day.openTitle", { number })}</h2>
      <p className={classes.next}>{t("day.openedAt", { at, by: who(openedBy) })}</p>
      <Figures currency={currency} floatMinor={floatMinor} expected={expected} countedMinor={null} />
      {expected === null && (
        <Button variant="default" size="md" onClick={reveal}>
          {t("day.reveal")}
        </Button>
      )}
      {moves.length > 0 && (
        <ul className={classes.moves}>
          {moves.map((move) => (
            <li key={move.moveId}>
              <span>{momentText(new Date(move.atMs).toISOString(), language)}</span>
              <span>{[t(`day.reasons.${move.reason}`), move.note].filter(Boolean).join(": ")}</span>
              <strong>
                {minorText(move.direction === "in" ? move.amountMinor : -move.amountMinor, currency, language)}
              </strong>
            </li>
          ))}
        </ul>
      )}
      <div className={classes.buttons}>
        <Button size="lg" variant="default" onClick={() => setForm("in")}>
          {t("day.cashIn")}
        </Button>
        <Button size="lg" variant="default" onClick={() => setForm("out")}>
          {t("day.cashOut")}
        </Button>
        <Button size="lg" onClick={() => setForm("count")}>
          {t("day.countAndClose")}
        </Button>
      </div>
    </div>
  );
};
