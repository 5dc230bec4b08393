/** A disk that fills: no copy that failed keeps the journal's last room, and what lies beside the journal stops before it. */
import { execFileSync } from "node:child_process";
import fs, { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createArchiver } from "../../../main/terminal/archiving.ts";
import { archiveBusyMs, archiveCheckMs, archiveFirstCheckMs, archivePauseMs } from "../../../main/terminal/bounds.ts";
import { type OpenDatabase, openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { type DiskRoom, roomLeftBytes } from "../../../main/terminal/journal/files.ts";
import { type FileJournal, openJournal } from "../../../main/terminal/journal/journal.ts";
import type { Archived, ArchivePlan } from "../../../main/terminal/ports.ts";
import { finish, ownFolder } from "./journal-stage.ts";
import { VirtualClock } from "./virtual-clock.ts";

const here = ownFolder();
const lastYear = Date.UTC(2025, 5, 1);
const now = Date.UTC(2026, 1, 1);
const plan: ArchivePlan = { now: () => now, beforeMs: Date.UTC(2026, 0, 1), held: [] };
const entry = (number: number): string =>
  JSON.stringify({ type: "act", act: `${number} ${"x".repeat(400)}`, about: null });
const entries = 1_500;

const usedBytes = (): number =>
  readdirSync(here.folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(path.join(here.folder, name)))
    .reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);

/** A folder that holds so many bytes; beyond them every file in it fails as SQLite says that the disk is full. */
const diskOf = (bytes: () => number): { readonly open: OpenDatabase; readonly room: DiskRoom } => {
  const refuse = (): void => {
    if (usedBytes() > bytes()) throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
  };
  return {
    open(name, mode) {
      const database = openNodeDatabase(name, mode);
      return {
        exec(sql) {
          if (sql.includes("COMMIT")) refuse();
          database.exec(sql);
        },
        prepare(sql) {
          const statement = database.prepare(sql);
          const run = statement.run.bind(statement);
          return Object.assign(statement, {
            run(...values: Parameters<typeof run>) {
              if (sql === "COMMIT") refuse();
              return run(...values);
            },
          });
        },
        get isTransaction() {
          return database.isTransaction;
        },
        close: () => database.close(),
      };
    },
    room: { freeBytes: () => bytes() - usedBytes(), reserveBytes: 64 * 1024 },
  };
};
const plenty = 10 * roomLeftBytes;

const fill = (): void => {
  const journal = openJournal(here.path, 0);
  journal.append(
    lastYear,
    Array.from({ length: entries }, (_, at) => entry(at)),
  );
  journal.append(lastYear, [JSON.stringify({ type: "checkpoint" })]);
  journal.append(now, [entry(entries)]);
  journal.close();
};
const archive = (journal: FileJournal): Archived => finish(journal.archiveSlices(plan));
const archived = (): readonly string[] =>
  existsSync(here.inside("archive")) ? readdirSync(here.inside("archive")) : [];
const liveEntries = (journal: FileJournal): number => journal.verify().entries;

describe("an archive", () => {
  test("that runs out of room leaves none of it behind: the journal goes on, and so does the next run", () => {
    fill();
    let bytes = plenty;
    const { open, room } = diskOf(() => bytes);
    const journal = openJournal(here.path, 0, "write", open, null, room);
    const steps = journal.archiveSlices(plan);
    steps.next();
    expect(archived()).toEqual([expect.stringMatching(/\.part$/)]);
    bytes = usedBytes() - 1;
    expect(() => finish(steps)).toThrow("disk is full");
    expect(archived()).toEqual([]);
    journal.append(now, [entry(1)]);
    bytes = plenty;
    expect(archive(journal)).toMatchObject({ kind: "archived", entries });
    expect(liveEntries(journal)).toBe(entries + 4);
    journal.close();
  });

  test("that is given up leaves none behind, nor one that its program did not survive", () => {
    fill();
    const journal = openJournal(here.path, 0);
    const steps = journal.archiveSlices(plan);
    steps.next();
    const [part = ""] = archived();
    writeFileSync(here.inside("archive", `${part}-journal`), "x");
    steps.return({ kind: "nothing" });
    expect(archived()).toEqual([]);
    journal.close();
    const parts = ["journal-2025-0a.db.part", "journal-2025-0a.db.part-journal"];
    const others = ["journal-2024-00.db", "journal-2025-0a.partly"];
    mkdirSync(here.inside("archive"), { recursive: true });
    for (const name of [...parts, ...others]) writeFileSync(here.inside("archive", name), "x");
    openJournal(here.path, 0).close();
    expect(archived()).toEqual(others);
  });

  test("is not begun without room for twice the journal and what everybody else needs", () => {
    fill();
    const size = statSync(here.path).size;
    for (const [free, kind] of [
      [2 * size + roomLeftBytes - 1, "no_room"],
      [2 * size + roomLeftBytes, "archived"],
    ] as const) {
      const journal = openJournal(here.path, 0, "write", openNodeDatabase, null, {
        freeBytes: () => free,
        reserveBytes: 0,
      });
      expect(archive(journal).kind).toBe(kind);
      expect(archived()).toHaveLength(kind === "archived" ? 1 : 0);
      journal.close();
    }
  });

  test.runIf(process.platform !== "win32")(
    "on a disk that really ends: the copy is gone, and the journal takes entries",
    () => {
      fill();
      const program = `
      import { readdirSync } from "node:fs";
      const { openJournal } = await import("${pathToFileURL(path.resolve(import.meta.dirname, "../../../main/terminal/journal/journal.ts")).href}");
      const [, file, folder] = process.argv;
      const journal = openJournal(file, 0);
      const steps = journal.archiveSlices({ now: () => ${now}, beforeMs: ${plan.beforeMs}, held: [] });
      let seen = 0, error = "";
      try { while (!steps.next().done) seen = Math.max(seen, readdirSync(folder).length); } catch (thrown) { error = String(thrown); }
      journal.append(${now}, ["{}"]);
      process.stdout.write(JSON.stringify({ error, seen, left: readdirSync(folder), head: journal.head().sequence }));
    `;
      // No file can grow beyond 512 KiB (blocks of 512 bytes), as where a disk or a quota ends; the copy would be longer.
      const limited = 'trap "" XFSZ; ulimit -f 1024; exec "$0" --input-type=module -e "$1" "$2" "$3"';
      const told = execFileSync(
        "/bin/sh",
        ["-c", limited, process.execPath, program, here.path, here.inside("archive")],
        { encoding: "utf8" },
      );
      expect(JSON.parse(told)).toMatchObject({ left: [], head: entries + 3 });
      expect(JSON.parse(told).seen).toBeGreaterThan(0);
      expect(JSON.parse(told).error).toMatch(/disk I\/O error|full/);
    },
  );
});

