/** Extensions for terminals: enrolment, journal heads, what a terminal is told about its shop (conventions, "Extensions"). */
import { z } from "zod";
import { limitsSchema } from "./errors.ts";
import { timeSchema } from "./transaction.ts";

export const enrolmentBodySchema = z.object({
  code: z.string().min(1).max(64).meta({
    description: "The one-time code, in any case, with or without spaces and hyphens.",
    example: "7F3K-9Q2M-4XTZ",
  }),
});

export const enrolmentReplySchema = z
  .object({
    merchant_id: z.string().meta({ example: "corner-shop" }),
    store_name: z.string().meta({ description: "What a person calls the shop.", example: "Corner Shop" }),
    device_id: z.string().meta({ example: "till-1" }),
    password: z.string().meta({ description: "The access key; it is answered this once.", example: "…" }),
  })
  .meta({ id: "Enrolment", description: "What a terminal signs in with from now on." });

export const journalHeadBodySchema = z.object({
  seq: z.int().min(1).meta({ description: "The number of the newest entry.", example: 42 }),
  head: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/)
    .meta({ description: "The link of that entry: 1 to 128 visible ASCII characters.", example: "c29tZSBsaW5r" }),
  at: timeSchema.meta({ description: "When that entry was written.", example: "2026-11-21T18:00:00.000Z" }),
});

export const journalHeadSchema = journalHeadBodySchema
  .extend({
    received_at: timeSchema.meta({ description: "When it was first reported.", example: "2026-11-21T18:00:01.000Z" }),
  })
  .meta({ id: "JournalHead", description: "A link of the chain of a terminal's journal." });

export const journalHeadsSchema = z
  .object({ heads: z.array(journalHeadSchema).meta({ description: "At most 1,000, the newest first." }) })
  .meta({ id: "JournalHeads" });

export const tillSchema = limitsSchema
  .extend({
    store_name: z.string().meta({ description: "What a person calls the shop.", example: "Corner Shop" }),
    sca_timeout_seconds: z.int().meta({ description: "How long a customer has to approve.", example: 40 }),
    support: z
      .object({
        text: z.string().nullable().meta({ example: "Head office, 8 to 18 h" }),
        phone: z.string().nullable().meta({ example: "+49 30 123456" }),
      })
      .nullable()
      .meta({ description: "Whom a cashier asks; null when the operator set nobody." }),
    server_time: timeSchema.meta({ description: "The service's clock.", example: "2026-11-21T18:00:00.000Z" }),
  })
  .meta({ id: "Till", description: "What a terminal needs to know about its shop." });
