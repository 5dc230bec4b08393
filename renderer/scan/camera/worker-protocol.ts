import type { Engine } from "../decode/decoder.ts";
import type { FrameOutcome } from "../decode/frame-reader.ts";
import type { PictureHint } from "../decode/hints.ts";
import type { ScanRules } from "../decode/rules.ts";

/** To the decoding worker. One frame at a time: the next one goes out when the answer is back. */
export type ToWorker =
  | { readonly kind: "rules"; readonly rules: ScanRules }
  /** The picture is given away, and closed by the worker. */
  | { readonly kind: "frame"; readonly id: number; readonly picture: VideoFrame | ImageBitmap };

/** From the decoding worker. */
export type FromWorker =
  /** The decoders that run here. Only @zxing/library's where WebAssembly is not available. */
  | { readonly kind: "ready"; readonly engines: readonly Engine[] }
  | {
      readonly kind: "outcome";
      readonly id: number;
      readonly outcome: FrameOutcome;
      readonly hint: PictureHint | null;
      readonly decodeMs: number;
      readonly width: number;
      readonly height: number;
    };
