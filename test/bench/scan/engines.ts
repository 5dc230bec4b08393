/** The engines that the bench sets side by side, each behind the pipeline's own port. */
import { getInstance, scanGrayBuffer, ZBarConfigType, ZBarScanner, ZBarSymbolType } from "@undecaf/zbar-wasm";
import { BarcodeFormat, BinaryBitmap, DecodeHintType, HybridBinarizer, MultiFormatReader } from "@zxing/library";
import type { Decoder, Read } from "../../../renderer/scan/decode/decoder.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
import { LumaSource } from "../../../renderer/scan/decode/zxing-library/luma-source.ts";
import { nodeDecoders } from "../../../tools/scan/node-decoders.ts";

export const contenders = ["pair", "zxing-wasm", "zxing-library", "zbar"] as const;
export type Contender = (typeof contenders)[number];

/** What one decoder made of one frame, and the processor time it took. */
export interface Attempt {
  readonly reads: readonly Read[];
  readonly cpuMs: number;
}

/** Processor time of this thread alone: other programs on the machine do not count. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const zbarNames: Readonly<Record<string, Read["symbology"]>> = { ZBAR_CODE128: "code128", ZBAR_QRCODE: "qr" };

/** zbar with the two symbologies of the set on: the fewest it can be asked for. */
const zbarDecoder = async (): Promise<Decoder> => {
  await getInstance();
  const scanner = await ZBarScanner.create();
  scanner.setConfig(ZBarSymbolType.ZBAR_NONE, ZBarConfigType.ZBAR_CFG_ENABLE, 0);
  for (const type of [ZBarSymbolType.ZBAR_CODE128, ZBarSymbolType.ZBAR_QRCODE]) {
    scanner.setConfig(type, ZBarConfigType.ZBAR_CFG_ENABLE, 1);
  }
  return {
    engine: "zxing-library",
    decode: async ({ data, width, height }) => {
      const found = await scanGrayBuffer(new Uint8Array(data).buffer, width, height, scanner);
      return found.flatMap((symbol): Read[] => {
        const symbology = zbarNames[symbol.typeName];
        return symbology ? [{ text: symbol.decode(), symbology, engine: "zxing-library", outline: [] }] : [];
      });
    },
  };
};

/** The usual way to use @zxing/library: its reader for all formats, local thresholds, the two formats of the set. */
const usualDecoder = (): Decoder => {
  const reader = new MultiFormatReader();
  reader.setHints(new Map([[DecodeHintType.POSSIBLE_FORMATS, [BarcodeFormat.CODE_128, BarcodeFormat.QR_CODE]]]));
  return {
    engine: "zxing-library",
    decode: (luma) => {
      try {
        const result = reader.decodeWithState(new BinaryBitmap(new HybridBinarizer(new LumaSource(luma))));
        const symbology = result.getBarcodeFormat() === BarcodeFormat.CODE_128 ? "code128" : "qr";
        return [{ text: result.getText(), symbology, engine: "zxing-library", outline: [] }];
      } catch {
        return [];
      }
    },
  };
};

/** What runs on its own; the pair is put together from the first two. */
export const singles = ["zxing-wasm", "zxing-library", "zbar", "usual"] as const;
export type Single = (typeof singles)[number];

export interface Engines {
  /** Decoders on one frame, each once: those of the table, or the named ones. */
  attempt(luma: Luma, turn: number): Promise<Readonly<Record<Exclude<Contender, "pair">, Attempt>>>;
  attemptBy(name: Single, luma: Luma, turn: number): Promise<Attempt>;
}

const symbologies = ["code128", "qr", "aztec", "datamatrix", "pdf417"] as const;

export const startEngines = async (): Promise<Engines> => {
  const [wasm, library] = await nodeDecoders();
  // The multi-format reader says five times a frame that it found nothing.
  console.warn = () => {};
  const decoders: Readonly<Record<Single, Decoder>> = {
    "zxing-wasm": wasm,
    "zxing-library": library,
    zbar: await zbarDecoder(),
    usual: usualDecoder(),
  };
  const attemptBy = async (name: Single, luma: Luma, turn: number): Promise<Attempt> => {
    const startMs = cpuMs();
    const reads = await decoders[name].decode(luma, symbologies, turn);
    return { reads, cpuMs: cpuMs() - startMs };
  };
  return {
    attemptBy,
    attempt: async (luma, turn) => ({
      "zxing-wasm": await attemptBy("zxing-wasm", luma, turn),
      "zxing-library": await attemptBy("zxing-library", luma, turn),
      zbar: await attemptBy("zbar", luma, turn),
    }),
  };
};

/** What the pair does with a frame: the second decoder is asked only where the first has nothing that counts. */
export const pairOf = (first: Attempt, second: Attempt, counts: (read: Read) => boolean): Attempt =>
  first.reads.some(counts) ? first : { reads: [...first.reads, ...second.reads], cpuMs: first.cpuMs + second.cpuMs };

export type Attempts = Readonly<Record<Contender, Attempt>>;

export const allOf = (
  attempts: Awaited<ReturnType<Engines["attempt"]>>,
  counts: (read: Read) => boolean,
): Attempts => ({
  ...attempts,
  pair: pairOf(attempts["zxing-wasm"], attempts["zxing-library"], counts),
});
