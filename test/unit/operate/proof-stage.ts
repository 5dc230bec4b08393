/** A withdrawal and its history in memory, written as the service writes them, for the tests of what the one proves of the other. */
import { beforeEach } from "vitest";
import type { Actor } from "../../../backend/contract/history.ts";
import type { Reason } from "../../../backend/contract/reasons.ts";
import type { Status } from "../../../backend/contract/transaction.ts";
import { type AuditedHistory, createHistoryReader } from "../../../backend/operate/proof.ts";
import { verifyHistory } from "../../../backend/operate/verify-history.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { historyHash } from "../../../backend/withdrawals/transition.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

/** A day. */
export const dayMs = 86_400_000;
/** The day on which all of it was asked for, at ten in the morning. */
export const day = 20_700;
/** When it was asked for. */
export const asked = day * dayMs + 36_000_000;
/** Its id. */
export const id = "7F3K0000000000AB";
/** A row of the history. */
export type Row = RowOf<"withdrawal_events">;
/** Columns of a withdrawal, wherever it lies. */
export type Withdrawal = Partial<Omit<RowOf<"archived_withdrawals">, "archived_at">> & {
  readonly archived_at?: number | null;
};
type Rows = readonly Partial<Row>[];
interface Story {
  readonly rows: Rows;
  readonly is: Withdrawal;
}

const names = { partner: "bank", device: "till-1", sweeper: null, operator: "olga" } as const;
const nothing = {
  ...{ device_id: null, transaction_id_partner: null, confirmed_at: null, settled_at: null, linked_at: null },
  ...{ closed_at: null, reason: null, undelivered_reason: null, cashier: null, archived_at: null },
};
/** A second after the row before. */
const step = (from: Status | null, to: Status, actor: Actor, more: Partial<Row> = {}): Partial<Row> => ({
  ...{ kind: "transition", from_status: from, to_status: to, actor, actor_id: names[actor], ...more },
});
/** One whose bank was asked. */
export const requested: Story = { rows: [step(null, "requested", "partner")], is: { ...nothing, status: "requested" } };
const then = (before: Story, row: Partial<Row>, more: Withdrawal = {}): Story => ({
  rows: [...before.rows, row],
  is: { ...before.is, status: row.to_status as Status, ...more },
});
/** So many seconds after that. */
export const at = (second: number) => asked + second * 1_000;
const ready = then(requested, step("requested", "ready", "partner"));
const confirmed = { confirmed_at: at(3), device_id: "till-1" };
const awaiting = then(ready, step("ready", "awaiting_sca", "device"), confirmed);
const settling = then(awaiting, step("awaiting_sca", "settling", "partner"));
const settled = then(settling, step("settling", "settled", "partner"), { settled_at: at(5) });
const atOnce = then(ready, step("ready", "settling", "device"), { ...confirmed, sca_required: 0 });
const ending = (second: number, reason: Reason | null) => ({ closed_at: at(second), archived_at: at(second), reason });
const noted = (kind: Row["kind"], status: Status, actor: Actor, more: Partial<Row> = {}): Partial<Row> => ({
  ...step(status, status, actor, more),
  kind,
});
const linked = then(settled, step("settled", "linked", "device", { cashier: "7" }), {
  ...{ linked_at: at(6), archived_at: at(6), cashier: "7" },
});
const undelivered = then(settled, step("settled", "undelivered", "device", { cashier: "7", reason: "till short" }), {
  ...{ closed_at: at(6), archived_at: at(6), cashier: "7", undelivered_reason: "till short" },
});
const rejected = then(ready, step("ready", "rejected", "device", { reason: "cashier_rejected" }), {
  ...ending(3, "cashier_rejected"),
});
const expired = then(ready, step("ready", "expired", "sweeper", { reason: "order_expired" }), {
  ...ending(3, "order_expired"),
});
/** It stays among the open ones. */
const restored = then(awaiting, step("awaiting_sca", "canceled", "operator", { reason: "restored" }), {
  ...ending(4, "restored"),
  archived_at: null,
});
/** What can become of one, by how it is then. */
export const stories = {
  ...{ requested, ready, awaiting, settling, settled, linked, undelivered, rejected, expired, restored },
  "settling at once": atOnce,
  "settled at once": then(atOnce, step("settling", "settled", "partner"), { settled_at: at(4) }),
  declined: then(requested, step("requested", "declined", "partner", { reason: "partner_declined" }), {
    ...ending(2, "partner_declined"),
  }),
  failed: then(settling, step("settling", "failed", "partner", { reason: "settle_declined" }), {
    ...ending(5, "settle_declined"),
  }),
  "handed out, as an operator says": then(
    settled,
    step("settled", "linked", "operator", { reason: "decided_by_operator" }),
    { linked_at: at(6), archived_at: at(6), reason: "decided_by_operator" },
  ),
  "handed out, as a terminal says after a restore": then(
    restored,
    step("canceled", "linked", "device", { cashier: "7", reason: "restored" }),
    { closed_at: null, linked_at: at(5), cashier: "7" },
  ),
  "with notes on it": then(
    then(linked, noted("contradicted", "linked", "partner", { reason: "declined" })),
    noted("dispute_closed", "linked", "operator", { reason: "paid back" }),
  ),
} satisfies Record<string, Story>;
/** One of `stories`. */
export type Name = keyof typeof stories;

