import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DecodeClient, pumpFrames } from "../../../renderer/scan/camera/frame-pump.ts";
import type { FromWorker, ToWorker } from "../../../renderer/scan/decode/worker.ts";
import type { ScanRules } from "../../../renderer/scan/scan.ts";

/** Browser workers of a machine where the decoder starts after `startsAfterMs` and answers each frame after `answersAfterMs`. */
const machine = { startsAfterMs: 0, answersAfterMs: 0, workers: 0, atOnce: 0, told: [] as unknown[] };

class SlowWorker {
  onmessage: ((event: { data: FromWorker }) => void) | null = null;
  readonly #readyAtMs = performance.now() + machine.startsAfterMs;
  #isEnded = false;

  constructor() {
    machine.workers += 1;
    machine.atOnce += 1;
    this.#say({ kind: "ready", engines: ["zxing-wasm"] }, machine.startsAfterMs);
  }

  postMessage(message: ToWorker): void {
    if (message.kind === "rules") {
      machine.told.push(message.rules);
      return;
    }
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
  Object.assign(machine, { startsAfterMs: 0, answersAfterMs: 0, workers: 0, atOnce: 0, told: [] });
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
  const rules: ScanRules = { symbologies: ["qr"], fixedLength: null, foreignIds: null };
  const client = new DecodeClient(rules, (answer) => answers.push(answer));
  showFor(client, 10 * 60);
  // Each reads by the same rules.
  expect(machine.told).toEqual(Array(machine.workers).fill(rules));
  expect(machine.workers).toBeGreaterThan(10);
  expect(machine.workers).toBeLessThan(16);
  machine.answersAfterMs = 40;
  answers.length = 0;
  showFor(client, 100);
  expect(answers.filter(({ kind }) => kind === "outcome").length).toBeGreaterThan(100);
  client.close();
  expect(machine.atOnce).toBe(0);
});

/** A camera's picture, ten times a second for as long as it `runs`, and what becomes of its frames. */
const filmed = (client: Pick<DecodeClient, "isIdle" | "send">) => {
  const seen = { runs: true, taken: 0, closed: 0, stalls: 0 };
  class Frame {
    constructor() {
      seen.taken += 1;
    }
    close(): void {
      seen.closed += 1;
    }
  }
  vi.stubGlobal("VideoFrame", Frame);
  let next: (() => void) | null = null;
  const video = {
    videoWidth: 640,
    requestVideoFrameCallback: (call: () => void) => {
      next = call;
      return 1;
    },
    cancelVideoFrameCallback: () => {
      next = null;
    },
  };
  const stop = pumpFrames(video as never, client as DecodeClient, () => {
    seen.stalls += 1;
  });
  const goOn = async (seconds: number): Promise<void> => {
    for (let frame = 0; frame < seconds * 10; frame += 1) {
      const call = seen.runs ? next : null;
      if (call) {
        next = null;
        call();
      }
      await vi.advanceTimersByTimeAsync(100);
    }
  };
  return { seen, stop, goOn, video, isAsking: () => next !== null };
};

test("a frame goes out when the decoder is idle; none waits, and one that came too late is closed", async () => {
  vi.stubGlobal("document", { visibilityState: "visible" });
  const client = {
    idle: true,
    sent: 0,
    isIdle: () => client.idle,
    send: () => {
      client.sent += 1;
    },
  };
  const camera = filmed(client);
  await camera.goOn(1);
  expect([client.sent, camera.seen.taken, camera.seen.closed]).toEqual([10, 10, 0]);
  client.idle = false;
  await camera.goOn(1);
  expect(camera.seen.taken).toBe(10);
  client.idle = true;
  camera.video.videoWidth = 0;
  await camera.goOn(1);
  expect(camera.seen.taken).toBe(10);
  camera.video.videoWidth = 640;
  // The next frame is taken, and the page stops, or the decoder gets busy, before it is there.
  const late = camera.goOn(0.1);
  client.idle = false;
  await late;
  expect([client.sent, camera.seen.taken, camera.seen.closed]).toEqual([10, 11, 1]);
  client.idle = true;
  const last = camera.goOn(0.1);
  camera.stop();
  await last;
  expect([client.sent, camera.seen.taken, camera.seen.closed]).toEqual([10, 12, 2]);
  expect(camera.isAsking()).toBe(false);
});

test("a picture that stands still is told each five seconds, never of a page that is hidden or has stopped", async () => {
  const page = { visibilityState: "visible" };
  vi.stubGlobal("document", page);
  const camera = filmed({ isIdle: () => true, send: () => undefined });
  await camera.goOn(20);
  expect(camera.seen.stalls).toBe(0);
  camera.seen.runs = false;
  await camera.goOn(4);
  expect(camera.seen.stalls).toBe(0);
  await camera.goOn(3);
  expect(camera.seen.stalls).toBe(1);
  await camera.goOn(6);
  expect(camera.seen.stalls).toBe(2);
  page.visibilityState = "hidden";
  await camera.goOn(60);
  page.visibilityState = "visible";
  await camera.goOn(4);
  expect(camera.seen.stalls).toBe(2);
  camera.stop();
  await camera.goOn(60);
  expect(camera.seen.stalls).toBe(2);
});
