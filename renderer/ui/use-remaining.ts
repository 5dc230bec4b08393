/** Countdowns and durations on the page's monotonic clock, from the arrival of the snapshot. */
import { useEffect, useState } from "react";
import type { Countdown } from "../../preload/contract.ts";
import { useSnapshotStore } from "./snapshot-store.ts";

const tickMs = 100;

/** Milliseconds left of a countdown that began at `fromMs` of the page's clock, at least 0. Renders ten times a second. */
export const useRemainingFrom = (countdown: Countdown | null, fromMs: number): number => {
  const [nowMs, setNowMs] = useState(() => performance.now());
  const isRunning = countdown !== null;
  useEffect(() => {
    if (!isRunning) return;
    const timer = window.setInterval(() => setNowMs(performance.now()), tickMs);
    return () => window.clearInterval(timer);
  }, [isRunning]);
  if (!countdown) return 0;
  return Math.max(0, countdown.remainingMs - Math.max(0, nowMs - fromMs));
};

/** Milliseconds left of a countdown of the current snapshot; see `useRemainingFrom`. */
export const useRemaining = (countdown: Countdown | null): number =>
  useRemainingFrom(
    countdown,
    useSnapshotStore((store) => store.receivedAtMs),
  );

const elapsedTickMs = 1000;

/** A duration of the snapshot plus the time since it arrived, in milliseconds. Renders every second. */
export const useElapsed = (atSnapshotMs: number): number => {
  const receivedAtMs = useSnapshotStore((store) => store.receivedAtMs);
  const [nowMs, setNowMs] = useState(() => performance.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNowMs(performance.now()), elapsedTickMs);
    return () => window.clearInterval(timer);
  }, []);
  return atSnapshotMs + Math.max(0, nowMs - receivedAtMs);
};
