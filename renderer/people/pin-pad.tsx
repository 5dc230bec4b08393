/** Digits for a PIN, by keys or by touch. What is typed shows as dots. */
import { UnstyledButton } from "@mantine/core";
import { IconBackspace } from "@tabler/icons-react";
import { type Ref, useId } from "react";
import { useTranslation } from "react-i18next";
import { pinLengths } from "../../preload/choices.ts";
import { pinFieldMark } from "../scan/keyboard/listen.ts";
import classes from "./people.module.css";

interface PinFieldProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly disabled?: boolean;
  /** Where a dialog opens with it. */
  readonly autoFocus?: boolean;
  /** A scanner types here: letters, or more digits than a PIN has. */
  readonly onForeignKey?: () => void;
  readonly fieldRef?: Ref<HTMLInputElement>;
  readonly onFocus?: () => void;
}

/** One PIN as it is typed; everything but digits is dropped. */
export const PinField = ({
  label,
  value,
  change,
  disabled = false,
  autoFocus = false,
  fieldRef,
  onForeignKey,
  onFocus,
}: PinFieldProps) => {
  const id = useId();
  return (
    <div className={classes.pinField}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        ref={fieldRef}
        type="password"
        {...pinFieldMark}
        {...(autoFocus ? { "data-autofocus": true } : {})}
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
    </div>
  );
};

interface DigitsProps {
  /** Made from what is there when it is used: two touches can come before the first is drawn. */
  readonly change: (update: (value: string) => string) => void;
  readonly disabled?: boolean;
}

/** The keys for whoever touches. They leave the focus where it is. */
export const Digits = ({ change, disabled = false }: DigitsProps) => {
  const { t } = useTranslation();
  const key = (label: string, run: () => void, content = <>{label}</>) => (
    <UnstyledButton
      key={label}
      className={classes.digit}
      disabled={disabled}
      aria-label={label}
      onPointerDown={(event) => event.preventDefault()}
      onClick={run}
    >
      {content}
    </UnstyledButton>
  );
  const type = (digit: string) => () => change((value) => (value + digit).slice(0, pinLengths.max));
  return (
    <fieldset className={classes.digits} aria-label={t("people.digits")}>
      {[..."123456789"].map((digit) => key(digit, type(digit)))}
      <span />
      {key("0", type("0"))}
      {key(
        t("people.erase"),
        () => change((value) => value.slice(0, -1)),
        <IconBackspace size={30} stroke={2} aria-hidden />,
      )}
    </fieldset>
  );
};
