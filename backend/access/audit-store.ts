/** Statements on the audit. Entries are only ever added. */
import { auditColumns, rowFrom } from "../store/columns.ts";
import { statement } from "../store/statement.ts";
import type { AuditTable } from "../store/tables/access.ts";

type Nothing = Readonly<Record<never, never>>;

/** Takes the next number and locks the head until the commit. */
export const lockAuditHead = statement("audit_head_lock", (db, _: Nothing) =>
  db
    .updateTable("audit_head")
    .set((set) => ({ seq: set("seq", "+", 1) }))
    .where("id", "=", 1)
    .returning(["seq", "hash"]),
);

/** The newest entry's number, locked until the commit, for rows that name the next entry before it is written. */
export const holdAuditHead = statement("audit_head_hold", (db, _: Nothing, dialect) => {
  const head = db.selectFrom("audit_head").select("seq").where("id", "=", 1);
  return dialect === "postgres" ? head.forUpdate() : head;
});

/** One entry. */
export const auditEntry = statement("audit_entry", (db, p: { seq: number }) =>
  db.selectFrom("audit").select(auditColumns).where("seq", "=", p.seq),
);

/** The first or the newest entry of an event. */
export const auditEventAt = (end: "first" | "newest") =>
  statement(`audit_event_${end}`, (db, p: { event: string }) =>
    db
      .selectFrom("audit")
      .select(auditColumns)
      .where("event", "=", p.event)
      .orderBy("seq", end === "first" ? "asc" : "desc")
      .limit(1),
  );

/** How many entries of an event there are about an object since a moment. */
export const countAuditSince = statement(
  "audit_count_since",
  (db, p: { event: string; object: string; since: number }) =>
    db
      .selectFrom("audit")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where("event", "=", p.event)
      .where("object", "=", p.object)
      .where("at", ">=", p.since),
);

/** Stores the newest entry's hash, while the head is locked. */
export const setAuditHead = statement("audit_head_set", (db, p: { hash: string }) =>
  db.updateTable("audit_head").set({ hash: p.hash }).where("id", "=", 1),
);

/** The newest entry's number and hash; number 0 and an empty hash before the first. */
export const auditHead = statement("audit_head", (db, _: Nothing) =>
  db.selectFrom("audit_head").select(["seq", "hash"]).where("id", "=", 1),
);

/** Adds an entry; entries are never changed. */
export const insertAuditEntry = statement("audit_insert", (db, p: Record<keyof AuditTable, string | number | null>) =>
  db.insertInto("audit").values(rowFrom<AuditTable>(p, auditColumns)),
);

/** A page in order, after `after`. */
export const auditPage = statement(
  "audit_page",
  (db, p: { after: number; from: number; until: number; limit: number }) =>
    db
      .selectFrom("audit")
      .select(auditColumns)
      .where("seq", ">", p.after)
      .where("at", ">=", p.from)
      .where("at", "<", p.until)
      .orderBy("seq")
      .limit(p.limit),
);
