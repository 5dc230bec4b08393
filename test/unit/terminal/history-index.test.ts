/** The history's index: the same however it was read from the journal, made anew when it is another's or cannot be read. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createReadModel } from "../../../main/terminal/history/read-model.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import type { IndexStore } from "../../../main/terminal/ports.ts";
import { fourFates, serve } from "./history-stage.ts";
import { createRig, handOver, idNumber, MemoryJournal } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

describe("the index", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "history-"));
  });
  const storeAt = (name: string): IndexStore => ({
    open: () => openNodeDatabase(path.join(folder, name), "write"),
    remove: () => {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path.join(folder, name + suffix), { force: true });
    },
    hasRoom: () => true,
    isKept: true,
  });
  const clock = {
    now: () => 0,
    monotonicMs: () => 0,
    after: (ms: number, run: () => void) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
  const modelOf = (journal: ConstructorParameters<typeof Proxy>[0], store: IndexStore, log: string[] = []) =>
    createReadModel({ journal: journal as never, clock, store, log: (_, message) => log.push(message) });
  const contents = async (model: ReturnType<typeof modelOf>) => {
    const tables = await model.upToDate();
    const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
    return tables.list(all, undefined, null, 100).map((found) => ({ ...found, steps: tables.steps(found.place) }));
  };

  test("does not grow on a disk that is nearly full, keeps what it has, and reads on when there is room", async () => {
    const journal = openJournal(":memory:", 0);
    const till = await fourFates({ journal: { ...journal, close: () => undefined } });
    await till.terminal.close();
    let hasRoom = true;
    const log: string[] = [];
    const store = { ...storeAt("nearly-full"), hasRoom: () => hasRoom };
    const model = modelOf(journal, store, log);
    expect(await contents(model)).toHaveLength(4);
    const size = statSync(path.join(folder, "nearly-full")).size;
    hasRoom = false;
    expect(await contents(model)).toHaveLength(4);
    journal.append(1, [JSON.stringify({ type: "act", act: "a", about: null })]);
    await expect(contents(model)).rejects.toThrow("nearly full");
    expect(statSync(path.join(folder, "nearly-full")).size).toBe(size);
    hasRoom = true;
    expect(await contents(model)).toHaveLength(4);
    expect(log).toEqual([]);
    model.close();
  });

  test("comes to the same whether it is read at once, in the middle, or anew; a slice at a time", async () => {
    const journal = openJournal(":memory:", 0);
    const till = await fourFates({ journal: { ...journal, close: () => undefined } });
    const whole = await contents(modelOf(journal, storeAt("whole")));
    expect(whole).toHaveLength(4);
    await till.terminal.close();
    const entries = [...journal.read(10_000).entries];
    for (const cut of [0, 1, 5, 9, entries.length - 1]) {
      const part = new MemoryJournal();
      part.entries = entries.slice(0, cut);
      const store = storeAt(`cut-${cut}`);
      const first = modelOf(part, store);
      await contents(first);
      first.close();
      part.entries = entries;
      expect(await contents(modelOf(part, store))).toEqual(whole);
    }
    const long = new MemoryJournal();
    for (let turn = 0; turn < 50; turn++) for (const { body } of entries) long.append(turn, [body]);
    const asked: number[] = [];
    const read = long.readSlice.bind(long);
    long.readSlice = (from, limit) => {
      asked.push(limit);
      return read(from, limit);
    };
    await modelOf(long, storeAt("long")).upToDate();
    expect(asked.length).toBeGreaterThan(Math.floor((entries.length * 50) / 200));
    expect(Math.max(...asked)).toBeLessThanOrEqual(200);
  });

  test("of another journal is thrown away, longer or shorter, and so is one that cannot be read", async () => {
    const [one_, other] = [openJournal(":memory:", 0), openJournal(":memory:", 0)];
    await fourFates({ journal: { ...one_, close: () => undefined } });
    const till = await createRig({ journal: { ...other, close: () => undefined }, clock: new VirtualClock() });
    await serve(till, 7, "C2", "cash");
    const store = storeAt("switched");
    const whole = await contents(modelOf(one_, storeAt("never-switched")));
    const alone = await contents(modelOf(other, storeAt("alone")));
    expect([whole.length, alone.length]).toEqual([4, 1]);
    for (const [journal, its] of [
      [one_, whole],
      [other, alone],
      [one_, whole],
    ] as const) {
      const model = modelOf(journal, store);
      expect(await contents(model)).toEqual(its);
      model.close();
    }

    writeFileSync(path.join(folder, "broken"), "no database at all, but long enough to be looked at".repeat(99));
    const log: string[] = [];
    expect(await contents(modelOf(one_, storeAt("broken"), log))).toHaveLength(4);
    expect(log).toEqual(["the history is indexed anew"]);
  });

  test("of a version with other columns is made anew", async () => {
    const journal = new MemoryJournal();
    await fourFates({ journal });
    const store = storeAt("earlier");
    const database = store.open();
    database.exec("CREATE TABLE withdrawal (place INTEGER PRIMARY KEY) STRICT; PRAGMA user_version = 3;");
    database.close();
    const log: string[] = [];
    expect(await contents(modelOf(journal, store, log))).toHaveLength(4);
    expect(log).toEqual([]);
  });

  test("is not touched in the tick of an entry or of the start: a slow disk holds up no withdrawal", async () => {
    const model = modelOf(new MemoryJournal(), storeAt("later"));
    model.readAhead();
    model.wrote(1_000);
    expect(readdirSync(folder)).not.toContain("later");
    await model.upToDate();
    expect(readdirSync(folder)).toContain("later");
    model.close();
  });

  test("that can be kept nowhere costs the list, and nothing else", async () => {
    const index: IndexStore = {
      open: () => {
        throw new Error("disk full");
      },
      remove: () => undefined,
      hasRoom: () => true,
      isKept: true,
    };
    const journal = new MemoryJournal();
    const ports = { journal };
    const till = await createRig({ ...ports, index });
    till.service.order({ transaction_id: idNumber(1) });
    await till.scan(idNumber(1));
    await till.send({ type: "confirm" });
    const order = till.service.orders.get(idNumber(1));
    if (order !== undefined) order.status = "settled";
    await till.clock.advance(1_500);
    await handOver(till);
    expect(till.screen().kind).toBe("done");
    expect(await till.terminal.dispatch({ type: "list_history", before: null, limit: 5 })).toEqual({
      ok: false,
      code: "failed",
    });
  });
});
