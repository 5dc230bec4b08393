import { IconPlugConnectedX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "../ui/stop-page.module.css";

/** The page cannot reach the terminal, so the last snapshot is not shown any more. */
export const Disconnected = () => {
  const { t } = useTranslation();
  return (
    <main className={classes.page} role="alert">
      <p className={classes.banner}>{t("cash.never")}</p>
      <IconPlugConnectedX size={88} stroke={1.6} aria-hidden />
      <h1>{t("disconnected.title")}</h1>
      <p>{t("disconnected.next")}</p>
    </main>
  );
};
