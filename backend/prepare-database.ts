import { keyCipherOf, openKeyRing } from "./access/key-ring.ts";
import { elapsedMs, systemRandom } from "./adapters.ts";
import type { Config } from "./config.ts";
import type { Clock, Log } from "./ports.ts";
import { createDatabaseClock, type EndUncertain } from "./store/database-clock.ts";
import { markOlderFile } from "./store/starts.ts";
import type { Store } from "./store/store.ts";
import { applyPendingRestore } from "./withdrawals/restored.ts";
import { endUncertain } from "./withdrawals/sweep.ts";

/** How a database is prepared. */
interface Preparing {
  readonly log?: Log;
  /** Go on although the database's service key is lost. */
  readonly isKeyLost?: boolean;
  /** A restore is recorded next, so what is open is left to it where the database's clock is behind. */
  readonly isRestoring?: boolean;
}

/**
 * Prepares an open database for use: finds its keys, starts its clock, and applies a pending restore.
 * @param machine this machine's clock; on PostgreSQL the database's time is used.
 */
export const prepareDatabase = async (
  opened: Store,
  config: Pick<Config, "database" | "serviceKey" | "serviceKeyBefore">,
  machine: Clock,
  { log, isKeyLost = false, isRestoring = false }: Preparing = {},
) => {
  const keys = await openKeyRing(opened, config, systemRandom, isKeyLost);
  // Whoever is refused for its key has written nothing.
  if (config.database.kind === "sqlite") await markOlderFile(opened, config.database.path);
  const endAll: EndUncertain = (tx, now) => endUncertain(tx, { keys }, now, isRestoring);
  const isFleet = opened.dialect === "postgres";
  const shared = isFleet ? await createDatabaseClock(opened, machine, elapsedMs, endAll, log) : null;
  const [store, clock] = [shared?.checkedStore ?? opened, shared ?? machine];
  const stopReadingTime = (): void => shared?.stop();
  try {
    const restored = await applyPendingRestore({ store, clock, keys }, isRestoring);
    return { store, clock, keys, keyCipher: keyCipherOf(keys, systemRandom), restored, stopReadingTime };
  } catch (error) {
    stopReadingTime();
    throw error;
  }
};
