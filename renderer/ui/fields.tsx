/** What all forms share: a fault is shown at its field, which gets the focus, whether the form or the terminal found it. */
import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import { useForm } from "@mantine/form";
import { t } from "i18next";
import { type FormEvent, type ReactNode, useState } from "react";

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
