/** How long an installation keeps its data; `operate/purge.ts` ends what is older. */
import { dayMs } from "./contract/times.ts";

/** What has an end, by the names of its metrics. */
export const retained = ["checkins", "sign_ins", "idempotency_keys", "withdrawals", "archive"] as const;
/** One of `retained`. */
export type Retained = (typeof retained)[number];

/** Milliseconds that each is kept; null: for ever. */
export type RetentionPeriods = Readonly<Record<Retained, number | null>>;

/** What an installation keeps that says nothing else. */
export const defaultRetentionDays: Readonly<Record<Retained, number>> = {
  checkins: 30,
  sign_ins: 30,
  idempotency_keys: 90,
  withdrawals: 400,
  /** 0: for ever. The law sets how long books are kept. */
  archive: 0,
};

/** A setting in days as milliseconds; 0 days is for ever, null. */
export const periodMs = (days: number): number | null => (days === 0 ? null : days * dayMs);
