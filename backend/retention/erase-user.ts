/** Erasure of a user's id on request: the books stay, with a name in them that leads to nobody. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Service } from "../context.ts";
import { ServiceError } from "../service-error.ts";
import { adhoc, statement } from "../store/statement.ts";
import { one, run, type UnitOfWork } from "../store/store.ts";

export interface ErasedUser {
  /** What stands in the books instead. */
  readonly name: string;
  readonly withdrawals: number;
}

/** Kept by the partner under one of these spellings, in any case that the database's `lower` evens out. */
type UserKey = { readonly partner: string; readonly typed: string; readonly lower: string; readonly upper: string };

/** A condition. SQLite's `lower` knows ASCII alone, JavaScript's knows all letters: together they find `ÄNN` as `änn`. */
const isUser = (key: UserKey): RawBuilder<SqlBool> =>
  sql`lower(user_id) in (lower(${key.typed}), lower(${key.lower}), lower(${key.upper}))`;

const rowsPerBatch = 500;

/** A bank must hear the name that its Start order had until a withdrawal has ended. */
const openStatuses = ["requested", "ready", "awaiting_sca", "settling"] as const;

const openWithdrawal = statement("erase_open_withdrawal", (db, p: UserKey) =>
  db
    .selectFrom("withdrawals")
    .select("id")
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .where("status", "in", openStatuses)
    .limit(1),
);

const blockedCustomer = statement("erase_blocked", (db, p: UserKey) =>
  db
    .selectFrom("customers")
    .select("user_id")
    .where("partner_id", "=", p.partner)
    .where(isUser(p))
    .where("blocked_at", "is not", null)
    .limit(1),
);

const rename = (table: "withdrawals" | "archived_withdrawals", key: UserKey, name: string) =>
  adhoc((db) =>
    db
      .updateTable(table)
      .set({ user_id: name })
      .where("id", "in", (some) =>
        some
          .selectFrom(table)
          .select("id")
          .where("partner_id", "=", key.partner)
          .where(isUser(key))
          // One that began after the person was forgotten: it goes on, and is for the next erasure.
          .where("status", "not in", openStatuses)
          .limit(rowsPerBatch),
      ),
  );

const forget = (table: "checkins" | "customers", key: UserKey) =>
  adhoc((db) => db.deleteFrom(table).where("partner_id", "=", key.partner).where(isUser(key)));

const forgetAccount = ({ partner, lower }: UserKey) =>
  adhoc((db) => db.deleteFrom("users").where("partner_id", "=", partner).where("id_folded", "=", lower));

/** Refuses what would leave the user half erased, and takes away what is not in the books. */
function* forgetPerson(key: UserKey): UnitOfWork<void> {
  if (yield* one(openWithdrawal(key)))
    throw new ServiceError(
      "validation_failed",
      "the user has a withdrawal that has not ended; erase the user after it",
    );
  if (yield* one(blockedCustomer(key)))
    throw new ServiceError("validation_failed", "the user is blocked, which erasing would undo; first: users unblock");
  yield* run(forget("checkins", key));
  yield* run(forget("customers", key));
  yield* run(forgetAccount(key));
}

/**
 * @param userId in any case.
 * @throws ServiceError `validation_failed` while a withdrawal of the user is under way, or the user is blocked.
 */
export const eraseUser = async (
  { store, random }: Pick<Service, "store" | "random">,
  partnerId: string,
  userId: string,
): Promise<ErasedUser> => {
  const key = { partner: partnerId, typed: userId, lower: userId.toLowerCase(), upper: userId.toUpperCase() };
  const name = `erased-${Buffer.from(random.bytes(12)).toString("base64url")}`;
  await store.write(() => forgetPerson(key));
  let withdrawals = 0;
  // In this order: what is archived meanwhile is found where it went.
  for (const table of ["withdrawals", "archived_withdrawals"] as const) {
    for (;;) {
      const rows = await store.write(() => run(rename(table, key, name)));
      withdrawals += rows;
      if (rows < rowsPerBatch) break;
    }
  }
  return { name, withdrawals };
};
