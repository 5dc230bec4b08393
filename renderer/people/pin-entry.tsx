/** Who it is, and the PIN: the same on the lock screen and in the question over a screen. */
import { Button, Stack, Text, TextInput, type TextInputProps } from "@mantine/core";
import { IconBackspace } from "@tabler/icons-react";
import { t } from "i18next";
import { type FormEvent, type ReactNode, type Ref, useEffect, useRef, useState } from "react";
import { pinLengths } from "../../preload/choices.ts";
import type { PersonView, Reply } from "../../preload/contract.ts";
import { pinFieldMark } from "../scan/keyboard/listen.ts";
import { OnScreenKey } from "../ui/controls.tsx";
import { durationText } from "../ui/format.ts";
import { useRemaining } from "../ui/use-remaining.ts";
import classes from "./people.module.css";

interface PinFieldProps extends Omit<TextInputProps, "onChange"> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** A scanner types here: letters, or more digits than a PIN has. */
  readonly onForeignKey?: () => void;
}

/** One PIN as it is typed; everything but digits is dropped. A dialog opens with its first. */
export const PinField = ({ value, onChange, onForeignKey, ...more }: PinFieldProps) => (
  <TextInput
    {...more}
    {...pinFieldMark}
    type="password"
    classNames={{ input: classes.typed }}
    data-autofocus
    inputMode="none"
    autoComplete="off"
    maxLength={pinLengths.max}
    value={value}
    onKeyDown={({ key }) => {
      if (key.length === 1 && (!/\d/.test(key) || value.length >= pinLengths.max)) onForeignKey?.();
    }}
    onChange={(event) => onChange(event.currentTarget.value.replace(/\D/g, ""))}
  />
);

interface DigitsProps {
  /** Computes the new value from the current one: two touches can come before the first is rendered. */
  readonly change: (update: (value: string) => string) => void;
  readonly disabled?: boolean;
  /** The key of the decimal separator, where there is one. */
  readonly decimal?: { readonly sign: string; readonly disabled: boolean } | undefined;
}

/** The keys for whoever touches. They leave the focus where it is. */
export const Digits = ({ change, disabled, decimal }: DigitsProps) => {
  const type = (digit: string) => () => change((value) => (value + digit).slice(0, pinLengths.max));
  const key = (digit: string) => <OnScreenKey key={digit} name={digit} press={type(digit)} disabled={disabled} />;
  return (
    <fieldset className={classes.digits} aria-label={t("people.digits")}>
      {[..."123456789"].map(key)}
      {decimal ? <OnScreenKey name={decimal.sign} press={type(decimal.sign)} disabled={decimal.disabled} /> : <span />}
      {key("0")}
      <OnScreenKey name={t("people.erase")} press={() => change((value) => value.slice(0, -1))} disabled={disabled}>
        <IconBackspace size={30} stroke={2} aria-hidden />
      </OnScreenKey>
    </fieldset>
  );
};

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
  const [chosen, setChosen] = useState(first ?? people[0]?.code ?? "");
  const [pin, setPin] = useState("");
  const [isChecking, setChecking] = useState(false);
  const [fault, setFault] = useState("");
  const person = people.length === 1 ? people[0] : people.find(({ code }) => code === chosen);
  /** How long no PIN of this person is looked at, counted down since the snapshot. */
  const totalMs = person?.waitMs ?? 0;
  const waitMs = useRemaining(totalMs > 0 ? { totalMs, remainingMs: totalMs } : null);
  const isReady = waitMs === 0 && !isChecking && pin.length >= pinLengths.cashier;
  useEffect(() => field.current?.focus(), []);
  const choose = (code: string) => (): void => {
    setChosen(code);
    // A PIN that was typed before anybody was chosen belongs to the name that is pressed now.
    if (person !== undefined) setPin("");
    setFault("");
    field.current?.focus();
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const isScan = foreignKey.current;
    foreignKey.current = false;
    // A barcode that was scanned into the field costs no try.
    if (isScan) setPin("");
    if (isScan || !isReady) return;
    // Whoever presses a name next may be somebody else.
    setPin("");
    if (person === undefined) return setFault(t("people.lockNext"));
    setChecking(true);
    setFault("");
    const reply = await attempt(person.code, pin);
    setChecking(false);
    if (!reply.ok) setFault(t(`refusals.${reply.code}`));
    field.current?.focus();
  };
  return (
    <form className={classes.form} ref={form} onSubmit={(event) => void submit(event)}>
      <Stack gap="xs" flex={1} miw={0} h="100%">
        {children}
        <p className={classes.fault} role="alert">
          {/* Rounded up: never "0 seconds" while there is something left. */}
          {waitMs > 0 ? t("people.waitFor", { time: durationText(waitMs + 999) }) : fault}
        </p>
        {people.length > 1 ? (
          <div className={classes.names} role="radiogroup" aria-label={t("people.who")}>
            {people.map(({ code, name }) => (
              <Button
                key={code}
                fz="lg"
                justify="start"
                role="radio"
                aria-checked={code === person?.code}
                onClick={choose(code)}
              >
                {name}
              </Button>
            ))}
          </div>
        ) : (
          <Text inherit fz="xl" fw={650}>
            {person?.name}
          </Text>
        )}
      </Stack>
      <div className={classes.pad}>
        <PinField
          ref={field}
          label={t("people.pin")}
          value={pin}
          onChange={setPin}
          onForeignKey={() => {
            foreignKey.current = true;
          }}
          disabled={waitMs > 0}
        />
        <Digits change={setPin} disabled={waitMs > 0} />
        {form === undefined && (
          <Button type="submit" variant="filled" size="xl" disabled={!isReady}>
            {t("people.ok")}
          </Button>
        )}
      </div>
    </form>
  );
};
