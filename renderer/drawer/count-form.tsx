/** The one form for every count of the drawer: fields with a number pad, then a summary to look at, which is sent. */
import { Button, Checkbox, TextInput } from "@mantine/core";
import { useInputState } from "@mantine/hooks";
import { t } from "i18next";
import { type KeyboardEvent, type ReactNode, type Ref, useCallback, useEffect, useRef, useState } from "react";
import { create } from "zustand";
import { formatAmount, minorDigits } from "../../backend/contract/money.ts";
import { cashBounds } from "../../preload/choices.ts";
import type { CashCount, Command } from "../../preload/contract.ts";
import { drawerCurrencies, faceValuesOf, isNote, totalOf } from "../../preload/notes-and-coins.ts";
import { Digits } from "../people/pins.tsx";
import { Facts } from "../ui/data-table.tsx";
import { Select } from "../ui/fields.tsx";
import { decimalSign, minorText, signedText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { RefusalText, useCommands, useSend, useSnapshot } from "../ui/terminal.tsx";
import classes from "./day.module.css";

/** The fields as they were typed; empty ones count as zero. */
interface CountDraft {
  /** By value in minor units. */
  readonly pieces: Readonly<Record<number, string>>;
  readonly other: string;
  /** Given when the drawer was opened for it automatically; from then on it takes a press. Sent again, it is the same count. */
  readonly id?: string;
}

/** Nothing typed yet. */
export const emptyCount: CountDraft = { pieces: {}, other: "" };

/** `12`, `12,5` or `12.50` in minor units; 0 for nothing; null for anything else. */
export const typedAmount = (text: string, currency: string): number | null => {
  const trimmed = text.trim();
  if (trimmed === "") return 0;
  const digits = minorDigits(currency);
  const [, whole, fraction = ""] = /^(\d{1,12})(?:[.,](\d*))?$/.exec(trimmed) ?? [];
  if (whole === undefined || fraction.length > digits) return null;
  const minor = Number(`${whole}${fraction.padEnd(digits, "0")}`);
  return minor <= cashBounds.amountMinor.max ? minor : null;
};

/** How many of one note or coin; 0 for nothing, null for what is no number of them. */
export const typedPieces = (text: string): number | null => (/^\s*\d{0,5}\s*$/.test(text) ? Number(text.trim()) : null);

/** The count, or null while something in it is wrong. */
export const countOf = (draft: CountDraft, currency: string): CashCount | null => {
  const otherMinor = typedAmount(draft.other, currency);
  const pieces = faceValuesOf(currency).map((valueMinor) => ({
    valueMinor,
    count: typedPieces(draft.pieces[valueMinor] ?? ""),
  }));
  if (otherMinor === null || pieces.some(({ count }) => count === null)) return null;
  return { pieces: pieces.flatMap(({ valueMinor, count }) => (count ? [{ valueMinor, count }] : [])), otherMinor };
};

/** A stored count as the content of the fields. */
export const draftOf = ({ pieces, otherMinor }: CashCount, currency: string): CountDraft => ({
  pieces: Object.fromEntries(pieces.map(({ valueMinor, count }) => [valueMinor, String(count)])),
  other: otherMinor === 0 ? "" : formatAmount(otherMinor, currency),
});

/** What was typed and not sent yet, by the count it is for: it outlives the form and a refused command. */
const useDrafts = create<Readonly<Record<string, CountDraft | undefined>>>(() => ({}));

/** Forgets what was typed for a count, or begins it with something. */
export const setDraft = (of: string, draft?: CountDraft): void => useDrafts.setState({ [of]: draft });

/** Whether something was typed for a count and not sent. */
export const hasDraft = (of: string): boolean => {
  const { pieces, other } = useDrafts.getState()[of] ?? emptyCount;
  return [other, ...Object.values(pieces)].some((text) => text.trim() !== "");
};

/** The id of what was typed for a count and is not forgotten yet. */
export const draftIdOf = (of: string): string | undefined => useDrafts.getState()[of]?.id;

/** The fields, by value or `other`, that name more than is in the count; the terminal refuses them, too. */
export const beyondOf = ({ pieces, otherMinor }: CashCount, within: CashCount): ReadonlySet<number | "other"> => {
  const there = new Map(within.pieces.map(({ valueMinor, count }) => [valueMinor, count]));
  const beyond = pieces.filter(({ valueMinor, count }) => count > (there.get(valueMinor) ?? 0));
  const values = beyond.map(({ valueMinor }) => valueMinor);
  return new Set(otherMinor > within.otherMinor ? [...values, "other" as const] : values);
};

/** Enter goes to the next field, and from the last one to the button: no field sends anything. */
const toNext = (event: KeyboardEvent<HTMLElement>): void => {
  if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
  event.preventDefault();
  const form = event.target.closest("form");
  const places = [...(form?.querySelectorAll<HTMLElement>("input[data-count], button[type=submit]") ?? [])];
  places[places.indexOf(event.target) + 1]?.focus();
};

interface CountFieldsProps {
  readonly currency: string;
  readonly draft: CountDraft;
  readonly change: (draft: CountDraft) => void;
  /** No field may name more than is in this count. */
  readonly within?: CashCount;
  /** Stands beside the sum. */
  readonly children?: ReactNode;
}

/** The fields for a count of the drawer, notes and coins apart, with the sum so far and keys for whoever touches. */
export const CountFields = ({ currency, draft, change, within, children }: CountFieldsProps) => {
  const count = countOf(draft, currency);
  const beyond = count && within && beyondOf(count, within);
  const [at, setAt] = useState<number | "other">(faceValuesOf(currency)[0] ?? "other");
  const latest = useRef(draft);
  latest.current = draft;
  const textAt = (place: typeof at): string =>
    place === "other" ? latest.current.other : (latest.current.pieces[place] ?? "");
  const type = (place: typeof at, text: string): void => {
    const { pieces } = latest.current;
    const typed = place === "other" ? { other: text } : { pieces: { ...pieces, [place]: text } };
    latest.current = { ...latest.current, ...typed };
    change(latest.current);
  };
  const field = (place: typeof at, label: string, isRight: boolean) => (
    <TextInput
      key={place}
      size="md"
      {...(place === "other" && { wrapperProps: { "data-sum": true } })}
      data-count
      // Where the number pad types.
      data-current={place === at || undefined}
      inputMode={place === "other" ? "decimal" : "numeric"}
      autoComplete="off"
      label={label}
      value={place === "other" ? draft.other.replace(".", decimalSign()) : textAt(place)}
      error={beyond?.has(place) ? t("day.beyond") : !isRight}
      onFocus={() => setAt(place)}
      onChange={(event) => type(place, event.currentTarget.value)}
    />
  );
  const faces = (notes: boolean) => (
    <fieldset className={classes.faces}>
      <legend>{t(notes ? "day.notes" : "day.coins")}</legend>
      {faceValuesOf(currency)
        .filter((value) => isNote(value, currency) === notes)
        .map((value) => field(value, minorText(value, currency), typedPieces(textAt(value)) !== null))}
      {!notes && field("other", t("day.otherSum"), typedAmount(draft.other, currency) !== null)}
    </fieldset>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter only moves the focus
    <div className={classes.count} onKeyDown={toNext}>
      <div className={classes.side}>
        {faces(true)}
        {faces(false)}
      </div>
      <div className={classes.side}>
        <p className={classes.total} role="status">
          {count === null ? t("day.wrong") : t("day.total", { sum: minorText(totalOf(count), currency) })}
        </p>
        <Digits
          change={(update) => type(at, update(textAt(at)))}
          decimal={minorDigits(currency) > 0 ? { sign: decimalSign(), disabled: at !== "other" } : undefined}
        />
        {children}
      </div>
    </div>
  );
};

interface NoteFieldProps {
  readonly label: ReactNode;
  readonly value: string;
  readonly change: (value: string) => void;
}

/** A line that a person writes for the report. */
export const NoteField = ({ label, value, change }: NoteFieldProps) => (
  <TextInput
    size="lg"
    maw={520}
    autoComplete="off"
    maxLength={cashBounds.noteLength.max}
    label={label}
    value={value}
    onChange={(event) => change(event.currentTarget.value)}
  />
);

/** What the drawer said, where it has to be opened with its key. */
export const DrawerSays = () => {
  const drawer = useSnapshot().header.day?.drawer;
  if (drawer !== "failed" && drawer !== "unknown" && drawer !== "by_hand") return null;
  return (
    <p className={page.caution} role="status">
      {t(drawer === "by_hand" ? "day.openByHand" : "day.didNotOpen")}
    </p>
  );
};

interface DayPageProps {
  /** Always in sight at the bottom. */
  readonly buttons: ReactNode;
  readonly submit?: () => void;
  readonly ref?: Ref<HTMLFormElement>;
  /** Sums and a count beside each other. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A page of the day: what scrolls, and its buttons. */
export const DayPage = ({ buttons, submit, ref, isWide, children }: DayPageProps) => (
  <form
    ref={ref}
    className={classes.form}
    onSubmit={(event) => {
      event.preventDefault();
      submit?.();
    }}
  >
    <div className={classes.fields} data-wide={isWide}>
      {children}
    </div>
    <div className={classes.buttons}>{buttons}</div>
  </form>
);

/** A count that was looked at, and is about to be sent. */
interface Counted {
  readonly count: CashCount;
  /** Confirms that the drawer is empty. */
  readonly isEmpty: boolean;
  readonly currency: string;
  /** Why it is another sum than what should be there; empty where it is not. */
  readonly reason: string;
  /** The same for everything that is sent of one draft. */
  readonly id: string;
}

interface CountFormProps {
  readonly title: string;
  readonly next?: string;
  /** Sends the count from the summary. Where it names the sum, it is the summary's heading too. */
  readonly button: string | ((sum: string) => string);
  /** Names the count: what was typed for it stays until it is sent. */
  readonly of: string;
  /** The day that the drawer is opened for; null where it opens by what is sent. */
  readonly opensFor: number | null;
  /** What the fields begin with. */
  readonly initial?: CashCount | null;
  /** A question on the summary is not answered yet. */
  readonly isLacking?: boolean;
  /** Null where it is not known: then whoever counts chooses it. */
  readonly currency: string | null;
  /** What should be there, where whoever counts may know it: another sum asks why. */
  readonly expectedMinor?: number | null;
  readonly command: (counted: Counted) => Command;
  /** Called once it was accepted. */
  readonly done: () => void;
  readonly refused?: () => void;
  readonly back?: () => void;
  /** Asked on the summary. */
  readonly children?: ReactNode;
}

/** Asks for a count, shows it, and sends it when it was looked at. */
export const CountForm = (props: CountFormProps) => {
  const { title, next, button, of, opensFor, initial, currency, expectedMinor = null, command, done, back } = props;
  const { send, isSending, refusal } = useSend();
  const { dispatch } = useCommands();
  const drawer = useSnapshot().header.day?.drawer;
  const [chosen, setChosen] = useState(currency ?? drawerCurrencies[0] ?? "EUR");
  const [isEmpty, setEmpty] = useInputState(false);
  const [reason, setReason] = useState("");
  const [isLooking, setLooking] = useState(false);
  const counts = currency ?? chosen;
  const [begun] = useState(() => (initial ? draftOf(initial, counts) : emptyCount));
  const draft = useDrafts((drafts) => drafts[of]) ?? begun;
  const openDrawer = useCallback(() => {
    if (opensFor !== null) void dispatch({ type: "no_sale", number: opensFor, reason: "cash_count", note: "" });
  }, [opensFor, dispatch]);
  const isFirst = useRef(draft.id === undefined);
  // Once for each count: coming back to it opens no drawer.
  useEffect(() => {
    if (!isFirst.current) return;
    isFirst.current = false;
    setDraft(of, { ...draft, id: crypto.randomUUID() });
    openDrawer();
  }, [of, draft, openDrawer]);
  const form = useRef<HTMLFormElement>(null);
  // The summary's heading, not its button: a key that is held down would send a count that nobody has looked at.
  useEffect(
    () => form.current?.querySelector<HTMLElement>(isLooking ? "h2" : "input[data-count]")?.focus(),
    [isLooking],
  );
  const money = (minor: number): string => minorText(minor, counts);
  const count = countOf(draft, counts);
  const sum = count === null ? 0 : totalOf(count);
  const isNothing = count !== null && sum === 0;
  const offMinor = expectedMinor === null || count === null ? 0 : sum - expectedMinor;
  const named = typeof button === "string" ? button : button(money(sum));
  const submit = async (): Promise<void> => {
    const { id } = draft;
    if (count === null || id === undefined) return;
    if (!isLooking) return setLooking(true);
    const why = offMinor === 0 ? "" : reason.trim();
    const reply = await send(command({ count, isEmpty: isEmpty && isNothing, currency: counts, reason: why, id }));
    if (!reply.ok) return props.refused?.();
    done();
    setDraft(of);
  };
  const look = count && (
    <>
      <Facts
        className={classes.figures}
        rows={[
          ...count.pieces.map(
            ({ valueMinor, count: pieces }) =>
              [`${pieces} × ${money(valueMinor)}`, money(valueMinor * pieces)] as const,
          ),
          [t("day.otherSum"), count.otherMinor > 0 ? money(count.otherMinor) : null],
          [t("day.counted"), money(sum), true],
        ]}
      />
      {props.children}
      {offMinor !== 0 && (
        <>
          <p className={page.caution}>{t("day.nightDiffers", { difference: signedText(offMinor, counts) })}</p>
          <NoteField label={t("day.why")} value={reason} change={setReason} />
        </>
      )}
    </>
  );
  return (
    <DayPage
      ref={form}
      submit={() => void submit()}
      buttons={
        <>
          {(isLooking || back) && (
            <Button size="lg" onClick={isLooking ? () => setLooking(false) : back}>
              {t(isLooking ? "day.change" : "day.back")}
            </Button>
          )}
          <Button
            variant="filled"
            key={String(isLooking)}
            size="lg"
            type="submit"
            disabled={count === null || (isNothing && !isEmpty) || (isLooking && props.isLacking === true)}
            loading={isSending}
          >
            {isLooking ? named : t("day.look")}
          </Button>
          {opensFor !== null && !isLooking && drawer !== "by_hand" && (
            <>
              <Button size="lg" onClick={openDrawer}>
                {t("day.noSale")}
              </Button>
              <p className={page.soft}>{t("day.opensForCount")}</p>
            </>
          )}
        </>
      }
    >
      <h2 tabIndex={-1}>{!isLooking ? title : named === button ? t("day.lookTitle") : named}</h2>
      {isLooking ? (
        look
      ) : (
        <>
          <p className={page.soft}>
            {next} {t("day.pieces")}
          </p>
          <DrawerSays />
          {currency === null && (
            <Select
              label={t("day.currency")}
              value={chosen}
              options={drawerCurrencies.map((one) => [one, one])}
              change={setChosen}
            />
          )}
          <CountFields currency={counts} draft={draft} change={(changed) => setDraft(of, changed)}>
            {isNothing && opensFor !== null && (
              <Checkbox size="md" label={t("day.isEmpty")} checked={isEmpty} onChange={setEmpty} />
            )}
          </CountFields>
        </>
      )}
      <RefusalText refusal={refusal} />
    </DayPage>
  );
};
