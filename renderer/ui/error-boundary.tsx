/** Catches what a screen throws, so that the cashier never sees an empty page. */
import { Component, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
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

const Broken = () => {
  const { t } = useTranslation();
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
