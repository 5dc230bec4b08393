// Loaded with `node --import` before a built program: while the file STANDS_STILL_WITH exists its time stands still, and no time of a second
// or more comes to its end. A machine that is slow to look then finds what it was to look at.
import { existsSync } from "node:fs";

const isStill = () => existsSync(process.env.STANDS_STILL_WITH);
const stopped = (realNow) => {
  let stillAt = null;
  let lostMs = 0;
  return () => {
    const now = realNow() - lostMs;
    if (isStill()) {
      stillAt ??= now;
      return stillAt;
    }
    if (stillAt !== null) lostMs += now - stillAt;
    stillAt = null;
    return realNow() - lostMs;
  };
};

const RealDate = Date;
const dateNow = stopped(RealDate.now);
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [dateNow()] : parts));
  }
  static now = dateNow;
};
performance.now = stopped(performance.now.bind(performance));

const realSetTimeout = globalThis.setTimeout;
globalThis.setTimeout = (run, delayMs, ...with_) => {
  const timer = realSetTimeout(() => {
    if (delayMs >= 1_000 && isStill()) timer.refresh();
    else run(...with_);
  }, delayMs);
  return timer;
};
