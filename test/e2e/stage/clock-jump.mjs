// Loaded with `node --import` before a built program: SIGUSR2 moves its wall clock by CLOCK_JUMP_MS, as a corrected till clock does.
// Monotonic time (performance.now, timers) goes on, as it does on a real machine.
const RealDate = Date;
let offsetMs = 0;
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RealDate.now() + offsetMs] : parts));
  }
  static now() {
    return RealDate.now() + offsetMs;
  }
};
process.on("SIGUSR2", () => {
  offsetMs += Number(process.env.CLOCK_JUMP_MS ?? 0);
});
