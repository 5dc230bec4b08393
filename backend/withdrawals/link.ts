import type { Service, Terminal } from "../context.ts";
import type { AsReported } from "../contract/pos.ts";
import type { LinkedTransaction } from "../contract/transaction.ts";
import { replyToReport } from "./as-reported.ts";
import { recordOtherHandOut } from "./dispute.ts";
import { byTerminal } from "./history.ts";
import { linkSettled } from "./store.ts";
import { isVisibleToTerminal, type Transition } from "./transition.ts";

/**
 * The cash was handed out (interface 4.7). Again: the transaction as it is.
 * @throws ServiceError `transaction_not_found` (also for another device), `transaction_conflict` before `settled` or
 * after another end.
 * @param cashier the code of whoever handed it out; of a repeat it changes nothing.
 * @param asReported as the terminal knows it, where a restore may have made the service forget it.
 * @param handOutId the terminal's own name for this hand-out: the answer says which one the service has. Another than that
 * one makes the line `disputed`.
 */
export const linkTransaction = (
  service: Service,
  terminal: Terminal,
  transactionId: string,
  cashier: string | null = null,
  asReported?: AsReported,
  handOutId: string | null = null,
): Promise<LinkedTransaction> => {
  const transition: Transition = {
    transactionId,
    isVisibleTo: isVisibleToTerminal(terminal),
    update: (now) =>
      linkSettled({
        id: transactionId,
        merchant: terminal.merchantId,
        device: terminal.deviceId,
        cashier,
        handOutId,
        now,
      }),
    cause: byTerminal(terminal, cashier),
    from: () => "settled",
    async whenNotApplied(tx, row, now) {
      if (handOutId !== null) await recordOtherHandOut({ tx, service, now }, terminal, row, handOutId);
    },
    isReplay: (row) => row.status === "linked",
  };
  return replyToReport(
    service,
    terminal,
    transition,
    { status: "linked", undeliveredReason: null, cashier, handOutId },
    asReported,
  );
};
