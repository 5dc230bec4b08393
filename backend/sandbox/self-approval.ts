/** Some amounts are approved by the bank itself. What is to be approved is in its books, so a restart forgets none. */
import { isFinal, type Transaction } from "../contract/transaction.ts";
import type { App } from "../http/app-context.ts";
import type { BankClient } from "./bank-client.ts";
import { approvalDone, approvalsLeft } from "./ledger.ts";
import { selfApprovalMs } from "./steering.ts";

const failurePauseMs = 500;
/** Approved; not ours to approve; too late. Everything else is tried again. */
const definite: readonly number[] = [201, 404, 409];

/** Approves by itself what ends in `.06`, also after a restart. */
export interface SelfApproval {
  /** Follows one withdrawal until it was approved or has ended. */
  watch(reference: string): void;
}

/** Begins with what an earlier process left; ends when the service stops. */
export const startSelfApproval = ({ service, stopping }: App, bank: BankClient): SelfApproval => {
  const { clock, store, log } = service;
  const watched = new Set<string>();

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve);
      stopping.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });

  /** True when there is nothing more to do for it. */
  const approve = async (known: Transaction): Promise<boolean> => {
    await pause(Math.max(0, Date.parse(known.confirmed_at ?? "") + selfApprovalMs - clock.now()));
    if (stopping.aborted) return false;
    const path = `/ext/v1/withdrawals/${known.transaction_id}/sca`;
    return definite.includes((await bank.post(path, { outcome: "approved" })).status);
  };

  const follow = async (reference: string): Promise<void> => {
    let known = await bank.withdrawal(reference);
    while (known !== null && !stopping.aborted) {
      const done = known.status === "awaiting_sca" ? await approve(known) : isFinal(known.status);
      if (done) break;
      known = await bank.withdrawal(reference, { status: known.status, signal: stopping });
    }
    if (!stopping.aborted) await approvalDone(store, reference);
  };

  const watch = (reference: string): void => {
    if (watched.has(reference)) return;
    watched.add(reference);
    const run = async () => {
      while (!stopping.aborted) {
        try {
          await follow(reference);
          break;
        } catch (error) {
          if (!stopping.aborted) log.warn({ err: error }, "the sandbox bank could not approve; it tries again");
          await pause(failurePauseMs);
        }
      }
      watched.delete(reference);
    };
    void run();
  };

  clock.soon(() => {
    approvalsLeft(store).then(
      (references) => references.forEach(watch),
      (error: unknown) => log.warn({ err: error }, "the sandbox bank could not read its books"),
    );
  });
  return { watch };
};
