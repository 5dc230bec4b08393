/** What all forms share: what is wrong stands at its field, which has the focus; what the terminal refuses, too. */
import { NativeSelect, type NativeSelectProps } from "@mantine/core";
import { useForm } from "@mantine/form";
import { t } from "i18next";
import type { Refusal, Reply } from "../../preload/contract.ts";

interface FieldsInput<Values> {
  readonly initialValues: Values;
  /** What is wrong, by field. */
  readonly validate: (values: Values) => Readonly<Record<string, string>>;
  /** Sends what is right. */
  readonly send: (values: Values) => Promise<Reply>;
  /** The field that a refusal is about, and the sentence where it is not the usual one; else it is about the form. */
  readonly refused?: (code: Refusal) => readonly [field: string, sentence?: string | undefined];
}

/** A form of texts. What is said of none of its fields stands in `errors.form`. */
export const useFields = <Values extends object>({ send, refused, ...input }: FieldsInput<Values>) => {
  const form = useForm<Values>({
    ...input,
    enhanceGetInputProps: () => ({ autoComplete: "off", spellCheck: false, errorProps: { role: "alert" } }),
  });
  const show = (errors: typeof form.errors): void => {
    form.setErrors(errors);
    form.getInputNode(Object.keys(errors)[0] as never)?.focus();
  };
  const submit = form.onSubmit(async (values) => {
    if (form.submitting) return;
    const reply = await send(values);
    if (reply.ok) return;
    const [field, sentence = t(`refusals.${reply.code}`)] = refused?.(reply.code) ?? ["form"];
    show({ [field]: sentence });
  }, show);
  return { ...form, submit };
};

/** For a form whose button stands elsewhere: without one, Enter sends none of several fields. */
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

/** One of some values, which need not be texts. */
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
