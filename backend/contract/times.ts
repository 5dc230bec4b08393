/** Units of time, and times as the wire writes them. */

/** Units of time in milliseconds. */
export const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

/** Whether a text has the form of a day: 2026-11-20. */
export const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text);

/** Epoch milliseconds as RFC 3339, UTC, with milliseconds. */
export const toTime = (epochMs: number): string => new Date(epochMs).toISOString();

/** As `toTime`, for a time that may be missing. */
export const toNullableTime = (epochMs: number | null): string | null => (epochMs === null ? null : toTime(epochMs));
