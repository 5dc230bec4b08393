/** What a withdrawal's receipt is made of: kept in the journal with the request to print it. */
import { z } from "zod";

/** For whom a receipt is printed. */
export const receiptCopies = ["customer", "shop"] as const;
/** One of `receiptCopies`. */
export type ReceiptCopy = (typeof receiptCopies)[number];

/** What both copies say. */
export const receiptSchema = z.object({
  transactionId: z.string(),
  partnerId: z.string(),
  /** A decimal string as on the wire. */
  amount: z.string(),
  currency: z.string(),
  /** When the cash was handed over, milliseconds since the epoch. */
  atMs: z.number(),
  /** What a person calls the shop. */
  shop: z.string(),
  terminal: z.string(),
  /** The cashier's code; null where cashiers have none. */
  cashier: z.string().nullable(),
  training: z.boolean(),
  /** Printed before, or perhaps. */
  isReprint: z.boolean(),
});
/** See `receiptSchema`. */
export type Receipt = Readonly<z.infer<typeof receiptSchema>>;
