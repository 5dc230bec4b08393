import { expect, test, vi } from "vitest";
import { createArchiver, heldBack, yearBegan } from "../../../main/terminal/archiving.ts";
import { archiveBusyMs, archiveFirstCheckMs } from "../../../main/terminal/bounds.ts";
import type { ArchivePlan } from "../../../main/terminal/ports.ts";
import { VirtualClock } from "./virtual-clock.ts";

const problem = (withdrawalId: string, otherBook: string | null) =>
  [withdrawalId, { facts: { withdrawalId }, otherBook }] as const;
const open = new Map([["A", {}]]);
const problems = new Map([problem("B", null), problem("C", "other")]);

test("what is held back: all that is open, and the problems of this book", () => {
  expect(heldBack({ open, problems } as never)).toEqual(["A", "B"]);
});

test("a year begins by UTC, wherever the terminal stands", () => {
  vi.stubEnv("TZ", "Pacific/Kiritimati");
  const began = yearBegan(Date.UTC(2026, 11, 31, 12));
  vi.unstubAllEnvs();
  expect(began).toBe(Date.UTC(2026, 0, 1));
});

const idle = { activeScreen: { kind: "idle" }, hasUnreadEntries: false, journalCheck: null, journalFailing: false };

test("what is held back is what is open when a run begins, not when one was due: a journal may be adopted meanwhile", async () => {
  const clock = new VirtualClock();
  const plans: ArchivePlan[] = [];
  const asked = { ...idle, book: null, blocked: { why: "other_journal" }, open: new Map(), problems: new Map() };
  const core = { state: asked as never };
  const archiveSlices = function* (plan: ArchivePlan) {
    plans.push(plan);
    yield { checked: 0, total: 1 };
    return { kind: "nothing" } as const;
  };
  createArchiver(core, { clock, journal: { archiveSlices }, log: () => undefined } as never).start();
  await clock.advance(archiveFirstCheckMs + archiveBusyMs / 2);
  core.state = { ...asked, book: {}, blocked: null, open, problems } as never;
  const adoptedAt = clock.now();
  await clock.advance(archiveBusyMs);
  expect(plans.map(({ held }) => held)).toEqual([["A", "B"]]);
  expect(plans[0]?.now()).toBeGreaterThan(adoptedAt);
});
