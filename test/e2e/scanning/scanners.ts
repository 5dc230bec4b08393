/** Ten scanners from a drawer, each set up in another way, and the layouts that tills have. */
import type { Settings, Symbology } from "../../../preload/contract.ts";
import type { Layout } from "../../../renderer/scan/keyboard/interpret.ts";
import type { UsbScan } from "../stage/usb-scanner.ts";

/** Holds what stands elsewhere under a German, French or Swiss keyboard, and begins as a choice of the settings does. */
export const code = "DZAQ1YWM0XZ5YA3B";

/** The next customer's. */
export const otherCode = "7F3K9Q2M4XJ8A1WN";

/** A scanner's own set-up: its speed, its end, and what it sends around the id. */
export interface Scanner extends Omit<UsbScan, "layout"> {
  readonly name: string;
  readonly wrap: (id: string) => string;
  readonly symbology?: Symbology;
}

/** Scanners that one setting of the terminal fits. */
interface ScannerGroup {
  /** What the manager has set, or learnt on the test screen, for these. */
  readonly rules: Partial<Settings["keyboardScanner"]>;
  readonly scanners: readonly Scanner[];
}

const asIs = (id: string): string => id;

/** Ten scanners in all. */
export const scannerGroups: readonly ScannerGroup[] = [
  {
    rules: {},
    scanners: [
      { name: "0 ms a key, Enter", msPerKey: 0, end: "Enter", wrap: asIs },
      { name: "2 ms a key, Tab", msPerKey: 2, end: "Tab", wrap: asIs },
      { name: "5 ms a key, then silence", msPerKey: 5, end: "none", wrap: asIs },
      { name: "15 ms a key, lower case, Enter", msPerKey: 15, end: "Enter", wrap: (id) => id.toLowerCase() },
      { name: "30 ms a key, Tab", msPerKey: 30, end: "Tab", wrap: asIs },
      { name: "CR and LF", msPerKey: 5, end: "CR LF", wrap: asIs },
      { name: "AIM prefix", msPerKey: 2, end: "Enter", wrap: (id) => `]C0${id}`, symbology: "code128" },
    ],
  },
  {
    rules: { prefix: "T/", suffix: "#9" },
    scanners: [
      { name: "prefix and suffix, Enter", msPerKey: 5, end: "Enter", wrap: (id) => `T/${id}#9` },
      {
        name: "AIM before the prefix, suffix, silence",
        msPerKey: 15,
        end: "none",
        wrap: (id) => `]Q1T/${id}#9`,
        symbology: "qr",
      },
    ],
  },
  {
    rules: { gapMs: 120 },
    scanners: [{ name: "80 ms a key, learnt", msPerKey: 80, end: "Enter", wrap: asIs }],
  },
];

/** Keyboard layouts of the terminals that they are tried on. */
export const tillLayouts: readonly Layout[] = ["us", "de", "fr", "ch"];
