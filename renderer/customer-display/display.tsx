/** What the customer sees: the shop, the amount, what to do now, the time left, how it ended. Nothing to press. */

import type { Language } from "../../preload/choices.ts";
import type { CustomerMoment, CustomerView } from "../../preload/contract.ts";
import { Countdown } from "../ui/countdown.tsx";
import { durationText } from "../ui/format.ts";
import { AmountText } from "../ui/screen-body.tsx";
import { useRemainingFrom } from "../ui/use-remaining.ts";
import classes from "./display.module.css";
import { customerTexts } from "./texts.ts";

/** What arrived last. `view` null: nothing came from the terminal. */
export interface LatestView {
  readonly view: CustomerView | null;
  /** On this page's monotonic clock: the countdown runs from here. */
  readonly atMs: number;
  /** Of the last view there was. */
  readonly language: Language;
}

/** Green only where the bank has paid, amber where no cash comes. */
const toneOf: Readonly<Record<CustomerMoment["kind"], "calm" | "act" | "good" | "nothing">> = {
  welcome: "calm",
  looking_up: "calm",
  review: "calm",
  confirming: "calm",
  approve: "act",
  paying: "calm",
  closing: "calm",
  cash: "good",
  cashier_asks: "calm",
  done: "good",
  ended: "nothing",
  closed: "nothing",
  offline: "nothing",
  unclear: "nothing",
};

/** The whole page. */
export const Display = ({ latest: { view, atMs, language } }: { readonly latest: LatestView }) => {
  const texts = customerTexts[language];
  const moment = view?.moment;
  const deadline = moment?.kind === "approve" ? moment.countdown : null;
  const remainingMs = useRemainingFrom(deadline, atMs);
  const isTimeOver = deadline !== null && remainingMs === 0;
  const wordsOf = () => {
    if (moment === undefined) return texts.disconnected;
    if (moment.kind === "ended") return texts.ended[moment.outcome];
    return isTimeOver ? texts.timeOver : texts.moments[moment.kind];
  };
  const { title, next } = wordsOf();
  const isPaid = moment?.kind === "ended" && moment.outcome === "handed_out";
  const tone = isPaid ? "good" : moment ? toneOf[moment.kind] : "nothing";
  const countdown = isTimeOver ? null : deadline;
  return (
    <div className={classes.display} data-tone={tone} data-moment={moment?.kind ?? "disconnected"}>
      <header className={classes.shop}>
        <span>{view?.shop}</span>
        {view?.training && <span className={classes.training}>{texts.training}</span>}
      </header>
      <main className={classes.body} data-ring={countdown ? true : undefined}>
        <div className={classes.words}>
          <h1>{title}</h1>
          {moment && "money" in moment && <AmountText money={moment.money} />}
          <p className={classes.next}>{next}</p>
        </div>
        {countdown && (
          <Countdown
            remainingMs={remainingMs}
            totalMs={countdown.totalMs}
            words={durationText(Math.ceil(remainingMs / 1000) * 1000)}
          />
        )}
      </main>
      <p className={classes.offline} role="status">
        {view?.offline && moment?.kind !== "offline" ? texts.noConnection : ""}
      </p>
    </div>
  );
};
