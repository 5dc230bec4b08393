/** What a setting can be, without a schema library: the host's schemas and the screens' fields both take it from here. */

/** Languages of the terminal, as BCP 47 names them. A new one needs its texts in `renderer/locales` before it compiles. */
export const languages = ["en", "de", "fr", "it"] as const;
/** A language of the terminal. */
export type Language = (typeof languages)[number];

/** `auto` follows the operating system. */
/** The parts of the set-up that follow the enrolment. */
export const setUpParts = ["people", "devices", "practice", "done"] as const;

export const colorSchemes = ["auto", "light", "dark"] as const;

/** The barcodes that the camera can be set to read. */
export const symbologies = ["code128", "qr", "aztec", "datamatrix", "pdf417", "ean13", "itf", "code39"] as const;
/** A barcode's kind. */
export type Symbology = (typeof symbologies)[number];

/** The keyboard layouts that a scanner may type by. */
export const keyboardLayouts = ["us", "uk", "de", "fr", "ch"] as const;

/** Least and greatest of each number that a manager can set; units are in the names. */
export const settingBounds = {
  /** Below the service's 40 s, which the customer's approval never outlasts. */
  scaTimeoutSeconds: { min: 10, max: 39 },
  fixedLength: { min: 4, max: 64 },
  foreignIdLength: { min: 4, max: 64 },
  keyboardGapMs: { min: 20, max: 500 },
  /** In percent. */
  volume: { min: 0, max: 100 },
  port: { min: 1, max: 65_535 },
  hostLength: { min: 1, max: 255 },
  terminalNameLength: { min: 0, max: 30 },
} as const;

/** Where ESC/POS printers listen. */
export const defaultPrinterPort = 9100;

/** What a person may be at the terminal. A manager can do all that a cashier can. */
export const roles = ["cashier", "manager"] as const;

/** Least digits of a PIN, by role, and most of any. */
export const pinLengths = { cashier: 4, manager: 6, max: 12 } as const;
