/** Statements on check-ins and on the customers whom a partner checks in. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Service } from "../context.ts";
import { ServiceError } from "../service-error.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, insertRow, statement } from "../store/statement.ts";
import { isUser, type UserKey } from "../store/user-key.ts";

const checkinColumns = columnsOf("checkins");

/** Keeps a check-in with the HMAC of its address's secret. */
export const insertCheckin = statement("checkin_insert", (db, p: RowOf<"checkins">) => insertRow(db, "checkins", p));

/** The compare-and-set that lets an address work once. */
export const openCheckinRow = statement(
  "checkin_open",
  (db, p: { readonly id: string; readonly token: string; readonly session: string; readonly now: number }) =>
    db
      .updateTable("checkins")
      .set({ opened_at: p.now, session_hash: p.session })
      .where("id", "=", p.id)
      .where("token_hash", "=", p.token)
      .where("opened_at", "is", null)
      .where("expires_at", ">", p.now)
      .returning(checkinColumns),
);

/** The check-in that a page's session belongs to, if it was opened after `openedAfter`. */
export const checkinBySession = statement(
  "checkin_by_session",
  (db, p: { readonly id: string; readonly session: string; readonly openedAfter: number }) =>
    db
      .selectFrom("checkins")
      .select(checkinColumns)
      .where("id", "=", p.id)
      .where("session_hash", "=", p.session)
      .where("opened_at", ">", p.openedAfter),
);

/** What became of an address that is right: to say why it does not open. */
export const linkByToken = statement("checkin_link_by_token", (db, p: { id: string; token: string }) =>
  db.selectFrom("checkins").select(["opened_at", "brand"]).where("id", "=", p.id).where("token_hash", "=", p.token),
);

/** One check-in leads to one withdrawal at a time; the one it led to before must be named to be replaced. */
export const linkCheckinRow = statement(
  "checkin_link",
  (db, p: { readonly id: string; readonly transaction: string; readonly before: string }) =>
    db
      .updateTable("checkins")
      .set({ transaction_id: p.transaction })
      .where("id", "=", p.id)
      .where((where) => where.or([where("transaction_id", "is", null), where("transaction_id", "=", p.before)])),
);

/** A condition: whether the user is blocked, by whatever case the id was written in (user ids are case-insensitive). */
export const customerIsBlocked = (partner: RawBuilder<unknown>, user: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`exists (select 1 from customers as blocked where blocked.partner_id = ${partner}
    and lower(blocked.user_id) = lower(${user}) and blocked.blocked_at is not null)`;

type ByCustomer = { readonly partner: string; readonly user: string };

/** User ids are case-insensitive (interface, "User"). */
const sameUser = (user: string): RawBuilder<SqlBool> => sql`lower(user_id) = lower(${user})`;

/** The row by whatever case the id was written in; a blocked one first. */
export const customerByKey = statement("customer_by_key", (db, p: ByCustomer) =>
  db
    .selectFrom("customers")
    .select("blocked_at")
    .where("partner_id", "=", p.partner)
    .where(sameUser(p.user))
    .orderBy(sql`case when blocked_at is null then 1 else 0 end`)
    .limit(1),
);

/** Makes a user known; one who is known stays as he is. */
export const addCustomer = statement("customer_add", (db, p: ByCustomer & { readonly now: number }) =>
  db
    .insertInto("customers")
    .values({ partner_id: p.partner, user_id: p.user, created_at: p.now, blocked_at: null })
    .onConflict((conflict) => conflict.columns(["partner_id", "user_id"]).doNothing()),
);

/** Blocks a user, known or not. */
const blockCustomer = statement("customer_block", (db, p: ByCustomer & { readonly now: number }) =>
  db
    .insertInto("customers")
    .values({ partner_id: p.partner, user_id: p.user, created_at: p.now, blocked_at: p.now })
    .onConflict((conflict) => conflict.columns(["partner_id", "user_id"]).doUpdateSet({ blocked_at: p.now })),
);

/** Ends a block, by whatever case the id was written in. */
const unblockCustomer = statement("customer_unblock", (db, p: ByCustomer) =>
  db
    .updateTable("customers")
    .set({ blocked_at: null })
    .where("partner_id", "=", p.partner)
    .where(sameUser(p.user))
    .where("blocked_at", "is not", null),
);

/** The user's row, where he is blocked. */
export const blockedCustomer = statement("erase_blocked", (db, p: UserKey) =>
  db
    .selectFrom("customers")
    .select("user_id")
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .where("blocked_at", "is not", null)
    .limit(1),
);

/** Deletes what is kept of a user. */
export const forgetUser = (table: "checkins" | "customers", key: UserKey) =>
  adhoc((db) => db.deleteFrom(table).where("partner_id", "=", key.partner).where(isUser(key)));

/** Deletes the `limit` oldest that were made before `before`. */
export const purgeCheckins = statement("checkins_purge", (db, p: { before: number; limit: number }) =>
  db
    .deleteFrom("checkins")
    .where("id", "in", (old) =>
      old.selectFrom("checkins").select("id").where("created_at", "<", p.before).orderBy("created_at").limit(p.limit),
    ),
);

/** A user of a partner; ids are case-insensitive. */
interface CustomerKey {
  readonly partnerId: string;
  readonly userId: string;
}

/** Blocks a user: he can neither ask for cash nor be confirmed from now on. @returns rows written. */
export const block = ({ store, clock }: Pick<Service, "store" | "clock">, key: CustomerKey): Promise<number> =>
  store.write((tx) => tx.run(blockCustomer({ partner: key.partnerId, user: key.userId, now: clock.now() })));

/** @throws ServiceError `not_found` when the user is not blocked. */
export const unblock = async ({ store }: Pick<Service, "store">, key: CustomerKey): Promise<void> => {
  const changes = await store.write((tx) => tx.run(unblockCustomer({ partner: key.partnerId, user: key.userId })));
  if (changes === 0) throw new ServiceError("not_found", `user ${key.userId} of ${key.partnerId} is not blocked`);
};
