/** The drawer's day, over the screens while no withdrawal is in front. Loaded when it is first opened. */

import { Button, Checkbox } from "@mantine/core";
import { useInputState } from "@mantine/hooks";
import { t } from "i18next";
import { useCallback, useEffect, useRef, useState } from "react";
import { codeText } from "../../backend/contract/ids.ts";
import { cashReasons } from "../../preload/choices.ts";
import type { CashMove, DayView } from "../../preload/contract.ts";
import { totalOf } from "../../preload/notes-and-coins.ts";
import { ReportView } from "../history/report-view.tsx";
import { usePersonName } from "../people/authority.tsx";
import { Area, type OverScreenProps } from "../ui/area.tsx";
import { Facts } from "../ui/data-table.tsx";
import { Select } from "../ui/fields.tsx";
import { amountText, minorText, momentText, signedText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Answer, answerOf, type QueryState } from "../ui/query.tsx";
import { RefusalText, useCommands, useSend, useSnapshot, useSnapshotStore } from "../ui/terminal.tsx";
import {
  beyondOf,
  CountFields,
  CountForm,
  countOf,
  DayPage,
  DrawerSays,
  draftIdOf,
  draftOf,
  hasDraft,
  NoteField,
  setDraft,
} from "./count-form.tsx";
import classes from "./day.module.css";

type Form = CashMove["direction"] | "count" | "mend" | "no_sale";
type RunningDay = Extract<DayView, { kind: "open" | "counted" }>;

/** The day's sums, as far as whoever looks may see them. */
const Figures = ({ day, countedMinor }: Readonly<{ day: RunningDay; countedMinor?: number }>) => {
  const { currency, floatMinor, expected } = day;
  const money = (minor: number | undefined): string | undefined =>
    minor === undefined ? undefined : minorText(minor, currency);
  const off = expected?.differenceMinor;
  return (
    <Facts
      className={classes.figures}
      rows={[
        [t("day.float"), money(floatMinor)],
        [t("day.in"), money(expected?.inMinor)],
        [t("day.out"), expected && money(-expected.outMinor)],
        [t("day.handedOut", { count: expected?.handOuts }), expected && money(-expected.handedOutMinor)],
        [t("day.expected"), money(expected?.expectedMinor), true],
        [t("day.counted"), money(countedMinor), true],
        [t("day.difference"), off == null ? null : signedText(off, currency), true],
      ]}
    />
  );
};

interface DayProps<Day> {
  readonly day: Day;
  readonly again: () => void;
}

interface OpenDayProps extends DayProps<RunningDay> {
  readonly reveal: () => void;
  readonly close: () => void;
}

