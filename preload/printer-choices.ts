/** Choices for a printer and the drawer on it: models, code pages, columns, ports. No schema library here: the screens load this file. */

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

/** ESC/POS printers that the encoder knows by name; `generic` suits most others. */
export const printerModels = [
  "generic",
  "bixolon-srp350",
  "bixolon-srp350iii",
  "citizen-ct-s310ii",
  "epson-tm-m30ii",
  "epson-tm-m30iii",
  "epson-tm-p20ii",
  "epson-tm-t20ii",
  "epson-tm-t20iii",
  "epson-tm-t20iv",
  "epson-tm-t70",
  "epson-tm-t70ii",
  "epson-tm-t88ii",
  "epson-tm-t88iii",
  "epson-tm-t88iv",
  "epson-tm-t88v",
  "epson-tm-t88vi",
  "epson-tm-t88vii",
  "fujitsu-fp1000",
  "hp-a779",
  "metapace-t1",
  "mpt-ii",
  "pos-5890",
  "pos-8360",
  "sunmi",
  "sunmi-p2se",
  "sunmi-p3h",
  "sunmi-p3kh",
  "sunmi-p3mix",
  "xprinter-xp-n160ii",
  "xprinter-xp-t80q",
  "youku-58t",
] as const;

/** The port where ESC/POS printers listen. */
export const defaultPrinterPort = 9100;
