import { type Contender, contenders } from "./engines.ts";

/** A number for each contender. */
export type Counts = Record<Contender, number>;

/** One line of a table: the same frames for all. */
export interface Line {
  readonly name: string;
  readonly symbology: string;
  readonly count: number;
  readonly read: Readonly<Counts>;
  /** Frames in which a text was given that is not in the picture; doubtful texts of still pictures left out. */
  readonly wrong: Readonly<Counts>;
  /** Of them, those that the acceptance let through. */
  readonly wrongAccepted: Readonly<Counts>;
}

/** A number for each contender. */
export const each = (of: (name: Contender) => number): Counts =>
  Object.fromEntries(contenders.map((name) => [name, of(name)])) as Counts;

/** Nothing counted yet. */
export const zeros = (): Counts => each(() => 0);

/** Where a time was taken. */
export type Place = "with a code" | "without a code" | "hard sessions";

/** Times, by place, contender and width. */
export class Times {
  readonly #times = new Map<string, number[]>();

  add(place: Place, contender: Contender, width: number, ms: number): void {
    const key = `${place} ${contender} ${width}`;
    const list = this.#times.get(key) ?? [];
    list.push(ms);
    this.#times.set(key, list);
  }

  /** Adds what another thread measured. */
  merge(entries: ReturnType<Times["entries"]>): void {
    for (const [key, list] of entries) this.#times.set(key, [...(this.#times.get(key) ?? []), ...list]);
  }

  entries(): readonly (readonly [string, readonly number[]])[] {
    return [...this.#times];
  }

  quantile(places: readonly Place[], contender: Contender, width: number, share: number): number {
    const all = places.flatMap((place) => this.#times.get(`${place} ${contender} ${width}`) ?? []);
    return quantile(all, share);
  }
}

/** The value below which `share` of the values lie (nearest rank); NaN for none. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};

/** Adds one column up over several lines. */
export const sum = (lines: readonly Line[], of: (line: Line) => Readonly<Counts>): Counts =>
  each((name) => lines.reduce((total, line) => total + of(line)[name], 0));

/** Parts of one line, put together. */
export const joined = (parts: readonly Line[]): Line => ({
  name: parts[0]?.name ?? "",
  symbology: parts[0]?.symbology ?? "",
  count: parts.reduce((total, { count }) => total + count, 0),
  read: sum(parts, ({ read }) => read),
  wrong: sum(parts, ({ wrong }) => wrong),
  wrongAccepted: sum(parts, ({ wrongAccepted }) => wrongAccepted),
});
