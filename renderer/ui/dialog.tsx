/** A question over the screen. Its choices count only after it has been up long enough to be read. */
import { Modal, UnstyledButton } from "@mantine/core";
import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import classes from "./dialog.module.css";
import { settleMs } from "./step-guard.ts";

interface DialogProps {
  readonly opened: boolean;
  readonly close: () => void;
  readonly title: string;
  readonly closeLabel: string;
  readonly children: ReactNode;
}

const OpenedContext = createContext<{ readonly current: number }>({ current: 0 });

export const Dialog = ({ opened, close, title, closeLabel, children }: DialogProps) => {
  const openedAt = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    openedAt.current = opened ? performance.now() : Number.POSITIVE_INFINITY;
  }, [opened]);
  return (
    <OpenedContext value={openedAt}>
      <Modal
        opened={opened}
        onClose={close}
        title={title}
        centered
        size={640}
        radius={16}
        lockScroll={false}
        transitionProps={{ duration: 0 }}
        withCloseButton={false}
        classNames={{ title: classes.title ?? "", body: classes.body ?? "", header: classes.header ?? "" }}
      >
        {children}
        <UnstyledButton className={classes.choice} data-back onClick={close} data-autofocus>
          {closeLabel}
        </UnstyledButton>
      </Modal>
    </OpenedContext>
  );
};

interface DialogChoiceProps {
  readonly choose: (press: { readonly timeStamp: number }) => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

export const DialogChoice = ({ choose, disabled = false, children }: DialogChoiceProps) => {
  const openedAt = useContext(OpenedContext);
  return (
    <UnstyledButton
      className={classes.choice}
      disabled={disabled}
      onClick={(press) => {
        if (press.timeStamp - openedAt.current >= settleMs) choose(press);
      }}
    >
      {children}
    </UnstyledButton>
  );
};
