/** A start that fails leaves nothing running and holds nothing: the next one can have the folder. */

/** Notes what is to be ended, last first, when the start fails after it. */
export type Begun = (end: () => unknown) => void;

/** Runs a start. When it rejects, what it had begun is ended, also where one of the ends fails, and its error is thrown. */
export const startOrUndo = async <T>(start: (begun: Begun) => Promise<T>): Promise<T> => {
  const ends: (() => unknown)[] = [];
  try {
    return await start((end) => ends.push(end));
  } catch (error) {
    for (const end of ends.toReversed())
      try {
        await end();
      } catch {
        // What the start failed by is what is said.
      }
    throw error;
  }
};