/** Registers the hooks of a file, whose tests begin with nothing. */
export const proofStage = () => {
  const stage = accessStage();
  beforeEach(() =>
    stage.store.write(async (tx) => {
      for (const table of ["withdrawals", "archived_withdrawals", "withdrawal_events", "outbox"] as const)
        await tx.run(adhoc((db) => db.deleteFrom(table)));
    }),
  );
  /** Writes a withdrawal whose rows are chained as they should be, and then lies about it. @param rows changed before they are chained. */
  const write = async (
    name: Name,
    lie: Withdrawal = {},
    rows: Readonly<Record<number, Partial<Row>>> = {},
    { history } = testKeys,
  ) => {
    const story: Story = stories[name];
    const row = rowWith({ id, created_at: asked, history_length: story.rows.length, ...(story.is as object) });
    const { archived_at = null, ...withdrawal } = { ...row, ...(story.is as Withdrawal), ...lie };
    let previous = "";
    const events = story.rows.map((each, n) => {
      const event = {
        ...{ transaction_id: id, sequence: n + 1, at: at(n + 1), request_id: null, reason: null, attempt: null },
        ...{ cashier: null, terms: null, address: null, asked_at: asked, day, ...each, ...rows[n + 1] },
      } as Row;
      const { hash = historyHash(history, previous, event, row) } = event;
      previous = hash ?? "";
      return { ...event, seal: null, hash };
    });
    await stage.store.write(async (tx) => {
      if (archived_at === null) await tx.run(adhoc((db) => db.insertInto("withdrawals").values(withdrawal as never)));
      else
        await tx.run(
          adhoc((db) => db.insertInto("archived_withdrawals").values({ ...withdrawal, archived_at } as never)),
        );
      for (const event of events) await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(event)));
      const order = { id: `settle_${id}`, transaction_id: id, partner_id: "bank", body: "{}", attempts: 1 };
      const queued = { ...order, due_at: 1, claimed_by: "", created_at: 0, unsent_attempts: 0 };
      if (withdrawal.status === "settling")
        await tx.run(adhoc((db) => db.insertInto("outbox").values(queued as never)));
    });
  };
  const verify = async (audited: Partial<AuditedHistory> = {}, keys = [testKeys], newer: string | null = null) => {
    const known = { ...createHistoryReader().result(), ...audited };
    const found = await verifyHistory(stage.store, keys, known, { newer });
    return found?.kind === "broken" ? found.what : found;
  };
  return { stage, write, verify };
};
