/** One line for what just went wrong with a scan or a press. It keeps its room when empty, so nothing moves. */
import { IconInfoCircle } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { useCommands } from "./command-context.tsx";
import { PrinterLine } from "./printer-line.tsx";
import classes from "./toast-line.module.css";

const shownMs = 6000;

/** The line for toasts and refusals; each stays for six seconds. */
export const ToastLine = () => {
  const { t } = useTranslation();
  const toast = useSnapshotStore((store) => store.snapshot?.toast ?? null);
  const { refusal } = useCommands();
  const [text, setText] = useState<string | null>(null);
  const seen = useRef({ toast: toast?.id ?? 0, refusal: refusal?.id ?? 0 });

  useEffect(() => {
    if (toast && toast.id > seen.current.toast) {
      seen.current.toast = toast.id;
      setText(t(`toasts.${toast.code}`));
    }
  }, [toast, t]);
  useEffect(() => {
    if (refusal && refusal.id > seen.current.refusal) {
      seen.current.refusal = refusal.id;
      setText(t(`refusals.${refusal.code}`));
    }
  }, [refusal, t]);
  useEffect(() => {
    if (text === null) return;
    const timer = window.setTimeout(() => setText(null), shownMs);
    return () => window.clearTimeout(timer);
  }, [text]);

  return (
    <div className={classes.line} data-region="toast" role="status">
      {text !== null && (
        <p className={classes.text}>
          <IconInfoCircle size={28} stroke={2} aria-hidden />
          {text}
        </p>
      )}
      {text === null && <PrinterLine />}
    </div>
  );
};
