/** The one layout of all screens: verdict on top, content, notice, actions. No region ever moves or changes its size. */
import { type ReactNode, useEffect } from "react";
import { ActionBar, type Actions } from "./action-bar.tsx";
import { useDesk } from "./command-context.tsx";
import { focusScreen } from "./focus-screen.ts";
import classes from "./frame.module.css";
import { type BannerTone, StatusBanner } from "./status-banner.tsx";
import { NoticeLine } from "./toast-line.tsx";
import { useJournalFailing } from "./use-journal-failing.ts";

interface FrameProps {
  readonly verdict: BannerTone;
  readonly bandText?: string;
  readonly actions?: Actions;
  readonly children: ReactNode;
}

export const Frame = ({ verdict: usualVerdict, bandText, actions, children }: FrameProps) => {
  const verdict = useJournalFailing() ? "never" : usualVerdict;
  const { step } = useDesk();
  // Each step is a frame of its own. A field that wants the focus takes it after this.
  useEffect(focusScreen, []);
  return (
    <main className={classes.frame} tabIndex={-1} data-verdict={verdict} data-step={step}>
      <StatusBanner verdict={verdict} text={bandText} />
      <div className={classes.content} data-region="content">
        {children}
      </div>
      <NoticeLine />
      <ActionBar actions={actions ?? {}} gives={verdict === "give"} />
    </main>
  );
};
