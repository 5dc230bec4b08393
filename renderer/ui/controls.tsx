/** Small parts that many screens are made of. */

import { Button, type ButtonProps, Group, UnstyledButton } from "@mantine/core";
import type { MouseEventHandler, ReactNode } from "react";
import type { Command } from "../../preload/contract.ts";
import classes from "./on-screen-key.module.css";
import page from "./page.module.css";
import { RefusalText, useSend } from "./terminal.tsx";

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

interface LinkButtonProps extends ButtonProps {
  readonly onClick: () => void;
  readonly onMouseDown?: MouseEventHandler;
  readonly children: ReactNode;
}

/** A button that looks like a link, for a way that few take. */
export const LinkButton = (props: LinkButtonProps) => (
  <Button variant="transparent" px={0} c="var(--accent)" td="underline" {...props} />
);

interface SendButtonProps extends ButtonProps {
  readonly command: Command;
  readonly children: ReactNode;
}

/** A button that sends one command; why it was refused stands behind it. */
export const SendButton = ({ command, ...button }: SendButtonProps) => {
  const { send, isSending, refusal } = useSend();
  return (
    <>
      <Button {...button} loading={isSending} onClick={() => void send(command)} />
      <RefusalText refusal={refusal} />
    </>
  );
};

/** A part of a page under one heading. */
export const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={page.card}>
    <h2>{title}</h2>
    {children}
  </section>
);

interface OnScreenKeyProps {
  /** What it types, or its name where a sign stands on it. */
  readonly name: string;
  readonly press: () => void;
  readonly disabled?: boolean | undefined;
  readonly children?: ReactNode;
}

/** A key on the screen, for whoever touches: it types into a field, and leaves the focus there. Without children its name stands on it. */
export const OnScreenKey = ({ name, press, disabled = false, children = name }: OnScreenKeyProps) => (
  <UnstyledButton
    className={classes.key}
    disabled={disabled}
    aria-label={name}
    onPointerDown={(event) => event.preventDefault()}
    onClick={press}
  >
    {children}
  </UnstyledButton>
);
