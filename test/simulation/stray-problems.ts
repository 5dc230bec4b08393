/** What nobody handles while a story is played belongs to that story: it must not end the process without its seed. */

const events = ["unhandledRejection", "uncaughtException"] as const;

/** Takes each problem that would have ended the process, in place of whoever listened before, until the answer is called. */
export const onStrayProblem = (take: (problem: unknown) => void): (() => void) => {
  const before = events.map((event) => ({ event, listeners: process.rawListeners(event) as (() => void)[] }));
  const listener = (problem: unknown): void => take(problem);
  for (const event of events) process.removeAllListeners(event).on(event, listener);
  return () => {
    for (const { event, listeners } of before) {
      process.off(event, listener);
      for (const each of listeners) process.on(event, each);
    }
  };
};
