/** The drawer's day, over the screens while no withdrawal is in front. Loaded when it is first opened. */

import { Button, Checkbox, NativeSelect } from "@mantine/core";
import { useInputState } from "@mantine/hooks";
import { t } from "i18next";
import { useCallback, useEffect, useRef, useState } from "react";
import { cashReasons } from "../../preload/choices.ts";
import type { CashMove, DayView, ExpectedView, Header } from "../../preload/contract.ts";
import { totalOf } from "../../preload/notes-and-coins.ts";
import { ReportView } from "../history/report-view.tsx";
import { usePersonName } from "../people/authority.tsx";
import { Area } from "../ui/area.tsx";
import { RefusalText, useCommands, useSend } from "../ui/command-context.tsx";
import { Facts } from "../ui/data-table.tsx";
import { amountText, codeText, minorText, momentText, signedText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query, type QueryState } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import {
  beyondOf,
  CountFields,
  CountForm,
  countOf,
  DrawerSays,
  draftOf,
  hasDraft,
  NoteField,
  setDraft,
} from "./count-form.tsx";
import classes from "./day.module.css";

type Form = "in" | "out" | "count" | "mend" | "no_sale" | null;
type RunningDay = Extract<DayView, { kind: "open" | "counted" }>;

interface FiguresProps {
  readonly currency: string;
  readonly floatMinor: number;
  readonly expected: ExpectedView | null;
  readonly countedMinor: number | null;
}

/** The day's sums, as far as whoever looks may see them. */
const Figures = ({ currency, floatMinor, expected, countedMinor }: FiguresProps) => {
  const money = (minor: number): string => minorText(minor, currency);
  const known = expected === null ? [] : [expected];
  return (
    <Facts
      className={classes.figures}
      rows={[
        [t("day.float"), money(floatMinor)],
        ...known.flatMap(({ inMinor, outMinor, handOuts, handedOutMinor, expectedMinor }) => [
          [t("day.in"), money(inMinor)] as const,
          [t("day.out"), money(-outMinor)] as const,
          [t("day.handedOut", { count: handOuts }), money(-handedOutMinor)] as const,
          [t("day.expected"), money(expectedMinor), true] as const,
        ]),
        ...(countedMinor === null ? [] : [[t("day.counted"), money(countedMinor), true] as const]),
        ...known.flatMap(({ differenceMinor: off }) =>
          off === null ? [] : [[t("day.difference"), signedText(off, currency), true] as const],
        ),
      ]}
    />
  );
};

interface OpenDayProps {
  readonly day: RunningDay;
  readonly reveal: () => void;
  readonly again: () => void;
  readonly close: () => void;
}

