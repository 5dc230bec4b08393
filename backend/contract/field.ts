import { z } from "zod";

/**
 * Adds description and example for the API reference to a field.
 * @param description one or two plain sentences; backticks around words of the wire.
 * @param example a value that the schema accepts.
 */
export const field = <Schema extends z.ZodType>(schema: Schema, description: string, example: unknown): Schema =>
  schema.meta({ ...schema.meta(), description, example });

/** The withdrawal used in all examples of the API reference: its ids, and its times in order. */
export const example = {
  transactionId: "7F3K9Q2MX4T8WZ0G",
  transactionIdPartner: "till-1-20261120-0042",
  partnerReference: "wd-2026-000117",
  userId: "customer-77",
  amount: "50.00",
  currency: "EUR",
  store: "corner-shop",
  storeName: "Corner Shop",
  device: "till-1",
  partner: "my-bank",
  requestId: "7d1b4c2f8a6e0d9b7c5a3f11",
  createdAt: "2026-11-20T10:15:30.000Z",
  expiresAt: "2026-11-20T10:30:30.000Z",
  /** `expiryTimeOfTheOrder` of Start order: `expiresAt`, the approval time and five minutes. */
  heldUntil: "2026-11-20T10:36:10.000Z",
  confirmedAt: "2026-11-20T10:16:45.000Z",
  scaExpiresAt: "2026-11-20T10:17:25.000Z",
  approvedAt: "2026-11-20T10:16:52.000Z",
  settledAt: "2026-11-20T10:16:53.000Z",
  linkedAt: "2026-11-20T10:17:20.000Z",
  handOutId: "01JD3ZK8QF9V2M4T7W0XN5RB6C",
} as const;

/** A `limit` in a query. @param most largest value; `usual` is the default. */
export const pageSize = (description: string, most: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, `must be a whole number from 1 to ${most}`)
    .transform(Number)
    .pipe(z.number().min(1).max(most))
    .default(usual)
    .meta({ description, type: "integer", minimum: 1, maximum: most, default: usual, example: usual });

/** The `next` of a page. @param query the parameter that takes it. */
export const nextPage = (query: string) =>
  field(z.string().nullable(), `Send it as \`${query}\` for the next page; null on the last one.`, null);
