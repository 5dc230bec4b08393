/** Times and durations as the wire and people write them. */

/** What people count time in, as milliseconds. */
export const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

/** RFC 3339, UTC, milliseconds. */
export const toTime = (epochMs: number): string => new Date(epochMs).toISOString();

/** The same for a time that may be missing. */
export const toNullableTime = (epochMs: number | null): string | null => (epochMs === null ? null : toTime(epochMs));
