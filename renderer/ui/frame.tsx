/** The one layout of all screens: verdict on top, content, notice, actions. No region ever moves or changes its size. */
import type { ReactNode } from "react";
import { ActionBar, type Actions } from "./action-bar.tsx";
import { CashBand, type Verdict } from "./cash-band.tsx";
import { useDesk } from "./desk.tsx";
import classes from "./frame.module.css";
import { NoticeLine } from "./notice-line.tsx";

interface FrameProps {
  readonly verdict: Verdict;
  readonly bandText?: string;
  readonly actions?: Actions;
  readonly children: ReactNode;
}

export const Frame = ({ verdict, bandText, actions, children }: FrameProps) => {
  const { step } = useDesk();
  return (
    <main className={classes.frame} data-verdict={verdict} data-step={step}>
      <CashBand verdict={verdict} text={bandText} />
      <div className={classes.content} data-region="content">
        {children}
      </div>
      <NoticeLine />
      <ActionBar actions={actions ?? {}} gives={verdict === "give"} />
    </main>
  );
};
