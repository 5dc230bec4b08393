/** A question over the screen. Its choices count only after it has been up long enough to be read. */
import { ModalBody, ModalContent, ModalOverlay, ModalRoot, ModalTitle, UnstyledButton } from "@mantine/core";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import classes from "./dialog.module.css";
import { focusScreen } from "./focus-screen.ts";
import { settleMs } from "./step-guard.ts";

interface DialogProps {
  readonly opened: boolean;
  readonly close: () => void;
  readonly title: string;
  readonly closeLabel: string;
  /** More room, for what is read rather than chosen. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

interface Opened {
  readonly atMs: { readonly current: number };
  /** For assistive technology; the press itself counts by its own time. */
  readonly armed: boolean;
}

const OpenedContext = createContext<Opened>({ atMs: { current: 0 }, armed: true });

/** A dialog with its own way back, which has the focus at first. */
export const Dialog = ({ opened, close, title, closeLabel, isWide = false, children }: DialogProps) => {
  const openedAt = useRef(Number.POSITIVE_INFINITY);
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    openedAt.current = opened ? performance.now() : Number.POSITIVE_INFINITY;
    setArmed(false);
    if (!opened) return;
    const timer = window.setTimeout(() => setArmed(true), settleMs);
    return () => {
      window.clearTimeout(timer);
      focusScreen();
    };
  }, [opened]);
  const state = useMemo(() => ({ atMs: openedAt, armed }), [armed]);
  return (
    <OpenedContext value={state}>
      <ModalRoot
        opened={opened}
        onClose={close}
        centered
        size={isWide ? 880 : 640}
        radius={16}
        lockScroll={false}
        returnFocus={false}
        transitionProps={{ duration: 0 }}
      >
        <ModalOverlay />
        <ModalContent>
          <ModalBody className={classes.body}>
            <ModalTitle className={classes.title}>{title}</ModalTitle>
            {children}
            <UnstyledButton className={classes.choice} data-back onClick={close} data-autofocus>
              {closeLabel}
            </UnstyledButton>
          </ModalBody>
        </ModalContent>
      </ModalRoot>
    </OpenedContext>
  );
};

interface DialogChoiceProps {
  readonly choose: (press: { readonly timeStamp: number }) => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** One answer; it counts after 350 ms. */
export const DialogChoice = ({ choose, disabled = false, children }: DialogChoiceProps) => {
  const { atMs, armed } = useContext(OpenedContext);
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
