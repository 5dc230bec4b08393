/** A question over the screen. What draws it comes right after the first screen: a page that starts has no question yet. */
import { UnstyledButton } from "@mantine/core";
import { type ReactNode, useContext, useEffect, useState } from "react";
import classes from "./dialog.module.css";
import { DialogOpened } from "./dialog-opened.ts";
import type { DialogWindowProps } from "./dialog-window.tsx";
import { settleMs } from "./step-guard.ts";

type Window = typeof import("./dialog-window.tsx").DialogWindow;

/** Kept here, not suspended for: an open dialog must be there before the next key is. */
let loaded: Window | null = null;
const load = async (): Promise<Window> => {
  loaded ??= (await import("./dialog-window.tsx")).DialogWindow;
  return loaded;
};

/** A dialog with its own way back, which has the focus at first. */
export const Dialog = ({ opened, ...shown }: DialogWindowProps & { readonly opened: boolean }) => {
  const [, setLoaded] = useState(loaded !== null);
  // When the page starts; should that fail, again when somebody asks for it.
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

/** One answer; it counts after 350 ms. */
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
