/** The decoding worker: its own chunk, loaded when a camera is first used. */

import wasmUrl from "zxing-wasm/reader/zxing_reader.wasm?url";
import type { ScanRules } from "../scan.ts";
import { cameraDecoders } from "./camera-decoders.ts";
import { type Engine, type FrameOutcome, FrameReader } from "./frame-reader.ts";
import { Hints, type PictureHint } from "./hints.ts";
import { fromRgba, type Luma } from "./luma.ts";
import { startWasm } from "./zxing-wasm.ts";

/** To the decoding worker. One frame at a time: the next one goes out when the answer is back. */
export type ToWorker =
  | { readonly kind: "rules"; readonly rules: ScanRules }
  /** The picture is transferred, and closed by the worker. */
  | { readonly kind: "frame"; readonly picture: VideoFrame | ImageBitmap };

/** From the decoding worker. */
export type FromWorker =
  /** The decoders that run here. Only @zxing/library's where WebAssembly is not available. */
  | { readonly kind: "ready"; readonly engines: readonly Engine[] }
  | {
      readonly kind: "outcome";
      readonly outcome: FrameOutcome;
      readonly hint: PictureHint | null;
      readonly decodeMs: number;
      readonly width: number;
      readonly height: number;
    };

/** Formats whose first plane is the luma itself. */
const planar = new Set(["I420", "I420A", "I422", "I444", "NV12"]);

/** Copies the luma of a video frame, or null where its format has no plane for it. */
const planeOf = async (frame: VideoFrame): Promise<Luma | null> => {
  if (frame.format === null || !planar.has(frame.format)) return null;
  const rect = frame.visibleRect;
  if (!rect) return null;
  const bytes = new Uint8ClampedArray(frame.allocationSize());
  const [layout] = await frame.copyTo(bytes);
  if (!layout) return null;
  const { width, height } = rect;
  if (layout.stride === width) {
    return { data: bytes.subarray(layout.offset, layout.offset + width * height), width, height };
  }
  const data = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y += 1) {
    const from = layout.offset + y * layout.stride;
    data.set(bytes.subarray(from, from + width), y * width);
  }
  return { data, width, height };
};

let canvas: OffscreenCanvas | undefined;

/** Grey of whatever a browser can draw: slower, works everywhere. */
const drawn = (picture: VideoFrame | ImageBitmap): Luma => {
  const width = "displayWidth" in picture ? picture.displayWidth : picture.width;
  const height = "displayHeight" in picture ? picture.displayHeight : picture.height;
  canvas ??= new OffscreenCanvas(width, height);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no 2d context in the worker");
  context.drawImage(picture, 0, 0);
  return fromRgba(context.getImageData(0, 0, width, height).data, width, height);
};

/** The luma of one frame. Closes the frame. */
const lumaOf = async (picture: VideoFrame | ImageBitmap): Promise<Luma> => {
  try {
    const plane = "copyTo" in picture ? await planeOf(picture).catch(() => null) : null;
    return plane ?? drawn(picture);
  } finally {
    picture.close();
  }
};

// @zxing/library throws for each row without a code; without stack traces that is 2 to 4 times faster.
Error.stackTraceLimit = 0;

const post = (message: FromWorker): void => self.postMessage(message);

const rules = Promise.withResolvers<ScanRules>();
const start = async (): Promise<FrameReader> => {
  const wasm = await startWasm({ url: new URL(wasmUrl, self.location.href).href }).catch(() => null);
  post({ kind: "ready", engines: wasm ? ["zxing-wasm", "zxing-library"] : ["zxing-library"] });
  return new FrameReader(cameraDecoders(wasm), await rules.promise);
};

const reader = start();
const hints = new Hints();

const answer = async (picture: VideoFrame | ImageBitmap): Promise<void> => {
  const frames = await reader;
  const startedMs = performance.now();
  const luma = await lumaOf(picture);
  const outcome = await frames.read(luma);
  const decodeMs = performance.now() - startedMs;
  const { width, height } = luma;
  post({ kind: "outcome", outcome, hint: hints.next(luma, outcome), decodeMs, width, height });
};

self.onmessage = ({ data }: MessageEvent<ToWorker>): void => {
  if (data.kind === "rules") rules.resolve(data.rules);
  else {
    answer(data.picture).catch(() => {
      post({ kind: "outcome", outcome: { kind: "nothing" }, hint: null, decodeMs: 0, width: 0, height: 0 });
    });
  }
};
