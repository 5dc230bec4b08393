/** The decoding worker: its own chunk, loaded when a camera is first used. */
import wasmUrl from "zxing-wasm/reader/zxing_reader.wasm?url";
import { cameraDecoders } from "../decode/camera/camera-decoders.ts";
import { FrameReader } from "../decode/frame-reader.ts";
import { Hints } from "../decode/hints.ts";
import { startWasm } from "../decode/zxing-wasm/wasm-reader.ts";
import { lumaOf } from "./picture.ts";
import type { FromWorker, ToWorker } from "./worker-protocol.ts";

// @zxing/library throws for each row without a code; without stack traces that is 2 to 4 times faster.
Error.stackTraceLimit = 0;

const post = (message: FromWorker): void => self.postMessage(message);

const start = async (): Promise<FrameReader> => {
  const wasm = await startWasm({ url: new URL(wasmUrl, self.location.href).href }).catch(() => null);
  post({ kind: "ready", engines: wasm ? ["zxing-wasm", "zxing-library"] : ["zxing-library"] });
  return new FrameReader(cameraDecoders(wasm), { symbologies: [], fixedLength: null, foreignIds: null });
};

const reader = start();
const hints = new Hints();

const answer = async (id: number, picture: VideoFrame | ImageBitmap): Promise<void> => {
  const frames = await reader;
  const startedMs = performance.now();
  const luma = await lumaOf(picture);
  const outcome = await frames.read(luma);
  const decodeMs = performance.now() - startedMs;
  const { width, height } = luma;
  post({ kind: "outcome", id, outcome, hint: hints.next(luma, outcome), decodeMs, width, height });
};

self.onmessage = ({ data }: MessageEvent<ToWorker>): void => {
  if (data.kind === "rules") void reader.then((frames) => frames.change(data.rules));
  else {
    answer(data.id, data.picture).catch(() => {
      const outcome = { kind: "nothing" } as const;
      post({ kind: "outcome", id: data.id, outcome, hint: null, decodeMs: 0, width: 0, height: 0 });
    });
  }
};
