/** When a new version is looked for, and when it is installed: each line a case. */
import { describe, expect, test } from "vitest";
import { busyWith, type InstallFacts, isCheckDue, isInWindow, waitOf } from "../../../main/updates/updates.ts";
import type { Snapshot } from "../../../preload/contract.ts";
import { busyHeader, calmHeader, gallery } from "../../e2e/gallery/snapshots.ts";

const on = { enabled: true, window: null };
const night = { enabled: true, window: { from: "22:00", to: "05:00" } };
const noon = 12 * 60;
const midnight = 0;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

describe("a check is due", () => {
  test.each([
    ["not at once", { nowMs: minuteMs - 1 }, false],
    ["a minute after the start", { nowMs: minuteMs }, true],
    ["not while it is switched off", { nowMs: minuteMs, settings: { enabled: false } }, false],
    ["not again within six hours", { checkedMs: 0, nowMs: 6 * hourMs - 1 }, false],
    ["after six hours", { checkedMs: 0, nowMs: 6 * hourMs }, true],
    ["ten minutes after one that failed", { checkedMs: 0, failures: 1, nowMs: 10 * minuteMs }, true],
    ["not as soon after the second that failed", { checkedMs: 0, failures: 2, nowMs: 20 * minuteMs - 1 }, false],
    ["twenty minutes after the second", { checkedMs: 0, failures: 2, nowMs: 20 * minuteMs }, true],
    ["never later than six hours, however often it failed", { checkedMs: 0, failures: 900, nowMs: 6 * hourMs }, true],
  ])("%s", (_what, facts, due) => {
    expect(isCheckDue({ settings: on, startedMs: 0, checkedMs: null, failures: 0, ...facts })).toBe(due);
  });
});

describe("a version that was fetched", () => {
  const facts: InstallFacts = {
    settings: on,
    busy: null,
    hasDays: true,
    minuteOfDay: noon,
    idleForMs: 5 * minuteMs,
    isUnattended: true,
    servesOthers: false,
    failedBefore: false,
    isAgreed: false,
  };
  const agreed = { isAgreed: true };
  test.each<[string, Partial<InstallFacts>, ReturnType<typeof waitOf>]>([
    ["is installed when the day is closed and nobody is there", {}, null],
    ["waits for a withdrawal", { busy: "withdrawal" }, "withdrawal"],
    ["waits for a withdrawal also when a manager agrees", { busy: "withdrawal", ...agreed }, "withdrawal"],
    ["waits for a report also when a manager agrees", { busy: "report", ...agreed }, "report"],
    ["waits for a receipt also when a manager agrees", { busy: "printing", ...agreed }, "printing"],
    ["waits for the day to be closed", { busy: "day" }, "day"],
    ["is installed on an open day when a manager agrees", { busy: "day", ...agreed }, null],
    ["waits until nobody did anything for five minutes", { idleForMs: 5 * minuteMs - 1 }, "quiet"],
    ["does not wait for quiet when a manager agrees", { idleForMs: 0, ...agreed }, null],
    ["waits for the window", { settings: night }, "window"],
    ["is installed in the window", { settings: night, minuteOfDay: midnight }, null],
    ["is not installed in the window on an open day", { settings: night, minuteOfDay: midnight, busy: "day" }, "day"],
    ["says of an open day before it says of the window", { settings: night, busy: "day" }, "day"],
    ["does not wait for the window when a manager agrees", { settings: night, ...agreed }, null],
    ["waits for a manager where no day says that the shop is closed", { hasDays: false }, "manager"],
    ["is installed there in the window", { hasDays: false, settings: night, minuteOfDay: midnight }, null],
    ["waits there for the window", { hasDays: false, settings: night }, "window"],
    ["waits for a manager where the system asks for a password", { isUnattended: false }, "manager"],
    ["waits for a manager where other tills use this one's service", { servesOthers: true }, "manager"],
    ["waits for a manager when it failed before", { failedBefore: true }, "manager"],
    ["waits for a manager when updates were switched off", { settings: { ...on, enabled: false } }, "manager"],
    ["that failed before is installed when a manager agrees", { failedBefore: true, ...agreed }, null],
  ])("%s", (_what, change, wait) => {
    expect(waitOf({ ...facts, ...change })).toBe(wait);
  });
});

describe("the window", () => {
  test.each([
    ["02:00", "05:00", 2 * 60 - 1, false],
    ["02:00", "05:00", 2 * 60, true],
    ["02:00", "05:00", 5 * 60 - 1, true],
    ["02:00", "05:00", 5 * 60, false],
    ["22:30", "05:00", 22 * 60 + 29, false],
    ["22:30", "05:00", 22 * 60 + 30, true],
    ["22:30", "05:00", 0, true],
    ["22:30", "05:00", 5 * 60, false],
    ["03:00", "03:00", 12 * 60, true],
  ])("from %s to %s at minute %i: %s", (from, to, minute, inside) => {
    expect(isInWindow({ from, to }, minute)).toBe(inside);
  });
});

describe("a terminal is busy", () => {
  const ready: Snapshot["screen"] = { kind: "ready", step: "ready-1" };
  const day = (kind: "open" | "closed" | "counted") => ({ kind, number: 1, openForMs: null });
  const { open, pendingReports } = busyHeader;
  test.each<[string, Partial<Snapshot["header"]>, ReturnType<typeof busyWith>]>([
    ["not at rest", {}, null],
    ["with a withdrawal that is not ended", { unfinished: 1 }, "withdrawal"],
    ["with one behind the screen", { open }, "withdrawal"],
    ["when its journal takes nothing", { journalFailing: true }, "withdrawal"],
    ["with a report that the service has not taken", { pendingReports }, "report"],
    [
      "with a receipt that waits",
      { printing: { why: "offline", isUnclear: false, isRetried: true, waiting: 1 } },
      "printing",
    ],
    ["on an open day", { day: day("open") }, "day"],
    ["while the day is counted", { day: day("counted") }, "day"],
    ["not on a closed day", { day: day("closed") }, null],
  ])("%s", (_what, header, busy) => {
    expect(busyWith({ screen: ready, header: { ...calmHeader, ...header } })).toBe(busy);
  });

  test("on every screen of a withdrawal, of the set-up and of the start", () => {
    const calm = gallery.filter(({ snapshot }) => busyWith({ ...snapshot, header: calmHeader }) === null);
    expect([...new Set(calm.map(({ snapshot }) => snapshot.screen.kind))].sort()).toEqual(["blocked", "ready"]);
  });
});
