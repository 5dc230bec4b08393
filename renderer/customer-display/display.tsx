/** What the customer sees: the shop, the amount, what to do now, the time left, how it ended. Nothing to press. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { CustomerMoment, CustomerView } from "../../preload/contract.ts";
import type { Language } from "../../preload/languages.ts";
import { Countdown } from "../ui/countdown.tsx";
import { durationText } from "../ui/format.ts";
import { AmountText } from "../ui/screen-body.tsx";
import { useRemainingFrom } from "../ui/use-remaining.ts";
import classes from "./display.module.css";
import { customerTexts, type Words } from "./texts.ts";

/** What arrived last. `view` null: nothing came from the terminal. */
export interface LatestView {
  readonly view: CustomerView | null;
  /** On this page's monotonic clock: the countdown runs from here. */
  readonly atMs: number;
  /** Of the last view there was. */
  readonly language: Language;
}

/** Green only where the bank has paid, amber where no cash comes. */
const toneOf = (moment: CustomerMoment | undefined): "calm" | "act" | "good" | "nothing" => {
  switch (moment?.kind) {
    case "cash":
    case "done":
      return "good";
    case "approve":
      return "act";
    case "ended":
      return moment.outcome === "handed_out" ? "good" : "nothing";
    case "closed":
    case "offline":
    case "unclear":
    case undefined:
      return "nothing";
    case "welcome":
    case "looking_up":
    case "closing":
    case "review":
    case "confirming":
    case "paying":
    case "cashier_asks":
      return "calm";
    default:
      return assertNever(moment);
  }
};

/** The whole page. */
export const Display = ({ latest: { view, atMs, language } }: { readonly latest: LatestView }) => {
  const texts = customerTexts[language];
  const moment = view?.moment;
  const deadline = moment?.kind === "approve" ? moment.countdown : null;
  const remainingMs = useRemainingFrom(deadline, atMs);
  const isTimeOver = deadline !== null && remainingMs === 0;
  const wordsOf = (): Words => {
    if (moment === undefined) return texts.disconnected;
    if (moment.kind === "ended") return texts.ended[moment.outcome];
    return isTimeOver ? texts.timeOver : texts.moments[moment.kind];
  };
  const { title, next } = wordsOf();
  const countdown = isTimeOver ? null : deadline;
  return (
    <div className={classes.display} data-tone={toneOf(moment)} data-moment={moment?.kind ?? "disconnected"}>
      <header className={classes.shop}>
        <span>{view?.shop}</span>
        {view?.training && <span className={classes.training}>{texts.training}</span>}
      </header>
      <main className={classes.body} data-ring={countdown ? true : undefined}>
        <div className={classes.words}>
          <h1>{title}</h1>
          {moment && "money" in moment && <AmountText money={moment.money} language={language} />}
          <p className={classes.next}>{next}</p>
        </div>
        {countdown && (
          <Countdown
            remainingMs={remainingMs}
            totalMs={countdown.totalMs}
            words={durationText(Math.ceil(remainingMs / 1000) * 1000, language)}
          />
        )}
      </main>
      <p className={classes.offline} role="status">
        {view?.offline && moment?.kind !== "offline" ? texts.noConnection : ""}
      </p>
    </div>
  );
};
