/** A terminal's updates from the first check to the installation, with a clock that moves when told. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Actor } from "../../../main/terminal/withdrawal/inputs.ts";
import {
  type CheckResult,
  checkEveryMs,
  createUpdates,
  type Fetched,
  firstCheckMs,
  idleMs,
  NoDiskSpace,
  openUpdateFile,
  retryMs,
  type UpdateFile,
  type UpdateSource,
  type Updates,
  withUpdates,
} from "../../../main/updates/updates.ts";
import type { Reply, Snapshot, TerminalCommand, UpdateStatus } from "../../../preload/contract.ts";
import { openToAll } from "../../e2e/gallery/people-views.ts";
import { calmHeader, settings } from "../../e2e/gallery/snapshots.ts";
import { settle, VirtualClock } from "../terminal/virtual-clock.ts";

const closed = { kind: "closed", number: 1, openForMs: null } as const;
const rest: Snapshot = {
  revision: 1,
  screen: { kind: "ready", step: "ready-1" },
  header: { ...calmHeader, day: closed },
  toast: null,
  settings: settings(),
  people: openToAll,
};
const found: CheckResult = { kind: "found", version: "0.2.0" };

/** A feed and an installation that do as a test says. */
class ScriptedSource implements UpdateSource {
  isUnattended = true;
  looked: CheckResult = found;
  whole = true;
  /** What the next download ends with. */
  failure: Error | null = null;
  readonly calls: string[] = [];
  onWhole: () => void | Promise<void> = () => undefined;
  check = async (channel: string): Promise<CheckResult> => {
    this.calls.push(`check ${channel}`);
    return this.looked;
  };
  fetch = async (progress: (percent: number) => void): Promise<Fetched> => {
    this.calls.push("fetch");
    for (const percent of [1, 40, 42, 100]) progress(percent);
    if (this.failure !== null) throw this.failure;
    return { version: this.looked.kind === "found" ? this.looked.version : "", file: "/pending/new" };
  };
  matchesChecksum = async (): Promise<boolean> => {
    await this.onWhole();
    return this.whole;
  };
  install = (): void => {
    this.calls.push("install");
  };
}

let folder: string;
let clock: VirtualClock;
let source: ScriptedSource;
let file: UpdateFile;
let snapshot: Snapshot;
let servesOthers: boolean;
let statuses: UpdateStatus[];
let recorded: string[];
let updates: Updates;

const last = () => statuses.at(-1)?.progress;
const begin = (): void => {
  updates = createUpdates({
    source,
    file,
    clock,
    log: () => undefined,
    snapshot: () => snapshot,
    servesOthers: () => servesOthers,
    minuteOfDay: () => 12 * 60,
    show: (status) => statuses.push(status),
    record: (version) => recorded.push(version),
  });
};
const header = (part: Partial<Snapshot["header"]>): void => {
  snapshot = { ...snapshot, header: { ...snapshot.header, ...part } };
};
/** A terminal on an open day that has fetched 0.2.0. */
const fetchedOnOpenDay = async (): Promise<void> => {
  header({ day: { kind: "open", number: 1, openForMs: 0 } });
  begin();
  await clock.advance(firstCheckMs + 20_000);
};

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-updates-"));
  clock = new VirtualClock();
  source = new ScriptedSource();
  file = openUpdateFile(folder, () => undefined);
  snapshot = rest;
  servesOthers = false;
  [statuses, recorded] = [[], []];
});
afterEach(() => {
  updates.close();
  rmSync(folder, { recursive: true, force: true });
});

