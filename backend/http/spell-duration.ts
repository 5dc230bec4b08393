const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000];

/** A duration as the API reference and the guides write it: `0.5 s`, `60 s`, `10 minutes`, `24 h`, `3 days`. */
export const spellDuration = (ms: number): string => {
  if (ms >= 2 * dayMs && ms % dayMs === 0) return `${ms / dayMs} days`;
  if (ms >= 2 * hourMs && ms % hourMs === 0) return `${ms / hourMs} h`;
  if (ms >= 2 * minuteMs && ms % minuteMs === 0) return `${ms / minuteMs} minutes`;
  return `${ms / secondMs} s`;
};
