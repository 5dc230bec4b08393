/** Does to the service's machine what was planned: its clock is wrong for a while. */
import type { Scheduler } from "./scheduler.ts";
import type { ServiceMachine } from "./service.ts";
import type { PlannedWrongTime } from "./wrong-times.ts";

/** Plays them; the counts grow as they begin. */
export const playWrongTimes = (options: {
  readonly planned: readonly PlannedWrongTime[];
  readonly scheduler: Pick<Scheduler, "at">;
  readonly service: Pick<ServiceMachine, "jumpClock" | "unplug" | "suspend">;
  readonly note: (text: string) => void;
}): Readonly<Record<string, number>> => {
  const { scheduler, service, note } = options;
  const counts: Record<string, number> = {};
  for (const { kind, atMs, forMs, byMs, restarts } of options.planned) {
    scheduler.at(atMs, () => {
      counts[kind] = (counts[kind] ?? 0) + 1;
      note(`the service's clock is wrong by ${byMs} ms (${kind})`);
      service.jumpClock(byMs);
      if (kind === "wrong_start") service.unplug();
      if (kind === "resumed") service.suspend(-byMs, true);
      if (kind === "paused") service.suspend(forMs, false);
    });
    scheduler.at(atMs + forMs, () => {
      note(`the service's clock is set right${restarts ? ", and it starts again" : ""}`);
      service.jumpClock(-byMs);
      if (restarts) service.unplug();
    });
  }
  return counts;
};
