/** Time that waits for a real database: virtual time must not run on while statements are under way. */
import type { Dialect, Store } from "../../backend/store/store.ts";

/** Half a minute and more of a server that does not answer. */
const turnsMax = 20_000;

/** Counts what is asked of the stores that a test hands in. */
export const createDatabaseWork = (dialect: Dialect) => {
  let asking = 0;
  const during = async <T>(work: Promise<T>): Promise<T> => {
    asking += 1;
    try {
      return await work;
    } finally {
      asking -= 1;
    }
  };
  /** SQLite answers within turns of the event loop; a server needs real time. */
  const turn = () =>
    new Promise<void>((resolve) => void (dialect === "sqlite" ? setImmediate(resolve) : setTimeout(resolve, 1)));
  return {
    /** The same store, whose units are counted while they run. */
    counted: (on: Store): Store => ({
      ...on,
      write: (unit, about) => during(on.write(unit, about)),
      read: (unit, isShort) => during(on.read(unit, isShort)),
    }),
    /** A turn of the event loop, and the end of what the database was asked for; not that of a unit whose next try waits for the time. */
    async idle(): Promise<void> {
      let turns = 0;
      do {
        await turn();
        turns += 1;
      } while (asking > 0 && turns < turnsMax);
    },
  };
};
