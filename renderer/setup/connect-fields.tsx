import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/PasswordInput.css";
import { PasswordInput, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { ConnectField, ConnectForm, faultOf } from "./connect-form.ts";
import classes from "./setup.module.css";

interface ConnectFieldsProps {
  readonly fields: readonly ConnectField[];
  readonly form: ConnectForm;
  readonly set: (field: ConnectField, value: string) => void;
  readonly faultOf: (field: ConnectField) => ReturnType<typeof faultOf>;
  /** The field that caused the connection test to fail. */
  readonly marked: ConnectField | null;
}

/** The fields of one method, each with its fault. */
export const ConnectFields = ({ fields, form, set, faultOf, marked }: ConnectFieldsProps) => {
  const { t } = useTranslation();
  return (
    <div className={classes.fields}>
      {fields.map((field) => {
        const fault = faultOf(field);
        const props = {
          label: t(`setup.${field}`),
          value: form[field],
          autoComplete: "off",
          spellCheck: false,
          size: "lg",
          error: fault ? t(`setup.${fault}`) : marked === field,
          onChange: (event: { currentTarget: { value: string } }) => set(field, event.currentTarget.value),
        } as const;
        if (field === "secret") return <PasswordInput key={field} {...props} />;
        return <TextInput key={field} {...props} {...(field === "serviceUrl" && { inputMode: "url" as const })} />;
      })}
    </div>
  );
};
