import { UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./on-screen-key.module.css";

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
