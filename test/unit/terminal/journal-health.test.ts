/** The manager's check of the whole journal: a slice at a time, one check at a time, and what the service has beside it. */
import { expect, test } from "vitest";
import { createJournalCheck } from "../../../main/terminal/journal/writer.ts";
import type { DamagedEntry, Journal, Verified, VerifyProgress } from "../../../main/terminal/ports.ts";
import { VirtualClock } from "./virtual-clock.ts";

const hash: DamagedEntry = { sequence: 2, why: "hash" };
/** A journal of three slices, with one damaged entry. */
const checkOver = () => {
  let runs = 0;
  const journal = {
    *verifySlices(): Generator<VerifyProgress, Verified> {
      runs += 1;
      yield { checked: 2, total: 6 };
      yield { checked: 4, total: 6 };
      yield { checked: 6, total: 6 };
      return { entries: 5, damaged: [hash], unchecked: 0 };
    },
    linkOf: (sequence: number) => `link-${sequence}`,
  } as unknown as Journal;
  const clock = new VirtualClock();
  const progress: (VerifyProgress | null)[] = [];
  const check = createJournalCheck(journal, clock, (step) => progress.push(step));
  return { check, clock, progress, runs: () => runs };
};
const heads = async () => ({
  heads: [
    { seq: 1, head: "link-1" },
    { seq: 3, head: "forged" },
  ],
});

test("goes on between two slices, says how far it is, and finds what is damaged, unread, or otherwise at the service", async () => {
  const { check, clock, progress } = checkOver();
  const atStart: DamagedEntry[] = [
    hash,
    { sequence: 4, why: "json" },
    { sequence: 5, why: "schema" },
    { sequence: 6, why: "gap" },
  ];
  const health = check(atStart, heads);
  await clock.advance(0);
  expect(await health).toEqual({
    entries: 5,
    damaged: [hash, { sequence: 4, why: "json" }, { sequence: 5, why: "schema" }],
    anchors: { compared: 2, missing: [], different: [3] },
  });
  expect(progress).toEqual([{ checked: 2, total: 6 }, { checked: 4, total: 6 }, { checked: 6, total: 6 }, null]);
});

test("waits for its turn after a slice", async () => {
  const { check, progress } = checkOver();
  void check([], heads);
  for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
  // No timer has fired: the program has its turn first.
  expect(progress).toEqual([{ checked: 2, total: 6 }]);
});

test("a second question meanwhile gets the same answer; the next one a check of its own", async () => {
  const { check, clock, runs } = checkOver();
  const [one, other] = [check([], heads), check([hash], heads)];
  await clock.advance(0);
  expect(await one).toBe(await other);
  const next = check([], () => Promise.reject(new Error("no network")));
  await clock.advance(0);
  expect((await next).anchors).toBeNull();
  expect(runs()).toBe(2);
});

test("a journal of one slice needs no turn", async () => {
  const journal = {
    *verifySlices(): Generator<VerifyProgress, Verified> {
      yield { checked: 2, total: 2 };
      return { entries: 2, damaged: [], unchecked: 0 };
    },
    linkOf: () => null,
  } as unknown as Journal;
  const check = createJournalCheck(journal, new VirtualClock(), () => undefined);
  expect(await check([], async () => null)).toEqual({ entries: 2, damaged: [], anchors: null });
});
