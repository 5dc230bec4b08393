/** Catches what a screen throws, so that the cashier never sees an empty page. */

import { IconPlugConnectedX } from "@tabler/icons-react";
import { Component, type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useSnapshotStore } from "./snapshot-store.ts";
import classes from "./stop-page.module.css";

/** Shows an error page with a reload button in place of a screen that failed. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Broken /> : this.props.children;
  }
}

/** Loads the whole page anew where the terminal program had ended before: a part that could not be loaded then is there now. */
const Broken = () => {
  const { t } = useTranslation();
  const { connected, wasDisconnected } = useSnapshotStore();
  useEffect(() => {
    if (connected && wasDisconnected) window.location.reload();
  }, [connected, wasDisconnected]);
  if (!connected) return <Disconnected />;
  return (
    <main className={classes.page} role="alert">
      <p className={classes.banner}>{t("cash.never")}</p>
      <h1>{t("broken.title")}</h1>
      <button type="button" className={classes.reload} onClick={() => window.location.reload()}>
        {t("broken.reload")}
      </button>
      <p>{t("broken.next")}</p>
    </main>
  );
};

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
