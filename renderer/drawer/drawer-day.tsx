/** The drawer's day, over the screens while no withdrawal is in front. Loaded when it is first opened. */
import { Button, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { cashBounds, cashReasons } from "../../preload/choices.ts";
import type { CashMove, DayView, Header } from "../../preload/contract.ts";
import { totalOf } from "../../preload/notes-and-coins.ts";
import { usePersonName } from "../people/authority.tsx";
import { Area } from "../ui/area.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { amountText, minorText, momentText } from "../ui/format.ts";
import { Query, type QueryState } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useLanguage } from "../ui/use-language.ts";
import { codeText } from "../withdrawal/facts.ts";
import { CountFields, CountForm, countOf, draftOf, RefusalText, typedAmount, useSend } from "./count-form.tsx";
import classes from "./day.module.css";
import { Figures } from "./figures.tsx";

interface OpenDayProps {
  readonly day: Extract<DayView, { kind: "open" | "counted" }>;
  readonly reveal: () => void;
  readonly again: () => void;
}

/** The form that opens the drawer's day. */
const OpenDay = ({ day, reveal, again }: OpenDayProps) => {
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

/** A day whose count is known to the screen. */
type CountedDay = Extract<DayView, { kind: "open" | "counted" }> & {
  readonly counted: NonNullable<Extract<DayView, { kind: "open" | "counted" }>["counted"]>;
};

interface CloseFormProps {
  readonly day: CountedDay;
  readonly reveal: () => void;
  readonly again: () => void;
}

/** The form that counts the drawer and closes the day. */
const CloseForm = ({ day, reveal, again }: CloseFormProps) => {
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

interface MoveFormProps {
  readonly direction: CashMove["direction"];
  readonly number: number;
  readonly currency: string;
  readonly done: () => void;
  readonly back: () => void;
}

/** The form for cash that is put into the drawer or taken out. */
const MoveForm = ({ direction, number, currency, done, back }: MoveFormProps) => {
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

interface DrawerDayProps {
  /** What the snapshot says: it changes when somebody else opens or closes the day. */
  readonly header: NonNullable<Header["day"]>;
  readonly close: () => void;
  /** Grows with each scan that came while this area was open. */
  readonly ignoredScans: number;
}

/** The drawer's day: begun, counted, closed. */
export const DrawerDay = ({ header, close, ignoredScans }: DrawerDayProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const latest = useRef(commands);
  latest.current = commands;
  const [state, setState] = useState<QueryState<DayView>>({ kind: "asking" });
  const load = useCallback((reveal: boolean) => {
    void latest.current.dispatch({ type: "get_day", reveal }).then((reply) => {
      if (reply.ok) setState({ kind: "answered", data: reply.data as DayView });
      // A refused look at the expected sum takes nothing away that is shown.
      else setState((before) => (before.kind === "answered" ? before : { kind: "failed", why: reply.code }));
    });
  }, []);
  const again = useCallback(() => load(false), [load]);
  const manager = useSnapshotStore((store) => store.snapshot?.people.manager?.code ?? null);
  const reveal = (): void => load(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the day changes, and when a manager comes or goes
  useEffect(again, [again, header.kind, header.number, manager]);
  return (
    <Area title={t("day.title")} close={close} ignoredScans={ignoredScans}>
      <div className={classes.panel}>
        <Query state={state} again={again}>
          {(day) =>
            day.kind === "closed" ? (
              <BeginDay key={day.next} day={day} again={again} />
            ) : day.counted === null ? (
              <OpenDay day={day} reveal={reveal} again={again} />
            ) : (
              <CloseForm key={day.counted.counts} day={day as CountedDay} reveal={reveal} again={again} />
            )
          }
        </Query>
      </div>
    </Area>
  );
};

interface BeginDayProps {
  readonly day: Extract<DayView, { kind: "closed" }>;
  readonly again: () => void;
}

const BeginDay = ({ day, again }: BeginDayProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const sending = useSend();
  const { currency, leftMinor, handedOutMinor, next: number } = day;
  const money = (minor: number): string => (currency === null ? "" : minorText(minor, currency, language));
  const left = leftMinor === null || currency === null ? "" : t("day.left", { sum: money(leftMinor) });
  const since = left === "" || handedOutMinor === 0 ? "" : t("day.handedOutSince", { sum: money(handedOutMinor) });
  return (
    <CountForm
      title={t("day.beginTitle", { number })}
      next={[t("day.beginNext"), left, since].filter(Boolean).join(" ")}
      button={t("day.begin")}
      currency={currency}
      sending={sending}
      expectedMinor={leftMinor === null ? null : leftMinor - handedOutMinor}
      done={async (count, isEmpty, counts, reason) => {
        await sending.send({ type: "open_day", number, currency: counts, count, isEmpty, reason });
        // Also after a refusal: cash may have left the drawer since it was asked.
        again();
      }}
    />
  );
};
