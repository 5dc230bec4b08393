/** One line about a scan or press that was refused. It keeps its room when empty, so that nothing moves. */
import { IconInfoCircle } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCommands } from "./command-context.tsx";
import { PrinterLine } from "./printer-line.tsx";
import { useSnapshotStore } from "./snapshot-store.ts";
import classes from "./toast-line.module.css";

const shownMs = 6000;

/** The line for toasts and refusals; each stays for six seconds. */
export const ToastLine = () => {
  const { t } = useTranslation();
  const toast = useSnapshotStore((store) => store.snapshot?.toast ?? null);
  const toastAtMs = useSnapshotStore((store) => store.toastAtMs);
  const isReview = useSnapshotStore((store) => store.snapshot?.screen.kind === "review");
  const { refusal, shown } = useCommands();
  const [text, setText] = useState<string | null>(null);

  useEffect(() => {
    if (!toast || performance.now() - toastAtMs >= shownMs) return;
    // A look-up may end before the toast about another scan during it was read.
    const isCarriedOver = isReview && toast.code === "busy_lookup";
    if (toast.id === shown.toast && !isCarriedOver) return;
    shown.toast = toast.id;
    setText(t(`toasts.${isCarriedOver ? "busy_review" : toast.code}`));
  }, [toast, toastAtMs, isReview, shown, t]);
  useEffect(() => {
    if (!refusal || refusal.id === shown.refusal) return;
    shown.refusal = refusal.id;
    setText(t(`refusals.${refusal.code}`));
  }, [refusal, shown, t]);
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