describe("the archiver", () => {
  const idle = {
    activeScreen: { kind: "idle" },
    book: {},
    blocked: null,
    hasUnreadEntries: false,
    journalCheck: null,
    journalFailing: false,
    open: new Map(),
    problems: new Map(),
  };
  const stage = (archiveSlices: () => Generator<{ checked: number; total: number }, Archived>) => {
    const clock = new VirtualClock();
    const core = { state: { ...idle } };
    const archiver = createArchiver(
      core as never,
      { clock, journal: { archiveSlices }, log: () => undefined } as never,
    );
    archiver.start();
    return { clock, core, archiver };
  };

  test("tries again after pauses that grow, and after the usual one when it went well", async () => {
    const began: number[] = [];
    const { clock } = stage(function* () {
      began.push(clock.now());
      yield* [];
      if (began.length === 2) throw new Error("disk full");
      return { kind: began.length < 7 ? "no_room" : "nothing" };
    });
    await clock.advance(archiveFirstCheckMs);
    expect(began).toHaveLength(1);
    await clock.advance(100 * archiveCheckMs);
    const pauses = began.slice(1, 8).map((at, index) => (at - (began[index] ?? 0)) / archiveCheckMs);
    expect(pauses).toEqual([2, 4, 8, 16, 28, 28, 1]);
  });

  test.each([
    ["a withdrawal is on the screen", { activeScreen: { kind: "withdrawal" } }],
    ["no shop is known", { book: null }],
    ["the terminal is blocked", { blocked: { why: "journal_newer" } }],
    ["entries are there that it cannot read, which may concern anything", { hasUnreadEntries: true }],
    ["the journal is being checked", { journalCheck: { checked: 0, total: 1 } }],
    ["the journal takes nothing", { journalFailing: true }],
  ])("begins nothing while %s, and soon afterwards", async (_, changes) => {
    let began = 0;
    const { clock, core } = stage(function* () {
      began += 1;
      yield* [];
      return { kind: "nothing" };
    });
    Object.assign(core.state, changes);
    await clock.advance(archiveFirstCheckMs + 10 * archiveBusyMs);
    expect(began).toBe(0);
    Object.assign(core.state, idle);
    await clock.advance(archiveBusyMs);
    expect(began).toBe(1);
  });

  test("gives up a copy as soon as the journal takes nothing, and when the program ends", async () => {
    let given = 0;
    const endless = function* (): Generator<{ checked: number; total: number }, Archived> {
      try {
        for (;;) yield { checked: 0, total: 1 };
      } finally {
        given += 1;
      }
    };
    const { clock, core, archiver } = stage(endless);
    await clock.advance(archiveFirstCheckMs + 3 * archivePauseMs);
    expect(given).toBe(0);
    core.state.journalFailing = true;
    await clock.advance(archivePauseMs);
    expect(given).toBe(1);
    core.state.journalFailing = false;
    await clock.advance(2 * archiveCheckMs + 3 * archivePauseMs);
    archiver.stop();
    expect(given).toBe(2);
  });
});

