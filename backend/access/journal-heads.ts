/** A terminal reports the newest link of its journal's chain: a journal that was cut, forked or restored shows. */
import { type SqlBool, sql } from "kysely";
import type { z } from "zod";
import type { Service, Terminal } from "../context.ts";
import type { journalHeadBodySchema, journalHeadSchema, journalHeadsSchema } from "../contract/terminal.ts";
import { hourMs, toTime } from "../contract/times.ts";
import type { LinkedTransaction } from "../contract/transaction.ts";
import { ServiceError } from "../service-error.ts";
import { lookedSetting } from "../store/restores.ts";
import { insertUnlessThere, statement, type Tx, UniqueViolation } from "../store/store.ts";
import { type AuditLog, countAuditSince } from "./audit.ts";

type Head = z.infer<typeof journalHeadSchema>;
/** What a terminal says of its journal. */
export type JournalHeadReport = z.output<typeof journalHeadBodySchema>;

/** A terminal that reports forks endlessly must not fill the audit: this many an hour are enough. */
const forksWrittenMax = 10;
const forksWrittenWithinMs = hourMs;

const show = (row: { seq: number; head: string; at: number; received_at: number }): Head => ({
  seq: row.seq,
  head: row.head,
  at: toTime(row.at),
  received_at: toTime(row.received_at),
});

/** The audit's event of a journal that does not continue what is known. */
export const forkedEvent = "journal_forked";
/** The audit's object for a terminal's journal. */
export const journalOf = ({ merchant, device }: Device): string => `journal of terminal ${merchant}/${device}`;

/**
 * Keeps a head whose number is higher than the newest known one, and answers a repeat of that one.
 * @throws ServiceError `journal_forked` for a lower number, or the same with another head; it is written to the audit,
 * ten times an hour for one terminal at the most.
 */
export const reportJournalHead = async (
  { service, audit }: { readonly service: Service; readonly audit: AuditLog },
  terminal: Terminal,
  body: JournalHeadReport,
  address: string,
): Promise<Head> => {
  const names = { merchant: terminal.merchantId, device: terminal.deviceId };
  const name = `terminal ${names.merchant}/${names.device}`;
  const keep = async (tx: Tx) => {
    const now = service.clock.now();
    const newest = await tx.first(newestJournalHead(names));
    if (newest !== undefined && newest.seq === body.seq && newest.head === body.head)
      return { kind: "kept", row: newest } as const;
    if (newest !== undefined && body.seq <= newest.seq) {
      const detail = `number ${body.seq} with head ${body.head} after number ${newest.seq} with head ${newest.head}`;
      const entry = { event: forkedEvent, actor: name, address, object: journalOf(names), detail };
      const written = await tx.first(countAuditSince({ ...entry, since: now - forksWrittenWithinMs }));
      const isWritten = (written?.count ?? 0) < forksWrittenMax;
      if (isWritten) await audit.append(tx, entry);
      return { kind: "forked", entry: isWritten ? entry : null } as const;
    }
    const row = { epoch: newest?.epoch ?? 1, seq: body.seq, head: body.head, at: Date.parse(body.at) };
    await tx.run(insertJournalHead({ ...names, ...row, now }));
    return { kind: "kept", row: { ...row, received_at: now } } as const;
  };
  // Another call took the number meanwhile: the second try finds its row.
  const outcome = await service.store.write(keep).catch((error: unknown) => {
    if (error instanceof UniqueViolation) return service.store.write(keep);
    throw error;
  });
  if (outcome.kind === "kept") return show(outcome.row);
  if (outcome.entry !== null) audit.logged(outcome.entry);
  throw new ServiceError("journal_forked");
};

/**
 * A head sent along with a report about cash, kept in the same commit. The report is accepted whatever the head is: one
 * that does not continue what is known is not kept; the terminal then reports it by itself and gets the refusal.
 */
export const headBesideReport = (
  { merchantId: merchant, deviceId: device }: Terminal,
  head: JournalHeadReport | undefined,
) => {
  let kept: Promise<number> | null = null;
  return {
    async keep(tx: Tx, now: number): Promise<void> {
      if (head === undefined) return;
      const values = { merchant, device, seq: head.seq, head: head.head, at: Date.parse(head.at), now };
      kept = tx.runUnawaited(continueJournal(values));
    },
    /** When the unit runs again after a rollback. */
    async forget(): Promise<void> {
      kept = null;
    },
    /** After the commit. */
    answer: async (reply: LinkedTransaction): Promise<LinkedTransaction> =>
      ((await kept) ?? 0) > 0 ? { ...reply, journal_kept: true } : reply,
  };
};

