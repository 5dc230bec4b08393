import { Button, Group } from "@mantine/core";

interface PickOneProps<T extends string> {
  /** Name of the group for screen readers. */
  readonly label: string;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly picked: T;
  readonly pick: (value: T) => void;
}

/** A choice of a few options as buttons side by side; the picked one is filled and has `aria-pressed`. */
export const PickOne = <T extends string>({ label, options, picked, pick }: PickOneProps<T>) => (
  <Group role="group" aria-label={label} gap="xs">
    {options.map(([value, text]) => (
      <Button
        key={value}
        variant={value === picked ? "filled" : "default"}
        aria-pressed={value === picked}
        onClick={() => pick(value)}
      >
        {text}
      </Button>
    ))}
  </Group>
);
