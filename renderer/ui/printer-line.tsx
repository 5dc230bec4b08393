/** A line about a receipt that was not printed. It needs no answer: neither money nor the next customer waits for a printer. */
import { UnstyledButton } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useCommands } from "./command-context.tsx";
import { useSnapshotStore } from "./snapshot-store.ts";
import classes from "./toast-line.module.css";

/** Why the receipt is not printed, with buttons to retry or to drop it; nothing while all is printed. */
export const PrinterLine = () => {
  const { t } = useTranslation();
  const commands = useCommands();
  const printing = useSnapshotStore((store) => store.snapshot?.header.printing ?? null);
  if (printing === null) return null;
  const why = t(`printing.why.${printing.why}`);
  const sentence = t(printing.isUnclear ? "printing.unclear" : "printing.notPrinted", { why });
  const waiting = printing.waiting > 1 ? `${t("printing.waiting", { count: printing.waiting })}.` : "";
  const more = printing.isRetried ? t("printing.retried") : waiting;
  return (
    <div className={classes.printer}>
      <IconPrinter size={26} stroke={2} aria-hidden />
      <p>
        {sentence} {more}
      </p>
      <UnstyledButton
        className={classes.press}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => void commands.dispatch({ type: "retry_print" })}
      >
        {t("printing.retry")}
      </UnstyledButton>
      <UnstyledButton
        className={classes.press}
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => void commands.dispatch({ type: "drop_prints" })}
      >
        {t("printing.drop")}
      </UnstyledButton>
    </div>
  );
};
