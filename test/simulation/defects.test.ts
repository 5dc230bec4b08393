/** The checker can fail: each deliberate defect is caught, and the same seeds are clean without it. */
import { expect, test } from "vitest";
import { programsWithProblems } from "./defects/defect-places.ts";
import { defects } from "./defects/defects.ts";
import { hunt } from "./hunt.ts";
import { realPrograms } from "./programs.ts";

const slowMs = 240_000;
const seedsMax = 40;

/** The story that a hunt begins with: most defects show in fifteen withdrawals, from one of the first seeds on. */
const usual = { seed: 1, withdrawals: 15 };
/** Where that takes many stories: the first seed of one that shows it, and how long it is. */
const shown: Readonly<Record<string, typeof usual>> = {
  "another till's confirm taken for one's own": { seed: 16, withdrawals: 15 },
  "reject without an answer taken for done": { seed: 1, withdrawals: 150 },
  "recovery from the checkpoint alone": { seed: 1, withdrawals: 150 },
  "problems left out of the checkpoint": { seed: 1, withdrawals: 150 },
  "the day's hand-outs left out of the checkpoint": { seed: 3, withdrawals: 150 },
  "a process that keeps the latest time": { seed: 16, withdrawals: 60 },
  "beats from the future counted": { seed: 9, withdrawals: 60 },
  "Settle order outside the commit": { seed: 22, withdrawals: 15 },
  "unknown entries skipped": { seed: 26, withdrawals: 30 },
  "report dropped while the key is refused": { seed: 13, withdrawals: 30 },
  "a half-written archive left lying": { seed: 2, withdrawals: 150 },
  "a log without a bound": { seed: 3, withdrawals: 30 },
  "the closed year left behind": { seed: 10, withdrawals: 30 },
  "settled once is settled for ever": { seed: 18, withdrawals: 15 },
  "a lost list of people taken for none": { seed: 6, withdrawals: 15 },
  "the only cashier taken for the second person": { seed: 1, withdrawals: 30 },
};

/** Two silences of one call: `systematic.test.ts` plays them in its pairs of faults, where chance takes dozens of stories. */
const inPairs: readonly string[] = ["link given up after two silences", "undelivered given up after two silences"];

test.each(defects.filter(({ name }) => !inPairs.includes(name)))(
  "caught: $name",
  async (defect) => {
    const { seed, withdrawals } = shown[defect.name] ?? usual;
    const caught = await hunt(defect, seed, seedsMax, withdrawals);
    expect(caught.seeds).not.toBeNull();
  },
  slowMs,
);

test(
  "nothing is caught where nothing is wrong",
  async () => {
    const sound = { name: "none", text: "the product as it is", programs: realPrograms };
    const stories = defects.map(({ name, turns }) => ({ ...(shown[name] ?? usual), turns }));
    for (const { seed, withdrawals, turns } of new Map(stories.map((one) => [JSON.stringify(one), one])).values()) {
      const { found } = await hunt({ ...sound, ...(turns && { turns }) }, seed, 1, withdrawals);
      expect([seed, withdrawals, turns, found]).toEqual([seed, withdrawals, turns, "nothing"]);
    }
    const withProblems = { name: "none", text: "problems, and all of them shown", programs: programsWithProblems };
    expect((await hunt(withProblems, 1, 2)).found).toBe("nothing");
  },
  slowMs,
);
