/** The checker can fail: each deliberate defect is caught, and the same seeds are clean without it. */
import { expect, test } from "vitest";
import { byEffort } from "../runner/effort.ts";
import { programsWithProblems } from "./defects/defect-places.ts";
import { defects } from "./defects/defects.ts";
import { hunt } from "./hunt.ts";
import { realPrograms } from "./programs.ts";

const slowMs = 240_000;
const seedsMax = 40;

/** The story that a hunt begins with: most defects show in fifteen withdrawals, from one of the first seeds on. */
const usual = { seed: 1, withdrawals: 15 };
/** Where that takes more than one story: the first seed of one that shows it, and how long it is. */
const shown: Readonly<Record<string, Partial<typeof usual>>> = {
  "another till's confirm taken for one's own": { seed: 3, withdrawals: 40 },
  "reject without an answer taken for done": { seed: 27, withdrawals: 40 },
  "recovery from the checkpoint alone": { withdrawals: 150 },
  "problems left out of the checkpoint": { seed: 7, withdrawals: 60 },
  "the day's hand-outs left out of the checkpoint": { seed: 3, withdrawals: 150 },
  "a process that keeps the latest time": { seed: 16, withdrawals: 60 },
  "beats from the future counted": { seed: 9, withdrawals: 60 },
  "Settle order outside the commit": { seed: 32 },
  "recovery without a journal": { seed: 8 },
  "drawer opened again after silence": { seed: 3 },
  "awaiting approval taken for denied": { seed: 3 },
  "unknown entries skipped": { seed: 26, withdrawals: 30 },
  "report dropped while the key is refused": { seed: 77, withdrawals: 30 },
  "a half-written archive left lying": { seed: 2, withdrawals: 150 },
  "a log without a bound": { seed: 3, withdrawals: 30 },
  "the closed year left behind": { seed: 12, withdrawals: 30 },
  "settled once is settled for ever": { seed: 2, withdrawals: 30 },
  "a lost list of people taken for none": { seed: 6 },
  "the only cashier taken for the second person": { seed: 2, withdrawals: 30 },
  "link dropped on 500": { seed: 5, withdrawals: 30 },
  "confirm retried with a new id": { seed: 3 },
  "link without the shop": { seed: 2 },
  "the bank's silence taken for a no": { seed: 2 },
  "a second hand-out taken for a repeat": { seed: 4 },
  "a forked journal kept quiet": { seed: 2 },
  "settle without the deadline check": { seed: 4 },
  "hold as short as the approval": { seed: 2 },
  "a failure beside a yes taken for a yes": { seed: 5 },
  "status event sent once": { seed: 4 },
  "training in the live journal": { seed: 2 },
  "books paired by the transaction alone": { seed: 3 },
  "a newer journal opened all the same": { seed: 4 },
  "entries dropped while the disk is full": { seed: 2 },
  "dumps of crashes kept": { seed: 4 },
  "the file of settings believed": { seed: 2 },
  "a fork taken for a continuation": { seed: 4 },
  "any PIN taken for the right one": { seed: 5 },
  "money that is due back agrees": { seed: 4 },
};
const storyOf = (name: string): typeof usual => ({ ...usual, ...shown[name] });

/** Each story with a defect is clean without it: every third is looked at in `npm test`, each with `EFFORT=torture`. */
const everyNthSound = byEffort({ usual: 3, torture: 1 });

/** Two silences of one call, a till that is gone for long: `systematic.test.ts` plays them, where chance takes dozens of stories. */
const inCourses: readonly string[] = [
  "link given up after two silences",
  "undelivered given up after two silences",
  "an operator's word of the cash is the last",
];

test.each(defects.filter(({ name }) => !inCourses.includes(name)))(
  "caught: $name",
  async (defect) => {
    const { seed, withdrawals } = storyOf(defect.name);
    const caught = await hunt(defect, seed, seedsMax, withdrawals);
    expect(caught.seeds).not.toBeNull();
  },
  slowMs,
);

test(
  "nothing is caught where nothing is wrong",
  async () => {
    const sound = { name: "none", text: "the product as it is", programs: realPrograms };
    const stories = defects.map(({ name, turns }) => ({ ...storyOf(name), turns }));
    const different = [...new Map(stories.map((one) => [JSON.stringify(one), one])).values()];
    for (const { seed, withdrawals, turns } of different.filter((_, index) => index % everyNthSound === 0)) {
      const { found } = await hunt({ ...sound, ...(turns && { turns }) }, seed, 1, withdrawals);
      expect([seed, withdrawals, turns, found]).toEqual([seed, withdrawals, turns, "nothing"]);
    }
    const withProblems = { name: "none", text: "problems, and all of them shown", programs: programsWithProblems };
    expect((await hunt(withProblems, 1, 2)).found).toBe("nothing");
  },
  slowMs,
);
