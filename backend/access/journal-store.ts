/** Statements on the reported links of terminals' journals. */
import { sql } from "kysely";
import { statement } from "../store/statement.ts";
import { one, run, type UnitOfWork } from "../store/store.ts";

type Device = { readonly merchant: string; readonly device: string };

const columns = ["epoch", "seq", "head", "at", "received_at"] as const;

/** The highest number of the epoch that runs; its number 0 right after an enrolment. */
export const newestJournalHead = statement("journal_head_newest", (db, p: Device) =>
  db
    .selectFrom("journal_heads")
    .select(columns)
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .orderBy("epoch", "desc")
    .orderBy("seq", "desc")
    .limit(1),
);

/** Those of the epoch that runs, the newest first. */
export const journalHeadsOf = statement("journal_heads_of", (db, p: Device & { epoch: number; limit: number }) =>
  db
    .selectFrom("journal_heads")
    .select(columns)
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("epoch", "=", p.epoch)
    .where("seq", ">", 0)
    .orderBy("seq", "desc")
    .limit(p.limit),
);

type NewHead = Device & { epoch: number; seq: number; head: string; at: number; now: number };

/** Keeps a head; a unique index refuses a number that is there. */
export const insertJournalHead = statement("journal_head_insert", (db, p: NewHead) =>
  db.insertInto("journal_heads").values({
    merchant_id: p.merchant,
    device_id: p.device,
    epoch: p.epoch,
    seq: p.seq,
    head: p.head,
    at: p.at,
    received_at: p.now,
    after_restore: sql<number>`(select coalesce(max(restored_at), 0) from restores)`,
  }),
);

/** From an enrolment on the device's journal may be another one: its machine was replaced. */
export function* newJournalEpoch(merchant: string, device: string, now: number): UnitOfWork<void> {
  const newest = yield* one(newestJournalHead({ merchant, device }));
  const epoch = (newest?.epoch ?? 0) + 1;
  yield* run(insertJournalHead({ merchant, device, epoch, seq: 0, head: "", at: now, now }));
}
