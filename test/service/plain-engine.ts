/**
 * Takes away from PostgreSQL what a distributed engine that speaks its protocol may lack: notices, arrays, advisory locks, locks of
 * tables; and lets any statement and any commit fail as such engines do for each conflict. For all connections of this process, until `giveBack`.
 */
import pg from "pg";
import { seededRandom } from "../random.ts";

/** By what each is refused: the words of the statements that need it. */
const lacking = /\b(listen|notify|pg_notify|lock table|nowait|unnest)\b|\bany ?\(|\barray ?[([]|\[\]|advisory/i;

const fail = (code: string, message: string) =>
  Promise.reject(Object.assign(new pg.DatabaseError(message, 0, "error"), { code }));

/** So the transaction is over for the server too, with all that was sent behind it. */
const conflict = "DO $$ BEGIN RAISE EXCEPTION 'restart transaction' USING ERRCODE = '40001'; END $$";
const control = /^(BEGIN|ROLLBACK|SET |DISCARD)/i;

type Sent = string | { readonly text: string; readonly callback?: (error: unknown) => void };

/** @returns which share of commits and of statements is refused from now on (none at first), how many were, and which an engine lacks. */
export const makePlain = (seed: number) => {
  const [random, ofStatements] = [seededRandom(seed), seededRandom(seed + 1)];
  const seen = { conflictShare: 0, statementShare: 0, conflicts: 0, statementConflicts: 0, refused: new Set<string>() };
  const { query } = pg.Client.prototype as unknown as { query: (sent: Sent, ...rest: unknown[]) => Promise<unknown> };
  /** Null: it goes to the database. */
  const refusalOf = (client: pg.Client, text: string): Promise<unknown> | null => {
    if (lacking.test(text)) {
      seen.refused.add(text);
      return fail("0A000", `not in this engine: ${text}`);
    }
    if (text !== "COMMIT" || random() >= seen.conflictShare) return null;
    seen.conflicts += 1;
    return query.call(client, "ROLLBACK").then(() => fail("40001", "restart transaction"));
  };
  const plain = function (this: pg.Client, sent: Sent, ...rest: unknown[]): unknown {
    const asked = typeof sent === "string" ? { text: sent } : sent;
    const refusal = refusalOf(this, asked.text);
    if (refusal !== null) return asked.callback ? void refusal.catch(asked.callback) : refusal;
    if (asked.text === "COMMIT" || control.test(asked.text) || ofStatements() >= seen.statementShare)
      return query.call(this, sent, ...rest);
    seen.statementConflicts += 1;
    // In its own turn: what was sent behind it fails too, and must not be heard of before it.
    return query.call(this, asked.callback ? { text: conflict, callback: asked.callback } : conflict);
  };
  Object.assign(pg.Client.prototype, { query: plain });
  // A worker runs other files after this one.
  return Object.assign(seen, { giveBack: () => void Object.assign(pg.Client.prototype, { query }) });
};
