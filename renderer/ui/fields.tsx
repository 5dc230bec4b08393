/** What all forms share: a fault is shown at its field, which gets the focus, whether the form or the terminal found it. */
import { ActionIcon, Box, NativeSelect, type NativeSelectProps, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconCalendar } from "@tabler/icons-react";
import { t } from "i18next";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { dayText, typedDay } from "./format.ts";

/** What is wrong, by field: a sentence, or `true` to mark the field alone. `form` is for what concerns no single field. */
type Faults = Readonly<Record<string, string | true>>;

type Errors = Readonly<Record<string, ReactNode>>;

interface FieldsInput<Values> {
  readonly initialValues: Values;
  /** @param before the faults that are shown now. */
  readonly validate: (values: Values, before: Errors) => Faults;
  /** Sends valid values. @returns what was refused; empty: nothing. */
  readonly send: (values: Values, before: Errors) => Promise<Faults>;
}

/** A form whose values are texts. */
export const useFields = <Values extends object>({ initialValues, validate, send }: FieldsInput<Values>) => {
  const [isSending, setSending] = useState(false);
  const form = useForm<Values>({
    initialValues,
    enhanceGetInputProps: () => ({ autoComplete: "off", spellCheck: false, errorProps: { role: "alert" } }),
    onValuesChange: () =>
      form.setErrors((errors) => Object.fromEntries(Object.entries(errors).filter(([at]) => at in initialValues))),
  });
  /** @returns whether the values were valid, and accepted. */
  const submit = async (): Promise<boolean> => {
    if (isSending) return false;
    let faults = validate(form.getValues(), form.errors);
    if (Object.keys(faults).length === 0) {
      setSending(true);
      faults = await send(form.getValues(), form.errors);
      setSending(false);
    }
    form.setErrors(faults);
    const wrong = Object.keys(faults);
    wrong
      .map((at) => form.getInputNode(at as never))
      .find((node) => node !== null)
      ?.focus();
    return wrong.length === 0;
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void submit();
  };
  return { ...form, isSending, submit, onSubmit };
};

/** For a form whose button is elsewhere: a browser submits several fields on Enter only where the form has a submit button. */
export const HiddenSubmit = () => (
  <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden>
    {t("setup.go")}
  </button>
);

interface SelectProps<Value> extends Omit<NativeSelectProps, "value" | "onChange"> {
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly change: (value: Value) => void;
}

/** A native select whose values need not be texts. */
export const Select = <Value extends string | number | null>({
  value,
  options,
  change,
  ...more
}: SelectProps<Value>) => (
  <NativeSelect
    size="md"
    {...more}
    value={String(value ?? "")}
    data={options.map(([one, label]) => ({ value: String(one ?? ""), label }))}
    onChange={({ currentTarget }) => {
      const chosen = options.find(([one]) => String(one ?? "") === currentTarget.value);
      if (chosen) change(chosen[0]);
    }}
  />
);

interface DateFieldProps {
  readonly label: string;
  /** A name for screen readers alone. */
  readonly isLabelHidden?: boolean;
  /** `2026-11-22`; empty: none. */
  readonly value: string;
  /** With a whole day, or with nothing where the field was emptied. */
  readonly change: (day: string) => void;
}

/** A day as the shop's language writes it, typed or picked from the browser's calendar behind its button: a browser's own field would write it as the system does. */
export const DateField = ({ label, isLabelHidden = false, value, change }: DateFieldProps) => {
  const shown = value === "" ? "" : dayText(value, "numeric");
  const [text, setText] = useState(shown);
  // What is being typed stays as it is while it means this day: the caret would jump.
  useEffect(() => setText((now) => (typedDay(now) === value ? now : shown)), [shown, value]);
  const calendar = useRef<HTMLInputElement>(null);
  return (
    <TextInput
      {...(isLabelHidden ? { "aria-label": label } : { label })}
      placeholder={t("history.datePattern")}
      autoComplete="off"
      value={text}
      error={typedDay(text) === null && text.length >= "22.11.2026".length}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed);
        const next = typed === "" ? "" : typedDay(typed);
        if (next !== null && next !== value) change(next);
      }}
      onBlur={() => setText(shown)}
      // Leaves room for a whole date in a narrow column.
      styles={{ input: { paddingInlineStart: "var(--space-1)" } }}
      rightSectionWidth={44}
      rightSection={
        <>
          {/* Invisible but for its calendar. */}
          <Box
            component="input"
            ref={calendar}
            type="date"
            pos="absolute"
            inset={0}
            w="100%"
            opacity={0}
            style={{ pointerEvents: "none" }}
            aria-hidden
            tabIndex={-1}
            value={value}
            onChange={(event) => change(event.currentTarget.value)}
          />
          <ActionIcon aria-label={t("history.calendar", { label })} onClick={() => calendar.current?.showPicker()}>
            <IconCalendar aria-hidden />
          </ActionIcon>
        </>
      }
    />
  );
};