test("looks, fetches with its progress, waits for the day to be closed and for quiet, and installs", async () => {
  await fetchedOnOpenDay();
  const kinds = statuses.map(({ progress }) => (progress.kind === "downloading" ? progress.percent : progress.kind));
  expect(kinds).toEqual(["idle", "checking", 0, 40, 100, "ready"]);
  expect(last()).toEqual({ kind: "ready", version: "0.2.0", waitsFor: "day", failedBefore: false });
  await clock.advance(24 * 3_600_000);
  expect(source.calls).not.toContain("install");

  header({ day: { kind: "closed", number: 1, openForMs: null } });
  await clock.advance(idleMs - 20_000);
  expect(last()).toMatchObject({ waitsFor: "quiet" });
  await clock.advance(60_000);
  expect(source.calls.at(-1)).toBe("install");
  expect(file.load().attempt).toEqual({ to: "0.2.0" });
  expect(recorded).toEqual(["0.2.0"]);
  expect(last()).toEqual({ kind: "installing", version: "0.2.0" });
});

describe("whatever a manager agrees to", () => {
  test.each([
    ["a withdrawal is open", { unfinished: 1 }],
    ["a report is owed", { pendingReports: { count: 1, oldestMs: 5 } }],
  ])("nothing is installed while %s", async (_what, part) => {
    await fetchedOnOpenDay();
    header(part);
    expect(await updates.install("0.2.0")).toBe("busy");
    expect(file.load().attempt).toBeNull();
    expect(source.calls).not.toContain("install");
  });

  test("a customer who comes while the file is looked at is served", async () => {
    await fetchedOnOpenDay();
    source.onWhole = () => header({ unfinished: 1 });
    expect(await updates.install("0.2.0")).toBe("busy");
    expect(file.load().attempt).toBeNull();
    expect(last()).toMatchObject({ kind: "ready", waitsFor: "withdrawal" });
  });

  test.each<[string, () => void, string]>([
    ["the program is closed while the file is looked at", () => (source.onWhole = () => updates.close()), "busy"],
    ["its beginning cannot be written down", () => (file = { ...file, save: () => false }), "failed"],
  ])("nothing is installed where %s", async (_what, prepare, outcome) => {
    prepare();
    await fetchedOnOpenDay();
    expect(await updates.install("0.2.0")).toBe(outcome);
    expect(source.calls).not.toContain("install");
  });

  test("it is installed once, however often that is pressed", async () => {
    await fetchedOnOpenDay();
    const pressed = [updates.install("0.2.0"), updates.install("0.2.0")];
    expect(await Promise.all(pressed)).toEqual(["begun", "busy"]);
    expect(source.calls.filter((call) => call === "install")).toHaveLength(1);
  });

  test("a version that is taken back while its file is looked at is not installed", async () => {
    await fetchedOnOpenDay();
    source.onWhole = async () => {
      source.looked = { kind: "none" };
      updates.check();
      await settle();
    };
    expect(await updates.install("0.2.0")).toBe("busy");
    expect(file.load().attempt).toBeNull();
    expect(source.calls).not.toContain("install");
  });

  test("only the version that was shown is installed", async () => {
    await fetchedOnOpenDay();
    expect(await updates.install("0.3.0")).toBe("stale");
    expect(source.calls).not.toContain("install");
  });

  test("a file that changed is not installed, and is fetched again", async () => {
    await fetchedOnOpenDay();
    source.whole = false;
    expect(await updates.install("0.2.0")).toBe("failed");
    expect(last()).toMatchObject({ kind: "idle", trouble: "download" });
    source.whole = true;
    updates.check();
    await settle();
    expect(last()).toMatchObject({ kind: "ready", version: "0.2.0" });
  });
});

test("a manager who agrees installs on an open day", async () => {
  await fetchedOnOpenDay();
  expect(await updates.install("0.2.0")).toBe("begun");
  expect(source.calls.at(-1)).toBe("install");
  expect(updates.isInstalling()).toBe(true);
});

test.each([
  ["the system asks for a password", () => (source.isUnattended = false)],
  ["other terminals use this one's service", () => (servesOthers = true)],
  ["this version failed before", () => file.save({ failed: ["0.2.0"] })],
  ["nobody counts the drawer's days", () => header({ day: null })],
])("nothing is installed by itself where %s", async (_what, prepare) => {
  prepare();
  begin();
  await clock.advance(firstCheckMs + idleMs + 60_000);
  expect(last()).toMatchObject({ kind: "ready", waitsFor: "manager" });
  expect(source.calls).not.toContain("install");
});

