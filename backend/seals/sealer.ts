/** Seals the history at the start, every hour and at the stop, so that deleted rows show in `audit verify`. */
import { repeat } from "../background.ts";
import type { Service } from "../context.ts";
import { markChained, sealBatch } from "./seal.ts";

/** Small enough that no other commit waits for long. */
const rowsPerSeal = 500;
const batchPauseMs = 100;
const everyMs = 60 * 60_000;
/** From the start to the first sealing. */
const firstAfterMs = 5_000;

type Sealing = Pick<Service, "store" | "clock" | "log" | "keys">;

/**
 * Seals every row that has no seal yet. Logs the newest number and hash, with which `audit verify --expect` detects a
 * database that was restored from an older copy.
 * @param pauseMs between two seals. @param isStopping asked before each.
 */
export const sealAll = async (service: Sealing, pauseMs = 0, isStopping = () => false): Promise<void> => {
  const { store, clock, log, keys } = service;
  for (;;) {
    if (isStopping()) return;
    const entry = await store.write(() => sealBatch(keys, clock.now(), rowsPerSeal));
    if (entry === null) break;
    log.info({ entry: entry.seq, hash: entry.hash, detail: entry.detail }, "history sealed");
    if (pauseMs > 0) await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
  }
  await store.write(() => markChained(keys, clock.now(), store.dialect === "sqlite"));
};

/** The hourly sealing. */
export interface Sealer {
  /** Seals what is left, in batches, for at most `withinMs`; the rest is sealed after the next start. */
  stop(withinMs: number): Promise<void>;
}

/** Once an hour, by one process of a fleet; at the stop by each. */
export const startSealer = (service: Service): Sealer => {
  const { clock, log } = service;
  const failed = (error: unknown) =>
    log.error({ err: error }, "the history could not be sealed and will be tried again");
  const hourly = repeat(clock, firstAfterMs, async (isStopping) => {
    if (service.owns("seal")) await sealAll(service, batchPauseMs, isStopping).catch(failed);
    return everyMs;
  });
  return {
    async stop(withinMs) {
      const until = clock.now() + withinMs;
      await hourly.stop();
      await sealAll(service, 0, () => clock.now() >= until).catch(failed);
    },
  };
};
