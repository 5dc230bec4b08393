import type { ScanSource, Symbology } from "../../preload/contract.ts";

/** One barcode as it goes to the terminal's core, wherever it came from. */
export interface Scan {
  readonly text: string;
  readonly source: ScanSource;
  readonly symbology?: Symbology;
}

/** Takes each scan as it comes. */
export type OnScan = (scan: Scan) => void;

/** The core refuses longer texts; no scanner sends them. */
export const scanTextLengthMax = 4096;
