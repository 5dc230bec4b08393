/** A countdown as a ring, a number and words. The last seconds differ in shape and sound too, not by colour alone. */
import { useEffect } from "react";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import classes from "./countdown.module.css";
import { play } from "./sounds.ts";

const radius = 44;
const around = 2 * Math.PI * radius;

interface CountdownProps {
  readonly remainingMs: number;
  readonly totalMs: number;
  /** The remaining time as text, below the ring. */
  readonly words: string;
  /** How loud each of the last seconds beeps, in percent. Default: not at all. */
  readonly beepVolume?: number;
}

/** A countdown; both times are milliseconds. */
export const Countdown = ({ remainingMs, totalMs, words, beepVolume = 0 }: CountdownProps) => {
  const seconds = Math.ceil(remainingMs / 1000);
  const share = totalMs > 0 ? Math.min(1, remainingMs / totalMs) : 0;
  useEffect(() => {
    if (seconds > 0 && seconds <= scaLastSeconds) play("tick", beepVolume);
  }, [beepVolume, seconds]);
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
      <p className={classes.number} data-ring>
        {seconds}
      </p>
      <p className={classes.words}>{words}</p>
    </div>
  );
};
