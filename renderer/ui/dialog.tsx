/** A dialog over the screen. Its code is loaded right after the first screen, to keep the start small. */
import { UnstyledButton } from "@mantine/core";
import { type ReactNode, useContext, useEffect, useState } from "react";
import classes from "./dialog.module.css";
import { DialogOpened } from "./dialog-opened.ts";
import type { DialogWindowProps } from "./dialog-window.tsx";
import { settleMs } from "./step-guard.ts";

type Window = typeof import("./dialog-window.tsx").DialogWindow;

/** Kept here instead of in a Suspense: an open dialog must be drawn before the next key press. */
let loaded: Window | null = null;
const load = async (): Promise<Window> => {
  loaded ??= (await import("./dialog-window.tsx")).DialogWindow;
  return loaded;
};

/** A dialog with a close button, which has the focus at first. */
export const Dialog = ({ opened, ...shown }: DialogWindowProps & { readonly opened: boolean }) => {
  const [, setLoaded] = useState(loaded !== null);
  // Loads at the start of the page, and again at each opening where that failed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: opening is the occasion to try again
  useEffect(() => {
    load().then(
      () => setLoaded(true),
      () => undefined,
    );
  }, [opened]);
  const DialogWindow = loaded;
  return opened && DialogWindow !== null ? <DialogWindow {...shown} /> : null;
};

interface DialogChoiceProps {
  readonly choose: (press: { readonly timeStamp: number }) => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** One choice of a dialog; it counts 350 ms after the dialog was opened. */
export const DialogChoice = ({ choose, disabled = false, children }: DialogChoiceProps) => {
  const { atMs, armed } = useContext(DialogOpened);
  return (
    <UnstyledButton
      className={classes.choice}
      disabled={disabled}
      aria-disabled={disabled || !armed}
      onClick={(press) => {
        if (press.timeStamp - atMs.current >= settleMs) choose(press);
      }}
    >
      {children}
    </UnstyledButton>
  );
};
