/** What a start after an update means: stories over the record that outlives the runs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { endTrialWhenHealthy, healthyAfterMs } from "../../../main/updates/end-trial.ts";
import { atStart, startsBeforeAsking, withRolledBack, withTrialPassed } from "../../../main/updates/first-starts.ts";
import { openUpdateFile, type UpdateRecord, withFailed } from "../../../main/updates/update-file.ts";
import type { Snapshot } from "../../../preload/contract.ts";
import { screenOf } from "../../e2e/gallery/snapshots.ts";
import { VirtualClock } from "../terminal/virtual-clock.ts";

const previous = { version: "0.1.0", file: "/data/versions/old", sha512: "a" };
const next = { version: "0.2.0", file: "/data/versions/new", sha512: "b" };
const begun: UpdateRecord = {
  seen: {},
  failed: [],
  attempt: { from: "0.1.0", to: "0.2.0", starts: 0, previous, next },
  installer: null,
};

/** Starts a version again and again; each reads what the one before wrote. */
const starts = (record: UpdateRecord, versions: readonly string[]) => {
  let now = record;
  return versions.map((version) => {
    const { kind, record: after } = atStart(now, version);
    now = after;
    return kind;
  });
};

test("a start without an update is a usual one, and writes nothing", () => {
  const calm = { ...begun, attempt: null };
  expect(atStart(calm, "0.1.0")).toEqual({ kind: "usual", record: calm });
});

test("a version that never gets going is asked about at its third start, and at each one after", () => {
  const kinds = starts(begun, Array(5).fill("0.2.0"));
  expect(kinds).toEqual([...Array(startsBeforeAsking).fill("trial"), "ask", "ask", "ask"]);
});

test("a version that got going is a trial no more; its file is kept for the update after it", () => {
  const tried = atStart(begun, "0.2.0").record;
  expect(withTrialPassed(tried)).toEqual({ ...begun, attempt: null, installer: next });
  expect(starts(withTrialPassed(tried), ["0.2.0", "0.2.0", "0.2.0"])).toEqual(["usual", "usual", "usual"]);
});

test("an installation that came to nothing is said once, and never tried by itself again", () => {
  const { kind, record } = atStart(begun, "0.1.0");
  expect(kind).toBe("not_installed");
  expect(record).toEqual({ ...begun, attempt: null, failed: ["0.2.0"] });
  expect(atStart(record, "0.1.0").kind).toBe("usual");
});

test("whoever went back starts the old version as usual, and the new one is not tried by itself again", () => {
  const record = withRolledBack(atStart(begun, "0.2.0").record);
  expect(record).toEqual({ ...begun, attempt: null, failed: ["0.2.0"], installer: previous });
  expect(starts(record, ["0.1.0", "0.1.0"])).toEqual(["usual", "usual"]);
});

test("a third version that somebody installed by hand is no trial", () => {
  expect(atStart(begun, "0.3.0")).toEqual({ kind: "usual", record: { ...begun, attempt: null } });
});

test("versions that failed are remembered, each once, the last twenty", () => {
  const all = Array.from({ length: 30 }, (_, number) => `0.${number}.0`);
  const kept = all.reduce<string[]>(withFailed, []);
  expect(kept).toEqual(all.slice(-20));
  expect(withFailed(kept, "0.15.0")).toEqual([...kept.filter((one) => one !== "0.15.0"), "0.15.0"]);
});

/** A new version's first start, with what its core says. */
const openTrial = () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-trial-"));
  const file = openUpdateFile(folder, () => undefined);
  file.save(begun);
  const clock = new VirtualClock();
  let show = (_snapshot: Snapshot): void => undefined;
  const ended: UpdateRecord[] = [];
  const subscribe = (listener: typeof show) => {
    show = listener;
    return () => undefined;
  };
  const pageOpened = endTrialWhenHealthy(file, { subscribe }, clock, (record) => ended.push(record));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, file, clock, ended, pageOpened, show: (screen: string) => show(screenOf(screen)) };
};

test("a new version has got going once it shows its screens for twenty seconds, and not while its journal is shut", async () => {
  const { folder, file, clock, ended, pageOpened, show } = openTrial();
  pageOpened();
  for (const [screen, forMs] of [
    ["starting", 10 * healthyAfterMs],
    ["blocked-journal", 10 * healthyAfterMs],
    ["ready-camera-off", healthyAfterMs / 2],
    ["blocked-journal", 2 * healthyAfterMs],
  ] as const) {
    show(screen);
    await clock.advance(forMs);
    expect(file.load().attempt, screen).not.toBeNull();
  }
  show("ready-camera-off");
  await clock.advance(2 * healthyAfterMs);
  expect(ended).toEqual([{ ...begun, attempt: null, installer: next }]);
  // As the next start reads it.
  expect(openUpdateFile(folder, () => undefined).load()).toEqual(ended[0]);
});

test("nor while there is no page that shows them, or one that crashes and is loaded again and again", async () => {
  const { file, clock, ended, pageOpened, show } = openTrial();
  show("ready-camera-off");
  await clock.advance(10 * healthyAfterMs);
  for (let reloads = 0; reloads < 10; reloads += 1) {
    pageOpened();
    await clock.advance(healthyAfterMs - 1);
    expect(file.load().attempt).not.toBeNull();
  }
  await clock.advance(2 * healthyAfterMs);
  expect(ended).toHaveLength(1);
});