/** The drawer while it is in use: its sums, and what can be done with it. */
const OpenDay = ({ day, reveal, again, close }: OpenDayProps) => {
  const who = usePersonName();
  const { number, currency, moves, expected, openedAtMs, openedBy, mendable } = day;
  const [form, setForm] = useState<Form | null>(hasDraft(`close:${number}`) ? "count" : null);
  const [isOpened, setOpened] = useState(false);
  const drawer = useSnapshot().header.day?.drawer;
  const leaves = useRef(false);
  useEffect(() => {
    if (leaves.current && drawer === "opened") close();
  }, [drawer, close]);
  // The answer to a move can get lost: where it is booked, what was typed for it is forgotten.
  useEffect(() => {
    for (const direction of ["in", "out"] as const) {
      const id = draftIdOf(`${direction}:${number}`);
      if (!moves.some(({ moveId }) => moveId === id)) continue;
      setDraft(`${direction}:${number}`);
      setForm((shown) => (shown === direction ? null : shown));
    }
  }, [moves, number]);
  const back = (): void => setForm(null);
  const done = (): void => {
    back();
    again();
  };
  const shared = { opensFor: number, currency, back, done };
  switch (form) {
    case "count":
      return (
        <CountForm
          {...shared}
          of={`close:${number}`}
          title={t("day.countTitle")}
          next={t("day.countNext")}
          button={t("day.countDone")}
          command={({ count, isEmpty }) => ({ type: "count_day", number, count, isEmpty })}
        />
      );
    case "mend":
      return (
        <CountForm
          {...shared}
          of={`mend:${number}`}
          title={t("day.mend")}
          next={t("day.beginNext")}
          button={t("day.begin")}
          initial={mendable}
          command={(counted) => ({ type: "open_day", number, ...counted, reason: t("day.mend") })}
        />
      );
    case "no_sale":
      return (
        <NoSaleForm
          number={number}
          // Change for a customer: once the drawer is open, the next one can come.
          pressed={(reason) => {
            leaves.current = reason !== "cash_count";
          }}
          done={() => {
            setOpened(true);
            done();
          }}
          back={back}
        />
      );
    case "in":
    case "out":
      return <MoveForm direction={form} number={number} currency={currency} done={done} refused={again} back={back} />;
  }
  const button = (label: string, to: Form) => (
    <Button
      size="lg"
      onClick={() => {
        setOpened(false);
        leaves.current = false;
        setForm(to);
      }}
    >
      {label}
    </Button>
  );
  return (
    <DayPage
      buttons={
        <>
          <Button variant="filled" size="lg" onClick={close}>
            {t("day.serve")}
          </Button>
          {button(t("day.countAndClose"), "count")}
        </>
      }
    >
      <h2>{t("day.openTitle")}</h2>
      <p className={page.soft}>{t("day.openedAt", { at: momentText(openedAtMs), by: who(openedBy) })}</p>
      <DrawerSays />
      {isOpened && drawer === "opened" && <p role="status">{t("day.opened")}</p>}
      <Figures day={day} />
      {expected === null && <Button onClick={reveal}>{t("day.reveal")}</Button>}
      <div className={page.row}>
        {button(t("day.cashIn"), "in")}
        {button(t("day.cashOut"), "out")}
        {button(t("day.noSale"), "no_sale")}
        {mendable !== null && button(t("day.mend"), "mend")}
      </div>
      {moves.length > 0 && (
        <table className={page.table}>
          <tbody>
            {moves.map(({ moveId, atMs, reason, note, direction, amountMinor }) => (
              <tr key={moveId}>
                <td>{momentText(atMs)}</td>
                <td>{[t(`day.reasons.${reason}`), note].filter(Boolean).join(": ")}</td>
                <td align="right">{minorText(direction === "in" ? amountMinor : -amountMinor, currency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </DayPage>
  );
};

type CountedDay = RunningDay & { readonly counted: NonNullable<RunningDay["counted"]> };

/** The result of a day that was just closed; the difference only for whoever may see it. */
interface Result {
  readonly number: number;
  readonly currency: string;
  readonly countedMinor: number;
  readonly leftMinor: number;
  readonly offMinor: number | null | undefined;
}

interface CloseFormProps extends DayProps<CountedDay> {
  readonly reveal: () => void;
  readonly finished: (result: Result) => void;
}

const CloseForm = ({ day, reveal, again, finished }: CloseFormProps) => {
  const { send, isSending, refusal } = useSend();
  const { number, currency, counted, expected, over } = day;
  const { counts, countedMinor, count, proposal } = counted;
  const [takeOut, setTakeOut] = useState(() => draftOf(proposal, currency));
  const [reason, setReason] = useState("");
  const [isNamed, setNamed] = useInputState(false);
  const taken = countOf(takeOut, currency);
  const isWithin = taken !== null && beyondOf(taken, count).size === 0;
  const isReady = isWithin && (over.length === 0 || isNamed);
  const offMinor = expected?.differenceMinor;
  const close = async (): Promise<void> => {
    if (taken === null || !isReady) return;
    const reply = await send({
      type: "close_day",
      number,
      counts,
      takeOut: taken,
      reason: reason.trim(),
      over: over.map(({ withdrawalId }) => withdrawalId),
    });
    if (!reply.ok) return again();
    finished({ number, currency, countedMinor, leftMinor: countedMinor - totalOf(taken), offMinor });
  };
  const recount = async (): Promise<void> => {
    if (!(await send({ type: "recount_day", number, counts })).ok) return;
    setDraft(`close:${number}`, draftOf(count, currency));
    again();
  };
  return (
    <DayPage
      isWide
      submit={() => void close()}
      buttons={
        <>
          {isWithin && (
            // Beside the button, so that nobody closes the day without having seen the sum.
            <p>
              <strong>{t("day.takeOutSum", { sum: minorText(totalOf(taken), currency) })}</strong>
              {" · "}
              {t("day.stays", { sum: minorText(countedMinor - totalOf(taken), currency) })}
            </p>
          )}
          <Button size="lg" onClick={() => void recount()}>
            {t("day.recount")}
          </Button>
          <Button variant="filled" size="lg" type="submit" disabled={!isReady} loading={isSending}>
            {t("day.close")}
          </Button>
        </>
      }
    >
      <div>
        <h2>{t("day.closeTitle")}</h2>
        {over.length > 0 && (
          <section className={page.card}>
            <h3>{t("day.over")}</h3>
            <ul className={page.row}>
              {over.map(({ withdrawalId, transactionId, money }) => (
                <li key={withdrawalId}>
                  {codeText(transactionId)} <strong>{amountText(money)}</strong>
                </li>
              ))}
            </ul>
            <Checkbox size="md" label={t("day.overNamed")} checked={isNamed} onChange={setNamed} />
          </section>
        )}
        <Figures day={day} countedMinor={countedMinor} />
        {expected === null && <Button onClick={reveal}>{t("day.reveal")}</Button>}
        <NoteField
          label={
            expected !== null && offMinor !== 0 ? (
              <span className={page.caution}>{t("day.differs")}</span>
            ) : (
              t("day.remark")
            )
          }
          value={reason}
          change={setReason}
        />
        <RefusalText refusal={refusal} />
      </div>
      <div>
        <h3>{t("day.takeOut")}</h3>
        <p className={page.soft}>{t("day.takeOutNext")}</p>
        <CountFields currency={currency} draft={takeOut} change={setTakeOut} within={count} />
      </div>
    </DayPage>
  );
};

/** The end of the day, with its report to read until it is left. */
const ClosedDay = ({ result, close }: { readonly result: Result; readonly close: () => void }) => {
  const { number, currency, countedMinor, leftMinor, offMinor } = result;
  return (
    <DayPage
      buttons={
        <Button variant="filled" size="lg" onClick={close}>
          {t("day.finished")}
        </Button>
      }
    >
      <h2>{t("day.closedTitle")}</h2>
      <Facts
        className={classes.figures}
        rows={[
          [t("day.counted"), minorText(countedMinor, currency), true],
          [t("day.difference"), offMinor == null ? null : signedText(offMinor, currency), true],
          [t("day.leftIn"), minorText(leftMinor, currency)],
        ]}
      />
      <ReportView number={number} />
    </DayPage>
  );
};

interface PartProps {
  readonly number: number;
  readonly done: () => void;
  readonly back: () => void;
}

interface MoveFormProps extends PartProps {
  readonly direction: CashMove["direction"];
  readonly currency: string;
  readonly refused: () => void;
}

/** Cash that is put into the drawer or taken out: what was counted, why, and the drawer opens with it. */
const MoveForm = ({ direction, number, ...more }: MoveFormProps) => {
  const [reason, setReason] = useState<CashMove["reason"] | null>(null);
  const [note, setNote] = useState("");
  return (
    <CountForm
      {...more}
      of={`${direction}:${number}`}
      opensFor={null}
      title={t(direction === "in" ? "day.cashIn" : "day.cashOut")}
      button={(sum) => t(direction === "in" ? "day.putIn" : "day.takeOutSum", { sum })}
      isLacking={reason === null}
      command={({ count, id: moveId }) => {
        if (reason === null) throw new Error("sent without a reason");
        const move = { direction, amountMinor: totalOf(count), count, reason, note: note.trim(), moveId } as const;
        return { type: "move_cash", number, ...move };
      }}
    >
      <Select<CashMove["reason"] | null>
        size="lg"
        maw={520}
        label={t("day.reason")}
        value={reason}
        change={setReason}
        options={[
          ...(reason === null ? [[null, t("day.chooseReason")] as const] : []),
          ...cashReasons.map((one) => [one, t(`day.reasons.${one}`)] as const),
        ]}
      />
      <NoteField label={t("day.note")} value={note} change={setNote} />
    </CountForm>
  );
};

const noSaleChoices = ["change", "cash_count", "other"] as const;

interface NoSaleFormProps extends PartProps {
  readonly pressed: (reason: (typeof noSaleChoices)[number]) => void;
}

/** Opens the drawer without a withdrawal: one press on the reason. */
const NoSaleForm = ({ number, pressed, done, back }: NoSaleFormProps) => {
  const { send, isSending, refusal } = useSend();
  const [note, setNote] = useState("");
  return (
    <DayPage
      buttons={
        <>
          <Button size="lg" onClick={back}>
            {t("day.back")}
          </Button>
          {noSaleChoices.map((reason) => (
            <Button
              variant="filled"
              key={reason}
              size="lg"
              loading={isSending}
              onClick={async () => {
                pressed(reason);
                if ((await send({ type: "no_sale", number, reason, note: note.trim() })).ok) done();
              }}
            >
              {t(`day.noSaleReasons.${reason}`)}
            </Button>
          ))}
        </>
      }
    >
      <h2>{t("day.noSaleTitle")}</h2>
      <p className={page.soft}>{t("day.noSaleNext")}</p>
      <NoteField label={t("day.note")} value={note} change={setNote} />
      <RefusalText refusal={refusal} />
    </DayPage>
  );
};

/** The drawer's day: begun, counted, closed. */
export const DrawerDay = ({ close, ignoredScans }: OverScreenProps) => {
  const { dispatch } = useCommands();
  const [state, setState] = useState<QueryState<DayView>>({ kind: "asking" });
  const load = useCallback(
    (reveal: boolean) => {
      void dispatch({ type: "get_day", reveal }).then((reply) => {
        // A refusal to show the expected sum leaves the page as it is.
        setState((before) => (!reply.ok && before.kind === "answered" ? before : answerOf(reply)));
      });
    },
    [dispatch],
  );
  const again = useCallback(() => load(false), [load]);
  const reveal = (): void => load(true);
  const manager = useSnapshotStore((store) => store.snapshot?.people.manager?.code);
  const { kind, number } = useSnapshot().header.day ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the day changes, and when a manager comes or goes
  useEffect(again, [again, kind, number, manager]);
  const [result, setResult] = useState<Result | null>(null);
  return (
    <Area title={t("day.title")} close={close} closeLabel={t("day.leave")} ignoredScans={ignoredScans}>
      <Answer state={state} again={again}>
        {(day) =>
          result !== null ? (
            <ClosedDay result={result} close={close} />
          ) : day.kind === "closed" ? (
            <BeginDay key={day.next} day={day} again={again} close={close} />
          ) : day.counted === null ? (
            <OpenDay key={day.number} day={day} reveal={reveal} again={again} close={close} />
          ) : (
            <CloseForm
              key={day.counted.counts}
              day={day as CountedDay}
              reveal={reveal}
              again={again}
              finished={setResult}
            />
          )
        }
      </Answer>
    </Area>
  );
};

interface BeginDayProps extends DayProps<Extract<DayView, { kind: "closed" }>> {
  readonly close: () => void;
}

/** The float before the first customer; counted, it leads back to the withdrawals. */
const BeginDay = ({ day, again, close }: BeginDayProps) => {
  const { currency, leftMinor, handedOutMinor, next: number } = day;
  const isKnown = leftMinor !== null && currency !== null;
  const next = [
    t("day.beginNext"),
    isKnown && t("day.left", { sum: minorText(leftMinor, currency) }),
    isKnown && handedOutMinor !== 0 && t("day.handedOutSince", { sum: minorText(handedOutMinor, currency) }),
  ];
  return (
    <CountForm
      of={`open:${number}`}
      opensFor={number}
      title={t("day.beginTitle")}
      next={next.filter(Boolean).join(" ")}
      button={t("day.begin")}
      currency={currency}
      expectedMinor={leftMinor === null ? null : leftMinor - handedOutMinor}
      command={(counted) => ({ type: "open_day", number, ...counted })}
      done={close}
      // Cash may have left the drawer since it was asked.
      refused={again}
    />
  );
};
