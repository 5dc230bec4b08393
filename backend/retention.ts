/** Retention periods; `operate/purge.ts` removes older data. */
import { dayMs } from "./contract/times.ts";

/** Kinds of data with a retention period, as named in the metrics. */
export const retained = ["checkins", "sign_ins", "idempotency_keys", "withdrawals", "archive"] as const;
/** One of `retained`. */
export type Retained = (typeof retained)[number];

/** Retention periods in milliseconds; null: for ever. */
export type RetentionPeriods = Readonly<Record<Retained, number | null>>;

/** Default retention periods in days. */
export const defaultRetentionDays: Readonly<Record<Retained, number>> = {
  checkins: 30,
  sign_ins: 30,
  idempotency_keys: 90,
  withdrawals: 400,
  /** 0: for ever. The law sets how long books are kept. */
  archive: 0,
};

/** Converts a setting in days to milliseconds; 0 means for ever, null. */
export const periodMs = (days: number): number | null => (days === 0 ? null : days * dayMs);