test("switched off, nothing is asked, fetched or installed", async () => {
  snapshot = { ...rest, settings: settings({ updates: { enabled: false, channel: "latest", window: null } }) };
  begin();
  await clock.advance(3 * checkEveryMs);
  expect(source.calls).toEqual([]);
  expect(last()).toEqual({ kind: "off" });
});

test("switched off, another channel is not asked, and what was fetched stays away", async () => {
  await fetchedOnOpenDay();
  header({ day: closed });
  snapshot = { ...snapshot, settings: settings({ updates: { enabled: false, channel: "beta", window: null } }) };
  await clock.advance(checkEveryMs);
  expect(source.calls).toEqual(["check latest", "fetch"]);
});

test("a check that failed is repeated later and later, and says why", async () => {
  source.looked = { kind: "failed", why: "wrong_signature", detail: "" };
  begin();
  await clock.advance(firstCheckMs + 20_000);
  expect(last()).toEqual({ kind: "idle", checkedAt: null, trouble: "wrong_signature" });
  await clock.advance(retryMs + 20_000);
  expect(source.calls).toHaveLength(2);
  await clock.advance(retryMs + 20_000);
  expect(source.calls).toHaveLength(2);
  source.looked = { kind: "none" };
  await clock.advance(retryMs + 20_000);
  expect(last()).toMatchObject({ kind: "idle", trouble: null, checkedAt: expect.any(String) });
  await clock.advance(checkEveryMs - retryMs - 60_000);
  expect(source.calls).toHaveLength(3);
});

test("what does not arrive is no version, and is fetched anew", async () => {
  source.failure = new Error("cut");
  await fetchedOnOpenDay();
  expect(last()).toMatchObject({ kind: "idle", trouble: "download" });
  source.failure = null;
  await clock.advance(retryMs + 20_000);
  expect(last()).toMatchObject({ kind: "ready", version: "0.2.0" });
});

test("a version that the disk has no room for is named as that, and tried again later", async () => {
  source.failure = new NoDiskSpace("0 bytes are free");
  await fetchedOnOpenDay();
  expect(last()).toMatchObject({ kind: "idle", trouble: "no_disk_space" });
  source.failure = null;
  await clock.advance(retryMs + 20_000);
  expect(last()).toMatchObject({ kind: "ready", version: "0.2.0" });
});

test("what was fetched is not fetched again, and gives way to what is newer", async () => {
  await fetchedOnOpenDay();
  for (const version of ["0.2.0", "0.3.0"]) {
    source.looked = { kind: "found", version };
    expect(updates.check()).toBe(true);
    expect(updates.check()).toBe(false);
    await settle();
    expect(last()).toMatchObject({ kind: "ready", version });
  }
  expect(source.calls.slice(2)).toEqual(["check latest", "check latest", "fetch"]);
});

test("what was fetched is kept while nobody answers", async () => {
  await fetchedOnOpenDay();
  source.looked = { kind: "failed", why: "unreachable", detail: "" };
  updates.check();
  await settle();
  expect(last()).toMatchObject({ kind: "ready", version: "0.2.0" });
  expect(source.calls.filter((call) => call === "fetch")).toHaveLength(1);
});

test("a version that was taken back is dropped", async () => {
  await fetchedOnOpenDay();
  source.looked = { kind: "none" };
  updates.check();
  await settle();
  expect(last()).toMatchObject({ kind: "idle" });
});

test("another channel is asked at once, and what the one before had is dropped, whatever the answer", async () => {
  await fetchedOnOpenDay();
  source.looked = { kind: "failed", why: "wrong_signature", detail: "" };
  snapshot = { ...snapshot, settings: settings({ updates: { enabled: true, channel: "beta", window: null } }) };
  await clock.advance(20_000);
  expect(source.calls.at(-1)).toBe("check beta");
  expect(last()).toMatchObject({ kind: "idle", trouble: "wrong_signature" });
});

