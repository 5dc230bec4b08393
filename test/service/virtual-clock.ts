import { systemClock } from "../../backend/adapters.ts";
import type { Clock } from "../../backend/ports.ts";

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** Time that stands still until a test moves it. What is `soon` runs for real, so that real databases can answer. */
export class VirtualClock implements Clock {
  #now: number;
  #timers = new Set<{ at: number; run: () => void }>();

  constructor(startMs = Date.UTC(2026, 10, 20, 10, 0, 0)) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, Math.ceil(delayMs)), run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size;
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** Sets the time without running a timer: as if the sweeper and all waits were late. */
  jump(byMs: number): void {
    this.#now += byMs;
  }

  /** Puts the time back, and what a store has planned with it: else that would come as much later than it is meant to. */
  putBack(toMs: number): void {
    for (const timer of this.#timers) timer.at += toMs - this.#now;
    this.#now = toMs;
  }

  /** Moves time on, timer by timer; `idle` waits for the work that a timer has started. */
  async advance(byMs: number, idle: () => Promise<void> = nextTurn): Promise<void> {
    const end = this.#now + byMs;
    for (;;) {
      const next = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await idle();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Waits for work while time goes on, as its pauses need. */
  async drive<T>(work: Promise<T>, stepMs = 20): Promise<T> {
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    work.then(end, end);
    while (!isDone) {
      await this.advance(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return work;
  }
}

/** The real time on which no look that is planned for later ever comes: whoever is woken was woken by a notice. */
export const notificationsOnly: Clock = {
  ...systemClock,
  after: (delayMs, run) => (delayMs <= 100 ? systemClock.after(delayMs, run) : () => {}),
};
