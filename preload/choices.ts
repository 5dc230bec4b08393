/** Choices and bounds of the settings, for the host's schemas and the screens' fields. No schema library here: the screens load this file. */
import { scaTimeoutSeconds } from "../backend/contract/sca.ts";

/** The parts of the set-up that follow the enrolment. */
export const setUpParts = ["connect", "people", "devices", "practice", "done"] as const;

/** `auto` follows the operating system. */
export const colorSchemes = ["auto", "light", "dark"] as const;

/** The barcodes that the camera can be set to read. */
export const symbologies = ["code128", "qr", "aztec", "datamatrix", "pdf417", "ean13", "itf", "code39"] as const;
/** A barcode's kind. */
export type Symbology = (typeof symbologies)[number];

/** The keyboard layouts that a scanner may type by. */
export const keyboardLayouts = ["us", "uk", "de", "fr", "ch"] as const;

/** Minimum and maximum of each number that a manager can set; units are in the names. */
export const settingBounds = {
  /** Shorter than the service's own time-out. */
  scaTimeoutSeconds: { min: Math.min(10, scaTimeoutSeconds - 1), max: scaTimeoutSeconds - 1 },
  fixedLength: { min: 4, max: 64 },
  foreignIdLength: { min: 4, max: 64 },
  keyboardGapMs: { min: 20, max: 500 },
  /** In percent. */
  volume: { min: 0, max: 100 },
  port: { min: 1, max: 65_535 },
  hostLength: { min: 1, max: 255 },
  terminalNameLength: { min: 0, max: 30 },
  devicePathLength: { min: 1, max: 255 },
  /** In minor units of the drawer's currency. */
  differenceMinor: { min: 0, max: 50_000 },
  /** Of the drawer's pulse; `ESC p` counts in units of 2 ms. */
  pulseMs: { min: 10, max: 510 },
} as const;

/** Default of the terminal's own time-out: five seconds shorter than the service's, within the bounds. */
export const defaultScaTimeoutSeconds = Math.max(settingBounds.scaTimeoutSeconds.min, scaTimeoutSeconds - 5);

/** Longest note that a manager can write about a decision, in characters. */
export const noteLengthMax = 500;

/** The person's code in the journal where nobody signs in. */
export const counterCode = "counter";

/** What a person may be at the terminal. A manager can do all that a cashier can. */
export const roles = ["cashier", "manager"] as const;

/** Bounds of a drawer's count: far above any real drawer, far below where integers stop being exact. */
export const cashBounds = {
  /** Of one note or coin. */
  pieces: { min: 0, max: 99_999 },
  /** Of a sum, in minor units. */
  amountMinor: { min: 0, max: 10_000_000_000 },
  /** Of all that was counted at once, in minor units. */
  totalMinor: { min: 0, max: 100_000_000_000 },
  noteLength: { min: 1, max: 200 },
} as const;

/** Why cash goes into the drawer or out of it, apart from withdrawals. */
export const cashReasons = ["change", "takings", "bank", "expense", "correction", "other"] as const;

/** Why the drawer is opened without a withdrawal; `cash_move` goes with cash in and out by itself. */
export const noSaleReasons = ["change", "cash_count", "cash_move", "other"] as const;

/** What a shop can reserve for managers about the drawer's money. */
export const drawerMoneyRights = ["cash_moves", "expected", "close"] as const;

/** How the desktop program's window stands: movable, full screen, or a kiosk that only a manager can leave. */
export const windowModes = ["window", "full_screen", "kiosk"] as const;

/** Where the customer's display is: nowhere, full on a second screen when there is one, or in a window of its own. */
export const customerDisplays = ["off", "second_screen", "window"] as const;
/** One of `customerDisplays`. */
export type CustomerDisplayChoice = (typeof customerDisplays)[number];

/** Which versions a terminal takes: released ones, or test versions too. */
export const updateChannels = ["latest", "beta"] as const;

/** The own service's settings part by part: the fields in the order in which they are typed, and each one's name in the part's command. */
export const ownServiceParts = {
  shop: {
    shopId: "id",
    shopName: "name",
    currency: "currency",
    smallest: "smallest",
    largest: "largest",
    step: "step",
  },
  bank: { bankId: "id", bankUrl: "url", bankKey: "key", eventsUrl: "eventsUrl" },
  backups: { backupFolder: "folder" },
  network: { publicUrl: "publicUrl", networkPort: "port", certFile: "certFile", keyFile: "keyFile" },
} as const;
