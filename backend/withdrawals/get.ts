import type { Client, Service, Terminal } from "../context.ts";
import { isTransactionId } from "../contract/ids.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import { one } from "../store/store.ts";
import { oneOrArchived } from "./archive.ts";
import { writeExpiry } from "./expire.ts";
import { expiryAt } from "./lifecycle.ts";
import { type Row, withdrawalById } from "./store/reads.ts";
import { toTransaction } from "./to-transaction.ts";
import { countExpiry, unknownTransaction } from "./transition.ts";

/** How long an answer may be held. */
export interface Wait {
  /** At most this long; the caller bounds it to 25 s. */
  readonly waitMs: number;
  /** Hold the answer while the status is this; without it, while it stays what it is at first. */
  readonly whileStatus?: Status;
  /** Ends the wait early, with the transaction as it is: the reader left, or the service is stopping. */
  readonly signal?: AbortSignal;
}

/** Whether it is the terminal's shop's, or the bank's own. */
export const mayRead = (reader: Terminal | Client, row: Row): boolean =>
  "merchantId" in reader ? row.merchant_id === reader.merchantId : row.partner_id === reader.partnerId;

/**
 * One withdrawal as it counts now (interface 4.8). A deadline that has passed is written before it is answered, so that
 * the answer stays true on every process and after a clock that was set back.
 * @throws ServiceError `transaction_not_found`, `unavailable`.
 */
export const getTransaction = async (
  service: Service,
  reader: Terminal | Client,
  transactionId: string,
  wait?: Wait,
): Promise<Transaction> => {
  if (!isTransactionId(transactionId)) throw unknownTransaction();
  const first = await readRow(service, transactionId);
  if (!first || !mayRead(reader, first)) throw unknownTransaction();
  const status = wait?.whileStatus ?? first.status;
  if (!wait || wait.waitMs <= 0 || first.status !== status) return toTransaction(first);
  return toTransaction(await waitWhile(service, first, status, wait));
};

/** Reads a row, from the archive if it must; writes its expiry first when it is due. */
export const readRow = async (service: Service, id: string): Promise<Row | undefined> => {
  const row = await service.store.read(() => oneOrArchived(id));
  if (!row || !expiryAt(row, service.clock.now())) return row;
  const { late, latest } = await service.store.write(function* () {
    const late = yield* writeExpiry(id, service.clock.now());
    return { late, latest: late ?? (yield* one(withdrawalById({ id }))) };
  });
  if (late) countExpiry(service, late);
  return latest;
};

/** Reads again at each change, at the row's deadline, and at the end of the wait; gives the last it saw. */
export const waitWhile = async (service: Service, first: Row, status: Status, wait: Wait): Promise<Row> => {
  const { clock, store } = service;
  const endAt = clock.now() + wait.waitMs;
  let row = first;
  let wake: () => void = () => {};
  let changes = 0;
  const onChange = () => {
    changes += 1;
    wake();
  };
  const stopListening = store.onChange(row.id, onChange, status);
  wait.signal?.addEventListener("abort", onChange);
  try {
    // A change between the first read and the subscription would be missed: so it starts with another read.
    for (;;) {
      const seen = changes;
      row = (await readRow(service, row.id)) ?? row;
      const now = clock.now();
      const clockWasSet = endAt - now > wait.waitMs;
      if (row.status !== status || now >= endAt || clockWasSet || wait.signal?.aborted) return row;
      if (changes !== seen) continue;
      const untilMs = Math.max(1, Math.min(endAt, row.deadline_at ?? endAt) - now);
      await new Promise<void>((resolve) => {
        const cancelTimer = clock.after(untilMs, resolve);
        wake = () => {
          cancelTimer();
          resolve();
        };
      });
    }
  } finally {
    stopListening();
    wait.signal?.removeEventListener("abort", onChange);
  }
};
