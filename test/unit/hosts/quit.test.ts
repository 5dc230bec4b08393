/** How the desktop program ends, and when it starts again after that. */
import { beforeEach, expect, test, vi } from "vitest";
import { createRestart, quitAfter } from "../../../main/electron/quit.ts";

const { calls, listeners } = vi.hoisted(() => ({
  calls: [] as unknown[],
  listeners: new Map<string, (event: { preventDefault(): void }) => void>(),
}));
// electron.d.ts (45): App.quit, and App.relaunch, which starts the program at its exit, whenever that is, and is not taken back.
vi.mock("electron", () => ({
  app: {
    quit: () => void calls.push("quit"),
    relaunch: (options: object) => void calls.push(options),
    on: listeners.set.bind(listeners),
  },
}));

const argv = process.argv;
beforeEach(() => {
  calls.length = 0;
  process.argv = ["electron", "--data=here", "--training"];
  return () => {
    process.argv = argv;
  };
});

test.each([
  [true, ["--data=here", "--training"]],
  [false, ["--data=here"]],
])("a change of mode (training: %s) quits first, and starts again once all has ended", (training, args) => {
  const restart = createRestart();
  restart.begin(training);
  expect(calls).toEqual(["quit"]);
  restart.register();
  expect(calls.slice(1)).toEqual([expect.objectContaining({ args })]);
});

test("whoever was asked and stayed ends the program later for good, and may change the mode after all", () => {
  const restart = createRestart();
  restart.begin(false);
  restart.cancel();
  restart.register();
  expect(calls).toEqual(["quit"]);
  restart.begin(true);
  restart.register();
  expect(calls).toHaveLength(3);
});

test.each([
  ["that ends", Promise.resolve(), 0],
  // A service whose process never began says nothing of its end (utility_process_wrapper, HandleTermination).
  ["that hangs", new Promise<void>(() => undefined), 20_000],
] as const)(
  "a stop %s ends the program, and starts it again where the mode was changed",
  async (_, stopped, afterMs) => {
    vi.useFakeTimers();
    try {
      const restart = createRestart();
      const again = expect.objectContaining({ args: ["--data=here"] });
      quitAfter(
        () => stopped,
        restart,
        () => void calls.push("ended"),
      );
      restart.begin(false);
      calls.length = 0;
      listeners.get("will-quit")?.({ preventDefault: () => void calls.push("put off") });
      await vi.advanceTimersByTimeAsync(Math.max(0, afterMs - 1));
      expect(calls).toEqual(afterMs === 0 ? ["put off", again, "ended"] : ["put off"]);
      await vi.advanceTimersByTimeAsync(1);
      expect(calls).toEqual(["put off", again, "ended"]);
    } finally {
      vi.useRealTimers();
    }
  },
);