for (const [what, isThrown] of [
  ["did not end", false],
  ["could not even begin to end", true],
] as const)
  test(`a program that ${what} goes on serving, and does not try that version again`, async () => {
    const { install } = source;
    source.install = () => {
      install();
      if (isThrown) throw new Error("the window is gone");
    };
    begin();
    await clock.advance(idleMs + 20_000);
    expect(updates.isInstalling()).toBe(true);
    await clock.advance(90_000);
    expect(updates.isInstalling()).toBe(false);
    expect(file.load()).toMatchObject({ attempt: null, failed: ["0.2.0"] });
    await clock.advance(checkEveryMs);
    expect(source.calls.filter((call) => call === "install")).toHaveLength(1);
  });

test("a program that ends in time has not failed", async () => {
  await fetchedOnOpenDay();
  await updates.install("0.2.0");
  updates.close();
  await clock.advance(90_000);
  expect(file.load()).toMatchObject({ attempt: { to: "0.2.0" }, failed: [] });
});

describe("the terminal's commands", () => {
  const manager: Actor = { code: "M1", guarded: true, approvedBy: null };
  const passed: string[] = [];
  const acts: string[] = [];
  const terminal = {
    dispatch: async ({ type }: TerminalCommand, _actor: Actor): Promise<Reply> => {
      passed.push(type);
      return { ok: true };
    },
    record: (act: string) => void acts.push(`${act} after ${source.calls.at(-1)}`),
  };

  test("nothing begins on a terminal that is about to end, and everything did before", async () => {
    await fetchedOnOpenDay();
    const bridge = withUpdates(terminal, updates);
    const scan: TerminalCommand = { type: "scan", text: "7F3K9Q2M4XJ8A1WN", source: "typed" };
    expect(await bridge.dispatch(scan, manager)).toEqual({ ok: true });
    expect(await bridge.dispatch({ type: "install_update", version: "0.2.0" }, manager)).toEqual({ ok: true });
    expect(await bridge.dispatch(scan, manager)).toEqual({ ok: false, code: "busy" });
    expect([passed, acts]).toEqual([["scan"], ["update_agreed after fetch"]]);
  });

  test("a check that is under way is not begun again", async () => {
    await fetchedOnOpenDay();
    const check = () => withUpdates(terminal, updates).dispatch({ type: "check_for_update" }, manager);
    expect(await Promise.all([check(), check()])).toEqual([{ ok: true }, { ok: false, code: "busy" }]);
  });

  test("a program without updates leaves them to the terminal", async () => {
    expect(withUpdates(terminal, null)).toBe(terminal);
  });

  test.each<[string, (minute: number) => void]>([
    ["sends commands", () => void withUpdates(terminal, updates).dispatch({ type: "list_cashiers" }, manager)],
    [
      "goes from screen to screen",
      (minute) => {
        snapshot = { ...snapshot, screen: { kind: "ready", step: `ready-${minute}` } };
      },
    ],
    [
      "has just ended a withdrawal",
      () => {
        header({ unfinished: 1 });
        clock.after(30_000, () => header({ unfinished: 0 }));
      },
    ],
  ])("whoever %s is not interrupted", async (_what, work) => {
    begin();
    for (let minute = 0; minute < 30; minute += 1) {
      await clock.advance(60_000);
      work(minute);
    }
    await clock.advance(60_000);
    expect(source.calls).not.toContain("install");
    expect(last()).toMatchObject({ kind: "ready", waitsFor: "quiet" });
  });
});

test("one that was closed shows nothing more of a check that was under way, and begins none", async () => {
  begin();
  updates.check();
  updates.close();
  expect(clock.timers).toBe(0);
  const shown = statuses.length;
  await settle();
  await clock.advance(2 * checkEveryMs);
  expect(statuses).toHaveLength(shown);
  expect(updates.check()).toBe(false);
  expect(source.calls.filter((call) => call.startsWith("check"))).toHaveLength(1);
});
