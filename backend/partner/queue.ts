/**
 * Sends the calls to banks that commits have queued as rows: a process sends its own at once, and claims retries and
 * those of dead processes with a lease (conventions, "Partner calls"). One queue for all kinds of message.
 */
import { type AliasedRawBuilder, type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { createBackground, createWatermark } from "../background.ts";
import type { Service } from "../context.ts";
import { type PartnerCallKind, partnerCallTimeoutMs } from "../contract/partner.ts";
import type { Database, RowOf } from "../store/schema.ts";
import { type Query, statement } from "../store/store.ts";
import type { QueueState } from "../telemetry.ts";

/** The columns that messages of all kinds have. */
export type Message = RowOf<"status_events">;

/** Long enough for one call and its commit; then another process takes over. */
export const leaseMs = 2 * partnerCallTimeoutMs;
/** No lease or pause reaches further ahead; a row beyond was written by a wrong clock and is due now. */
export const maxPlausibleDueAheadMs = (call: MessageKind<Message>["call"]): number => 2 * retrySchedules[call].maxMs;
/** Own messages that wait for a free slot. Overflow is claimed again when its lease expires. */
const waitingMax = 1_000;
/** Messages due for this long were left by the process responsible for them. */
const leftOverMs = 1_000;
/** How often a process looks for messages that others have left. */
const othersEveryMs = 5_000;
/** How much earlier a look may come by the clock than by the timer: the clock follows the database's. */
const clockErrorMs = 100;
/**
 * How late after their due time messages may be committed and still be found by the next look: usually, and on a slow database. What is
 * later waits for the look of the minute. A dead row that a dump keeps alive costs a look 2 µs, at 500 withdrawals a second.
 */
const commitMs = { usual: 100, slow: 2_000 } as const;
/** Pause after a failure of the store, instead of asking it four times a second. */
const failurePauseMs = 2_000;
/** Wake-ups within this time share one poll. */
const gatherMs = 10;
const reportEveryMs = 5_000;

/** Epoch milliseconds. */
type DueTimes = {
  /** Messages due earlier were found by an earlier poll. */
  readonly from: number;
  readonly now: number;
  /** See `maxPlausibleDueAheadMs`. */
  readonly maxPlausibleDueAt: number;
};

/** One claim: which messages of a bank, and the lease (epoch milliseconds) with its holder. */
type DueClaim = DueTimes & {
  readonly partner: string;
  readonly leasedUntil: number;
  readonly worker: string;
  readonly limit: number;
};

/** Messages of a lane: all, those that never failed, or those that did. */
type Tries = "all" | "first" | "repeated";
/** The holder of a message and its try. */
type Held = { readonly id: string; readonly worker: string; readonly attempts: number };
type Claim<Row> = (claim: DueClaim) => Query<Row>;
/** A lane's claims: overdue messages, and implausibly far ones; a single statement would scan all rows between. */
type Claims<Row> = { readonly overdue: Claim<Row>; readonly implausible: Claim<Row> };

/**
 * Builds the statements for one kind of message.
 * @param columns all columns of the table, as a claim returns them.
 * @param onClaim columns that a claim sets besides lease and try.
 * @param looked what a claim reads besides the columns.
 */
export const queueStatements = <Row extends Message, Lanes extends Tries>(
  table: "outbox" | "status_events",
  columns: readonly (keyof Row & string)[],
  lanes: readonly Lanes[],
  onClaim: (p: DueClaim) => Readonly<Record<string, RawBuilder<number>>>,
  looked: readonly AliasedRawBuilder<unknown, string>[] = [],
) => {
  // Both tables have these columns, so Kysely gets one of them.
  const queue = table as "status_events";

  const claim = (tries: Tries, isDue: (p: DueClaim) => RawBuilder<SqlBool>) => (db: Kysely<Database>, p: DueClaim) =>
    db
      .updateTable(queue)
      .set((set) => ({
        due_at: p.leasedUntil,
        claimed_by: p.worker,
        attempts: set("attempts", "+", 1),
        ...onClaim(p),
      }))
      .where("id", "in", (inner) => {
        const ofPartner = inner.selectFrom(queue).select("id").where("partner_id", "=", p.partner);
        const ofLane =
          tries === "all" ? ofPartner : ofPartner.where("last_error", tries === "first" ? "is" : "is not", null);
        return ofLane.where(isDue(p)).orderBy("due_at").limit(p.limit).forUpdate().skipLocked();
      })
      .returning([...(columns as readonly (keyof Message)[]), ...looked]);

  const claimsOf = (tries: Lanes) => ({
    overdue: statement(
      `${table}_claim_${tries}`,
      claim(tries, ({ from, now }) => sql`due_at >= ${from} and due_at <= ${now}`),
    ),
    implausible: statement(
      `${table}_claim_${tries}_implausible`,
      claim(tries, ({ maxPlausibleDueAt }) => sql`due_at > ${maxPlausibleDueAt}`),
    ),
  });

  /** Ordered within, so that the planner uses the index of due times; by that of banks it may read what every dead row has left. */
  const duePartners = statement(`${table}_due_partners`, (db, p: Pick<DueTimes, "from" | "now">) =>
    db
      .selectFrom(
        db
          .selectFrom(queue)
          .select(["partner_id as id", "due_at"])
          .where("due_at", ">=", p.from)
          .where("due_at", "<=", p.now)
          .orderBy("due_at")
          .as("due"),
      )
      .select((select) => ["id", select.fn.min("due_at").as("since")])
      .groupBy("id"),
  );
  /**
   * Reads only each bank's oldest, since a bank that is down leaves hundreds of thousands. It orders by both columns so
   * that the planner uses the index on both; else it may scan the index of due times for a bank without any.
   */
  const oldestOfPartners = statement(`${table}_oldest_of_partners`, (db, p: Pick<DueTimes, "now">) =>
    db
      .selectFrom(
        db
          .selectFrom("partners")
          .select([
            "id",
            sql<number>`(select due_at from ${sql.table(table)} where partner_id >= partners.id and partner_id <= partners.id
              order by partner_id, due_at limit 1)`.as("since"),
          ])
          .as("oldest"),
      )
      .select(["id", "since"])
      .where("since", "<=", p.now),
  );

  return {
    /** Banks with something to claim, and since when. */
    duePartners: (p: Pick<DueTimes, "from" | "now">) => (p.from === 0 ? oldestOfPartners(p) : duePartners(p)),
    /** The message due farthest ahead, if implausibly far. */
    farthest: statement(`${table}_farthest`, (db, p: Pick<DueTimes, "maxPlausibleDueAt">) =>
      db.selectFrom(queue).select("id").where("due_at", ">", p.maxPlausibleDueAt).orderBy("due_at", "desc").limit(1),
    ),
    /** Banks with implausibly far messages; only run when there are any. */
    implausiblePartners: statement(`${table}_implausible_partners`, (db, p: Pick<DueTimes, "maxPlausibleDueAt">) =>
      db.selectFrom(queue).select("partner_id as id").distinct().where("due_at", ">", p.maxPlausibleDueAt),
    ),
    /** Lease the oldest due messages; two processes never get the same one. */
    claims: Object.fromEntries(lanes.map((tries) => [tries, claimsOf(tries)])) as unknown as Record<Lanes, Claims<Row>>,
    /** Postpones a message until `dueAt`, unless another process has taken it over. */
    postpone: statement(`${table}_postpone`, (db, p: Held & { readonly dueAt: number; readonly error: string }) =>
      db
        .updateTable(queue)
        .set({ due_at: p.dueAt, last_error: p.error })
        .where((row) => row.and({ id: p.id, claimed_by: p.worker, attempts: p.attempts })),
    ),
    /** Deletes a message, whoever holds it. */
    delete: statement(`${table}_delete`, (db, p: { readonly id: string }) =>
      db.deleteFrom(queue).where("id", "=", p.id),
    ),
    /** Ends all leases and pauses, for a process that has just started and is alone on its database. */
    endLeases: statement(`${table}_end_leases`, (db, p: { readonly now: number }) =>
      db.updateTable(queue).set({ due_at: p.now }).where("due_at", ">", p.now),
    ),
    /** Number of waiting messages, and since when the oldest waits (epoch milliseconds). */
    state: statement(`${table}_state`, (db) =>
      db
        .selectFrom(queue)
        .select((select) => [select.fn.countAll<number>().as("depth"), select.fn.min("created_at").as("oldest")]),
    ),
  };
};

type QueueStatements<Row extends Message, Lanes extends Tries> = ReturnType<typeof queueStatements<Row, Lanes>>;

/** The result of one call: done, to be retried, or not sent because the lease was lost or too short. */
export type CallResult = "done" | "not_sent" | { readonly why: string; readonly retryAfterMs?: number };

/** The queue's configuration for one kind of message. */
export interface MessageKind<Row extends Message, Lanes extends Tries = Tries> {
  readonly call: "settle" | "event";
  readonly statements: QueueStatements<Row, Lanes>;
  /** Concurrent calls per bank, lane and process, so that a bank that hangs delays no other. */
  readonly slots: (service: Service) => Readonly<Record<Lanes, number>>;
  /** Banks with a number of slots set by an operator. */
  readonly slotsSet?: Query<{ readonly id: string; readonly slots: number | null }>;
  /** Polls once in this many `pollMs`. */
  readonly pollsPerLook: number;
  /** Whether one process of the fleet retries a bank's messages and the others only take what it leaves, and look less often for it; else all do. */
  readonly hasOwner: boolean;
  readonly report: (service: Service, state: QueueState | null) => void;
  /** Sends a message once, and deletes its row when done. @param isStopping whether to give up writing the result. */
  readonly send: (service: Service, message: Row, isStopping: () => boolean) => Promise<CallResult>;
  /** Called for an unanswered message that this process could not postpone: another has it, has ended it, or the database forgot it. */
  readonly onLost?: (service: Service, message: Row, isStopping: () => boolean) => Promise<void>;
}

/** The slots of one bank's lane, and this process's own messages that wait for one. */
export class Lane<Order extends Pick<Message, "due_at">> {
  /** Whether there may be more to claim: the last claim had no free slot, or was filled. */
  hasBacklog = false;
  #inFlight = 0;
  /** Slots reserved by a claim under way, so that two polls do not take the same ones. */
  #claiming = 0;
  /** Number of concurrent calls; lowering it does not affect running ones. */
  slots: number;
  readonly #waiting: Order[] = [];

  constructor(slots: number) {
    this.slots = slots;
  }

  get free(): number {
    return this.slots - this.#inFlight - this.#claiming;
  }

  /** Whether to claim more: at most half of the slots are taken and no claim is under way. */
  get wantsClaim(): boolean {
    return this.hasBacklog && this.#claiming === 0 && this.#inFlight * 2 <= this.slots;
  }

  /** Runs `call` in a slot. */
  async run(call: () => Promise<void>): Promise<void> {
    this.#inFlight += 1;
    try {
      await call();
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Runs `claim` with all free slots reserved; without any it does nothing. */
  async claim(claim: (limit: number) => Promise<readonly Order[]>): Promise<readonly Order[]> {
    const slots = this.free;
    if (slots <= 0) {
      this.hasBacklog = true;
      return [];
    }
    this.#claiming += slots;
    try {
      const orders = await claim(slots);
      this.hasBacklog = orders.length >= slots;
      return orders;
    } finally {
      this.#claiming -= slots;
    }
  }

  /** Keeps a message until a slot is free; drops it when too many wait. */
  wait(order: Order): void {
    if (this.#waiting.length < waitingMax) this.#waiting.push(order);
  }

  /** Waiting messages for the free slots, oldest first; those whose lease ends before `untilMs` are dropped. */
  takeWaiting(untilMs: number): readonly Order[] {
    const taken: Order[] = [];
    while (taken.length < this.free) {
      const order = this.#waiting.shift();
      if (order === undefined) break;
      if (order.due_at > untilMs) taken.push(order);
    }
    return taken;
  }
}

/** Sends one message once. Never rejects. @returns milliseconds until it may be claimed again; `null` when it is done. */
export const deliver = async <Row extends Message>(
  service: Service,
  kind: Pick<MessageKind<Row>, "call" | "send" | "onLost"> & {
    readonly statements: Pick<QueueStatements<Row, Tries>, "postpone">;
  },
  message: Row,
  isStopping: () => boolean,
): Promise<number | null> => {
  const notWritten = (error: unknown): void =>
    service.log.error(
      { err: error, call: kind.call, transaction_id: message.transaction_id },
      "what became of a call to a bank could not be written",
    );
  try {
    const result = await kind.send(service, message, isStopping);
    if (result === "done") return null;
    if (result === "not_sent") return Math.max(0, message.due_at - service.clock.now());
    const { id, claimed_by: worker, attempts } = message;
    const usualMs = retryPauseMs(kind.call, attempts - 1, service.random.fraction());
    const pauseMs = Math.max(result.retryAfterMs ?? 0, usualMs);
    const dueAt = Math.ceil(service.clock.now() + pauseMs);
    const held = await service.store
      .write((tx) => tx.run(kind.statements.postpone({ id, worker, attempts, dueAt, error: result.why })))
      .catch((error: unknown) => {
        if (kind.onLost === undefined) throw error;
        notWritten(error);
        return 0;
      });
    if (held === 0) await kind.onLost?.(service, message, isStopping);
    return pauseMs;
  } catch (error) {
    // The row remains and is sent again after its lease, under the same id.
    notWritten(error);
    return leaseMs;
  }
};

/** Ends the leases of a previous process; only on SQLite, where this process is alone with its file. */
export const endOldLeases = async (
  { store, clock }: Service,
  { endLeases }: Pick<QueueStatements<Message, Tries>, "endLeases">,
): Promise<void> => {
  if (store.dialect !== "sqlite") return;
  await store.write((tx) => tx.run(endLeases({ now: clock.now() }))).catch(() => {});
};

/**
 * Reports a queue's length and the age of its oldest row every five seconds, from the process that owns the metrics;
 * the others report null.
 * @param query `oldest` in epoch milliseconds, null for an empty queue.
 * @returns a function to call after each poll.
 */
export const createQueueReport = (
  service: () => Service,
  query: Query<{ depth: number; oldest: number | null }>,
  show: (state: QueueState | null) => void,
): ((now: number) => Promise<void>) => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async (now) => {
    if (now - reportedAt < reportEveryMs && now >= reportedAt) return;
    reportedAt = now;
    if (!service().owns("queue metrics")) return show(null);
    const state = await service().store.read((tx) => tx.first(query));
    show({ depth: Number(state?.depth ?? 0), oldestAgeMs: Math.max(0, now - Number(state?.oldest ?? now)) });
  };
};

/**
 * Sends the messages of one kind, from `start` on.
 * @param service read later, as it is still under construction. @param workerId the holder's name in leases.
 */
export const createQueue = <Row extends Message, Lanes extends Tries>(
  service: () => Service,
  workerId: string,
  kind: MessageKind<Row, Lanes>,
) => {
  const { statements } = kind;
  const maxAheadMs = maxPlausibleDueAheadMs(kind.call);
  const lanes = new Map<string, readonly PartnerLane<Row>[]>();
  let stopped = true;
  /** Set when a stop begins: a call that cannot finish by then is left to other processes. */
  let drainUntil = Number.POSITIVE_INFINITY;
  const report = createQueueReport(service, statements.state({}), (state) => kind.report(service(), state));

  const lanesOf = (partnerId: string): readonly PartnerLane<Row>[] => {
    const known = lanes.get(partnerId);
    if (known) return known;
    const made = Object.entries<number>(kind.slots(service())).map(([name, slots]) => ({
      partnerId,
      usualSlots: slots,
      lane: new Lane<Row>(slotsSet.get(partnerId) ?? slots),
      claims: statements.claims[name as Lanes],
    }));
    lanes.set(partnerId, made);
    return made;
  };

  let slotsSet: ReadonlyMap<string, number | null> = new Map();
  const setSlots = (rows: readonly { readonly id: string; readonly slots: number | null }[]): void => {
    slotsSet = new Map(rows.map(({ id, slots }) => [id, slots]));
    for (const { partnerId, lane, usualSlots } of [...lanes.values()].flat())
      lane.slots = slotsSet.get(partnerId) ?? usualSlots;
  };

  /** Banks with messages to claim, and since when, until a claim finds fewer than it asked for; anew with each look that finds some. */
  const unclaimed = new Map<string, { readonly since: number }>();
  /** Watermarks for this process's banks, and for those of the others. */
  const looks = { own: createWatermark(commitMs.usual), others: createWatermark(commitMs.slow) };
  let othersAt = Number.NEGATIVE_INFINITY;

  const isOwn = (partnerId: string): boolean => !kind.hasOwner || service().owns(`orders of ${partnerId}`);
  /** None of the banks that it has had a message for is its own, and it has nothing left to claim. */
  const isOnlyForOthers = () => lanes.size > 0 && unclaimed.size === 0 && ![...lanes.keys()].some(isOwn);

  /** Finds banks with due messages. */
  const look = async (now: number) => {
    const ownFrom = looks.own.from(now);
    const isForAll = ownFrom === 0 || now - othersAt >= othersEveryMs - clockErrorMs;
    const from = isForAll ? Math.min(ownFrom, looks.others.from(now)) : ownFrom;
    const maxPlausibleDueAt = now + maxAheadMs;
    const [due, implausible] = await service().store.read(async (tx) => {
      if (isForAll && kind.slotsSet !== undefined) setSlots(await tx.all(kind.slotsSet));
      const found = await tx.all(statements.duePartners({ from, now }));
      const farthest = isForAll ? await tx.first(statements.farthest({ maxPlausibleDueAt })) : undefined;
      if (farthest === undefined) return [found, []];
      return [found, await tx.all(statements.implausiblePartners({ maxPlausibleDueAt }))];
    });
    for (const { id, since } of due) {
      // Left by an owner that is dead or has no free slot.
      if (!isOwn(id) && (!isForAll || since > now - leftOverMs)) continue;
      // Messages left by others may be older than this poll reads.
      const seenSince = from === 0 ? since : Math.min(since, unclaimed.get(id)?.since ?? since);
      unclaimed.set(id, { since: isOwn(id) ? seenSince : 0 });
    }
    for (const { id } of implausible) unclaimed.set(id, { since: unclaimed.get(id)?.since ?? now });
    looks.own.passed(now);
    if (!isForAll) return;
    othersAt = now;
    looks.others.passed(now);
  };

  const poll = async () => {
    let pauseMs = service().options.pollMs * kind.pollsPerLook;
    try {
      const now = service().clock.now();
      const [looked] = await Promise.allSettled([look(now)]);
      await Promise.all([...unclaimed.keys()].map(claimFor));
      if (looked.status === "rejected") throw looked.reason;
      await report(now);
      if (isOnlyForOthers()) pauseMs = Math.max(pauseMs, othersEveryMs);
    } catch (error) {
      service().log.error(
        { err: error, call: kind.call },
        "a queue of calls could not be read and will be tried again",
      );
      pauseMs = Math.max(pauseMs, failurePauseMs);
    }
    background.runIn(pauseMs);
  };
  const background = createBackground(() => service().clock, poll);

  const claimFor = async (partnerId: string) => {
    const found = unclaimed.get(partnerId);
    for (const each of lanesOf(partnerId)) await claim(each);
    // Messages found meanwhile are left to the next poll.
    const isEmpty = lanesOf(partnerId).every(({ lane }) => !lane.hasBacklog);
    if (isEmpty && unclaimed.get(partnerId) === found) unclaimed.delete(partnerId);
  };

  const claim = async (each: PartnerLane<Row>) => {
    if (stopped || drainUntil !== Number.POSITIVE_INFINITY) return;
    try {
      const messages = await each.lane.claim((limit) => lease(each, limit));
      for (const message of messages) launch(each, message);
    } finally {
      launchWaiting(each);
    }
  };

  /** Leases one bank's due messages, so that no other process sends them. */
  const lease = ({ partnerId, claims }: PartnerLane<Row>, limit: number) =>
    service().store.write(async (tx) => {
      const now = service().clock.now();
      const maxPlausibleDueAt = now + maxAheadMs;
      const values = {
        partner: partnerId,
        from: unclaimed.get(partnerId)?.since ?? 0,
        now,
        maxPlausibleDueAt,
        limit,
        leasedUntil: now + leaseMs,
        worker: workerId,
      };
      const overdue = await tx.all(claims.overdue(values));
      const left = limit - overdue.length;
      return left <= 0 ? overdue : [...overdue, ...(await tx.all(claims.implausible({ ...values, limit: left })))];
    });

  const launch = (each: PartnerLane<Row>, message: Row) => {
    const call = async () => {
      const againInMs = await deliver(service(), kind, message, () => stopped);
      if (againInMs !== null) background.runIn(againInMs);
    };
    background.track(each.lane.run(call).finally(() => fillFreeSlot(each)));
  };

  const mayCall = () => !stopped && service().clock.now() + partnerCallTimeoutMs <= drainUntil;

  /** Messages queued during a claim would otherwise never start. */
  const launchWaiting = (each: PartnerLane<Row>) => {
    if (!mayCall()) return;
    for (const message of each.lane.takeWaiting(service().clock.now() + partnerCallTimeoutMs)) launch(each, message);
  };

  const fillFreeSlot = (each: PartnerLane<Row>) => {
    launchWaiting(each);
    // A failed claim is repeated by the next poll.
    if (each.lane.wantsClaim) background.track(claim(each).catch(() => undefined));
  };

  return {
    /** Sends the message of a committed row that this process leased on insert. */
    send(message: Row): void {
      const [first] = mayCall() ? lanesOf(message.partner_id) : [];
      if (!first) return;
      if (first.lane.free > 0) launch(first, message);
      else first.lane.wait(message);
    },

    /** Polls soon for messages that no process has leased. Cheap; needless calls are harmless. */
    wake(): void {
      if (!stopped) background.runIn(gatherMs);
    },

    start(): void {
      if (!stopped) return;
      stopped = false;
      background.track(endOldLeases(service(), statements).then(poll));
    },

    /** Claims no more; new messages are sent only if the call can finish by `untilMs`, else left to other processes. */
    drain(untilMs: number): void {
      drainUntil = untilMs;
      background.cancel();
    },

    /** Stops sending; resolves when nothing is in flight. */
    async stop(): Promise<void> {
      stopped = true;
      background.cancel();
      await background.idle();
    },
  };
};

interface PartnerLane<Row extends Message> {
  readonly partnerId: string;
  readonly usualSlots: number;
  readonly lane: Lane<Row>;
  readonly claims: Claims<Row>;
}

/** By kind of call: milliseconds before the first retry, doubled with each further one, and their maximum. */
export const retrySchedules = {
  start: { firstMs: 250, maxMs: 2_000 },
  settle: { firstMs: 500, maxMs: 60_000 },
  event: { firstMs: 1_000, maxMs: 600_000 },
} as const satisfies Readonly<Record<PartnerCallKind, unknown>>;

/** Adds up to half, so that a fleet does not retry in step. */
const jitterMax = 0.5;

/** Milliseconds to wait before a retry. @param retries number of earlier retries, from 0. @param fraction of the jitter, in [0, 1). */
export const retryPauseMs = (kind: PartnerCallKind, retries: number, fraction: number): number => {
  const { firstMs, maxMs } = retrySchedules[kind];
  const doubledMs = firstMs * 2 ** Math.min(retries, 20);
  return Math.min(maxMs / (1 + jitterMax), doubledMs) * (1 + fraction * jitterMax);
};
