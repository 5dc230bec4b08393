/** The layout of all screens: banner, content, toast, actions. No region moves or changes its size. */
import { type ReactNode, useEffect, useLayoutEffect } from "react";
import { create } from "zustand";
import { ActionBar, type Actions } from "./action-bar.tsx";
import { useCommands } from "./command-context.tsx";
import classes from "./frame.module.css";
import { useJournalFailing } from "./snapshot-store.ts";
import { type BannerTone, StatusBanner } from "./status-banner.tsx";
import { ToastLine } from "./toast-line.tsx";

/** What a frame is given. */
export interface FrameProps {
  readonly tone: BannerTone;
  readonly bannerText?: string | undefined;
  readonly actions?: Actions | undefined;
  readonly children: ReactNode;
}

/** Lays out one screen and puts the focus on it. */
export const Frame = ({ tone: usualTone, bannerText, actions, children }: FrameProps) => {
  const tone = useJournalFailing() ? "never" : usualTone;
  const { step } = useCommands();
  // Each step mounts a new frame. A field within that takes the focus does so in an effect, which is after this.
  useLayoutEffect(focusScreen, []);
  useEffect(countDrawnFrame, []);
  return (
    <main className={classes.frame} tabIndex={-1} data-tone={tone} data-step={step}>
      <StatusBanner tone={tone} text={bannerText} />
      <div className={classes.content} data-region="content">
        {children}
      </div>
      <ToastLine />
      <ActionBar actions={actions ?? {}} gives={tone === "give"} />
    </main>
  );
};

/**
 * Puts the focus on the screen itself, where Enter means its main action. A button that kept the focus from before (a chip of
 * the header, the last screen's Reject) would take Enter for itself.
 */
export const focusScreen = (): void => {
  document.querySelector<HTMLElement>("main[tabindex], main h1[tabindex]")?.focus({ preventScroll: true });
};

/** A store hook: the number of frames since the page was opened. */
export const useFrameCount = create(() => ({ count: 0 }));

/** Called by each frame once it is drawn. */
const countDrawnFrame = (): void => useFrameCount.setState(({ count }) => ({ count: count + 1 }));
