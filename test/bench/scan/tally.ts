import { type Contender, contenders } from "./engines.ts";

/** One line of a table: the same frames or sessions for all. */
export interface Line {
  readonly name: string;
  readonly symbology: string;
  readonly width: number;
  readonly count: number;
  readonly read: Readonly<Record<Contender, number>>;
  /** Texts that were given and are not the right one. */
  readonly wrong: Readonly<Record<Contender, number>>;
  /** Of them, those that the acceptance let through. */
  readonly wrongAccepted: Readonly<Record<Contender, number>>;
}

export type Counts = Record<Contender, number>;

export const zeros = (): Counts => ({ pair: 0, "zxing-wasm": 0, "zxing-library": 0, zbar: 0 });

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

export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};

export const sum = (lines: readonly Line[], of: (line: Line) => Readonly<Counts>): Counts =>
  Object.fromEntries(
    contenders.map((name) => [name, lines.reduce((total, line) => total + of(line)[name], 0)]),
  ) as Counts;

/** Parts of one line, put together. */
export const joined = (parts: readonly Line[]): Line => ({
  name: parts[0]?.name ?? "",
  symbology: parts[0]?.symbology ?? "",
  width: parts[0]?.width ?? 0,
  count: parts.reduce((total, { count }) => total + count, 0),
  read: sum(parts, ({ read }) => read),
  wrong: sum(parts, ({ wrong }) => wrong),
  wrongAccepted: sum(parts, ({ wrongAccepted }) => wrongAccepted),
});
