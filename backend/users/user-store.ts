/** Statements on users' accounts. */
import { adhoc, statement } from "../store/statement.ts";
import type { UserKey } from "../store/user-key.ts";

type NewUser = {
  readonly folded: string;
  readonly id: string;
  readonly partner: string;
  readonly hash: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly update: number;
  readonly now: number;
};

/** A new account; a unique index refuses an id that is taken in any case. */
export const insertUser = statement("user_insert", (db, p: NewUser) =>
  db.insertInto("users").values({
    id_folded: p.folded,
    id: p.id,
    partner_id: p.partner,
    password_hash: p.hash,
    email: p.email,
    phone: p.phone,
    auto_update: p.update,
    created_at: p.now,
  }),
);

/** Deletes a user's account. */
export const forgetAccount = ({ partner, lower }: UserKey) =>
  adhoc((db) => db.deleteFrom("users").where("partner_id", "=", partner).where("id_folded", "=", lower));
