/** Statements on enrolment codes. */
import { statement } from "../store/statement.ts";

type NewEnrolment = {
  readonly hash: string;
  readonly merchant: string;
  readonly device: string;
  readonly replaces: number;
  readonly now: number;
  readonly expires: number;
};

/** Keeps a code's HMAC with what it enrols. */
export const insertEnrolment = statement("enrolment_insert", (db, p: NewEnrolment) =>
  db.insertInto("enrolments").values({
    code_hash: p.hash,
    merchant_id: p.merchant,
    device_id: p.device,
    replaces: p.replaces,
    created_at: p.now,
    expires_at: p.expires,
    used_at: null,
  }),
);

/** Ends the codes for a device that were not used, whatever the time is where they are tried: the newest is the one that counts. */
export const endEnrolments = statement("enrolments_end", (db, p: { merchant: string; device: string }) =>
  db
    .updateTable("enrolments")
    .set({ expires_at: 0 })
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("used_at", "is", null),
);

/** The compare-and-set that lets a code work once. */
export const useEnrolment = statement("enrolment_use", (db, p: { hash: string; now: number }) =>
  db
    .updateTable("enrolments")
    .set({ used_at: p.now })
    .where("code_hash", "=", p.hash)
    .where("used_at", "is", null)
    .where("expires_at", ">", p.now)
    .returning(["merchant_id", "device_id", "replaces"]),
);
