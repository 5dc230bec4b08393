/**
 * Status events to a bank (conventions, "Partner calls"): delivered at least once, for up to three days, in any order.
 * They have their own queue and slots, so that they never delay a Settle order.
 */
import { sql } from "kysely";
import { z } from "zod";
import type { LeasedEvent, Service, StatusEvents } from "../context.ts";
import { parseStrictJson } from "../contract/ambiguity.ts";
import { formatAmount } from "../contract/money.ts";
import { partnerCallTimeoutMs } from "../contract/partner.ts";
import { eventLifetimeMs } from "../contract/webhook-events.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, insertUnlessThere, statement } from "../store/store.ts";
import { holdsUser, type UserKey } from "../store/user-key.ts";
import { type CallResult, createQueue, leaseMs, type MessageKind, queueStatements } from "./queue.ts";
import { callPartner, notSent, raiseAlarm } from "./send.ts";

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
export const insertEvent = insertUnlessThere("status_event_insert", (db, p: NewEvent, isAlone) => {
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
    .$if(isAlone, (insert) => insert.onConflict((same) => same.column("id").doNothing()))
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

/** Of names that differ in their case alone readers may take either. */
const hasEachNameOnce = (object: object): boolean => {
  const names = Object.keys(object);
  return new Set(names.map((name) => name.toLowerCase())).size === names.length;
};
/** What an event says, as every release has written it. */
const bodySchema = z
  .looseObject({
    type: z.string(),
    transaction: z
      .looseObject({
        ...{ transaction_id: z.string(), status: z.string(), amount: z.string(), currency: z.string() },
        created_at: z.iso.datetime().transform((text) => Date.parse(text)),
      })
      .refine(hasEachNameOnce),
  })
  .refine(hasEachNameOnce);

type Step = { readonly id: string; readonly partner: string; readonly askedAt: number; readonly status: string };
/** The terms of a bank's withdrawal, if it came to a status by its history. */
const termsAt = statement("status_event_terms", (db, p: Step) => {
  const hasCome = sql<boolean>`exists (select 1 from withdrawal_events as e where e.transaction_id = ${p.id}
    and e.asked_at in (${p.askedAt}, 0) and e.to_status = ${p.status})`;
  const termsIn = (table: "withdrawals" | "archived_withdrawals") =>
    db
      .selectFrom(table)
      .select(["amount", "currency"])
      .where((row) => row.and({ id: p.id, partner_id: p.partner, created_at: p.askedAt }))
      .where(hasCome);
  return termsIn("withdrawals").unionAll(termsIn("archived_withdrawals"));
});

/**
 * Whether an event from the database is what its withdrawal came to: a bank pays back what it hears to be undelivered, and releases the
 * funds of what it hears to have ended.
 */
const isTrue = async ({ store }: Service, { transaction_id: id, partner_id, body }: RowOf<"status_events">) => {
  const parsed = parseStrictJson(body);
  const said = bodySchema.safeParse(parsed.ok ? parsed.value : null).data;
  if (said === undefined) return false;
  const { status, created_at: askedAt, amount, currency, transaction_id } = said.transaction;
  if (transaction_id !== id || said.type !== `withdrawal.${status}`) return false;
  const terms = await store.read((tx) => tx.first(termsAt({ id, partner: partner_id, askedAt, status })), true);
  return terms?.currency === currency && formatAmount(terms.amount, currency) === amount;
};

const sendEvent = async (service: Service, event: RowOf<"status_events">): Promise<CallResult> => {
  let isChanged = false;
  const maySend = async () => {
    isChanged = event.claimed_by !== ownTry.claimed_by && !(await isTrue(service, event));
    return !isChanged;
  };
  const call = { kind: "event", message: event, timeoutMs: partnerCallTimeoutMs, maySend } as const;
  const answer = await callPartner(service, call);
  if (isChanged) raiseAlarm(service, "event", event, "changed");
  const refused = isChanged ? { why: "changed" } : answer !== notSent && answer.kind === "none" ? answer : null;
  const isTooOld = service.clock.now() - event.created_at >= eventLifetimeMs && event.attempts >= eventTriesMin;
  if (refused !== null && !isTooOld) return refused;
  if (refused !== null)
    service.log.error({ partner: event.partner_id, event: event.id, why: refused.why }, "a status event was given up");
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
