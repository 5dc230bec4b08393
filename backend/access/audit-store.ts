/** Statements on the audit. Entries are only ever added. */
import { auditColumns, rowFrom } from "../store/columns.ts";
import { statement } from "../store/statement.ts";
import type { AuditTable } from "../store/tables/access.ts";

type Nothing = Readonly<Record<never, never>>;

/** Takes the next number and holds the head until the commit. */
export const lockAuditHead = statement("audit_head_lock", (db, _: Nothing) =>
  db
    .updateTable("audit_head")
    .set((set) => ({ seq: set("seq", "+", 1) }))
    .where("id", "=", 1)
    .returning(["seq", "hash"]),
);

/** Keeps the newest entry's hash, while the head is held. */
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
