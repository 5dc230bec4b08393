/** A withdrawal's receipt: its data (kept in the journal with the request to print it) and its lines; and the printer test. */
import { z } from "zod";
import type { Language } from "../../../preload/languages.ts";
import type { PaperLine } from "../../../preload/paper-line.ts";
import {
  centered,
  cut,
  groupId,
  type PaperLocale,
  pair,
  paperAmount,
  paperTexts,
  paperTime,
  plain,
  rule,
  space,
  title,
} from "./paper.ts";

/** For whom a receipt is printed. */
export const receiptCopies = ["customer", "shop"] as const;
/** One of `receiptCopies`. */
export type ReceiptCopy = (typeof receiptCopies)[number];

/** The data of both copies. */
export const receiptSchema = z.object({
  transactionId: z.string(),
  terminalReference: z.string(),
  /** A decimal string as on the wire. */
  amount: z.string(),
  currency: z.string(),
  /** When the cash was handed over, milliseconds since the epoch. */
  atMs: z.number(),
  /** What a person calls the shop. */
  shop: z.string(),
  terminal: z.string(),
  /** The cashier's code (printed as a name); null where nobody signs in. */
  cashier: z.string().nullable(),
  training: z.boolean(),
  /** Whether it was, or may have been, printed before. */
  isReprint: z.boolean(),
});
/** See `receiptSchema`. */
export type Receipt = Readonly<z.infer<typeof receiptSchema>>;

/** One copy, with the cut behind it. */
export const receiptLines = (receipt: Receipt, copy: ReceiptCopy, locale: PaperLocale): readonly PaperLine[] => {
  const texts = paperTexts[locale.language].receipt;
  const training = receipt.training ? [title(`*** ${texts.training} ***`), centered(texts.trainingNext)] : [];
  return [
    ...training,
    title(receipt.shop),
    centered(texts.title),
    centered(copy === "customer" ? texts.customerCopy : texts.shopCopy),
    ...(receipt.isReprint ? [title(`*** ${texts.reprint} ***`)] : []),
    rule,
    { kind: "text", text: paperAmount(receipt.amount, receipt.currency, locale), style: "large", align: "center" },
    rule,
    pair(texts.time, paperTime(receipt.atMs, locale)),
    pair(texts.terminal, receipt.terminal),
    ...(receipt.cashier === null ? [] : [pair(texts.cashier, receipt.cashier)]),
    space,
    plain(texts.withdrawal),
    centered(groupId(receipt.transactionId)),
    { kind: "code", value: receipt.transactionId },
    space,
    ...(copy === "customer"
      ? []
      : [
          plain(texts.terminalId),
          centered(receipt.terminalReference),
          { kind: "code", value: receipt.terminalReference } as const,
          space,
        ]),
    centered(copy === "customer" ? texts.keep : texts.file),
    ...(receipt.isReprint ? [title(`*** ${texts.reprint} ***`)] : []),
    ...training.slice(0, 1),
    cut,
  ];
};

/** The letters that the terminal's languages need beyond ASCII. */
const letters = "\u00e4\u00f6\u00fc\u00df \u00e9\u00e8\u00ea\u00e0\u00e7\u00f4 \u0142 \u20ac 0123456789";

/** The lines of the printer test, in the terminal's language. */
export const printerTestLines = (language: Language): readonly PaperLine[] => {
  const { test, testNext } = paperTexts[language].receipt;
  return [title(test), rule, centered(letters), plain(testNext), { kind: "code", value: "TEST" }, rule, cut];
};
