/** How many answers one credential may have held open at once: a stolen or faulty one must not take all connections. */
import { ServiceError } from "../service-error.ts";

/** A terminal waits for the one withdrawal before it; a bank for all of its own; a customer's page in a few tabs. */
const heldReadsMax = { terminal: 16, client: 1_000, page: 8 } as const;

/** Whose answer is held: a credential's session fits, and a customer's page by its check-in. */
export interface ReadHolder {
  readonly kind: keyof typeof heldReadsMax;
  readonly ownerId: string;
  readonly deviceId: string;
}

/** Counts the answers that each credential, and each customer's page, holds open. */
export interface HeldReads {
  /**
   * Takes a place until the returned function is called.
   * @throws ServiceError `too_many_requests`: the caller can ask again without `wait`.
   */
  acquire(holder: ReadHolder): () => void;
}

/** @param most HELD_READS_PER_TOKEN, for every kind of credential; `null`: the defaults, 16 a terminal, 1,000 a bank's. A page has 8 always. */
export const createHeldReads = (most: number | null = null): HeldReads => {
  const held = new Map<string, number>();
  return {
    acquire({ kind, ownerId, deviceId }) {
      const key = `${kind}\n${ownerId}\n${deviceId}`;
      const count = held.get(key) ?? 0;
      if (count >= (kind === "page" ? heldReadsMax.page : (most ?? heldReadsMax[kind])))
        throw new ServiceError("too_many_requests", "Too many answers are held open", { retryAfterSeconds: 1 });
      held.set(key, count + 1);
      return () => {
        const left = (held.get(key) ?? 1) - 1;
        if (left === 0) held.delete(key);
        else held.set(key, left);
      };
    },
  };
};
