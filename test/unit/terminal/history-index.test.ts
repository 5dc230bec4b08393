/** The history's index: the same however it was read from the journal, made anew when it is another's or cannot be read. */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createReadModel } from "../../../main/terminal/history/read-model.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import type { IndexStore, JournalDatabase } from "../../../main/terminal/ports.ts";
import { confirmIntended, settled } from "./entries.ts";
import { of } from "./flow-stage.ts";
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
    // Its log too, which is where anything new would go.
    const sizes = () => readdirSync(folder).map((name) => [name, statSync(path.join(folder, name)).size]);
    const before = sizes();
    expect(before).toHaveLength(3);
    hasRoom = false;
    expect(await contents(model)).toHaveLength(4);
    journal.append(1, [JSON.stringify({ type: "act", act: "a", about: null })]);
    await expect(contents(model)).rejects.toThrow("nearly full");
    expect(sizes()).toEqual(before);
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
    const log: string[] = [];
    for (const [journal, its] of [
      [one_, whole],
      [other, alone],
      [one_, whole],
    ] as const) {
      const model = modelOf(journal, store, log);
      expect(await contents(model)).toEqual(its);
      model.close();
    }
    const another = "another journal is in use: its history is indexed";
    expect(log.splice(0)).toEqual([another, another]);

    writeFileSync(path.join(folder, "broken"), "no database at all, but long enough to be looked at".repeat(99));
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

