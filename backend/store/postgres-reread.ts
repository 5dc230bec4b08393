/**
 * Finds what held reads missed: a notice can be lost, and where LISTEN is not available there are none. Many withdrawals
 * are looked at with one statement, one statement at a time, so that ten thousand held reads never stand in the way of one
 * confirm.
 */
import type { Cancel, Clock } from "../ports.ts";
import type { Changes } from "./changes.ts";
import type { Pool } from "./postgres-pool.ts";

/** The look at what held reads wait for. */
export interface Reread {
  /** @param listening whether notices arrive: then everything is looked at once in 5 s, else twice a second. */
  setListening(listening: boolean): void;
  close(): void;
}

/** A process that died between its commit and its notice woke nobody. */
const rereadAllMs = { listening: 5_000, polling: 500 } as const;
const turnMs = 500;
const idsPerStatementMax = 500;

const statusesOf = "SELECT id, status FROM withdrawals WHERE id = ANY($1)";

/** @param fraction in [0, 1), for the jitter of pauses. Looks until it is closed. */
export const createReread = (pool: Pool, clock: Clock, changes: Changes, fraction: () => number): Reread => {
  let listening = false;
  let missed = true;
  let running = false;
  let closed = false;
  let cancel: Cancel = () => {};

  const readSome = async (most: number): Promise<void> => {
    for (let left = most; left > 0 && !closed; left -= idsPerStatementMax) {
      const ids = changes.inTurn(Math.min(left, idsPerStatementMax));
      if (ids.length === 0) return;
      const { rows } = await pool.use((client) =>
        client.query<{ id: string; status: string }>({ name: "held_statuses", text: statusesOf, values: [ids] }),
      );
      for (const { id, status } of rows) changes.notifyUnless(id, status);
    }
  };

  const turn = async () => {
    running = true;
    const all = missed || !listening;
    missed = false;
    const share = all ? 1 : turnMs / rereadAllMs.listening;
    await readSome(Math.ceil(changes.size * share)).catch(() => {
      missed = true;
    });
    running = false;
    next();
  };

  const next = () => {
    cancel();
    if (closed || running) return;
    const pauseMs = (listening ? turnMs : rereadAllMs.polling) * (0.75 + fraction() / 2);
    cancel = clock.after(pauseMs, () => void turn());
  };

  next();
  return {
    setListening(now) {
      // What changed since the last look, while nobody listened.
      missed ||= now && !listening;
      listening = now;
      next();
    },
    close() {
      closed = true;
      cancel();
    },
  };
};
