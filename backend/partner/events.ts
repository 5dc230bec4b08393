/**
 * Status events to a bank (conventions, "Partner calls"): delivered at least once, for up to three days, in any order.
 * They have their own queue and slots, so that they never delay a Settle order.
 */
import { sql } from "kysely";
import type { LeasedEvent, Service, StatusEvents } from "../context.ts";
import { partnerCallTimeoutMs } from "../contract/partner.ts";
import { eventLifetimeMs } from "../contract/webhook-events.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, statement } from "../store/store.ts";
import { holdsUser, type UserKey } from "../store/user-key.ts";
import { type CallResult, createQueue, leaseMs, type MessageKind, queueStatements } from "./queue.ts";
import { callPartner, notSent } from "./send.ts";

type EventLane = "first" | "repeated";

/** Statements on status events. One dated in the future, by a wrong clock, lives three days from its first claim. */
export const statusEvents = queueStatements<RowOf<"status_events">, EventLane>(
  "status_events",
  columnsOf("status_events"),
  ["first", "repeated"],
  (p) => ({ created_at: sql<number>`case when created_at > ${p.now} then ${p.now} else created_at end` }),
);

/** How many events wait for each bank, and one of its answers. */
export const waitingEvents = statement("status_events_waiting", (db) =>
  db
    .selectFrom("status_events")
    .select("partner_id")
    .select((row) => [row.fn.countAll<number>().as("count"), row.fn.max("last_error").as("last_error")])
    .groupBy("partner_id"),
);

/** Claim columns for the first try by the process that wrote the event. */
export const ownTry = { attempts: 1, claimed_by: "" } as const;

type NewEvent = LeasedEvent & {
  readonly now: number;
  /** From when it may be claimed: `now`, or the end of the writer's lease. */
  readonly dueAt: number;
  /** 1 where the writer sends it itself. */
  readonly attempts: 0 | 1;
};

/** Inserts an event if the bank has an events address, in the commit of the transition; returns the id if it did. */
export const insertEvent = statement("status_event_insert", (db, p: NewEvent) => {
  const number = (value: number) => sql<number>`cast(${value} as bigint)`;
  const text = (value: string | null) => sql<string>`cast(${value} as text)`;
  return db
    .insertInto("status_events")
    .columns(columnsOf("status_events"))
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

/** An event that waits for its bank and contains the user's id, in the bank's own reference. */
export const eventNamingUser = (key: UserKey) =>
  adhoc((db) =>
    db
      .selectFrom("status_events")
      .select("id")
      .where("partner_id", "=", key.partner)
      .where(holdsUser("body", key))
      .limit(1),
  );

/** Takes about two hours. A machine that slept, or a clock that jumped, by three days has not tried that long. */
export const eventTriesMin = 20;

const sendEvent = async (service: Service, event: RowOf<"status_events">): Promise<CallResult> => {
  const answer = await callPartner(service, { kind: "event", message: event, timeoutMs: partnerCallTimeoutMs });
  const isRefused = answer !== notSent && answer.kind === "none";
  const isTooOld = service.clock.now() - event.created_at >= eventLifetimeMs && event.attempts >= eventTriesMin;
  if (isRefused && !isTooOld) return answer;
  if (isRefused)
    service.log.error({ partner: event.partner_id, event: event.id, why: answer.why }, "a status event was given up");
  await service.store.write((tx) => tx.run(statusEvents.delete({ id: event.id })));
  return "done";
};

/** The queue's configuration for status events. */
export const eventMessages: MessageKind<RowOf<"status_events">, EventLane> = {
  call: "event",
  statements: statusEvents,
  // A customer has only seconds to approve: events that never failed have slots of their own, however many others hang.
  slots: () => ({ first: 128, repeated: 8 }),
  pollsPerLook: 4,
  hasOwner: false,
  report: ({ telemetry }, state) => telemetry.statusEvents(state),
  send: sendEvent,
};

/** @param service read later, as it is still under construction. */
export const createStatusEvents = (
  service: () => Service,
  workerId: string,
): StatusEvents & { start(): void; stop(): Promise<void> } => {
  const queue = createQueue(service, workerId, eventMessages);
  return {
    ...queue,
    send(event) {
      const now = service().clock.now();
      queue.send({ ...event, ...ownTry, due_at: now + leaseMs, created_at: now, last_error: null });
    },
  };
};
