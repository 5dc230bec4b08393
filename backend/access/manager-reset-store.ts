/** Statements on the codes that reset a manager's PIN. */
import { statement } from "../store/statement.ts";

type Names = { readonly merchant: string; readonly device: string };

/** Keeps a code's HMAC with the terminal that it is for. */
export const insertManagerReset = statement(
  "manager_reset_insert",
  (db, p: Names & { hash: string; now: number; expires: number }) =>
    db.insertInto("manager_resets").values({
      code_hash: p.hash,
      merchant_id: p.merchant,
      device_id: p.device,
      created_at: p.now,
      expires_at: p.expires,
      used_at: null,
    }),
);

/** Ends a terminal's codes that were not used, whatever the time is where they are tried: the newest is the one that counts. */
export const endManagerResets = statement("manager_resets_end", (db, p: Names) =>
  db
    .updateTable("manager_resets")
    .set({ expires_at: 0 })
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("used_at", "is", null),
);

/** The compare-and-set that lets a code work once, at its terminal alone. */
export const useManagerReset = statement("manager_reset_use", (db, p: Names & { hash: string; now: number }) =>
  db
    .updateTable("manager_resets")
    .set({ used_at: p.now })
    .where("code_hash", "=", p.hash)
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("used_at", "is", null)
    .where("expires_at", ">", p.now)
    .returning(["code_hash"]),
);
