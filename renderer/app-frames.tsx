/** Frames around a screen: for an area over it, and with the practice phone beside it. */
import { lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Snapshot } from "../preload/contract.ts";
import classes from "./app.module.css";
import { closePracticePhone } from "./practice/open-phone.ts";
import { StatusBanner } from "./ui/status-banner.tsx";

const PracticePhone = lazy(async () => ({
  default: (await import("./practice/practice-phone.tsx")).PracticePhone,
}));

interface AreaFrameProps {
  readonly journalFailing: boolean;
  readonly children: ReactNode;
}

/** The frame of an area, with its loading text, and a red banner while the journal cannot be written. */
export const AreaFrame = ({ journalFailing, children }: AreaFrameProps) => {
  const { t } = useTranslation();
  return (
    <div className={classes.managed} data-warned={journalFailing || undefined}>
      {journalFailing && <StatusBanner tone="never" />}
      <Suspense fallback={<p className={classes.loading}>{t("manager.loading")}</p>}>{children}</Suspense>
    </div>
  );
};

interface BesidePhoneProps {
  readonly snapshot: Snapshot;
  readonly children: ReactNode;
}

/** In training: the practice phone beside the terminal. */
export const BesidePhone = ({ snapshot, children }: BesidePhoneProps) => (
  <div className={classes.beside} data-beside>
    <Suspense fallback={<div />}>
      <PracticePhone snapshot={snapshot} close={closePracticePhone} />
    </Suspense>
    {children}
  </div>
);
