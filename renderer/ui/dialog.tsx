/** A dialog over the screen: the browser's own, which holds the focus and closes on Esc and beside it. */
import { UnstyledButton } from "@mantine/core";
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import classes from "./dialog.module.css";
import { focusScreen } from "./frame.tsx";
import { isShortcut } from "./shortcuts.ts";
import { settleMs } from "./step-guard.ts";

interface WindowProps {
  readonly close: () => void;
  readonly title: string;
  readonly closeLabel: string;
  /** For long texts. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** When the dialog around a choice was opened. `armed` is for `aria-disabled` alone: a press is judged by its own time stamp. */
const Opened = createContext({ atMs: 0, armed: true });

/** A dialog with a close button, which has the focus at first; the focus returns to the screen when it closes. */
export const Dialog = ({ opened, ...shown }: WindowProps & { readonly opened: boolean }) =>
  // A dialog that replaces another is mounted anew: the browser has closed the first.
  opened && createPortal(<Window key={shown.title} {...shown} />, document.body);

const Window = ({ close, title, closeLabel, isWide, children }: WindowProps) => {
  const ref = useRef<HTMLDialogElement>(null);
  const [opened, setOpened] = useState({ atMs: Number.POSITIVE_INFINITY, armed: false });
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    const atMs = performance.now();
    setOpened({ atMs, armed: false });
    const timer = window.setTimeout(() => setOpened({ atMs, armed: true }), settleMs);
    return () => {
      window.clearTimeout(timer);
      // While it is open nothing behind it takes the focus.
      dialog?.close();
      focusScreen();
    };
  }, []);
  return (
    <Opened value={opened}>
      <dialog
        ref={ref}
        // biome-ignore lint/a11y/noRedundantRoles: what waits for open dialogs looks for the role
        role="dialog"
        className={classes.dialog}
        data-wide={isWide}
        aria-label={title}
        closedby="any"
        onKeyDown={({ key }) => isShortcut("close", key) && close()}
        onClose={({ currentTarget }) => currentTarget.open || close()}
      >
        <h2>{title}</h2>
        {children}
        <UnstyledButton className={classes.choice} data-back onClick={close} data-autofocus>
          {closeLabel}
        </UnstyledButton>
      </dialog>
    </Opened>
  );
};

interface DialogChoiceProps {
  readonly choose: (press: { readonly timeStamp: number }) => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** One choice of a dialog; it counts 350 ms after the dialog was opened. */
export const DialogChoice = ({ choose, disabled = false, children }: DialogChoiceProps) => {
  const { atMs, armed } = useContext(Opened);
  return (
    <UnstyledButton
      className={classes.choice}
      disabled={disabled}
      aria-disabled={disabled || !armed}
      onClick={(press) => press.timeStamp - atMs >= settleMs && choose(press)}
    >
      {children}
    </UnstyledButton>
  );
};
