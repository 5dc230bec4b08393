import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DecodeClient } from "../../../renderer/scan/camera/frame-pump.ts";
import type { FromWorker, ToWorker } from "../../../renderer/scan/decode/worker.ts";

/** Browser workers of a machine where the decoder starts after `startsAfterMs` and answers each frame after `answersAfterMs`. */
const machine = { startsAfterMs: 0, answersAfterMs: 0, workers: 0, atOnce: 0 };

class SlowWorker {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  readonly #readyAtMs = performance.now() + machine.startsAfterMs;
  #isEnded = false;

  constructor() {
    machine.workers += 1;
    machine.atOnce += 1;
    this.#say({ kind: "ready", engines: ["zxing-wasm"] }, machine.startsAfterMs);
  }

  postMessage({ kind }: ToWorker): void {
    if (kind === "rules") return;
    const outcome: FromWorker = {
      kind: "outcome",
      outcome: { kind: "nothing" },
      hint: null,
      decodeMs: machine.answersAfterMs,
      width: 1,
      height: 1,
    };
    this.#say(outcome, Math.max(0, this.#readyAtMs - performance.now()) + machine.answersAfterMs);
  }

  terminate(): void {
    this.#isEnded = true;
    machine.atOnce -= 1;
  }

  #say(data: FromWorker, afterMs: number): void {
    setTimeout(() => this.#isEnded || this.onmessage?.({ data }), afterMs);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("Worker", SlowWorker);
  Object.assign(machine, { startsAfterMs: 0, answersAfterMs: 0, workers: 0, atOnce: 0 });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Shows the camera's picture to the client ten times a second. */
const showFor = (client: DecodeClient, seconds: number): void => {
  for (let frame = 0; frame < seconds * 10; frame += 1) {
    if (client.isIdle()) client.send({} as ImageBitmap);
    vi.advanceTimersByTime(100);
  }
};

const machines = [
  { what: "of today", startsAfterMs: 200, answersAfterMs: 40, workers: 1 },
  {
    what: "that starts the decoder in three seconds and reads a picture in two",
    startsAfterMs: 3000,
    answersAfterMs: 2000,
    workers: 1,
  },
  { what: "that takes ten seconds to start it", startsAfterMs: 10_000, answersAfterMs: 500, workers: 3 },
  { what: "that takes ten seconds for a picture", startsAfterMs: 500, answersAfterMs: 10_000, workers: 3 },
];
for (const { what, workers, ...slow } of machines)
  test(`a machine ${what} reads, in the first minute and from then on`, () => {
    Object.assign(machine, slow);
    const answers: FromWorker[] = [];
    const client = new DecodeClient({} as never, (answer) => answers.push(answer));
    for (const seconds of [60, 60]) {
      answers.length = 0;
      showFor(client, seconds);
      expect(answers.filter(({ kind }) => kind === "outcome").length).toBeGreaterThan(1);
    }
    expect([machine.workers, machine.atOnce]).toEqual([workers, 1]);
  });

test("workers that hang are replaced, seldomer each time, and never for the last time", () => {
  machine.answersAfterMs = 10 * 60 * 60_000;
  const answers: FromWorker[] = [];
  const client = new DecodeClient({} as never, (answer) => answers.push(answer));
  showFor(client, 10 * 60);
  expect(machine.workers).toBeGreaterThan(10);
  expect(machine.workers).toBeLessThan(16);
  machine.answersAfterMs = 40;
  answers.length = 0;
  showFor(client, 100);
  expect(answers.filter(({ kind }) => kind === "outcome").length).toBeGreaterThan(100);
  client.close();
  expect(machine.atOnce).toBe(0);
});
