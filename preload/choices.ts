/** Choices and bounds of the settings, languages and the rules of a PIN, for the host and for the screens. No schema library here: the screens load this file. */
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

/** Languages of the terminal, as BCP 47 names them. A new one needs its texts in `renderer/texts` before it compiles. */
export const languages = ["en", "de", "fr", "it"] as const;
/** A language of the terminal. */
export type Language = (typeof languages)[number];

/** The locale by which each language formats numbers and dates, on screens and on paper. */
export const localeOf: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE", fr: "fr-FR", it: "it-IT" };

/** Minimum digits of a PIN by role, and the maximum for all. */
export const pinLengths = { cashier: 4, manager: 6, max: 12 } as const;

/** Whether it is among the first that people try: repeated digits or pairs, or a row up or down. */
const isEasy = (pin: string): boolean => {
  const steps = new Set([...pin].slice(1).map((digit, at) => (Number(digit) - Number(pin[at]) + 10) % 10));
  const isRow = steps.size === 1;
  const half = pin.slice(0, pin.length / 2);
  return isRow || new Set(pin).size < 3 || (half.length < 4 && pin === half + half);
};

/** Whether a PIN is long enough for the role and not too easy to guess. */
export const isGoodPin = (pin: string, role: (typeof roles)[number]): boolean =>
  pin.length >= pinLengths[role] && !isEasy(pin);

/** Connector pins that a drawer can be on; nearly all are on 2. */
export const drawerPins = [2, 5] as const;

/** The drawer's pulse by default. */
export const usualPulse = { pin: 2, onMs: 50, offMs: 250 } as const;

/** The speeds of a serial port that can be set, in bits a second. */
export const baudRates = [9_600, 19_200, 38_400, 57_600, 115_200] as const;

/** Characters on a line: 32 on 58 mm paper, 42 or 48 on 80 mm. */
export const paperColumns = [32, 42, 48] as const;

/** `auto` switches code pages within a text; the others are for printers with only one. */
export const codePages = [
  "auto",
  "cp437",
  "cp850",
  "cp852",
  "cp858",
  "windows1250",
  "windows1252",
  "iso8859-15",
] as const;

/** Which copies of a receipt are printed. */
export const receiptChoices = ["none", "customer", "shop", "both"] as const;

/** ESC/POS printers that the encoder knows, by model; `generic`, which suits most others, has a name in each language. */
export const printerNames = {
  generic: null,
  "bixolon-srp350": "Bixolon SRP-350",
  "bixolon-srp350iii": "Bixolon SRP-350III",
  "citizen-ct-s310ii": "Citizen CT-S310II",
  "epson-tm-m30ii": "Epson TM-m30II",
  "epson-tm-m30iii": "Epson TM-m30III",
  "epson-tm-p20ii": "Epson TM-P20II",
  "epson-tm-t20ii": "Epson TM-T20II",
  "epson-tm-t20iii": "Epson TM-T20III",
  "epson-tm-t20iv": "Epson TM-T20IV",
  "epson-tm-t70": "Epson TM-T70",
  "epson-tm-t70ii": "Epson TM-T70II",
  "epson-tm-t88ii": "Epson TM-T88II",
  "epson-tm-t88iii": "Epson TM-T88III",
  "epson-tm-t88iv": "Epson TM-T88IV",
  "epson-tm-t88v": "Epson TM-T88V",
  "epson-tm-t88vi": "Epson TM-T88VI",
  "epson-tm-t88vii": "Epson TM-T88VII",
  "fujitsu-fp1000": "Fujitsu FP-1000",
  "hp-a779": "HP A779",
  "metapace-t1": "Metapace T-1",
  "mpt-ii": "MPT-II",
  "pos-5890": "POS-5890",
  "pos-8360": "POS-8360",
  sunmi: "SUNMI Generic",
  "sunmi-p2se": "SUNMI P2SE",
  "sunmi-p3h": "SUNMI P3H",
  "sunmi-p3kh": "SUNMI P3KH",
  "sunmi-p3mix": "SUNMI P3 MIX",
  "xprinter-xp-n160ii": "Xprinter XP-N160II",
  "xprinter-xp-t80q": "Xprinter XP-T80Q",
  "youku-58t": "Youku 58T",
} as const;
/** The names of the models. */
export const printerModels = Object.keys(printerNames) as (keyof typeof printerNames)[];

/** The port where ESC/POS printers listen. */
export const defaultPrinterPort = 9100;
