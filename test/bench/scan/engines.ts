/** The engines that the bench sets side by side, each behind the pipeline's own port. */
import { getInstance, scanGrayBuffer, ZBarConfigType, ZBarScanner, ZBarSymbolType } from "@undecaf/zbar-wasm";
import type { Decoder, Read } from "../../../renderer/scan/decode/decoder.ts";
import type { Luma } from "../../../renderer/scan/decode/luma.ts";
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

export interface Engines {
  /** All decoders on one frame, each once; the pair's share is put together from them. */
  attempt(luma: Luma, turn: number): Promise<Readonly<Record<Exclude<Contender, "pair">, Attempt>>>;
}

const symbologies = ["code128", "qr", "aztec", "datamatrix", "pdf417"] as const;

export const startEngines = async (): Promise<Engines> => {
  const [wasm, library] = await nodeDecoders();
  const zbar = await zbarDecoder();
  const timed = async (decoder: Decoder, luma: Luma, turn: number): Promise<Attempt> => {
    const startMs = cpuMs();
    const reads = await decoder.decode(luma, symbologies, turn);
    return { reads, cpuMs: cpuMs() - startMs };
  };
  return {
    attempt: async (luma, turn) => ({
      "zxing-wasm": await timed(wasm, luma, turn),
      "zxing-library": await timed(library, luma, turn),
      zbar: await timed(zbar, luma, turn),
    }),
  };
};

/** What the pair does with a frame: the second decoder is asked only where the first has nothing that counts. */
export const pairOf = (first: Attempt, second: Attempt, counts: (read: Read) => boolean): Attempt =>
  first.reads.some(counts) ? first : { reads: [...first.reads, ...second.reads], cpuMs: first.cpuMs + second.cpuMs };
