/** A terminal reports the newest link of its journal's chain: a journal that was cut, forked or restored shows. */

import { sql } from "kysely";
import type { z } from "zod";
import type { Terminal } from "../context.ts";
import type { journalHeadBodySchema, journalHeadSchema, journalHeadsSchema } from "../contract/terminal.ts";
import { ServiceError } from "../service-error.ts";
import { statement, type Tx, UniqueViolation } from "../store/store.ts";
import type { Access } from "./access.ts";
import { countAuditSince } from "./audit.ts";

type Head = z.infer<typeof journalHeadSchema>;

/** A key that reports forks without end must not fill the audit: so many an hour say all there is to say. */
const forksWrittenMax = 10;
const forksWrittenWithinMs = 3_600_000;

const show = (row: { seq: number; head: string; at: number; received_at: number }): Head => ({
  seq: row.seq,
  head: row.head,
  at: new Date(row.at).toISOString(),
  received_at: new Date(row.received_at).toISOString(),
});

/** The audit's event of a journal that does not continue what is known. */
export const forkedEvent = "journal_forked";
/** Its object. */
export const journalOf = ({ merchant, device }: Device): string => `journal of terminal ${merchant}/${device}`;

/**
 * Keeps a head whose number is higher than the newest known one, and answers a repeat of that one.
 * @throws ServiceError `journal_forked` for a lower number, or the same with another head; it is written to the audit,
 * ten times an hour for one terminal at the most.
 */
export const reportJournalHead = async (
  access: Access,
  terminal: Terminal,
  body: z.output<typeof journalHeadBodySchema>,
  address: string,
): Promise<Head> => {
  const { service, audit } = access;
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
  // Another call has taken the number meanwhile: the second look finds what that one brought.
  const outcome = await service.store.write(keep).catch((error: unknown) => {
    if (error instanceof UniqueViolation) return service.store.write(keep);
    throw error;
  });
  if (outcome.kind === "kept") return show(outcome.row);
  if (outcome.entry !== null) audit.logged(outcome.entry);
  throw new ServiceError("journal_forked");
};

/**
 * What is known of the terminal's own journal, the newest first: `journal verify --against-service` compares each link, a
 * terminal that starts the newest one.
 */
export const listJournalHeads = async (
  { service }: Pick<Access, "service">,
  { merchantId: merchant, deviceId: device }: Terminal,
  limit: number,
): Promise<z.infer<typeof journalHeadsSchema>> => {
  const rows = await service.store.read(async (tx) => {
    const newest = await tx.first(newestJournalHead({ merchant, device }));
    return newest === undefined ? [] : await tx.all(journalHeadsOf({ merchant, device, epoch: newest.epoch, limit }));
  });
  return { heads: rows.map(show) };
};

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
const journalHeadsOf = statement("journal_heads_of", (db, p: Device & { epoch: number; limit: number }) =>
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
const insertJournalHead = statement("journal_head_insert", (db, p: NewHead) =>
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
export async function newJournalEpoch(tx: Tx, merchant: string, device: string, now: number): Promise<void> {
  const newest = await tx.first(newestJournalHead({ merchant, device }));
  const epoch = (newest?.epoch ?? 0) + 1;
  await tx.run(insertJournalHead({ merchant, device, epoch, seq: 0, head: "", at: now, now }));
}
