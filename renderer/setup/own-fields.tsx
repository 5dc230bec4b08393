import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { OwnServiceField } from "../../preload/contract.ts";
import type { OwnForm } from "./form.ts";
import classes from "./own-service.module.css";
import type { OwnAnswer } from "./use-own-service.ts";

interface OwnFieldsProps {
  readonly fields: readonly OwnServiceField[];
  readonly form: OwnForm;
  readonly set: (field: OwnServiceField, value: string) => void;
  readonly answer: OwnAnswer;
  /** Shown but not editable. */
  readonly fixed?: readonly OwnServiceField[];
}

/** Some fields of the form; a refused one shows its rule. */
export const OwnFields = ({ fields, form, set, answer, fixed = [] }: OwnFieldsProps) => {
  const { t } = useTranslation();
  return (
    <div className={classes.fields}>
      {fields.map((field) => {
        const props = {
          label: t(`ownService.fields.${field}`),
          value: form[field],
          autoComplete: "off",
          spellCheck: false,
          size: "md",
          readOnly: fixed.includes(field),
          error: answer.fields.includes(field) ? t(`ownService.rules.${field}`) : null,
          onChange: (event: { currentTarget: { value: string } }) => set(field, event.currentTarget.value),
        } as const;
        return <TextInput key={field} type={field === "bankKey" ? "password" : "text"} {...props} />;
      })}
    </div>
  );
};

/** The refusal in the service's words; nothing where wrong fields are marked. */
export const OwnTrouble = ({ answer }: { readonly answer: OwnAnswer }) => {
  const { t } = useTranslation();
  if (answer.kind !== "refused" || answer.fields.length > 0) return null;
  return (
    <div role="alert" className={classes.trouble}>
      <p>{answer.code === null ? t("ownService.refused") : t(`refusals.${answer.code}`)}</p>
      {answer.output !== null && <p lang="en">{answer.output}</p>}
    </div>
  );
};
