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