/** The known heads of the terminal's journal, newest first: `journal verify --against-service` compares each, a starting terminal the newest. */
export const listJournalHeads = async (
  { store }: Pick<Service, "store">,
  { merchantId: merchant, deviceId: device }: Terminal,
  limit: number,
): Promise<z.infer<typeof journalHeadsSchema>> => {
  const rows = await store.read(async (tx) => {
    const newest = await tx.first(newestJournalHead({ merchant, device }));
    return newest === undefined ? [] : await tx.all(journalHeadsOf({ merchant, device, epoch: newest.epoch, limit }));
  });
  return { heads: rows.map(show) };
};

type Device = { readonly merchant: string; readonly device: string };

const columns = ["epoch", "seq", "head", "at", "received_at"] as const;

/** The newest head of the current epoch; number 0 right after an enrolment. */
export const newestJournalHead = statement("journal_head_newest", (db, p: Device) =>
  db
    .selectFrom("journal_heads")
    .select(columns)
    .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device }))
    .orderBy("epoch", "desc")
    .orderBy("seq", "desc")
    .limit(1),
);

/** Heads of the current epoch, newest first. */
const journalHeadsOf = statement("journal_heads_of", (db, p: Device & { epoch: number; limit: number }) =>
  db
    .selectFrom("journal_heads")
    .select(columns)
    .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device, epoch: p.epoch }))
    .where("seq", ">", 0)
    .orderBy("seq", "desc")
    .limit(p.limit),
);

type NewHead = Device & { epoch: number; seq: number; head: string; at: number; now: number };

/**
 * The newest restore before it. Null, which no copy has, while commits are missing and no operator has said since when: whatever the clocks
 * say, the terminal has reported before this head what the database has lost.
 */
const afterRestore = sql<number | null>`(select case when exists (
    select 1 from settings where name = ${sql.lit(lookedSetting)} and value like '%"forgotSince":%' and value not like '%"forgotSince":null%'
  ) then null else coalesce(max(restored_at), 0) end from restores)`;

/** Inserts a head; a unique index refuses a number that exists. */
const insertJournalHead = statement("journal_head_insert", (db, p: NewHead) =>
  db.insertInto("journal_heads").values({
    merchant_id: p.merchant,
    device_id: p.device,
    epoch: p.epoch,
    seq: p.seq,
    head: p.head,
    at: p.at,
    received_at: p.now,
    after_restore: afterRestore,
  }),
);

/** Inserts a head that is newer than all of the current epoch; else changes nothing. */
const continueJournal = insertUnlessThere("journal_head_continue", (db, p: Omit<NewHead, "epoch">, isAlone) => {
  const [text, number] = [
    (value: string) => sql<string>`cast(${value} as text)`,
    (value: number) => sql<number>`cast(${value} as bigint)`,
  ];
  return db
    .insertInto("journal_heads")
    .columns(["merchant_id", "device_id", "epoch", "seq", "head", "at", "received_at", "after_restore"])
    .expression((from) =>
      from
        .selectFrom(
          from
            .selectFrom("journal_heads")
            .select(sql<number>`coalesce(max(epoch), 1)`.as("epoch"))
            .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device }))
            .as("running"),
        )
        .select([
          text(p.merchant).as("merchant_id"),
          text(p.device).as("device_id"),
          "running.epoch",
          number(p.seq).as("seq"),
          text(p.head).as("head"),
          number(p.at).as("at"),
          number(p.now).as("received_at"),
          afterRestore.as("after_restore"),
        ])
        .where(
          sql<SqlBool>`not exists (select 1 from journal_heads as known where known.merchant_id = ${p.merchant}
            and known.device_id = ${p.device} and known.epoch = running.epoch and known.seq >= ${p.seq})`,
        ),
    )
    .$if(isAlone, (insert) =>
      insert.onConflict((same) => same.columns(["merchant_id", "device_id", "epoch", "seq"]).doNothing()),
    );
});

/** Starts an epoch: after an enrolment the device may have another journal, since its machine was replaced. */
export async function newJournalEpoch(tx: Tx, merchant: string, device: string, now: number): Promise<void> {
  const newest = await tx.first(newestJournalHead({ merchant, device }));
  const epoch = (newest?.epoch ?? 0) + 1;
  await tx.run(insertJournalHead({ merchant, device, epoch, seq: 0, head: "", at: now, now }));
}
