/** Small statistics for the terminal's figures. */

/** The value below which `share` of the values lie (nearest rank); NaN for none. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};
/** `percentile` at one half. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** One line of the terminal's table. */
export interface Figure {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly met: boolean;
  /** How it came about: samples, runs, spread. */
  readonly how: string;
}
