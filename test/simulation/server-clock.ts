/**
 * A database server's clock over SQLite, which has none: what the product asks PostgreSQL for its time (`backend/store/database-clock.ts`)
 * is said in SQLite's words. Locks are left out: here a transaction is one step, and nothing happens beside it.
 */
import type { SqliteEngine } from "../../backend/store/sqlite.ts";

const serverTime = "extract(epoch from clock_timestamp()) * 1000";
const words: readonly (readonly [from: string, to: string])[] = [
  ["split_part(value, ' ', 1)", "substr(value, 1, instr(value, ' ') - 1)"],
  ["split_part(value, ' ', 2)", "substr(value, instr(value, ' ') + 1)"],
  ["greatest(", "max("],
  [" for update", ""],
];

/** PostgreSQL's error for it, by which the product knows that its time is not the server's. */
const divisionByZero = (): Error => Object.assign(new Error("division by zero"), { code: "22012" });

/** @param now the server's time, epoch milliseconds. */
export const withServerClock = (engine: SqliteEngine, now: () => number): SqliteEngine => {
  const translated = new Map<string, string>();
  const translate = (sql: string): string => {
    const known = translated.get(sql);
    if (known !== undefined) return known;
    const said = words.reduce((text, [from, to]) => text.replaceAll(from, to), sql);
    let values = 0;
    // The time is a value among the others, so that a statement is prepared once.
    const numbered = said.replaceAll("?", () => `?${++values}`);
    const made = numbered.replaceAll(serverTime, `cast(?${values + 1} as integer)`);
    translated.set(sql, made);
    return made;
  };
  return {
    ...engine,
    query: (sql, values, keep) => {
      if (sql.startsWith("LOCK TABLE")) return { rows: [], changes: 0 };
      if (!sql.includes(serverTime) && !sql.includes("split_part(")) return engine.query(sql, values, keep);
      const asked = sql.includes(serverTime) ? [...values, now()] : values;
      const result = engine.query(translate(sql), asked, keep);
      const [row] = result.rows as readonly { readonly right?: number | null }[];
      if (row?.right === null) throw divisionByZero();
      return result;
    },
  };
};
