/**
 * The private channel between the bundled service and the program that started it: calls of its terminal, operator's
 * commands, the service's state. It has no address or port that others could reach.
 */
import { z } from "zod";

/** Why the service does not start, as far as it matters to the parent. */
const serviceTroubles = [
  /** A newer program has migrated the database beyond this one; it was not touched. */
  "newer_database",
  "database_in_use",
  /** A sandbox database used live, or the other way round. */
  "other_environment",
  "port_taken",
  "failed",
] as const;
/** One of `serviceTroubles`. */
export type ServiceTrouble = (typeof serviceTroubles)[number];

const id = z.int();
const headers = z.array(z.tuple([z.string(), z.string()]));
/** Base64; null for none. */
const body = z.string().nullable();

/** Requests of the parent to the service. */
export const hostRequestSchema = z.discriminatedUnion("ask", [
  /** An operator's command, as typed: `["partners", "add", "my-bank"]`, `{ url: "https://…" }`. */
  z.object({
    id,
    ask: z.literal("command"),
    words: z.array(z.string()),
    flags: z.record(z.string(), z.string()),
    /** PARTNER_SECRET of this one command; null for none. */
    secret: z.string().nullable(),
    /** Who asked, for the audit: `manager M1 at the terminal`. */
    actor: z.string().min(1).max(200),
  }),
  z.object({ id, ask: z.literal("state") }),
  /** Whether the service responds at all. */
  z.object({ id, ask: z.literal("ping") }),
  /** A call as over HTTP; `path` with its query. */
  z.object({ id, ask: z.literal("http"), method: z.string(), path: z.string().startsWith("/"), headers, body }),
]);
/** A request over the private channel. */
export type HostRequest = z.infer<typeof hostRequestSchema>;

const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

/** State of a running service; times are epoch milliseconds. */
const serviceStateSchema = z.object({
  version: z.string(),
  /** What destination urls are built on. */
  publicUrl: z.string(),
  /** Settle orders without a definite answer. */
  outbox: z.object({ waiting: z.int(), oldestAt: z.number().nullable() }),
  backup: z.object({ file: z.string(), at: z.number(), bytes: z.number() }).nullable(),
});
/** State of a running service. */
export type ServiceState = z.infer<typeof serviceStateSchema>;

/** Messages of the service to the parent. */
export const hostMessageSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("rows"), id, rows: z.array(rowSchema) }),
  z.object({ kind: z.literal("state"), id, state: serviceStateSchema }),
  z.object({ kind: z.literal("pong"), id }),
  z.object({ kind: z.literal("http"), id, status: z.int().min(200).max(599), headers, body }),
  /** `fields`: names of the wrong words and flags; may be empty. */
  z.object({ kind: z.literal("refused"), id, fields: z.array(z.string()), message: z.string() }),
  /** The service cannot start and exits. */
  z.object({ kind: z.literal("cannot_start"), why: z.enum(serviceTroubles), message: z.string() }),
]);
/** A message of the service over the private channel. */
export type HostMessage = z.infer<typeof hostMessageSchema>;
