/**
 * The pauses between the tries of one call to a bank (conventions, "Partner calls"): the only source of them. How long it is
 * tried in all: `startOrderWindowMs`, `eventLifetimeMs`; the longest pause that a bank can ask for: `retryAfterMaxMs`.
 */
import type { PartnerCallKind } from "../contract/partner.ts";

/** How the pauses between tries grow. */
interface RetrySchedule {
  /** Milliseconds before the first retry, at least; doubled with each further one. */
  readonly firstMs: number;
  /** Milliseconds before any retry, at most. */
  readonly maxMs: number;
}

/** For each kind of call, what the conventions say of it. */
export const retrySchedules: Readonly<Record<PartnerCallKind, RetrySchedule>> = {
  start: { firstMs: 250, maxMs: 2_000 },
  settle: { firstMs: 500, maxMs: 60_000 },
  event: { firstMs: 1_000, maxMs: 600_000 },
};

/** Up to half as much again, so that a fleet does not retry in step. */
const jitterMax = 0.5;

/**
 * Milliseconds to wait before a retry.
 * @param retries how many there were before, from 0.
 * @param fraction of the jitter, in [0, 1).
 */
export const retryPauseMs = (kind: PartnerCallKind, retries: number, fraction: number): number => {
  const { firstMs, maxMs } = retrySchedules[kind];
  const doubledMs = firstMs * 2 ** Math.min(retries, 20);
  return Math.min(maxMs / (1 + jitterMax), doubledMs) * (1 + fraction * jitterMax);
};