describe("the index, entry by entry", () => {
  const body = (event: object) => JSON.stringify(event);
  const begun = confirmIntended;
  const receipt = { ...of, atMs: 5, terminal: "till-1", cashier: null, training: false, isReprint: false };
  const asked = { type: "receipt_requested", withdrawalId: "W1", copies: ["customer"], receipt };
  const cleared = (withdrawalId: string) => ({ type: "acknowledged", withdrawalId, actor: "M1", note: "seen" });

  /** A journal with these entries, the model over a store of its own, and what both were asked. */
  const modelWith = (events: readonly object[], isKept = true) => {
    const [journal, clock] = [new MemoryJournal(), new VirtualClock()];
    journal.append(1_000, events.map(body));
    const [froms, log]: [number[], string[]] = [[], []];
    const made = { opened: 0, closed: 0, removed: 0, database: null as JournalDatabase | null };
    const failing = { read: 0, open: false };
    const read = journal.readSlice.bind(journal);
    journal.readSlice = (from, limit) => {
      froms.push(from);
      if (failing.read-- > 0) throw new Error("unreadable");
      return read(from, limit);
    };
    const file = path.join(mkdtempSync(path.join(tmpdir(), "history-")), "index");
    const store: IndexStore = {
      open: () => {
        if (failing.open) throw new Error("locked");
        made.opened += 1;
        const database = openNodeDatabase(file, "write");
        made.database = database;
        const close = database.close.bind(database);
        return Object.assign(database, {
          close: () => {
            made.closed += 1;
            close();
          },
        });
      },
      remove: () => {
        made.removed += 1;
        for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
      },
      hasRoom: () => true,
      isKept,
    };
    const start = () => createReadModel({ journal: journal as never, clock, store, log: (_, text) => log.push(text) });
    return { journal, clock, froms, log, made, failing, start, model: start() };
  };

  test("keeps receipts, notes and days with the withdrawal or the day that they are about, and passes over the rest", async () => {
    const day = { number: 1, currency: "EUR", clearedUp: [] };
    const strange = [
      { type: "of_a_later_version" },
      { type: "checkpoint", withdrawal: 5 },
      cleared("night:x"),
      cleared("W9"),
    ];
    const { model } = modelWith([
      begun,
      ...strange,
      asked,
      cleared("W1"),
      { ...asked, withdrawalId: "W9" },
      cleared("night:1"),
      { ...asked, withdrawalId: "night:1" },
    ]);
    const tables = await model.upToDate();
    expect(tables.steps(1)).toEqual([1, 6, 7]);
    expect(tables.receipt(1)).toMatchObject({ atMs: 5, terminal: "till-1", isReprint: false });
    expect(tables.find("W1")?.record.cleared).toEqual({ at: new Date(1_000).toISOString(), by: "M1", note: "seen" });
    expect([tables.find("W9"), tables.findTransaction(of.transactionId)?.place]).toEqual([null, 1]);
    tables.saveDay(day as never);
    expect(tables.days(9, 9)).toEqual([
      { ...day, clearedUp: [{ about: "night", by: "M1", note: "seen", atMs: 1_000 }] },
    ]);
    model.close();
  });

  test("reads on where it was, over a restart too, and puts two withdrawals of one slice in two places", async () => {
    const second = { ...begun, withdrawal: { ...of, withdrawalId: "W2" } };
    const { model, start, journal, froms, made } = modelWith([begun, second]);
    const places = (tables: Awaited<ReturnType<typeof model.upToDate>>) =>
      ["W1", "W2"].map((id) => tables.find(id)?.place);
    expect(places(await model.upToDate())).toEqual([1, 2]);
    journal.append(2_000, [body(settled)]);
    await model.upToDate();
    const pragma = (name: string) => Object.values(made.database?.prepare(`PRAGMA ${name}`).get() ?? {});
    // Never corrupt after a power cut.
    expect([pragma("journal_mode"), pragma("synchronous")]).toEqual([["wal"], [1]]);
    model.close();
    expect(made).toMatchObject({ opened: 1, closed: 1, removed: 0 });
    const again = start();
    expect(places(await again.upToDate())).toEqual([1, 2]);
    expect(froms).toEqual([1, 3, 4]);
    again.close();
    await expect(again.upToDate()).rejects.toThrow("closed");
  });

  test("is made anew once when it cannot be used, and asked for in vain when it fails again", async () => {
    const { model, made, failing, log, clock } = modelWith([begun]);
    failing.read = 1;
    const reply = model.upToDate();
    expect(model.upToDate()).toBe(reply);
    await clock.advance(0);
    expect((await reply).find("W1")?.place).toBe(1);
    expect(log).toEqual(["the history is indexed anew"]);
    expect(made).toMatchObject({ opened: 2, closed: 1, removed: 1 });
    failing.read = 2;
    const failed = expect(model.upToDate()).rejects.toThrow("unreadable");
    await clock.advance(0);
    await failed;
    expect((await model.upToDate()).find("W1")?.place).toBe(1);
    model.close();
    model.close();
    expect(made).toMatchObject({ opened: 3, closed: 3, removed: 2 });
  });

  test("is brought up in the background after two hundred entries, where it is kept and nobody reads it already", async () => {
    const { model, clock, froms } = modelWith([begun]);
    model.wrote(199);
    await clock.advance(0);
    expect(froms).toEqual([]);
    model.wrote(1);
    expect([clock.timers, froms]).toEqual([1, []]);
    model.wrote(199);
    expect(clock.timers).toBe(1);
    await clock.advance(0);
    expect(froms).toEqual([1]);
    model.wrote(199);
    await clock.advance(0);
    expect(froms).toEqual([1]);
    model.wrote(200);
    const reading = model.upToDate();
    model.wrote(1_000);
    await reading;
    await clock.advance(0);
    expect(froms).toEqual([1, 2, 2]);
    const inMemory = modelWith([begun], false);
    inMemory.model.wrote(1_000);
    await inMemory.clock.advance(0);
    expect(inMemory.froms).toEqual([]);
  });

  test("says that it cannot be brought up, but not of a terminal that is closed", async () => {
    const { model, clock, failing, log } = modelWith([begun]);
    failing.open = true;
    model.readAhead();
    await clock.advance(0);
    expect(log.at(-1)).toBe("the history cannot be indexed");
    const said = log.length;
    model.readAhead();
    model.close();
    await clock.advance(0);
    expect(log).toHaveLength(said);
  });
});
