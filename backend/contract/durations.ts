/** What people count time in, as milliseconds. */
export const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000] as const;
