/** Countdowns and durations on the page's monotonic clock, from the arrival of the snapshot. */
import { useEffect, useState } from "react";
import type { Countdown } from "../../preload/contract.ts";
import { useSnapshotStore } from "./terminal.tsx";

const tickMs = 100;
const elapsedTickMs = 1000;

/** The page's monotonic clock, read anew at intervals. */
const useNow = (everyMs: number, isRunning = true): number => {
  const [nowMs, setNowMs] = useState(() => performance.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = window.setInterval(() => setNowMs(performance.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs, isRunning]);
  return nowMs;
};

/** Milliseconds left of a countdown that began at `fromMs` of the page's clock, at least 0. Renders ten times a second. */
export const useRemainingFrom = (countdown: Countdown | null, fromMs: number): number => {
  const nowMs = useNow(tickMs, countdown !== null);
  return countdown === null ? 0 : Math.max(0, countdown.remainingMs - Math.max(0, nowMs - fromMs));
};

/** Milliseconds left of a countdown of the current snapshot; see `useRemainingFrom`. */
export const useRemaining = (countdown: Countdown | null): number =>
  useRemainingFrom(
    countdown,
    useSnapshotStore((store) => store.receivedAtMs),
  );

/** A duration of the snapshot plus the time since it arrived, in milliseconds. Renders every second. */
export const useElapsed = (atSnapshotMs: number): number => {
  const receivedAtMs = useSnapshotStore((store) => store.receivedAtMs);
  const nowMs = useNow(elapsedTickMs);
  return atSnapshotMs + Math.max(0, nowMs - receivedAtMs);
};
