/** Cuts a failing story down: withdrawals, clock jumps, then whole kinds of fault, as long as it still fails the same way. */
import type { FaultName, Plan } from "./plan.ts";

/** Most runs one shrinking may take. */
const runsMax = 200;

/** `fails` runs a plan and says whether it breaks the same promise. */
export const shrink = async (plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> => {
  let runs = 0;
  let smallest = plan;
  const attempt = async (candidate: Plan): Promise<boolean> => {
    if (runs++ >= runsMax || !(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };

  /** One pass over everything that can be left out. */
  const pass = async (): Promise<void> => {
    for (let part = Math.ceil(smallest.withdrawals.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2))
      for (let from = 0; from < smallest.withdrawals.length && runs < runsMax; ) {
        const kept = smallest.withdrawals.filter((_, index) => index < from || index >= from + part);
        if (!(await attempt({ ...smallest, withdrawals: kept }))) from += part;
      }
    if (smallest.clockJumps.length > 0) await attempt({ ...smallest, clockJumps: [] });
    if (smallest.wrongTimes.length > 0) await attempt({ ...smallest, wrongTimes: [] });
    if ((smallest.acts?.length ?? 0) > 0) await attempt({ ...smallest, acts: [] });
    for (const one of smallest.putBack)
      await attempt({ ...smallest, putBack: smallest.putBack.filter((other) => other !== one) });
    if (smallest.processes > 1) await attempt({ ...smallest, processes: 1 });
    if (smallest.turns.length > 0) await attempt({ ...smallest, turns: [] });
    for (const fault of Object.keys(plan.faults) as FaultName[])
      if (smallest.faults[fault] > 0) await attempt({ ...smallest, faults: { ...smallest.faults, [fault]: 0 } });
  };

  // What one part needed may go once another has gone: until a pass finds nothing more, so that the story printed shrinks no further when it is played again.
  for (let before: Plan | null = null; before !== smallest && runs < runsMax; ) {
    before = smallest;
    await pass();
  }
  return smallest;
};
