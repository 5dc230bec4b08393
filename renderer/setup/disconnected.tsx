import { IconPlugConnectedX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import classes from "../ui/lost.module.css";

/** The page cannot reach the till program: nothing it last showed may be trusted. */
export const Disconnected = () => {
  const { t } = useTranslation();
  return (
    <main className={classes.lost} role="alert">
      <p className={classes.band}>{t("cash.never")}</p>
      <IconPlugConnectedX size={88} stroke={1.6} aria-hidden />
      <h1>{t("lost.title")}</h1>
      <p>{t("lost.next")}</p>
    </main>
  );
};
