import { expect } from "vitest";
import type { Status } from "../../backend/contract/transaction.ts";
import { createHistoryReader } from "../../backend/operate/proof.ts";
import { verifyHistory } from "../../backend/operate/verify-history.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { nextStatuses } from "../../backend/withdrawals/lifecycle.ts";
import { everyWithdrawal, testKeys } from "./world.ts";

/** Additional transitions of a restore: it ends open withdrawals, and reports repeated by terminals count all the same. */
const restoredStatuses: Readonly<Partial<Record<Status, readonly Status[]>>> = {
  requested: ["canceled"],
  canceled: ["linked", "undelivered"],
};

/** Every withdrawal's history: complete, in order, each row leading from the last one's status, ending in its own, chained. */
export const expectWholeHistory = async (store: Store): Promise<void> => {
  const withdrawals = await everyWithdrawal(store);
  const events = await store.read((tx) =>
    tx.all(
      adhoc((db) =>
        db
          .selectFrom("withdrawal_events")
          .select(["transaction_id", "sequence", "kind", "from_status", "to_status"])
          .orderBy("transaction_id")
          .orderBy("sequence"),
      ),
    ),
  );
  const byId = Map.groupBy(events, ({ transaction_id }) => transaction_id);
  for (const { id, status, history_length } of withdrawals) {
    const own = byId.get(id) ?? [];
    expect(own.map(({ sequence }) => sequence)).toEqual(Array.from({ length: history_length }, (_, n) => n + 1));
    let at: (typeof own)[number]["from_status"] = null;
    for (const { kind, from_status, to_status } of own) {
      expect(from_status).toBe(at);
      if (kind !== "transition") expect(to_status).toBe(at);
      else if (at !== null) expect([...nextStatuses[at], ...(restoredStatuses[at] ?? [])]).toContain(to_status);
      at = to_status;
    }
    expect(at).toBe(status);
  }
  const chain = await verifyHistory(store, [testKeys], createHistoryReader().result());
  expect(chain).toMatchObject({ kind: "whole", rows: events.length, unchained: 0 });
};
