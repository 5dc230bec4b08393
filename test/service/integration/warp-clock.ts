import type { Cancel, Clock } from "../../../backend/ports.ts";

interface Timer {
  at: number;
  handle: ReturnType<typeof setTimeout>;
  readonly run: () => void;
}

/** What another process needs to have the same time: its milliseconds at a real instant, and how fast they pass. */
export interface Pace {
  readonly virtualMs: number;
  readonly realMs: number;
  readonly speed: number;
}

/** Virtual time that passes as fast as a test says, for real sockets: an hour of a bank's silence in seconds, time-outs and all. */
export class WarpClock implements Clock {
  #virtualMs = Date.now();
  #readAt = performance.now();
  #speed = 1;
  readonly #timers = new Set<Timer>();

  now(): number {
    return Math.floor(this.#virtualMs + (performance.now() - this.#readAt) * this.#speed);
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer: Timer = { at: this.now() + Math.max(0, delayMs), handle: setTimeout(() => {}), run };
    this.#timers.add(timer);
    this.#arm(timer);
    return () => {
      clearTimeout(timer.handle);
      this.#timers.delete(timer);
    };
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** Every timer that runs follows. @param speed virtual milliseconds in a real one. */
  setSpeed(speed: number): Pace {
    this.#virtualMs = this.now();
    this.#readAt = performance.now();
    this.#speed = speed;
    for (const timer of this.#timers) this.#arm(timer);
    return this.#pace();
  }

  /** As after a sleep of the machine: the time is later, and every timer is late by so much. */
  jump(byMs: number): Pace {
    this.#virtualMs += byMs;
    for (const timer of this.#timers) timer.at += byMs;
    return this.#pace();
  }

  #pace(): Pace {
    return { virtualMs: this.now(), realMs: Date.now(), speed: this.#speed };
  }

  #arm(timer: Timer): void {
    clearTimeout(timer.handle);
    timer.handle = setTimeout(
      () => {
        this.#timers.delete(timer);
        timer.run();
      },
      Math.max(0, Math.ceil((timer.at - this.now()) / this.#speed)),
    );
  }
}
