import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCommands } from "../ui/command-context.tsx";
import classes from "./history.module.css";

/** Prints the receipt once more, marked as a copy. */
export const Reprint = ({ withdrawalId }: { readonly withdrawalId: string }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [isSent, setSent] = useState(false);
  const print = async (copy: "customer" | "shop"): Promise<void> => {
    setSent((await commands.dispatch({ type: "print_receipt", withdrawalId, copy })).ok);
  };
  return (
    <span className={classes.reprint}>
      {(["customer", "shop"] as const).map((copy) => (
        <Button key={copy} size="compact-md" variant="default" onClick={() => void print(copy)}>
          {t(`printing.${copy}`)}
        </Button>
      ))}
      <span role="status">{isSent ? t("history.sentToPrinter") : ""}</span>
    </span>
  );
};
