/** A clock that moves only when told, and lets everything that is ready happen on the way. */
import type { Clock } from "../../../main/terminal/ports.ts";

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** Enough turns of the microtask queue for any chain of awaits in the core. */
const microtaskTurns = 40;

/** Lets every promise that is ready run; no time passes. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < microtaskTurns; turn++) await Promise.resolve();
};

/** Begins on 20 November 2026 at 10:00 UTC unless told otherwise. */
export class VirtualClock implements Clock {
  #monotonicMs = 1_000;
  #wallMs: number;
  readonly #timers = new Set<Timer>();

  constructor(wallMs = Date.UTC(2026, 10, 20, 10, 0, 0)) {
    this.#wallMs = wallMs;
  }

  now(): number {
    return this.#wallMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#monotonicMs + Math.max(0, delayMs), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** The wall clock jumps; the monotonic one knows nothing of it. */
  jump(byMs: number): void {
    this.#wallMs += byMs;
  }

  /** The machine sleeps: time passes, and no timer fires before it wakes. */
  async sleep(ms: number): Promise<void> {
    this.#move(this.#monotonicMs + ms);
    await this.advance(0);
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.#monotonicMs + ms;
    await settle();
    for (;;) {
      const next = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#move(next.atMs);
      next.run();
      await settle();
    }
    this.#move(untilMs);
  }

  #move(toMs: number): void {
    this.#wallMs += Math.max(0, toMs - this.#monotonicMs);
    this.#monotonicMs = Math.max(toMs, this.#monotonicMs);
  }
}
