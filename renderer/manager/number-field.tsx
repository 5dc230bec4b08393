import { TextInput } from "@mantine/core";
import type { Draft, DraftField } from "./draft.ts";
import type { DraftProps } from "./settings-section.tsx";

interface NumberFieldProps extends DraftProps {
  readonly name: DraftField & keyof Draft;
  readonly label: string;
  /** Such as the allowed range. */
  readonly description?: string;
  /** Shown below an invalid value; without it the field is only marked. */
  readonly faultText?: string;
}

/** A number of the draft, typed as text. */
export const NumberField = ({ draft, change, faults, name, label, description, faultText }: NumberFieldProps) => (
  <TextInput
    size="md"
    inputMode="numeric"
    label={label}
    {...(description !== undefined && { description })}
    value={draft[name]}
    error={faults.has(name) && (faultText ?? true)}
    onChange={(event) => change({ [name]: event.currentTarget.value })}
  />
);
