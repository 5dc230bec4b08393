/** Words in the place of what the database says to some statements, for what a test's own server never says. */
import pg from "pg";

/** Answers whatever is asked with `part` in it, over any connection of this process; null: the database does. @returns how to end that. */
export const saidOf = (part: string, said: () => Promise<unknown> | null): (() => void) => {
  const { query } = pg.Client.prototype as { query: (...sent: unknown[]) => unknown };
  const stands = function (this: pg.Client, ...sent: unknown[]): unknown {
    return (String(sent[0]).includes(part) ? said() : null) ?? query.apply(this, sent);
  };
  Object.assign(pg.Client.prototype, { query: stands });
  return () => void Object.assign(pg.Client.prototype, { query });
};

/** A refusal by PostgreSQL. */
export const refusing = (code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new pg.DatabaseError("refused", 0, "error"), { code }));
