/** What the customer's display gets: no id, no journal, no name but the shop's, and no way to send commands. */
import { z } from "zod";
import { colorSchemes, languages } from "./choices.ts";
import { outcomes } from "./enums.ts";

/** The wire's decimal string and its ISO 4217 code, as on the cashier's screens. */
const moneySchema = z.strictObject({
  amount: z.string().regex(/^\d{1,13}(?:\.\d{1,4})?$/),
  currency: z.string().regex(/^[A-Z]{3}$/),
});

const withAmount = { money: moneySchema };

/** What is going on, for the person in front of the counter. Only what concerns the withdrawal in front has an amount. */
const momentSchema = z.discriminatedUnion("kind", [
  /** Nobody can withdraw here now: being set up, locked, not open for the day, or the journal takes no entry. */
  z.strictObject({ kind: z.literal("closed") }),
  /** The terminal has no connection to the service, and nothing is under way. */
  z.strictObject({ kind: z.literal("offline") }),
  z.strictObject({ kind: z.literal("welcome") }),
  z.strictObject({ kind: z.literal("looking_up") }),
  z.strictObject({ kind: z.literal("review"), ...withAmount }),
  z.strictObject({ kind: z.literal("confirming"), ...withAmount }),
  /** The customer must approve now; times in milliseconds from this view's arrival, null where no deadline is known. */
  z.strictObject({
    kind: z.literal("approve"),
    ...withAmount,
    countdown: z.strictObject({ totalMs: z.number().min(0), remainingMs: z.number().min(0) }).nullable(),
  }),
  /** Approved; the bank has not paid yet. */
  z.strictObject({ kind: z.literal("paying"), ...withAmount }),
  z.strictObject({ kind: z.literal("closing") }),
  /** The bank has paid: the cash is on its way over the counter. */
  z.strictObject({ kind: z.literal("cash"), ...withAmount }),
  /** It was found settled after a restart or a silence, or the drawer cannot pay it: the cashier says what comes next. */
  z.strictObject({ kind: z.literal("cashier_asks") }),
  /** The service has not said what became of it. */
  z.strictObject({ kind: z.literal("unclear") }),
  z.strictObject({ kind: z.literal("done"), ...withAmount }),
  /** Without an amount: it stays until the cashier goes on, and the next customer may stand there. */
  z.strictObject({ kind: z.literal("ended"), outcome: z.enum(outcomes) }),
]);

/** Longest texts of a view, in characters. */
export const customerBounds = { shopLength: 200 } as const;

/** Everything that the customer's display knows; a field more is refused. */
export const customerViewSchema = z.strictObject({
  /** What a person calls the shop; empty until it is known. */
  shop: z.string().max(customerBounds.shopLength),
  language: z.enum(languages),
  colorScheme: z.enum(colorSchemes),
  training: z.boolean(),
  /** The service does not answer: what is shown may be older than the truth. */
  offline: z.boolean(),
  moment: momentSchema,
});

/** What the customer's display shows. */
export type CustomerView = Readonly<z.infer<typeof customerViewSchema>>;
/** What is going on, by kind. */
export type CustomerMoment = CustomerView["moment"];

/** What the display's page gets: views, one after the other, and no way back. */
export interface CustomerBridge {
  /** Calls at once with the latest view, then on every change; the result stops it. */
  subscribe(listener: (view: CustomerView) => void): () => void;
}
