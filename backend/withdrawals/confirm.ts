import type { z } from "zod";
import { blockedCustomer } from "../checkin/check-in.ts";
import type { Service, Terminal } from "../context.ts";
import type { confirmBodySchema } from "../contract/pos.ts";
import { toTime } from "../contract/times.ts";
import type { Transaction } from "../contract/transaction.ts";
import { UniqueViolation } from "../store/store.ts";
import { isFoldedBySql, userKey } from "../store/user-key.ts";
import { checkTerminalHour } from "./caps.ts";
import { oneOrArchived } from "./closed.ts";
import { refuseIfLost } from "./lost-commits.ts";
import { confirmedByTerminal } from "./reconcile.ts";
import { type Confirmed, confirmReady } from "./store.ts";
import {
  byTerminal,
  confirmTerms,
  conflict,
  replyAfterTransition,
  type Transition,
  unknownTransaction,
} from "./transition.ts";

const confirmedMax = 256;

/** By an id whose letters SQL does not fold: the confirmation is rolled back. */
class UserBlocked extends Error {}

/** A device's confirmations since a time, newest first, at most 256. */
export const listConfirmed = async (
  { store }: Pick<Service, "store">,
  { merchantId: merchant, deviceId: device }: Terminal,
  since: string,
) => {
  const asked = { merchant, device, from: Date.parse(since), limit: confirmedMax };
  const rows = await store.read((tx) => tx.all(confirmedByTerminal(asked)), true);
  return rows.map((row) => ({
    transaction_id_partner: row.transaction_id_partner ?? "",
    confirmed_at: toTime(row.confirmed_at ?? 0),
  }));
};

/**
 * The cashier's confirmation (interface 4.5). Starts the time for the customer's SCA, or the Settle order when none is
 * needed. A repeat by the same device with the same `transaction_id_partner` returns the current transaction.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` (also when this device used the POS id before),
 * `limit_reached`: the terminal's limit per hour is reached.
 */
export const confirmTransaction = async (
  service: Service,
  terminal: Terminal,
  body: z.output<typeof confirmBodySchema>,
): Promise<Transaction> => {
  const transition: Transition = {
    transactionId: body.transaction_id,
    isVisibleTo: (row) => row.merchant_id === terminal.merchantId,
    update: (now) =>
      confirmReady({
        id: body.transaction_id,
        merchant: terminal.merchantId,
        device: terminal.deviceId,
        terminalReference: body.transaction_id_partner,
        now,
        scaExpiresAt: now + service.options.scaTimeoutMs,
      }),
    cause: byTerminal(terminal),
    terms: (updated) => confirmTerms((updated as Confirmed).terminal_hour_max, updated, service.keys.history),
    from: () => "ready",
    setsReference: true,
    async inSameTransaction(tx, updated, now) {
      refuseIfLost(service, (updated as Confirmed).looked);
      const { partner_id, user_id } = updated;
      if (!isFoldedBySql(user_id) && (await tx.first(blockedCustomer(userKey(partner_id, user_id)))))
        throw new UserBlocked();
      const { terminal_hour_max: most } = updated as Confirmed;
      if (most !== null) await checkTerminalHour(tx, updated, Number(most), now);
    },
    isReplay: (row) =>
      row.device_id === terminal.deviceId && row.transaction_id_partner === body.transaction_id_partner,
  };
  try {
    return await replyAfterTransition(service, transition);
  } catch (error) {
    if (!(error instanceof UniqueViolation || error instanceof UserBlocked)) throw error;
    const row = await service.store.read((tx) => oneOrArchived(tx, body.transaction_id, service.clock.now()));
    if (!row) throw unknownTransaction();
    if (error instanceof UserBlocked) throw conflict(row);
    throw conflict(row, "This device used this transaction_id_partner for another transaction.");
  }
};
