import { onTestFinished, vi } from "vitest";

/** Stops this process's clocks until the test is over: no pause after a failed sign-in ends between two of its calls. */
export const stopClocks = (): void => {
  const stopped = [
    vi.spyOn(Date, "now").mockReturnValue(Date.now()),
    vi.spyOn(performance, "now").mockReturnValue(performance.now()),
  ];
  onTestFinished(() => {
    for (const clock of stopped) clock.mockRestore();
  });
};
