/** Extensions for terminals: enrolment, journal heads, what a terminal receives about its shop (conventions, "Extensions"). */
import { z } from "zod";
import { plainText } from "./client.ts";
import { limitsSchema } from "./errors.ts";
import { example, field, nextPage, pageSize } from "./field.ts";
import { scaTimeoutSeconds } from "./sca.ts";
import { timeSchema } from "./transaction.ts";

const time = "2026-11-21T18:00:00.000Z";

/** Body of `POST /ext/v1/enrolments`. */
export const enrolmentBodySchema = z
  .object({
    code: field(
      z.string().min(1).max(64),
      "The one-time code, in any case, with or without spaces and hyphens.",
      "7F3K-9Q2M-4XT6",
    ),
  })
  .meta({ id: "EnrolmentRequest", description: "A one-time code." });

/** Reply with the access key, which no other reply contains. */
export const enrolmentReplySchema = z
  .object({
    merchant_id: field(z.string(), "The shop.", "corner-shop"),
    store_name: field(z.string(), "What a person calls the shop.", "Corner Shop"),
    device_id: field(z.string(), "The terminal.", "till-1"),
    password: field(z.string(), "The access key; it is answered this once.", "the-access-key-of-this-terminal"),
  })
  .meta({ id: "Enrolment", description: "What a terminal signs in with from now on." });

/** Body of `POST /ext/v1/manager-resets`. */
export const managerResetBodySchema = z
  .object({
    merchant_id: field(z.string().min(1).max(64), "The terminal's shop.", "corner-shop"),
    device_id: field(z.string().min(1).max(64), "The terminal.", "till-1"),
    code: field(
      z.string().min(1).max(64),
      "The operator's one-time code, in any case, with or without spaces and hyphens.",
      "7F3K-9Q2M-4XT6",
    ),
  })
  .meta({ id: "ManagerReset", description: "A code that lets a terminal set a manager's PIN anew." });

/** Its reply: the terminal that the code was made for. */
export const managerResetReplySchema = z
  .object({
    merchant_id: field(z.string(), "The terminal's shop.", "corner-shop"),
    device_id: field(z.string(), "The terminal.", "till-1"),
  })
  .meta({ id: "ManagerResetGranted", description: "The terminal at which a manager's PIN is set now." });

/** Body of `POST /ext/v1/journal-heads`: the newest link of a terminal's journal. */
export const journalHeadBodySchema = z
  .object({
    seq: field(z.int().min(1), "The number of the newest entry.", 42),
    head: field(
      z.string().regex(/^[\x21-\x7e]{1,128}$/),
      "The link of that entry: 1 to 128 visible ASCII characters.",
      "c29tZSBsaW5r",
    ),
    at: field(timeSchema, "When that entry was written.", time),
  })
  .meta({ id: "JournalHeadReport", description: "The newest link of a terminal's journal." });

const head = { seq: 42, head: "c29tZSBsaW5r", at: time, received_at: time };

/** A stored head. */
export const journalHeadSchema = journalHeadBodySchema
  .extend({ received_at: field(timeSchema, "When it was first reported.", time) })
  .meta({ id: "JournalHead", description: "A link of the chain of a terminal's journal." });

const headsMax = 1_000;

/** Query of `GET /ext/v1/journal-heads`. */
export const journalHeadsQuerySchema = z.object({
  limit: pageSize("The newest so many.", headsMax, headsMax),
});

/** Reply of `GET /ext/v1/journal-heads`, the newest first. */
export const journalHeadsSchema = z
  .object({ heads: field(z.array(journalHeadSchema), "At most 1,000, the newest first.", [head]) })
  .meta({ id: "JournalHeads", description: "The links that a terminal has reported." });

const terminalsMax = 200;

