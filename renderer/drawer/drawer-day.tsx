/** The drawer's day, over the screens while no withdrawal is in front. Loaded when it is first opened. */
import "@mantine/core/styles/InlineInput.css";
import "@mantine/core/styles/Checkbox.css";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DayView, Header } from "../../preload/contract.ts";
import { Area } from "../ui/area.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { Query } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useLanguage } from "../ui/use-language.ts";
import type { QueryState } from "../ui/use-query.ts";
import { CloseForm, type CountedDay } from "./close-form.tsx";
import { CountForm } from "./count-form.tsx";
import classes from "./day.module.css";
import { minorText } from "./money-text.ts";
import { OpenDay } from "./open-day.tsx";
import { useSend } from "./use-send.ts";

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
      else setState((before) => (before.kind === "answered" ? before : { kind: "failed" }));
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
