/** Rows of status events that a bank has not taken yet. Every statement on them is here. */
import { type Kysely, sql } from "kysely";
import type { LeasedEvent } from "../context.ts";
import { partnerCallTimeoutMs } from "../contract/partner.ts";
import { statusEventColumns } from "../store/columns.ts";
import type { Database } from "../store/schema.ts";
import { adhoc, type Dialect, statement } from "../store/statement.ts";
import { holdsUser, type UserKey } from "../store/user-key.ts";
import { type DueClaim, type DueEnd, type DueTimes, hasDue, isDue } from "./due.ts";
import { retrySchedules } from "./retry.ts";

/** Long enough for one call and its commit; after it any process may send the event. */
export const eventLeaseMs = 2 * partnerCallTimeoutMs;
/** No lease or pause reaches further: an event that lies beyond was written under a wrong clock and is due now. */
export const maxPlausibleDueAheadMs = 2 * retrySchedules.event.maxMs;
/** The try of the process that wrote the event: nobody has claimed it. */
export const ownTry = { attempts: 1, claimed_by: "" } as const;

type NewEvent = LeasedEvent & {
  readonly now: number;
  /** From when on it may be claimed: `now`, or the end of the lease of who wrote it. */
  readonly dueAt: number;
  /** 1 where who wrote it sends it. */
  readonly attempts: 0 | 1;
};

/** Written only for a bank that has an address for events; in the commit of the transition, so that none is forgotten. The id comes back if it was. */
export const insertEvent = statement("status_event_insert", (db, p: NewEvent) => {
  const number = (value: number) => sql<number>`cast(${value} as bigint)`;
  const text = (value: string | null) => sql<string>`cast(${value} as text)`;
  return db
    .insertInto("status_events")
    .columns([...statusEventColumns])
    .expression((from) =>
      from
        .selectFrom("partners")
        .select([
          text(p.id).as("id"),
          text(p.transaction_id).as("transaction_id"),
          "partners.id as partner_id",
          text(p.body).as("body"),
          number(p.attempts).as("attempts"),
          number(p.dueAt).as("due_at"),
          sql<string>`${sql.lit(ownTry.claimed_by)}`.as("claimed_by"),
          number(p.now).as("created_at"),
          sql<string>`null`.as("last_error"),
          text(p.partner_reference).as("partner_reference"),
        ])
        .where("partners.id", "=", p.partner_id)
        .where("partners.events_url", "is not", null),
    )
    .onConflict((same) => same.column("id").doNothing())
    .returning("id");
});

/** Partners with something to claim. */
export const partnersWithEvents = statement("status_event_partners", (db, p: DueTimes) =>
  db.selectFrom("partners").select("id").where(hasDue("status_events", p)),
);

/** An event from the future, by a clock that was wrong, lives three days from its first claim on. */
const claim = (which: "is" | "is not", end: DueEnd) => (db: Kysely<Database>, p: DueClaim, dialect: Dialect) =>
  db
    .updateTable("status_events")
    .set((set) => ({
      due_at: p.leasedUntil,
      claimed_by: p.worker,
      attempts: set("attempts", "+", 1),
      created_at: sql<number>`case when created_at > ${p.now} then ${p.now} else created_at end`,
    }))
    .where("id", "in", (inner) => {
      const due = inner
        .selectFrom("status_events")
        .select("id")
        .where("partner_id", "=", p.partner)
        .where("last_error", which, null)
        .where(isDue(end, p))
        .orderBy("due_at")
        .limit(p.limit);
      return dialect === "postgres" ? due.forUpdate().skipLocked() : due;
    })
    .returning(statusEventColumns);

/** Leases those that are due and have not failed yet (`claimDue`), the oldest first; two processes never get the same one. */
export const claimFirstTries = {
  passed: statement("status_event_claim_first", claim("is", "passed")),
  beyond: statement("status_event_claim_first_beyond", claim("is", "beyond")),
} as const;

/** The same for those that the bank has not taken before. */
export const claimRetries = {
  passed: statement("status_event_claim_retries", claim("is not", "passed")),
  beyond: statement("status_event_claim_retries_beyond", claim("is not", "beyond")),
} as const;

/** Ends all leases and pauses: for a process that is alone with its database and has just started. */
export const endEventLeases = statement("status_event_end_leases", (db, p: { now: number }) =>
  db.updateTable("status_events").set({ due_at: p.now }).where("due_at", ">", p.now),
);

/** How many events wait, and since when the oldest does (epoch milliseconds). */
export const statusEventsState = statement("status_event_state", (db, _: Readonly<Record<never, never>>) =>
  db
    .selectFrom("status_events")
    .select((select) => [select.fn.countAll<number>().as("depth"), select.fn.min("created_at").as("oldest")]),
);

/** An event that waits for its bank and names the user, in the bank's own name for the withdrawal. */
export const eventNamingUser = (key: UserKey) =>
  adhoc((db) =>
    db
      .selectFrom("status_events")
      .select("id")
      .where("partner_id", "=", key.partner)
      .where(holdsUser("body", key))
      .limit(1),
  );

/** Puts one back until `dueAt`, unless another process has taken it over. */
export const postponeEvent = statement(
  "status_event_postpone",
  (db, p: { id: string; worker: string; attempts: number; dueAt: number; error: string }) =>
    db
      .updateTable("status_events")
      .set({ due_at: p.dueAt, last_error: p.error })
      .where("id", "=", p.id)
      .where("claimed_by", "=", p.worker)
      .where("attempts", "=", p.attempts),
);

/** Ends an event that the bank has taken, or that is too old. */
export const deleteEvent = statement("status_event_delete", (db, p: { id: string }) =>
  db.deleteFrom("status_events").where("id", "=", p.id),
);