/** The drawer while it is in use: its sums, and what can be done with it. */
const OpenDay = ({ day, reveal, again, close }: OpenDayProps) => {
  const who = usePersonName();
  const [form, setForm] = useState<Form>(hasDraft(`close:${day.number}`) ? "count" : null);
  const [isOpened, setOpened] = useState(false);
  const drawer = useSnapshotStore((store) => store.snapshot?.header.day?.drawer);
  const leaves = useRef(false);
  useEffect(() => {
    if (leaves.current && drawer === "opened") close();
  }, [drawer, close]);
  const { number, currency, moves, expected, floatMinor, openedAtMs, openedBy, mendable } = day;
  const back = (): void => setForm(null);
  const done = (): void => {
    back();
    again();
  };
  if (form === "count")
    return (
      <CountForm
        of={`close:${number}`}
        opensFor={number}
        title={t("day.countTitle")}
        next={t("day.countNext")}
        button={t("day.countDone")}
        currency={currency}
        back={back}
        command={({ count, isEmpty }) => ({ type: "count_day", number, count, isEmpty })}
        done={done}
      />
    );
  if (form === "mend")
    return (
      <CountForm
        of={`mend:${number}`}
        opensFor={number}
        title={t("day.mend")}
        next={t("day.beginNext")}
        button={t("day.begin")}
        initial={mendable}
        currency={currency}
        back={back}
        command={(counted) => ({ type: "open_day", number, ...counted, reason: t("day.mend") })}
        done={done}
      />
    );
  if (form === "no_sale") {
    const opened = (): void => {
      setOpened(true);
      done();
    };
    // Change for a customer: once the drawer is open, the next one can come.
    const pressed = (reason: NoSaleReason): void => {
      leaves.current = reason !== "cash_count";
    };
    return <NoSaleForm number={number} pressed={pressed} done={opened} back={back} />;
  }
  if (form !== null) return <MoveForm direction={form} number={number} currency={currency} done={done} back={back} />;
  const at = momentText(new Date(openedAtMs).toISOString());
  const button = (label: string, to: Exclude<Form, null>) => (
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
    <div className={classes.form}>
      <div className={classes.fields}>
        <h2>{t("day.openTitle")}</h2>
        <p className={page.soft}>{t("day.openedAt", { at, by: who(openedBy) })}</p>
        <DrawerSays />
        {isOpened && drawer === "opened" && <p role="status">{t("day.opened")}</p>}
        <Figures currency={currency} floatMinor={floatMinor} expected={expected} countedMinor={null} />
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
              {moves.map((move) => (
                <tr key={move.moveId}>
                  <td>{momentText(new Date(move.atMs).toISOString())}</td>
                  <td>{[t(`day.reasons.${move.reason}`), move.note].filter(Boolean).join(": ")}</td>
                  <td align="right">
                    {minorText(move.direction === "in" ? move.amountMinor : -move.amountMinor, currency)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      <div className={classes.buttons}>
        <Button variant="filled" size="lg" onClick={close}>
          {t("day.serve")}
        </Button>
        {button(t("day.countAndClose"), "count")}
      </div>
    </div>
  );
};

/** A day whose count is known to the screen. */
type CountedDay = RunningDay & { readonly counted: NonNullable<RunningDay["counted"]> };

interface CloseFormProps {
  readonly day: CountedDay;
  readonly reveal: () => void;
  readonly again: () => void;
  readonly finished: (result: Result) => void;
}

/** The form that counts the drawer and closes the day. */
const CloseForm = ({ day, reveal, again, finished }: CloseFormProps) => {
  const { send, isSending, refusal } = useSend();
  const { number, currency, counted, expected, over, floatMinor } = day;
  const [takeOut, setTakeOut] = useState(() => draftOf(counted.proposal, currency));
  const [reason, setReason] = useState("");
  const [isNamed, setNamed] = useInputState(false);
  const taken = countOf(takeOut, currency);
  const isWithin = taken !== null && beyondOf(taken, counted.count).size === 0;
  const isReady = isWithin && (over.length === 0 || isNamed);
  const isOff = expected !== null && expected.differenceMinor !== 0;
  const close = async (): Promise<void> => {
    if (taken === null) return;
    const named = over.map(({ withdrawalId }) => withdrawalId);
    const reply = await send({
      type: "close_day",
      number,
      counts: counted.counts,
      takeOut: taken,
      reason: reason.trim(),
      over: named,
    });
    if (!reply.ok) return again();
    const leftMinor = counted.countedMinor - totalOf(taken);
    finished({ number, currency, countedMinor: counted.countedMinor, leftMinor, offMinor: expected?.differenceMinor });
  };
  const recount = async (): Promise<void> => {
    if (!(await send({ type: "recount_day", number, counts: counted.counts })).ok) return;
    setDraft(`close:${number}`, draftOf(counted.count, currency));
    again();
  };
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void close();
      }}
    >
      <div className={`${classes.fields} ${classes.closing}`}>
        <div>
          <h2>{t("day.closeTitle")}</h2>
          {over.length > 0 && (
            <section className={page.card}>
              <h3>{t("day.over")}</h3>
              <ul className={page.row}>
                {over.map(({ withdrawalId, transactionId, amount }) => (
                  <li key={withdrawalId}>
                    {codeText(transactionId)} <strong>{amountText({ amount, currency })}</strong>
                  </li>
                ))}
              </ul>
              <Checkbox size="md" label={t("day.overNamed")} checked={isNamed} onChange={setNamed} />
            </section>
          )}
          <Figures
            currency={currency}
            floatMinor={floatMinor}
            expected={expected}
            countedMinor={counted.countedMinor}
          />
          {expected === null && <Button onClick={reveal}>{t("day.reveal")}</Button>}
          <NoteField
            label={isOff ? <span className={page.caution}>{t("day.differs")}</span> : t("day.remark")}
            value={reason}
            change={setReason}
          />
          <RefusalText refusal={refusal} />
        </div>
        <div>
          <h3>{t("day.takeOut")}</h3>
          <p className={page.soft}>{t("day.takeOutNext")}</p>
          <CountFields currency={currency} draft={takeOut} change={setTakeOut} within={counted.count} />
        </div>
      </div>
      <div className={classes.buttons}>
        {isWithin && (
          // In sight with the button, wherever the fields are: nobody closes over a sum that was never seen.
          <p>
            <strong>{t("day.takeOutSum", { sum: minorText(totalOf(taken), currency) })}</strong>
            {" · "}
            {t("day.stays", { sum: minorText(counted.countedMinor - totalOf(taken), currency) })}
          </p>
        )}
        <Button size="lg" onClick={() => void recount()}>
          {t("day.recount")}
        </Button>
        <Button variant="filled" size="lg" type="submit" disabled={!isReady} loading={isSending}>
          {t("day.close")}
        </Button>
      </div>
    </form>
  );
};

/** What is left to say of a day that was just closed; the difference for whoever may see it. */
interface Result {
  readonly number: number;
  readonly currency: string;
  readonly countedMinor: number;
  readonly leftMinor: number;
  readonly offMinor: number | null | undefined;
}

/** The end of the day, with its report to read until it is left. */
const ClosedDay = ({ result, close }: { readonly result: Result; readonly close: () => void }) => {
  const { number, currency, countedMinor, leftMinor, offMinor } = result;
  const money = (minor: number): string => minorText(minor, currency);
  return (
    <div className={classes.form}>
      <div className={classes.fields}>
        <h2>{t("day.closedTitle")}</h2>
        <Facts
          className={classes.figures}
          rows={[
            [t("day.counted"), money(countedMinor), true],
            ...(offMinor == null ? [] : [[t("day.difference"), signedText(offMinor, currency), true] as const]),
            [t("day.leftIn"), money(leftMinor)],
          ]}
        />
        <ReportView number={number} />
      </div>
      <div className={classes.buttons}>
        <Button variant="filled" size="lg" onClick={close}>
          {t("day.finished")}
        </Button>
      </div>
    </div>
  );
};

interface PartProps {
  readonly number: number;
  readonly done: () => void;
  readonly back: () => void;
}

/** Cash that is put into the drawer or taken out: what was counted, why, and the drawer opens with it. */
const MoveForm = ({
  direction,
  number,
  currency,
  done,
  back,
}: PartProps & { readonly direction: CashMove["direction"]; readonly currency: string }) => {
  const [reason, setReason] = useState<CashMove["reason"] | "">("");
  const [note, setNote] = useState("");
  // One for the form: pressed twice, or sent again after a silence, it is the same move.
  const [moveId] = useState(() => crypto.randomUUID());
  return (
    <CountForm
      of={`${direction}:${number}`}
      opensFor={null}
      title={t(direction === "in" ? "day.cashIn" : "day.cashOut")}
      button={(sum) => t(direction === "in" ? "day.putIn" : "day.takeOutSum", { sum })}
      currency={currency}
      back={back}
      isLacking={reason === ""}
      command={({ count }) => {
        if (reason === "") throw new Error("sent without a reason");
        const move = { direction, amountMinor: totalOf(count), count, reason, note: note.trim(), moveId } as const;
        return { type: "move_cash", number, ...move };
      }}
      done={done}
    >
      <NativeSelect
        size="lg"
        className={classes.narrow}
        label={t("day.reason")}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value as CashMove["reason"])}
        data={[
          { value: "", label: t("day.chooseReason"), disabled: true },
          ...cashReasons.map((value) => ({ value, label: t(`day.reasons.${value}`) })),
        ]}
      />
      <NoteField label={t("day.note")} value={note} change={setNote} />
    </CountForm>
  );
};