/** Query of `GET /ext/v1/terminals`. */
export const terminalsQuerySchema = z.strictObject({
  store: plainText(64).optional().meta({ description: "Only this store.", example: "corner-shop" }),
  silent: z
    .literal("true")
    .optional()
    .meta({ description: "Only those that are silent while their store is open.", example: "true" }),
  cursor: z
    .string()
    .regex(/^[\w.-]{1,64}\/[\w.-]{1,64}$/, "is no `next` of this call")
    .optional()
    .meta({ description: "The `next` of the page before.", example: "corner-shop/till-1" }),
  limit: pageSize("Terminals on a page.", terminalsMax, terminalsMax),
});

/** A terminal as its chain's head office sees it. */
const terminalSchema = z
  .object({
    store: field(z.string(), "Its shop.", "corner-shop"),
    store_name: field(z.string(), "What a person calls the shop.", "Corner Shop"),
    device_id: field(z.string(), "Its name there.", "till-1"),
    heard_at: field(timeSchema.nullable(), "When it last made a call, to five minutes; null: never.", time),
    silent: field(
      z.boolean(),
      "It was heard once, and its store has been open for 20 minutes, all of them without a call.",
      false,
    ),
    version: field(z.string().nullable(), "Of its program; null of one that does not say.", "0.1.0"),
    journal: field(
      z.object({
        seq: field(z.int().nullable(), "The number of the newest entry that it has reported; null: none.", 42),
        at: field(timeSchema.nullable(), "When that entry was written.", time),
        forked_at: field(
          timeSchema.nullable(),
          "When it last reported an entry that does not continue what is known: two machines run on copies of one folder. null: never.",
          null,
        ),
      }),
      "Its journal's state.",
      { seq: 42, at: time, forked_at: null },
    ),
  })
  .meta({ id: "Terminal", description: "A terminal of one of the chain's stores." });

/** A page of them; `next` leads to the following one. */
export const terminalsSchema = z
  .object({
    terminals: z.array(terminalSchema).meta({ description: "In the order of their stores and names." }),
    next: nextPage("cursor"),
  })
  .meta({ id: "Terminals", description: "A page of terminals." });

const support = { text: "Head office, 8 to 18 h", phone: "+49 30 123456" };

/** Query of `GET /ext/v1/till`. */
export const tillQuerySchema = z.object({
  since: field(
    timeSchema.optional(),
    "Also say what this device has confirmed since then: a terminal that does not know one of them has a double.",
    "2026-11-20T10:15:00.000Z",
  ),
});

/** Reply of `GET /ext/v1/till`: what a terminal needs to know about its shop. */
export const tillSchema = limitsSchema
  .extend({
    store_name: field(z.string(), "What a person calls the shop.", "Corner Shop"),
    sca_timeout_seconds: field(z.int(), "How long a customer has to approve.", scaTimeoutSeconds),
    support: field(
      z
        .object({
          text: field(z.string().nullable(), "A sentence for the cashier.", support.text),
          phone: field(z.string().nullable(), "A telephone number.", support.phone),
        })
        .nullable(),
      "Whom a cashier asks; null when the operator named nobody.",
      support,
    ),
    server_time: field(timeSchema, "The service's clock.", time),
    forgot_since: field(
      timeSchema.nullable(),
      "From then on the service may have forgotten what it was told: its database was put back to a copy in the last 90 days. Repeat what you reported since; null: nothing to repeat.",
      null,
    ),
    restored_at: field(
      timeSchema.nullable(),
      "When its database was last put back to a copy; null: never. Another time than the one you know: repeat again.",
      null,
    ),
    kept_head: field(
      journalHeadSchema.pick({ seq: true, head: true }).nullable(),
      "The newest link of your journal that the copy has: what the service had answered before that entry is not forgotten, whatever a clock said. null: the copy has none.",
      null,
    ),
    confirmed: field(
      z
        .array(
          z.object({
            transaction_id_partner: field(z.string(), "Your own id of it.", example.transactionIdPartner),
            confirmed_at: field(timeSchema, "When.", example.confirmedAt),
          }),
        )
        .optional(),
      "What this device has confirmed from `since` on, the newest 256; absent without `since`.",
      [{ transaction_id_partner: example.transactionIdPartner, confirmed_at: example.confirmedAt }],
    ),
  })
  .meta({ id: "Till", description: "What a terminal needs to know about its shop." });
