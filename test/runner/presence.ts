/** How long something has taken a program that had its turns: for bounds of seconds, which a machine that was away does not pass. */
const tickMs = 50;

/** Milliseconds since the call, in ticks that this process was there for. */
export const createPresence = () => {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, tickMs);
  return { now: () => ticks * tickMs, stop: () => clearInterval(timer) };
};
