import type { Client, Service, Terminal } from "../context.ts";
import { isTransactionId } from "../contract/ids.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import type { Store } from "../store/store.ts";
import { shownOrArchived } from "./closed.ts";
import { expiryAt } from "./lifecycle.ts";
import type { ShownRow } from "./store.ts";
import {
  countExpiry,
  expireDue,
  expiriesPerUnitMax,
  toTransaction,
  unknownTransaction,
  writeExpiry,
} from "./transition.ts";

/** Options of a held read. */
export interface Wait {
  /** Maximum wait; callers limit it to 25 s. */
  readonly waitMs: number;
  /** Hold the answer while the status is this; by default, while it stays what it is now. */
  readonly whileStatus?: Status;
  /** Ends the wait early, with the transaction as it is: the reader left, or the service is stopping. */
  readonly signal?: AbortSignal;
}

/** Whether the withdrawal is of the terminal's shop, or the bank's own. */
export const mayRead = (reader: Terminal | Client, row: ShownRow): boolean =>
  "merchantId" in reader ? row.merchant_id === reader.merchantId : row.partner_id === reader.partnerId;

/**
 * A withdrawal's current state (interface 4.8). A passed deadline is written before it is answered, so that the answer
 * stays true in every process and if the clock is set back.
 * @throws ServiceError `transaction_not_found`, `unavailable`.
 */
export const getTransaction = async (
  service: Service,
  reader: Terminal | Client,
  transactionId: string,
  wait?: Wait,
): Promise<Transaction> => {
  if (!isTransactionId(transactionId)) throw unknownTransaction();
  // Listens before the first read, so that no change falls between the two and no second read is needed.
  if (wait?.whileStatus !== undefined) {
    const first = async () => visibleTo(reader, await readRow(service, transactionId));
    return toTransaction(await waitWhile(service, transactionId, wait.whileStatus, wait, first));
  }
  const row = await service.store.read((tx) => shownOrArchived(tx, transactionId, service.clock.now()), true);
  const first = visibleTo(reader, isDue(service, row) ? await readRow(service, transactionId) : row);
  return toTransaction(wait === undefined ? first : await waitWhileAs(service, first, wait));
};

/** @throws ServiceError `transaction_not_found`, alike for what does not exist and what the reader may not see. */
const visibleTo = (reader: Terminal | Client, row: ShownRow | undefined): ShownRow => {
  if (row === undefined || !mayRead(reader, row)) throw unknownTransaction();
  return row;
};

const isDue = ({ clock }: Service, row: ShownRow | undefined): boolean =>
  row !== undefined && expiryAt(row, clock.now()) !== null;

/** What reads have found due, until the unit begins that writes it; of each service in this process. */
interface Due {
  readonly ids: Set<string>;
  readonly rows: Promise<readonly ShownRow[]>;
}
const dueOf = new WeakMap<Service, Due>();

const beginUnit = (service: Service): Due => {
  const ids = new Set<string>();
  const leave = () => {
    if (dueOf.get(service) === due) dueOf.delete(service);
  };
  const write = async () => {
    const rows = await service.store.write((tx) => {
      leave();
      return expireDue(tx, service, [...ids], service.clock.now());
    });
    for (const row of rows) countExpiry(service, row);
    return rows;
  };
  const due: Due = { ids, rows: write().finally(leave) };
  dueOf.set(service, due);
  return due;
};

/** Writes an expiry along with those that are found due meanwhile, as many readers wait for the same second. @returns the row, if this has written it. */
const expireTogether = async (service: Service, id: string): Promise<ShownRow | undefined> => {
  const known = dueOf.get(service);
  const { ids, rows } = known !== undefined && known.ids.size < expiriesPerUnitMax ? known : beginUnit(service);
  ids.add(id);
  return (await rows).find((row) => row.id === id);
};

/** Reads a row, from the archive if it must; writes its expiry first when it is due. */
export const readRow = async (service: Service, id: string): Promise<ShownRow | undefined> => {
  const row = await service.store.read((tx) => shownOrArchived(tx, id, service.clock.now()), true);
  if (!isDue(service, row)) return row;
  const together = await expireTogether(service, id).catch((error: unknown) => {
    // A row that cannot be written must not keep the others from being read; without its database none of them can.
    if (error instanceof ServiceError) throw error;
  });
  if (together !== undefined) return together;
  const { late, latest } = await service.store.write(async (tx) => {
    const late = await writeExpiry(tx, service, id, service.clock.now());
    return { late, latest: late ?? (await shownOrArchived(tx, id, service.clock.now())) };
  });
  if (late) countExpiry(service, late);
  return latest;
};

/** @param signal counts as a change when it is aborted. */
const listen = (store: Store, id: string, status: Status, signal: AbortSignal | undefined) => {
  let hasChanged = false;
  let latest: ShownRow | undefined;
  let wake: () => void = () => {};
  const onChange = (row?: ShownRow) => {
    hasChanged = true;
    latest = row;
    wake();
  };
  const onAbort = () => onChange();
  const stopListening = store.onChange(id, onChange, status);
  signal?.addEventListener("abort", onAbort);
  return {
    /** The status to wait for the end of. */
    status,
    /**
     * Resolves at the first change since the last call, which may be in the past, or after `ms`.
     * @returns the row, if this process has changed it.
     */
    async next(clock: Clock, ms: number): Promise<ShownRow | undefined> {
      if (!hasChanged)
        await new Promise<void>((resolve) => {
          const cancelTimer = clock.after(ms, resolve);
          wake = () => {
            cancelTimer();
            resolve();
          };
        });
      const row = latest;
      hasChanged = false;
      latest = undefined;
      return row;
    },
    stop(): void {
      stopListening();
      signal?.removeEventListener("abort", onAbort);
    },
  };
};

type Changes = ReturnType<typeof listen>;

/** Reads again at each change, at the row's deadline, and at the end of the wait; returns the last row. */
const hold = async (service: Service, first: ShownRow, wait: Wait, changes: Changes): Promise<ShownRow> => {
  const { clock } = service;
  const endAt = clock.now() + wait.waitMs;
  let row = first;
  for (;;) {
    const now = clock.now();
    const clockWasSet = endAt - now > wait.waitMs;
    if (row.status !== changes.status || now >= endAt || clockWasSet || wait.signal?.aborted) return row;
    const changed = await changes.next(clock, Math.max(1, Math.min(endAt, row.deadline_at ?? endAt) - now));
    // Statuses never recur, so a row written by this process is newer.
    row = changed ?? (await readRow(service, row.id)) ?? row;
  }
};

/** Waits until the status differs. @param read the first read, once changes are listened to. */
const waitWhile = async (
  service: Service,
  id: string,
  status: Status,
  wait: Wait,
  read: () => Promise<ShownRow>,
): Promise<ShownRow> => {
  const changes = listen(service.store, id, status, wait.signal);
  try {
    return await hold(service, await read(), wait, changes);
  } finally {
    changes.stop();
  }
};

/** The same for a row that was read before, so that it is read again at once. */
export const waitWhileAs = (service: Service, first: ShownRow, wait: Wait): Promise<ShownRow> =>
  waitWhile(service, first.id, first.status, wait, async () => (await readRow(service, first.id)) ?? first);
