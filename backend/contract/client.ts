/** What a partner's server sends with a client-level token (interface 4.3, 4.9; conventions, "Client-level calls" and "Extensions"). */
import { z } from "zod";
import { limitsSchema } from "./errors.ts";
import { example, field, nextPage, pageSize } from "./field.ts";
import {
  amountSchema,
  currencySchema,
  partnerReferenceSchema,
  statuses,
  timeSchema,
  transactionSchema,
} from "./transaction.ts";

/** Well-formed text without control characters, which every database and log can hold. */
export const plainText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the point is to refuse them
    .regex(/^[^\u0000-\u001f\u007f]*$/)
    .refine((text) => text.isWellFormed(), "must be well-formed Unicode");

/** Body of `POST /api/v7/partnerCheckin` (interface 4.3); `balance` is a decimal amount, `urlBack` https or loopback. */
export const checkinBodySchema = z
  .object({
    referenceId: field(
      plainText(255),
      "Your own name for this check-in; comes back in `urlBack`, and as `partner_reference` where it has the form of one.",
      "checkin-8842",
    ),
    additionalData: field(
      z.object({
        brand: field(plainText(100), "What the page calls your app.", "My Bank"),
        userId: field(plainText(64), "Your customer. Never shown to a terminal.", example.userId),
        balance: field(amountSchema, "What the customer can withdraw at most.", "250.00"),
        currency: currencySchema,
        urlBack: field(
          z.string().max(2048),
          "Where the page leads back to: https, or http on a loopback host. `reference` (your `referenceId`), `outcome` (the status, or `none`) and `transaction_id` are added to its query.",
          "https://bank.example/cash",
        ),
      }),
      "What the page needs to know.",
      {
        brand: "My Bank",
        userId: example.userId,
        balance: "250.00",
        currency: example.currency,
        urlBack: "https://bank.example/cash",
      },
    ),
  })
  .meta({ id: "CheckinRequest", description: "A customer on the way to the page." });

/** Its reply: where to send the customer, once and for 10 minutes; no address for a blocked one. */
export const checkinReplySchema = z
  .object({
    status: field(
      z.enum(["new", "active", "blocked"]),
      "`new` until the first page was opened, `blocked` when you or the operator blocked the user.",
      "active",
    ),
    destination_url: field(
      z.string().nullable().optional(),
      "The page for the user's browser, valid once, for 10 minutes; null when blocked.",
      "https://cash.example.com/websdk/ZkW3?token=mG0",
    ),
    expires_at: field(
      timeSchema.nullable().optional(),
      "When the address ends; null when blocked.",
      "2026-11-20T10:25:00.000Z",
    ),
  })
  .meta({ id: "Checkin", description: "The user's status and where to send the browser." });

