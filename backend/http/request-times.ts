/** How long requests took, as a Prometheus histogram (text format 0.0.4). */
import type { HttpObserver } from "./app-context.ts";

/** Upper bounds of the buckets, in seconds; longest is a read that was held. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const name = "tillcash_http_request_seconds";
const help = "Requests by route and status; held reads include their wait";

interface Series {
  readonly labels: string;
  /** By bucket, not summed up; the last one holds what is above all bounds. */
  readonly counts: number[];
  sumMs: number;
}

/** What was observed, and its text. */
export interface RequestTimes {
  readonly answered: HttpObserver["answered"];
  text(): string;
}

/**
 * Counted here and not by prom-client, which spells the labels of a series anew for each request to find it: a fortieth of
 * what a read costs.
 */
export const createRequestTimes = (): RequestTimes => {
  const byMethod = new Map<string, Map<string, Map<number, Series>>>();

  const seriesOf = (method: string, route: string, status: number): Series => {
    const known = byMethod.get(method)?.get(route)?.get(status);
    if (known !== undefined) return known;
    const labels = `method="${method}",route="${route}",status="${status}"`;
    const series: Series = { labels, counts: [...bounds, 0].fill(0), sumMs: 0 };
    const byRoute = byMethod.get(method) ?? new Map<string, Map<number, Series>>();
    const byStatus = byRoute.get(route) ?? new Map<number, Series>();
    byMethod.set(method, byRoute.set(route, byStatus.set(status, series)));
    return series;
  };

  return {
    answered({ method, route, status, durationMs }) {
      const series = seriesOf(method, route, status);
      const tookMs = Math.max(0, durationMs);
      let bucket = 0;
      while (bucket < bounds.length && tookMs > (bounds[bucket] ?? 0) * 1000) bucket += 1;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sumMs += tookMs;
    },
    text() {
      const all = [...byMethod.values()].flatMap((byRoute) =>
        [...byRoute.values()].flatMap((each) => [...each.values()]),
      );
      return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...all.flatMap(linesOf), ""].join("\n");
    },
  };
};

const linesOf = ({ labels, counts, sumMs }: Series): readonly string[] => {
  let sum = 0;
  const buckets = counts.map((count, bucket) => {
    sum += count;
    return `${name}_bucket{le="${bounds[bucket] ?? "+Inf"}",${labels}} ${sum}`;
  });
  return [...buckets, `${name}_sum{${labels}} ${sumMs / 1000}`, `${name}_count{${labels}} ${sum}`];
};
