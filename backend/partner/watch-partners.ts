import { type Repeated, repeat } from "../background.ts";
import type { Service } from "../context.ts";
import { all } from "../store/store.ts";
import { partnerProblems } from "./bound-partners.ts";
import { allPartners } from "./partner-store.ts";

const everyMs = 60_000;

/** Says at the start, and when it is new, which banks cannot be called because of what is stored of them; counts them each minute. */
export const watchPartners = async (service: Service): Promise<Repeated> => {
  const { store, clock, log, telemetry, options } = service;
  let known = new Set<string>();
  const look = async (): Promise<number> => {
    try {
      const rows = await store.read(() => all(allPartners({})));
      const bad = rows.map((row) => ({ id: row.id, problems: partnerProblems(row.id, row, options) }));
      const problems = bad.flatMap((each) => each.problems.map((problem) => ({ id: each.id, problem })));
      for (const { id, problem } of problems)
        if (!known.has(problem)) log.error({ partner: id }, `this bank is not called: ${problem}`);
      known = new Set(problems.map(({ problem }) => problem));
      telemetry.unusablePartners(new Set(problems.map(({ id }) => id)).size);
    } catch (error) {
      log.warn({ err: error }, "the banks could not be looked at and will be again");
    }
    return everyMs;
  };
  await look();
  return repeat(clock, everyMs, look);
};
