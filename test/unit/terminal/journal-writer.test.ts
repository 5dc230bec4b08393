/** What the journal does not take is tried again until it does, in its order and with how long that was. */
import { expect, test } from "vitest";
import { journalTryMs } from "../../../main/terminal/bounds.ts";
import { createJournalWriter } from "../../../main/terminal/journal/writer.ts";
import type { DurableEvent } from "../../../main/terminal/withdrawal/events.ts";
import { VirtualClock } from "./virtual-clock.ts";

const event = (sequence: number): DurableEvent => ({ type: "journal_recovered", failedForMs: sequence });

const stage = () => {
  const clock = new VirtualClock(1_000_000);
  const disk = { isFull: false };
  const [entries, types, reported, logged]: [string[], string[], unknown[], unknown[]] = [[], [], [], []];
  const writer = createJournalWriter({
    journal: {
      append(at: number, bodies: readonly string[]) {
        if (disk.isFull) throw new Error("disk full");
        const read = bodies.map((body) => JSON.parse(body) as { type: string; failedForMs: number });
        entries.push(...read.map(({ failedForMs }) => `${at} ${failedForMs}`));
        types.push(...read.map(({ type }) => type));
      },
    } as never,
    clock,
    log: (...said) => void logged.push(said),
    momentNow: () => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() }),
    onHealth: (takes, { wallMs }) => void reported.push([takes, wallMs]),
    onWritten: (count) => void reported.push(count),
  });
  const moment = () => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() });
  return { clock, disk, entries, types, reported, logged, writer, moment };
};

test("what is taken is reported, and counted until a checkpoint", () => {
  const { writer, entries, reported, moment } = stage();
  expect(writer.write([event(1), event(2)], moment())).toBe(true);
  expect([entries, reported]).toEqual([["1000000 1", "1000000 2"], [2]]);
  expect([writer.sinceCheckpoint, writer.failing]).toEqual([2, false]);
  writer.checkpointed();
  expect(writer.sinceCheckpoint).toBe(0);
  writer.reset(7);
  writer.write([event(3)], moment());
  expect(writer.sinceCheckpoint).toBe(8);
});

test("what is not taken has not happened; the journal is tried again until it takes entries, and says how long that was", async () => {
  const { clock, disk, writer, entries, types, reported, logged, moment } = stage();
  disk.isFull = true;
  expect([writer.write([event(1)], moment()), writer.write([event(2)], moment()), writer.failing]).toEqual([
    false,
    false,
    true,
  ]);
  expect(reported).toEqual([[false, 1_000_000]]);
  expect(logged[0]).toEqual(["error", expect.any(String), { error: "Error: disk full", types: ["journal_recovered"] }]);
  await clock.advance(2 * journalTryMs + 1);
  disk.isFull = false;
  await clock.advance(journalTryMs - 2);
  expect([entries, writer.failing]).toEqual([[], true]);
  await clock.advance(1);
  const backAt = 1_000_000 + 3 * journalTryMs;
  expect([entries, writer.failing, writer.sinceCheckpoint]).toEqual([[`${backAt} ${3 * journalTryMs}`], false, 1]);
  expect([types, reported.slice(1)]).toEqual([["journal_recovered"], [[true, backAt], 1]]);
  await clock.advance(10 * journalTryMs);
  expect(entries).toHaveLength(1);
});

test("what is kept goes first, once, and what another journal did not take is not for this one", async () => {
  const { clock, disk, writer, entries, reported, moment } = stage();
  writer.writeOrKeep([event(1)], moment());
  expect(entries).toHaveLength(1);
  disk.isFull = true;
  writer.writeOrKeep([event(2)], moment());
  writer.writeOrKeep([event(3)], moment());
  writer.write([event(4)], moment());
  disk.isFull = false;
  writer.write([event(5)], moment());
  writer.write([event(6)], moment());
  expect(entries.map((entry) => entry.slice(8))).toEqual(["1", "2", "3", "5", "6"]);
  expect(reported.filter((one) => typeof one === "number")).toEqual([1, 3, 1]);
  expect(writer.sinceCheckpoint).toBe(5);
  // It takes entries again: the try that was planned finds nothing to do.
  await clock.advance(journalTryMs);
  expect(entries).toHaveLength(5);
  disk.isFull = true;
  writer.writeOrKeep([event(7)], moment());
  writer.reset(0);
  disk.isFull = false;
  writer.write([event(8)], moment());
  expect(entries.slice(5).map((entry) => entry.slice(8))).toEqual(["8"]);
});

test("a stop plans nothing more", async () => {
  const { clock, disk, writer, entries, moment } = stage();
  writer.stop();
  disk.isFull = true;
  writer.write([event(1)], moment());
  writer.stop();
  expect(writer.failing).toBe(false);
  disk.isFull = false;
  await clock.advance(10 * journalTryMs);
  expect(entries).toEqual([]);
});
