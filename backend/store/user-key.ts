/** Finds a partner's user, ignoring the id's case (user ids are case-insensitive). */
import { type RawBuilder, type SqlBool, sql } from "kysely";

/** A user id in the spellings to search for, compared with the database's `lower`. */
export type UserKey = {
  readonly partner: string;
  readonly typed: string;
  readonly lower: string;
  readonly upper: string;
};

/** @param userId in any case. */
export const userKey = (partner: string, userId: string): UserKey => ({
  partner,
  typed: userId,
  lower: userId.toLowerCase(),
  upper: userId.toUpperCase(),
});

/** SQL condition: a column contains the id, ignoring case; `%` and `_` are literal. */
export const holdsUser = (column: string, { typed, lower, upper }: UserKey): RawBuilder<SqlBool> => {
  const anywhere = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  const like = (text: string) => sql`lower(${sql.ref(column)}) like lower(${anywhere(text)}) escape '\\'`;
  return sql`(${like(typed)} or ${like(lower)} or ${like(upper)})`;
};

/**
 * SQL condition: `user_id` is the id, ignoring case. SQLite's `lower` handles ASCII only and JavaScript's all letters;
 * together they find `ÄNN` as `änn`.
 */
export const isUser = (key: UserKey): RawBuilder<SqlBool> =>
  sql`lower(user_id) in (lower(${key.typed}), lower(${key.lower}), lower(${key.upper}))`;
