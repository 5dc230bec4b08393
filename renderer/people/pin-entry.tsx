/** Who it is, and the PIN: the same on the lock screen and in the question over a screen. */

import { UnstyledButton } from "@mantine/core";
import { IconBackspace } from "@tabler/icons-react";
import { t } from "i18next";
import { type FormEvent, type ReactNode, type Ref, useEffect, useId, useRef, useState } from "react";
import type { PersonView, Reply } from "../../preload/contract.ts";
import { pinLengths } from "../../preload/pin-rules.ts";
import { pinFieldMark } from "../scan/keyboard/listen.ts";
import { durationText } from "../ui/format.ts";
import { OnScreenKey } from "../ui/on-screen-key.tsx";
import { useRemaining } from "../ui/use-remaining.ts";
import classes from "./people.module.css";

interface PinFieldProps {
  readonly id?: string;
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly disabled?: boolean;
  /** A scanner types here: letters, or more digits than a PIN has. */
  readonly onForeignKey?: () => void;
  readonly fieldRef?: Ref<HTMLInputElement>;
  readonly onFocus?: () => void;
  readonly fault?: string | null;
}

/** What a field is given when something is wrong with it. */
export const faultProps = (id: string, fault: string | null) =>
  fault === null ? {} : { "aria-invalid": true, "aria-describedby": `${id}-fault` };

/** Says what is wrong, below the field. */
export const FieldFault = ({ id, fault }: { readonly id: string; readonly fault: string | null }) =>
  fault === null ? null : (
    <p id={`${id}-fault`} className={classes.fault} role="alert">
      {fault}
    </p>
  );

/** One PIN as it is typed; everything but digits is dropped. A dialog opens with its first. */
export const PinField = ({
  id: given,
  label,
  value,
  change,
  disabled = false,
  fieldRef,
  onForeignKey,
  onFocus,
  fault = null,
}: PinFieldProps) => {
  const own = useId();
  const id = given ?? own;
  return (
    <div className={classes.pinField}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={fieldRef}
        type="password"
        {...pinFieldMark}
        data-autofocus
        {...faultProps(id, fault)}
        inputMode="none"
        autoComplete="off"
        value={value}
        disabled={disabled}
        maxLength={pinLengths.max}
        onFocus={onFocus}
        onKeyDown={({ key }) => {
          if (key.length === 1 && (!/\d/.test(key) || value.length >= pinLengths.max)) onForeignKey?.();
        }}
        onChange={(event) => change(event.currentTarget.value.replace(/\D/g, ""))}
      />
      <FieldFault id={id} fault={fault} />
    </div>
  );
};

interface DigitsProps {
  /** Made from what is there when it is used: two touches can come before the first is drawn. */
  readonly change: (update: (value: string) => string) => void;
  readonly disabled?: boolean;
  /** The key for what is no whole number, where there is one. */
  readonly decimal?: { readonly sign: string; readonly disabled: boolean } | undefined;
}

/** The keys for whoever touches. They leave the focus where it is. */
export const Digits = ({ change, disabled = false, decimal }: DigitsProps) => {
  const type = (digit: string) => () => change((value) => (value + digit).slice(0, pinLengths.max));
  return (
    <fieldset className={classes.digits} aria-label={t("people.digits")}>
      {[..."123456789"].map((digit) => (
        <OnScreenKey key={digit} name={digit} press={type(digit)} disabled={disabled} />
      ))}
      {decimal === undefined ? (
        <span />
      ) : (
        <OnScreenKey name={decimal.sign} press={type(decimal.sign)} disabled={decimal.disabled} />
      )}
      <OnScreenKey name="0" press={type("0")} disabled={disabled} />
      <OnScreenKey name={t("people.erase")} press={() => change((value) => value.slice(0, -1))} disabled={disabled}>
        <IconBackspace size={30} stroke={2} aria-hidden />
      </OnScreenKey>
    </fieldset>
  );
};

/** How long no PIN of this person is looked at, counted down since the snapshot. */
const useWaitMs = (person: PersonView | undefined): number => {
  const waitMs = person?.waitMs ?? 0;
  return useRemaining(waitMs > 0 ? { totalMs: waitMs, remainingMs: waitMs } : null);
};

/** "30 seconds": never "0 seconds" while there is something left. */
const waitText = (waitMs: number): string => durationText(waitMs + 999);

interface PinEntryProps {
  readonly people: readonly PersonView[];
  /** The person to begin with, nobody where the list has no such one; else the first. */
  readonly first?: string;
  /** What the PIN is for, above the names. */
  readonly children: ReactNode;
  /** Where a button elsewhere submits it. */
  readonly form?: Ref<HTMLFormElement>;
  readonly attempt: (person: string, pin: string) => Promise<Reply>;
}

/** Asks until it is right. A wrong PIN empties the field and says so. */
export const PinEntry = ({ people, first, children, form, attempt }: PinEntryProps) => {
  const field = useRef<HTMLInputElement>(null);
  const foreignKey = useRef(false);
  const [only, ...others] = people;
  const [chosen, setChosen] = useState(first ?? only?.code ?? "");
  const [pin, setPin] = useState("");
  const [isChecking, setChecking] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const person = others.length === 0 ? only : people.find(({ code }) => code === chosen);
  const waitMs = useWaitMs(person);
  const isReady = waitMs === 0 && !isChecking && pin.length >= pinLengths.cashier;
  useEffect(() => field.current?.focus(), []);
  const choose = (code: string) => (): void => {
    setChosen(code);
    // What was typed before anybody was chosen is whose name is pressed now.
    if (person !== undefined) setPin("");
    setFault(null);
    field.current?.focus();
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const isScan = foreignKey.current;
    foreignKey.current = false;
    // A barcode that was scanned into the field costs no try.
    if (isScan) setPin("");
    if (isScan || !isReady) return;
    if (person === undefined) {
      // Whoever presses a name next may be somebody else.
      setPin("");
      return setFault(t("people.lockNext"));
    }
    setChecking(true);
    setFault(null);
    const reply = await attempt(person.code, pin);
    setPin("");
    setChecking(false);
    if (!reply.ok) setFault(t(`refusals.${reply.code}`));
    field.current?.focus();
  };
  const sentence = waitMs > 0 ? t("people.waitFor", { time: waitText(waitMs) }) : (fault ?? "");
  return (
    <form className={classes.entry} ref={form} onSubmit={(event) => void submit(event)}>
      <div className={classes.who}>
        {children}
        <p className={classes.fault} role="alert">
          {sentence}
        </p>
        {people.length > 1 ? (
          <div className={classes.names} role="radiogroup" aria-label={t("people.who")}>
            {people.map(({ code, name }) => (
              <UnstyledButton
                key={code}
                className={classes.name}
                role="radio"
                aria-checked={code === person?.code}
                onClick={choose(code)}
              >
                {name}
              </UnstyledButton>
            ))}
          </div>
        ) : (
          <p className={classes.only}>{person?.name}</p>
        )}
      </div>
      <div className={classes.pin}>
        <PinField
          label={t("people.pin")}
          value={pin}
          change={setPin}
          fieldRef={field}
          onForeignKey={() => {
            foreignKey.current = true;
          }}
          disabled={waitMs > 0}
        />
        <Digits change={setPin} disabled={waitMs > 0} />
        {form === undefined && (
          <UnstyledButton type="submit" className={classes.submit} disabled={!isReady}>
            {t("people.ok")}
          </UnstyledButton>
        )}
      </div>
    </form>
  );
};
