/** Erases a user's id on request: the books stay, under a name that identifies nobody. */
import { blockedCustomer, forgetUser } from "../checkin/check-in.ts";
import type { Service } from "../context.ts";
import { eventNamingUser } from "../partner/events.ts";
import { ServiceError } from "../service-error.ts";
import type { Tx } from "../store/store.ts";
import { type UserKey, userKey } from "../store/user-key.ts";
import { forgetAccount } from "../users/create-user.ts";
import { forgetKeysOf, openWithdrawal, renameUser } from "../withdrawals/closed.ts";
import { bothTables } from "../withdrawals/store.ts";

const rowsPerBatch = 500;

/** Whether it may be the name of an erased user: a bank's own id can look the same. */
export const isErasedName = (userId: string): boolean => /^erased-[\w-]{16}$/.test(userId);

/** Refuses where erasing would be incomplete, and deletes what is not in the books. */
async function forgetPerson(tx: Tx, key: UserKey): Promise<void> {
  if (await tx.first(openWithdrawal(key)))
    throw new ServiceError(
      "validation_failed",
      "the user has a withdrawal that has not ended; erase the user after it",
    );
  if (await tx.first(eventNamingUser(key)))
    throw new ServiceError(
      "validation_failed",
      "a status event that names the user still waits for the bank, three days at most; erase the user after it",
    );
  if (await tx.first(blockedCustomer(key)))
    throw new ServiceError("validation_failed", "the user is blocked, which erasing would undo; first: users unblock");
  await tx.run(forgetUser("checkins", key));
  await tx.run(forgetUser("customers", key));
  await tx.run(forgetAccount(key));
}

async function renameSome(tx: Tx, key: UserKey, name: string): Promise<number> {
  let rows = 0;
  // In this order, a withdrawal that ends meanwhile is found in the second table.
  for (const table of bothTables) {
    await tx.run(forgetKeysOf(table, key, rowsPerBatch));
    rows += await tx.run(renameUser(table, key, name, rowsPerBatch));
  }
  return rows;
}

/**
 * @param userId in any case.
 * @returns the name that replaces the id, and in how many withdrawals.
 * @throws ServiceError `validation_failed` while a withdrawal of the user is under way (also one that was asked for in the
 * middle: what had ended is renamed by then), a status event that names the user waits, or the user is blocked; `unavailable`
 * where all is renamed and SQLite's log still holds the id.
 */
export const eraseUser = async (
  { store, random }: Pick<Service, "store" | "random">,
  partnerId: string,
  userId: string,
) => {
  const key = userKey(partnerId, userId);
  const name = `erased-${Buffer.from(random.bytes(12)).toString("base64url")}`;
  let withdrawals = 0;
  for (;;) {
    // Asked each time: what the user began meanwhile is refused, or found once it has ended.
    const rows = await store.write(async (tx) => {
      await forgetPerson(tx, key);
      return renameSome(tx, key, name);
    });
    withdrawals += rows;
    // A smaller batch is not the end: rows may move to the other table meanwhile.
    if (rows > 0) continue;
    if (await store.emptyLog()) return { name, withdrawals };
    throw new ServiceError(
      "unavailable",
      "the user is erased, but the id is still in the database's log, as another process reads for long or the disk is full; erase the user once more",
    );
  }
};
