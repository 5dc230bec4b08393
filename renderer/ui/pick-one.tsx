/** A choice of a few options as buttons side by side. */
import { Button } from "@mantine/core";
import classes from "./pick-one.module.css";

interface PickOneProps<T extends string> {
  /** Name of the group for screen readers. */
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly picked: T;
  readonly pick: (value: T) => void;
}

/** The buttons; the picked one is filled and has `aria-pressed`. */
export const PickOne = <T extends string>({ label, options, picked, pick }: PickOneProps<T>) => (
  <fieldset className={classes.group} aria-label={label}>
    {options.map(({ value, text }) => (
      <Button
        key={value}
        variant={value === picked ? "filled" : "default"}
        aria-pressed={value === picked}
        onClick={() => pick(value)}
      >
        {text}
      </Button>
    ))}
  </fieldset>
);
