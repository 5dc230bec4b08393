/** Catches what a screen throws, so that the cashier never sees an empty page. */
import { Button } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { t } from "i18next";
import { Component, type ReactNode, useEffect } from "react";
import page from "./page.module.css";
import classes from "./stop-page.module.css";
import { useSnapshotStore } from "./terminal.tsx";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Stands in the place of what failed. Default: the whole page says that it has failed. */
  readonly fallback?: ReactNode;
}

/** Shows a fallback for what fails or does not load; the rest of the page stays. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    const { children, fallback = <Broken /> } = this.props;
    return this.state.hasFailed ? fallback : children;
  }
}

/** Reloads the page, since a browser does not request a failed part again; by itself once a terminal that had ended is back. */
const Reload = ({ label }: { readonly label: string }) => {
  const { connected, wasDisconnected } = useSnapshotStore();
  useEffect(() => {
    if (connected && wasDisconnected) window.location.reload();
  }, [connected, wasDisconnected]);
  return (
    <Button variant="filled" miw={320} mih="var(--action-height)" fz="xl" onClick={() => window.location.reload()}>
      {label}
    </Button>
  );
};

/** A part of the page could not be loaded. */
export const NotLoaded = () => (
  <div className={page.middle} role="alert">
    <p>{t("manager.failed")}</p>
    <Reload label={t("manager.again")} />
  </div>
);

const Broken = () => {
  const connected = useSnapshotStore((store) => store.connected);
  if (!connected) return <Disconnected />;
  return (
    <main className={classes.page} role="alert">
      <p>{t("cash.never")}</p>
      <h1>{t("broken.title")}</h1>
      <Reload label={t("broken.reload")} />
      <p>{t("broken.next")}</p>
    </main>
  );
};

/** The page cannot reach the terminal, so the last snapshot is not shown any more. */
export const Disconnected = () => (
  <main className={classes.page} role="alert">
    <p>{t("cash.never")}</p>
    <IconPlugConnectedX size={88} stroke={1.6} aria-hidden />
    <h1>{t("disconnected.title")}</h1>
    <p>{t("disconnected.next")}</p>
  </main>
);
