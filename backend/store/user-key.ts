/** Finds a partner's user, ignoring the id's case (user ids are case-insensitive). */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { statement, type Tx } from "./store.ts";

/**
 * A user id in the spellings to search for, compared with the database's `lower`: that of SQLite, and of PostgreSQL with some
 * collations, folds ASCII only. So they differ in other letters, and find `Özgür`, `özgür` and `ÖZGÜR` by each other; a row with `özgÜr`
 * is found by exactly that alone. Rows of `customers` are in the folded case, so that a block holds for each.
 */
export type UserKey = {
  readonly partner: string;
  readonly typed: string;
  readonly lower: string;
  readonly upper: string;
  /** A capital where a word begins. */
  readonly title: string;
};

/** The case in which ids of one user are equal; also the audit's. */
export const foldedId = (userId: string): string => userId.toLowerCase();

/** Only of the same letter: neither `SS` for `ß` nor `I` for `ı`, which would be somebody else's id. */
const capitalOf = (letter: string): string => {
  const upper = letter.toUpperCase();
  return new RegExp(upper, "iu").test(letter) ? upper : letter;
};

/** @param userId in any case. */
export const userKey = (partner: string, userId: string): UserKey => {
  const lower = foldedId(userId);
  const upper = lower.replace(/\P{ASCII}/gu, capitalOf);
  return { partner, typed: userId, lower, upper, title: lower.replace(/(?<!\p{L})\P{ASCII}/gu, capitalOf) };
};

const spellings = ({ typed, lower, upper, title }: UserKey) => [typed, lower, upper, title];

/** SQL condition: a column contains the id, ignoring case; `%` and `_` are literal. */
export const holdsUser = (column: string, key: UserKey): RawBuilder<SqlBool> => {
  const anywhere = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  const like = (text: string) => sql`lower(${sql.ref(column)}) like lower(${anywhere(text)}) escape '\\'`;
  return sql`(${sql.join(spellings(key).map(like), sql` or `)})`;
};

/** SQL condition: `user_id` is the id, ignoring case. There are indexes on `lower(user_id)`. */
export const isUser = (key: UserKey): RawBuilder<SqlBool> =>
  sql`lower(user_id) in (${sql.join(spellings(key).map((spelling) => sql`lower(${spelling})`))})`;

const folds = statement("user_folds", (db, p: UserKey) =>
  db.selectNoFrom(spellings(p).map((spelling, n) => sql<string>`lower(${spelling})`.as(`fold_${n}`))),
);

/** The spellings as the database's `lower` leaves them, for statements that find one at a time; an ASCII id has one. */
export async function foldsOf(tx: Tx, userId: string): Promise<readonly string[]> {
  if (isFoldedBySql(userId)) return [userId];
  return [...new Set(Object.values((await tx.first(folds(userKey("", userId)))) ?? {}))];
}

/** Whether the database's `lower` folds it as `foldedId` does. */
export const isFoldedBySql = (userId: string): boolean => !/\P{ASCII}/u.test(userId);
