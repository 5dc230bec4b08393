/** How a partner's user is found, by whatever case the id was written in (user ids are case-insensitive). */
import { type RawBuilder, type SqlBool, sql } from "kysely";

/** Kept by the partner under one of these spellings, in any case that the database's `lower` evens out. */
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

/** Whether a text of the partner's holds the id, in any case; `%` and `_` of it mean themselves. */
export const holdsUser = (column: string, { typed, lower, upper }: UserKey): RawBuilder<SqlBool> => {
  const anywhere = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
  const like = (text: string) => sql`lower(${sql.ref(column)}) like lower(${anywhere(text)}) escape '\\'`;
  return sql`(${like(typed)} or ${like(lower)} or ${like(upper)})`;
};

/** A condition. SQLite's `lower` knows ASCII alone, JavaScript's knows all letters: together they find `ÄNN` as `änn`. */
export const isUser = (key: UserKey): RawBuilder<SqlBool> =>
  sql`lower(user_id) in (lower(${key.typed}), lower(${key.lower}), lower(${key.upper}))`;
