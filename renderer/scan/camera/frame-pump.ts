import type { DecodeClient } from "./decode-client.ts";

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
    client.forget();
  };
};