/** The published set: `A-Z a-z 0-9`, U+00A1 to U+02AF, space and some signs; the whole value must match. */
const restrictedText = /^[A-Za-z0-9\u00a1-\u02af &(){}[\].:,;?!+\-_$@#~`\\^€]*$/;

/** Body of `POST /api/v2/users` (conventions, "Client-level calls"): all fields may be left out. */
export const createUserBodySchema = z
  .object({
    id: field(
      z
        .string()
        .regex(/^[0-9A-Za-z\-_.+@]{1,36}$/)
        .optional(),
      "1 to 36 of `0-9A-Za-z-_.+@`, case-insensitive; made when absent.",
      "ann",
    ),
    password: field(
      z.string().min(6).max(128).regex(restrictedText).optional(),
      "6 to 128 characters of the restricted set; made when absent.",
      "correct horse 7",
    ),
    email: field(z.string().max(320).regex(restrictedText).optional(), "At most 320 characters.", "ann@example.com"),
    phone: field(z.string().max(50).regex(restrictedText).optional(), "At most 50 characters.", "+49 30 1234567"),
    isAutoUpdateEnabled: field(z.boolean().default(false), "Automatic update of bank connections.", false),
  })
  .meta({ id: "UserRequest", description: "A user to be created." });

/** Reply with the password, which no other reply contains. */
export const createUserReplySchema = z
  .object({
    id: field(z.string(), "The user's id as it was sent or made.", "ann"),
    password: field(z.string(), "In plain text, this once; only a hash is kept.", "correct horse 7"),
    email: field(z.string().optional(), "Absent when none was sent.", "ann@example.com"),
    phone: field(z.string().optional(), "Absent when none was sent.", "+49 30 1234567"),
    isAutoUpdateEnabled: field(z.boolean(), "Automatic update of bank connections.", false),
  })
  .meta({ id: "User", description: "A user of the bank-data access product." });

/** Body of `POST /ext/v1/withdrawals`: `amount` is a decimal string with the currency's digits. */
export const requestWithdrawalBodySchema = z
  .object({
    user_id: field(plainText(64), "Your customer; comes back as `userId` in the orders.", example.userId),
    amount: amountSchema,
    currency: currencySchema,
    store: field(plainText(64), "A `store` of `GET /ext/v1/stores`.", example.store),
    sca_required: field(
      z.boolean().optional(),
      "Whether the customer has to approve after the cashier's confirmation; true unless sent.",
      true,
    ),
    partner_reference: partnerReferenceSchema.optional(),
  })
  .meta({ id: "WithdrawalRequest", description: "A customer wants cash at a shop." });
/** The header `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters");

/** Body of `POST /ext/v1/withdrawals/{id}/sca`: what the customer did in the bank's app. */
export const scaBodySchema = z
  .object({
    outcome: field(z.enum(["approved", "denied"]), "What the customer did in the bank's app.", "approved"),
  })
  .meta({ id: "ScaOutcome", description: "What became of the approval." });

const withdrawalsPerPageMax = 200;

/** A time (RFC 3339) or a day (`2026-11-20`, UTC). */
export const boundarySchema = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  "must be a time (RFC 3339) or a day",
);

/** Query of `GET /ext/v1/withdrawals`. */
export const withdrawalsQuerySchema = z.strictObject({
  from: boundarySchema
    .optional()
    .meta({ description: "Asked for at this time or on this day, or later.", example: "2026-11-20" }),
  to: boundarySchema.optional().meta({
    description: "Asked for before this time, or before the end of this day.",
    example: "2026-11-20",
  }),
  store: plainText(64).optional().meta({ description: "Only this store.", example: example.store }),
  status: z.enum(statuses).optional().meta({ description: "Only those in this status.", example: "settled" }),
  cursor: z
    .string()
    .regex(/^\d{1,15}\.[0-9A-Z]{16}$/, "is no `next` of this call")
    .optional()
    .meta({
      description: "The `next` of the page before.",
      example: `${Date.parse(example.createdAt)}.${example.transactionId}`,
    }),
  limit: pageSize("Withdrawals on a page.", withdrawalsPerPageMax, withdrawalsPerPageMax),
});

/** A page of the bank's withdrawals; `next` leads to the following one. */
export const withdrawalsReplySchema = z
  .object({
    withdrawals: z.array(transactionSchema).meta({ description: "The newest first." }),
    next: nextPage("cursor"),
  })
  .meta({ id: "Withdrawals", description: "A page of withdrawals." });

/** Shops on one page of `GET /ext/v1/stores`, at most; 50 by default. */
const storesPerPageMax = 200;

/** Query of `GET /ext/v1/stores`. */
export const storesQuerySchema = z.object({
  after: plainText(64).optional().meta({ description: "The `next` of the page before.", example: example.store }),
  limit: pageSize("Shops on a page.", storesPerPageMax, 50),
});

/** A shop that the bank may use, with its limits as decimal amounts. */
const storeSchema = limitsSchema
  .extend({
    store: z
      .string()
      .meta({ description: "What `POST /ext/v1/withdrawals` takes as `store`.", example: example.store }),
    name: z.string().meta({ description: "What a person calls the shop.", example: example.storeName }),
  })
  .meta({ id: "Store", description: "A shop and what it hands out." });

/** A page of shops; `next` leads to the following one. */
export const storesReplySchema = z
  .object({
    stores: z.array(storeSchema).meta({ description: "In the order of their ids." }),
    next: nextPage("after"),
  })
  .meta({ id: "Stores", description: "A page of shops." });
