/** The words of the API reference that belong to no single call. */
import { z } from "zod";
import { errorTable } from "../contract/errors.ts";
import { example } from "../contract/example.ts";
import { field } from "../contract/field.ts";
import { statuses } from "../contract/transaction.ts";

/** The chapters of the API reference. */
export const tags = [
  { name: "Client", description: "What a partner's server calls with a client-level token." },
  {
    name: "Extension",
    description: "**Not in the interface specification**: calls of this service under `/ext/v1`, marked `x-extension`.",
  },
  { name: "Operations", description: "**Not in the interface specification**: health, metrics and this document." },
  { name: "Partner", description: "Calls that the service makes to a partner's server." },
  { name: "Point of sale", description: "What a till calls with a terminal's token." },
] as const;

const meanings: Readonly<Record<(typeof statuses)[number], string>> = {
  requested: "the user asked; Start order is out",
  ready: "funds secured, the barcode can be scanned",
  awaiting_sca: "confirmed, the user has {sca_seconds} s",
  settling: "SCA done or not needed; Settle order is out until a definite answer",
  settled: "the money is secured for the shop: the cash may be handed out",
  linked: "the cash was handed out (final)",
  undelivered: "paid, but no cash was handed out: due back (final)",
  declined: "closed without cash: the bank declined or could not be reached (final)",
  rejected: "closed without cash: the cashier rejected (final)",
  canceled: "closed without cash: SCA denied or too late, or the user gave up (final)",
  expired: "closed without cash: nobody confirmed in time (final)",
  failed: "closed without cash: the bank declined Settle order (final)",
};

/** What stands before the first call in the API reference (Markdown). */
export const apiDescription = `Cash withdrawals at a shop's till.

Operations of the interface specification name their section. Where the specification is silent this service follows
conventions of its own, listed with each operation under **Conventions** (\`x-conventions\`). Operations that the specification
does not have are **extensions** (\`x-extension: true\`).

**Conventions for all calls.** Bodies are JSON of at most 64 KiB; unknown fields are ignored, a name that is there twice is refused. Amounts are
decimal strings with exactly the currency's minor digits (\`"50.00"\`, \`"5000"\` for JPY), times RFC 3339 UTC with milliseconds. A \`transaction_id\` has 16 characters of
Crockford base 32: 15 random ones and a check character, chosen so that the sum over GF(32) (x⁵ + x² + 1) of character i of the first 15 (i from 0) times α^(15−i), plus the check character, is zero; it
catches every single wrong character and every swap. Every answer carries \`X-Request-Id\`: yours, if it is of at most 255 visible characters, or a random one.

**Errors** are \`application/problem+json\` (RFC 9457) with a \`code\`, except where an operation says otherwise:

| code | status | meaning |
|---|---|---|
${Object.entries(errorTable)
  .map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`)
  .join("\n")}

Ask again with the same ids after \`too_many_requests\`, \`internal_error\` and \`unavailable\`, and after no answer at all; wait for \`Retry-After\` where it
is sent. \`transaction_conflict\` carries the \`transaction\` as it is; \`amount_out_of_range\`, \`amount_step\`, \`currency_mismatch\` and \`limit_reached\` carry \`limits\`.

**Statuses of a transaction**

| status | meaning |
|---|---|
${statuses.map((status) => `| \`${status}\` | ${meanings[status]} |`).join("\n")}
`;

/** Documented only: `http/problem.ts` builds it, the service never parses it. */
export const usersErrorSchema = z
  .object({
    errors: z
      .array(
        z.object({
          message: field(z.string(), "What is wrong, for people.", "id: must have at most 36 characters"),
          code: field(
            z.string(),
            "`BAD_REQUEST`, `UNAUTHORIZED_ACCESS`, `ENTITY_EXISTS`, `TOO_MANY_REQUESTS` or `UNEXPECTED_ERROR`.",
            "BAD_REQUEST",
          ),
          type: field(z.enum(["BUSINESS", "TECHNICAL"]), "Whose fault it is.", "BUSINESS"),
        }),
      )
      .meta({ description: "At least one." }),
    date: field(z.string(), "When.", example.createdAt),
    requestId: field(z.string(), "The answer's `X-Request-Id`.", example.requestId),
    endpoint: field(z.string(), "Which call.", "POST /api/v2/users"),
    authContext: field(z.string(), "Who called; empty before the token is known.", `${example.partner}/server-1`),
  })
  .meta({ id: "UsersError", description: "A refusal in the published shape of the user-creation service." });