const noSaleChoices = ["change", "cash_count", "other"] as const;
type NoSaleReason = (typeof noSaleChoices)[number];

/** Opens the drawer without a withdrawal: one press on the reason. */
const NoSaleForm = ({ number, pressed, done, back }: PartProps & { pressed: (reason: NoSaleReason) => void }) => {
  const { send, isSending, refusal } = useSend();
  const [note, setNote] = useState("");
  return (
    <div className={classes.form}>
      <div className={classes.fields}>
        <h2>{t("day.noSaleTitle")}</h2>
        <p className={page.soft}>{t("day.noSaleNext")}</p>
        <NoteField label={t("day.note")} value={note} change={setNote} />
        <RefusalText refusal={refusal} />
      </div>
      <div className={classes.buttons}>
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
      </div>
    </div>
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
  const { dispatch } = useCommands();
  const [state, setState] = useState<QueryState<DayView>>({ kind: "asking" });
  const load = useCallback(
    (reveal: boolean) => {
      void dispatch({ type: "get_day", reveal }).then((reply) => {
        if (reply.ok) setState({ kind: "answered", data: reply.data as DayView });
        // A refused look at the expected sum takes nothing away that is shown.
        else setState((before) => (before.kind === "answered" ? before : { kind: "failed", why: reply.code }));
      });
    },
    [dispatch],
  );
  const again = useCallback(() => load(false), [load]);
  const manager = useSnapshotStore((store) => store.snapshot?.people.manager?.code ?? null);
  const reveal = (): void => load(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the day changes, and when a manager comes or goes
  useEffect(again, [again, header.kind, header.number, manager]);
  const [result, setResult] = useState<Result | null>(null);
  return (
    <Area title={t("day.title")} close={close} closeLabel={t("day.leave")} ignoredScans={ignoredScans}>
      <Query state={state} again={again}>
        {(day) =>
          result !== null ? (
            <ClosedDay result={result} close={close} />
          ) : day.kind === "closed" ? (
            <BeginDay key={day.next} day={day} again={again} close={close} />
          ) : day.counted === null ? (
            <OpenDay day={day} reveal={reveal} again={again} close={close} />
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
      </Query>
    </Area>
  );
};

interface BeginDayProps {
  readonly day: Extract<DayView, { kind: "closed" }>;
  readonly again: () => void;
  readonly close: () => void;
}

/** The float before the first customer; counted, it leads back to the withdrawals. */
const BeginDay = ({ day, again, close }: BeginDayProps) => {
  const { currency, leftMinor, handedOutMinor, next: number } = day;
  const money = (minor: number): string => (currency === null ? "" : minorText(minor, currency));
  const left = leftMinor === null || currency === null ? "" : t("day.left", { sum: money(leftMinor) });
  const since = left === "" || handedOutMinor === 0 ? "" : t("day.handedOutSince", { sum: money(handedOutMinor) });
  return (
    <CountForm
      of={`open:${number}`}
      opensFor={number}
      title={t("day.beginTitle")}
      next={[t("day.beginNext"), left, since].filter(Boolean).join(" ")}
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
