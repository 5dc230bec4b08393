import type { FromWorker, ToWorker } from "../decode/worker.ts";
import type { ScanRules } from "../scan.ts";

/** The worker's answer to one frame. */
export type Outcome = Extract<FromWorker, { kind: "outcome" }>;

/**
 * No sign of the worker for this long: it hangs, and another one takes its place and has twice as long. So a machine that is too slow
 * for the first gets there with a later one, and a picture that hangs each of them does not take the processor for good.
 */
const hungAfterMs = 4000;
const hungAfterMaxMs = 64_000;

/** The page's end of the decoding worker. At most one frame is out: what comes meanwhile is not queued but dropped. */
export class DecodeClient {
  readonly #rules: ScanRules;
  readonly #onAnswer: (answer: FromWorker) => void;
  #worker: Worker | null = null;
  #hungAfterMs = hungAfterMs;
  /** Since when the worker owes a sign: that it is ready, or the answer to a frame. */
  #owesSinceMs: number | null = null;

  constructor(rules: ScanRules, onAnswer: (answer: FromWorker) => void) {
    this.#rules = rules;
    this.#onAnswer = onAnswer;
    this.#start();
  }

  /** A worker that was terminated says nothing any more, so an answer is always to the frame that is out. */
  #start(): void {
    const worker = new Worker(new URL("../decode/worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      this.#owesSinceMs = null;
      this.#onAnswer(data);
    };
    this.#worker = worker;
    this.#owesSinceMs = performance.now();
    this.#post({ kind: "rules", rules: this.#rules });
  }

  #post(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  isIdle(): boolean {
    if (this.#owesSinceMs !== null && performance.now() - this.#owesSinceMs > this.#hungAfterMs) {
      this.#hungAfterMs = Math.min(2 * this.#hungAfterMs, hungAfterMaxMs);
      this.close();
      this.#start();
    }
    return this.#owesSinceMs === null;
  }

  send(picture: VideoFrame | ImageBitmap): void {
    this.#owesSinceMs = performance.now();
    this.#post({ kind: "frame", picture }, [picture]);
  }

  close(): void {
    this.#worker?.terminate();
  }
}

/** A playing video that shows nothing new for this long has lost its camera, or the machine has slept. */
const stalledAfterMs = 5000;
const watchEveryMs = 1000;

const take = async (video: HTMLVideoElement): Promise<VideoFrame | ImageBitmap> => {
  try {
    return new VideoFrame(video);
  } catch {
    return createImageBitmap(video);
  }
};

/** Sends the newest frame whenever the decoder is idle. Frames never queue. The result stops it. */
export const pumpFrames = (video: HTMLVideoElement, client: DecodeClient, onStalled: () => void): (() => void) => {
  let stopped = false;
  let handle = 0;
  let lastFrameMs = performance.now();
  const next = (): void => {
    if (stopped) return;
    lastFrameMs = performance.now();
    handle = video.requestVideoFrameCallback(next);
    if (video.videoWidth === 0 || !client.isIdle()) return;
    void take(video).then(
      (picture) => {
        if (stopped || !client.isIdle()) picture.close();
        else client.send(picture);
      },
      () => undefined,
    );
  };
  handle = video.requestVideoFrameCallback(next);
  const watch = setInterval(() => {
    if (document.visibilityState !== "visible") lastFrameMs = performance.now();
    else if (performance.now() - lastFrameMs > stalledAfterMs) {
      lastFrameMs = performance.now();
      onStalled();
    }
  }, watchEveryMs);
  return () => {
    stopped = true;
    clearInterval(watch);
    video.cancelVideoFrameCallback(handle);
  };
};
