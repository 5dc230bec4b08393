/** A countdown as a ring, a number and words. The last seconds differ in shape too, not by colour alone. */
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import classes from "./countdown-ring.module.css";

const radius = 44;
const around = 2 * Math.PI * radius;

interface CountdownRingProps {
  readonly remainingMs: number;
  readonly totalMs: number;
  /** The remaining time as text, below the ring. */
  readonly words: string;
}

/** A countdown; both times are milliseconds. */
export const CountdownRing = ({ remainingMs, totalMs, words }: CountdownRingProps) => {
  const seconds = Math.ceil(remainingMs / 1000);
  const share = totalMs > 0 ? Math.min(1, remainingMs / totalMs) : 0;
  return (
    <div className={classes.ring} role="timer" data-late={seconds <= scaLastSeconds || undefined}>
      <svg viewBox="0 0 100 100" aria-hidden>
        <circle className={classes.track} cx="50" cy="50" r={radius} />
        <circle
          className={classes.rest}
          cx="50"
          cy="50"
          r={radius}
          strokeDasharray={around}
          strokeDashoffset={around * (1 - share)}
        />
      </svg>
      <p className={classes.number}>{seconds}</p>
      <p className={classes.words}>{words}</p>
    </div>
  );
};