describe("the reserve", () => {
  test("is the journal's alone: a disk that others have filled still takes entries, and a start takes it anew", () => {
    let bytes = plenty;
    const { open, room } = diskOf(() => bytes);
    const journal = openJournal(here.path, 0, "write", open, null, room);
    const reserve = `${here.path}.reserve`;
    expect(statSync(reserve).size).toBe(room.reserveBytes);
    journal.append(now, [entry(1)]);
    // What is released for one entry, others fill before the next.
    for (const number of [2, 3]) {
      bytes = usedBytes() - 1;
      journal.append(now, [entry(number)]);
      expect(statSync(reserve).size).toBe(room.reserveBytes / 2);
    }
    expect(liveEntries(journal)).toBe(3);
    bytes = 0;
    expect(() => journal.append(now, [entry(4)])).toThrow("full");
    journal.close();
    bytes = usedBytes() + roomLeftBytes - 1;
    openJournal(here.path, 0, "write", open, null, room).close();
    expect(existsSync(reserve)).toBe(false);
    bytes = plenty;
    openJournal(here.path, 0, "write", open, null, room).close();
    expect(existsSync(reserve)).toBe(true);
  });

  test.each([
    ["a file that SQLite makes beside it needs some", "open", { errcode: 4_874 }],
    ["a key that the system's store has renewed needs some", "keep", { code: "ENOSPC" }],
  ])("lets a terminal start again on a disk that others have filled: %s", (_, call, error) => {
    const { room } = diskOf(() => plenty);
    const size = () => statSync(`${here.path}.reserve`, { throwIfNoEntry: false })?.size ?? 0;
    const needsRoom = (one: string) => (): void => {
      const isFull = call === one && size() === room.reserveBytes;
      if (isFull) throw Object.assign(new Error("full"), error);
    };
    const current = { id: "1", secret: Buffer.alloc(32, 1) };
    const keys = { current, known: new Map([[current.id, current.secret]]), isUpgrading: false, upgraded() {} };
    const before = openJournal(here.path, 0, "write", openNodeDatabase, { ...keys, keep() {} }, room);
    before.append(now, [entry(1)]);
    before.close();
    const open: OpenDatabase = (name, mode) => {
      needsRoom("open")();
      return openNodeDatabase(name, mode);
    };
    const full = { ...room, freeBytes: () => 0 };
    const journal = openJournal(here.path, 0, "write", open, { ...keys, keep: needsRoom("keep") }, full);
    expect(journal.open()).toEqual({ kind: "open" });
    journal.append(now, [entry(2)]);
    expect([journal.head()?.sequence, size()]).toEqual([3, room.reserveBytes / 2]);
    full.freeBytes = () => plenty;
    journal.append(now, [entry(3)]);
    expect(size(), "whole once there is room").toBe(room.reserveBytes);
    journal.close();
  });

  test("is held with the next entry once there is room, so that it is there when the disk fills again", () => {
    let bytes = roomLeftBytes;
    const { open, room } = diskOf(() => bytes);
    const journal = openJournal(here.path, 0, "write", open, null, room);
    const share = () => (statSync(`${here.path}.reserve`, { throwIfNoEntry: false })?.size ?? 0) / room.reserveBytes;
    const held = [share()];
    for (const [number, nextBytes] of [plenty, usedBytes, plenty, usedBytes].entries()) {
      bytes = typeof nextBytes === "number" ? nextBytes : nextBytes() - 1;
      journal.append(now, [entry(number)]);
      held.push(share());
    }
    expect(held).toEqual([0, 1, 0.5, 1, 0.5]);
    journal.close();
  });

  test("stays as much as it is where a quota, of which the disk tells nothing, has no room for all of it", () => {
    let bytes = plenty;
    const { open, room } = diskOf(() => bytes);
    const journal = openJournal(here.path, 0, "write", open, null, { ...room, freeBytes: () => plenty });
    const size = () => statSync(`${here.path}.reserve`, { throwIfNoEntry: false })?.size ?? 0;
    bytes = usedBytes() - 1;
    const { writeFileSync: write } = fs;
    const writing = vi.spyOn(fs, "writeFileSync").mockImplementation((name, data, options) => {
      write(name, data, options);
      if (size() > room.reserveBytes / 2) throw Object.assign(new Error("disk quota exceeded"), { code: "EDQUOT" });
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      writing.mockRestore();
      syncBuiltinESMExports();
    });
    journal.append(now, [entry(1)]);
    expect(size()).toBe(room.reserveBytes / 2);
    journal.close();
  });

  test("is the terminal's: a tool that only reads neither takes it where it has no room nor makes one", () => {
    const { room } = diskOf(() => plenty);
    openJournal(here.path, 0, "write", openNodeDatabase, null, room).close();
    const open: OpenDatabase = () => {
      throw Object.assign(new Error("full"), { errcode: 13 });
    };
    const reserve = `${here.path}.reserve`;
    expect(openJournal(here.path, 0, "read", open, null, room).open().kind).toBe("unavailable");
    expect(statSync(reserve).size).toBe(room.reserveBytes);
    rmSync(reserve);
    openJournal(here.path, 0, "read", openNodeDatabase, null, room).close();
    expect(existsSync(reserve)).toBe(false);
  });

  test("stays where the journal refuses an entry for another reason", () => {
    const { open, room } = diskOf(() => plenty);
    const journal = openJournal(here.path, 0, "write", open, null, room);
    expect(() => journal.append(now, [null as never])).toThrow();
    expect(existsSync(`${here.path}.reserve`)).toBe(true);
    journal.close();
  });
});
