import type { FromWorker, ToWorker } from "../decode/worker.ts";
import type { ScanRules } from "../scan.ts";

/** The worker's answer to one frame. */
export type Outcome = Extract<FromWorker, { kind: "outcome" }>;

/** The worker gives no answer for this long: it hangs, and is replaced. */
const hungAfterMs = 4000;
const workersMax = 5;

/** The page's end of the decoding worker. At most one frame is out: what comes meanwhile is not queued but dropped. */
export class DecodeClient {
  readonly #rules: ScanRules;
  readonly #onAnswer: (answer: FromWorker) => void;
  #worker: Worker | null = null;
  #workers = 0;
  #sentAtMs: number | null = null;

  constructor(rules: ScanRules, onAnswer: (answer: FromWorker) => void) {
    this.#rules = rules;
    this.#onAnswer = onAnswer;
    this.#start();
  }

  /** A worker that was terminated says nothing any more, so an answer is always to the frame that is out. */
  #start(): void {
    this.close();
    if (this.#workers >= workersMax) return;
    this.#workers += 1;
    const worker = new Worker(new URL("../decode/worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "outcome") this.#sentAtMs = null;
      this.#onAnswer(data);
    };
    worker.onerror = () => this.#start();
    this.#worker = worker;
    this.#post({ kind: "rules", rules: this.#rules });
  }

  #post(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  /** Whether a frame may be sent now. */
  isIdle(nowMs: number): boolean {
    if (this.#sentAtMs !== null && nowMs - this.#sentAtMs > hungAfterMs) this.#start();
    return this.#worker !== null && this.#sentAtMs === null;
  }

  /** Transfers the frame to the worker. */
  send(picture: VideoFrame | ImageBitmap, nowMs: number): void {
    this.#sentAtMs = nowMs;
    this.#post({ kind: "frame", picture }, [picture]);
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#sentAtMs = null;
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
  const next = (nowMs: number): void => {
    if (stopped) return;
    lastFrameMs = performance.now();
    handle = video.requestVideoFrameCallback(next);
    if (video.videoWidth === 0 || !client.isIdle(nowMs)) return;
    void take(video).then(
      (picture) => {
        if (stopped || !client.isIdle(nowMs)) picture.close();
        else client.send(picture, performance.now());
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
