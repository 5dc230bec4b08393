/** One line about a scan or press that was refused. It keeps its room when empty, so that nothing moves. */
import { IconInfoCircle, IconPrinter } from "@tabler/icons-react";
import { t } from "i18next";
import { useEffect, useState } from "react";
import { useCommands } from "./command-context.tsx";
import { LinkButton } from "./link-button.tsx";
import { useSnapshotStore } from "./snapshot-store.ts";
import classes from "./toast-line.module.css";

/** Why the receipt is not printed, with buttons to retry or to drop it; nothing while all is printed. */
const PrinterLine = () => {
  const commands = useCommands();
  const printing = useSnapshotStore((store) => store.snapshot?.header.printing);
  if (!printing) return null;
  const why = t(`printing.why.${printing.why}`);
  const waiting = printing.waiting > 1 ? `${t("printing.waiting", { count: printing.waiting })}.` : "";
  const button = (label: string, type: "retry_print" | "drop_prints") => (
    <LinkButton
      px="sm"
      c="var(--ink)"
      fz="inherit"
      // The next Enter is meant for the screen.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => void commands.dispatch({ type })}
    >
      {label}
    </LinkButton>
  );
  return (
    <div className={classes.printer}>
      <IconPrinter size={26} stroke={2} aria-hidden />
      <p>
        {t(printing.isUnclear ? "printing.unclear" : "printing.notPrinted", { why })}{" "}
        {printing.isRetried ? t("printing.retried") : waiting}
      </p>
      {button(t("printing.retry"), "retry_print")}
      {button(t("printing.drop"), "drop_prints")}
    </div>
  );
};

const shownMs = 6000;

/** The line for toasts and refusals; each stays for six seconds. */
export const ToastLine = () => {
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
  }, [toast, toastAtMs, isReview, shown]);
  useEffect(() => {
    if (!refusal || refusal.id === shown.refusal) return;
    shown.refusal = refusal.id;
    setText(t(`refusals.${refusal.code}`));
  }, [refusal, shown]);
  useEffect(() => {
    if (text === null) return;
    const timer = window.setTimeout(() => setText(null), shownMs);
    return () => window.clearTimeout(timer);
  }, [text]);

  return (
    <div className={classes.line} data-region="toast" role="status">
      {text === null ? (
        <PrinterLine />
      ) : (
        <p className={classes.text}>
          <IconInfoCircle size={28} stroke={2} aria-hidden />
          {text}
        </p>
      )}
    </div>
  );
};
