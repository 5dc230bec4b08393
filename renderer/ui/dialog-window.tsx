/** The window of an open dialog. Its choices count only after 350 ms. */
import { ModalBody, ModalContent, ModalOverlay, ModalRoot, ModalTitle, UnstyledButton } from "@mantine/core";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import classes from "./dialog.module.css";
import { DialogOpened } from "./dialog-opened.ts";
import { focusScreen } from "./frame.tsx";
import { settleMs } from "./step-guard.ts";

/** Content of a dialog, and how it is closed. */
export interface DialogWindowProps {
  readonly close: () => void;
  readonly title: string;
  readonly closeLabel: string;
  /** Wider, for long texts. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** The window; the focus returns to the screen when it closes. */
export const DialogWindow = ({ close, title, closeLabel, isWide = false, children }: DialogWindowProps) => {
  const openedAt = useRef(Number.POSITIVE_INFINITY);
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    openedAt.current = performance.now();
    const timer = window.setTimeout(() => setArmed(true), settleMs);
    return () => {
      window.clearTimeout(timer);
      focusScreen();
    };
  }, []);
  const state = useMemo(() => ({ atMs: openedAt, armed }), [armed]);
  return (
    <DialogOpened value={state}>
      <ModalRoot
        opened
        onClose={close}
        centered
        size={isWide ? 880 : 640}
        radius={16}
        lockScroll={false}
        returnFocus={false}
        transitionProps={{ duration: 0 }}
      >
        <ModalOverlay />
        {/* The title's id comes an effect later: what takes the focus before has a name already. */}
        <ModalContent aria-label={title}>
          <ModalBody className={classes.body}>
            <ModalTitle className={classes.title}>{title}</ModalTitle>
            {children}
            <UnstyledButton className={classes.choice} data-back onClick={close} data-autofocus>
              {closeLabel}
            </UnstyledButton>
          </ModalBody>
        </ModalContent>
      </ModalRoot>
    </DialogOpened>
  );
};
