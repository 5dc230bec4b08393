/** Some amounts are approved by the bank itself. What is to be approved is in the books, so a restart forgets none. */
import type { App } from "../http/app-context.ts";
import type { Cancel } from "../ports.ts";
import { statement } from "../store/statement.ts";
import { all, one, run } from "../store/store.ts";
import type { BankClient } from "./bank-client.ts";
import { selfApprovalMs } from "./steering.ts";
import { withSandbox } from "./tables.ts";

const lookEveryMs = 200;
const approvalsPerLookMax = 200;
/** Approved; not ours to approve; too late. Everything else is tried again. */
const definite: readonly number[] = [201, 404, 409];

const due = statement("sandbox_approvals_due", (db, p: { confirmedBefore: number }) =>
  withSandbox(db)
    .selectFrom("sandbox_holds as hold")
    .innerJoin("withdrawals", "withdrawals.id", "hold.reference")
    .select("hold.reference")
    .where("hold.to_approve", "=", 1)
    .where("withdrawals.status", "=", "awaiting_sca")
    .where("withdrawals.confirmed_at", "<=", p.confirmedBefore)
    .limit(approvalsPerLookMax),
);

/** An order can be confirmed in its last moment and then wait for the approval. */
const anyLeft = statement("sandbox_approvals_left", (db, p: { expiredBefore: number }) =>
  withSandbox(db)
    .selectFrom("sandbox_holds")
    .select("reference")
    .where("to_approve", "=", 1)
    .where("expires_at", ">", p.expiredBefore)
    .limit(1),
);

const forget = statement("sandbox_approval_done", (db, p: { reference: string }) =>
  withSandbox(db).updateTable("sandbox_holds").set({ to_approve: 0 }).where("reference", "=", p.reference),
);

export interface SelfApproval {
  /** There may be something to approve: looks until there is nothing left. */
  wake(): void;
}

/** Begins with what an earlier process left; ends when the service stops. */
export const startSelfApproval = ({ service, stopping }: App, bank: BankClient): SelfApproval => {
  const { clock, store, log } = service;
  let pending: Cancel | null = null;
  let looking = false;

  const approve = async (reference: string): Promise<void> => {
    const reply = await bank.post(`/ext/v1/withdrawals/${reference}/sca`, { outcome: "approved" });
    if (definite.includes(reply.status)) await store.write(() => run(forget({ reference })));
  };

  const look = async (): Promise<void> => {
    const now = clock.now();
    const waiting = await store.read(() => all(due({ confirmedBefore: now - selfApprovalMs })));
    for (const { reference } of waiting) await approve(reference);
    const expiredBefore = now - service.options.scaTimeoutMs;
    if (await store.read(() => one(anyLeft({ expiredBefore })))) plan();
  };

  const plan = (): void => {
    if (stopping.aborted || pending !== null) return;
    pending = clock.after(lookEveryMs, () => {
      pending = null;
      if (looking) return plan();
      looking = true;
      look()
        .catch((error: unknown) => {
          log.warn({ err: error }, "the sandbox bank could not approve; it tries again");
          plan();
        })
        .finally(() => {
          looking = false;
        });
    });
  };

  stopping.addEventListener("abort", () => pending?.());
  plan();
  return { wake: plan };
};
