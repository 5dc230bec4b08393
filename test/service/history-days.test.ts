/** The days of the history: how each gets its lines, whatever clocks, earlier releases, kills and transactions do. */
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { appendAudit, verifyAudit } from "../../backend/access/audit.ts";
import { serviceKeysFrom } from "../../backend/access/secrets.ts";
import { acceptHistory, checkAudit, readDays } from "../../backend/operate/audit.ts";
import { auditedStore } from "../../backend/operate/audited-store.ts";
import { closeDays, createHistoryReader } from "../../backend/operate/proof.ts";
import { verifyHistory } from "../../backend/operate/verify-history.ts";
import type { RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { sealedColumns } from "../../backend/withdrawals/history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { type Copy, copyOf, historyStage } from "./history-stage.ts";
import { putBack, rowsIn } from "./rows.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { placeOrder, testKeys, till, type World } from "./world.ts";

const dayMs = 86_400_000;

describe.each(stores)("on %s", (dialect) => {
  let store: Store;
  let clock: VirtualClock;
  let world: World;
  /** Settled on the second day. */
  let other = "";
  let before: Copy;
  let sound: Copy;
  const { settle, close, endDay, verify, finding, add, change } = historyStage(dialect, (stage) => {
    ({ store, clock, world, other, before, sound } = stage);
  });
  const changeRow = (to: Partial<RowOf<"withdrawal_events">>) =>
    change((db) => db.updateTable("withdrawal_events").set(to).where("sequence", "=", 6));

  /** As the release before has left it: seals, no days. */
  const sealed = async (change: Partial<RowOf<"withdrawal_events">> = {}) => {
    const old = sound.withdrawal_events.map((each) => ({ ...each, ...change, asked_at: 0, day: 0, seal: 1 }));
    const rows = old as unknown as RowOf<"withdrawal_events">[];
    const inOrder = rows.toSorted((a, b) => a.sequence - b.sequence || (a.transaction_id < b.transaction_id ? -1 : 1));
    const text = inOrder.map((one) => `${JSON.stringify(sealedColumns.map((column) => one[column]))}\n`).join("");
    const entry = { event: "history_sealed", actor: "service", address: null, object: "history" };
    await putBack(store, {
      ...sound,
      withdrawal_events: old,
      audit: [],
      settings: [],
      audit_head: [{ id: 1, seq: 0, hash: "" }],
    });
    await store.write((tx) =>
      appendAudit(tx, testKeys, clock.now(), { ...entry, detail: `${rows.length} rows ${testKeys.history(text)}` }),
    );
  };

  test("what a release before has sealed is verified once, and gets lines of its own", async () => {
    await sealed();
    expect(await verify()).toMatchObject({ history: "whole", rows: 11, in_open_days: 11 });
    const old = await copyOf(store);
    await close();
    const [begun, ...lines] = (await rowsIn(store, "audit")).slice(1).toReversed();
    expect(begun).toMatchObject({ event: "history_begun", detail: "1 seals" });
    expect(lines.map(({ event }) => event)).toEqual(["history_undated", "history_undated"]);
    expect(await verify()).toMatchObject({ history: "whole", rows: 11 });
    expect(await verify()).not.toHaveProperty("in_open_days");
    // The release before goes on beside it for a while.
    const late = await settle();
    await change((db) =>
      db.updateTable("withdrawal_events").set({ day: 0, asked_at: 0 }).where("transaction_id", "=", late),
    );
    await endDay();
    expect(await verify()).toMatchObject({ history: "whole", rows: 16 });
    await change((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", late));
    await change((db) => db.deleteFrom("withdrawals").where("id", "=", late));
    expect(await finding()).toMatch(/counts 5 rows of \S+ \S+, none is left/);
    await putBack(store, old);
    await change((db) => db.updateTable("withdrawal_events").set({ cashier: "9" }).where("sequence", "=", 2));
    await close();
    expect(await finding()).toMatch(
      /these entries of the audit sealed were changed before days came in their place: 1/,
    );
    await accept();
    expect(await finding()).toMatch(/row 2 of \w+ was changed/);
  });

  const accept = () => {
    const what = { name: "audit accept", words: [], flags: {}, actor: "operator olga" };
    return acceptHistory(
      { keys: testKeys, clock, store: auditedStore(store, testKeys, clock, what) },
      "back on 1.4 over the weekend",
    );
  };

  test("rows of a release without a chain are held by their lines; later ones are to be accepted", async () => {
    await sealed({ hash: null });
    await close();
    expect(await verify()).toMatchObject({ history: "whole", before_the_chain: 11, rows: 11 });
    await linkTransaction(world.service, till, other);
    expect(await verify()).toMatchObject({ history: "whole", before_the_chain: 11, rows: 12 });
    const upgraded = await copyOf(store);
    await change((db) => db.updateTable("withdrawal_events").set({ cashier: "9" }).where("sequence", "=", 2));
    expect(await finding()).toMatch(/were changed: they are not those of entry 2 of the audit/);
    await putBack(store, upgraded);
    clock.jump(1);
    const back = await settle();
    await change((db) =>
      db.updateTable("withdrawal_events").set({ hash: null, day: 0, asked_at: 0 }).where("transaction_id", "=", back),
    );
    expect(await finding()).toMatch(/is not chained as it should be .*audit accept/);
    await expect(acceptHistory({ keys: testKeys, clock, store }, undefined)).rejects.toThrow(/--note/);
    await accept();
    expect(await verify()).toMatchObject({ history: "whole", before_the_chain: 16 });
    await endDay();
    expect(await verify()).toMatchObject({ history: "whole", before_the_chain: 16 });
  });

  test("withdrawals from before there was a history are counted once: one more, one less and another amount show", async () => {
    const real = sound.withdrawals.find((one) => one.id === other);
    const ancient = (n: number) =>
      ({
        ...real,
        id: `A${n}`,
        idempotency_key: `a${n}`,
        transaction_id_partner: `a${n}`,
        history_length: 0,
        created_at: n,
      }) as RowOf<"withdrawals">;
    await sealed();
    for (const n of [1, 2]) await add("withdrawals", ancient(n));
    await close();
    expect(await verify()).toMatchObject({ history: "whole" });
    // One of them goes on, and gets a history without a beginning.
    await linkTransaction(world.service, till, other);
    const kept = await copyOf(store);
    const shown = /of the withdrawals of 1970-01 from before there was a history entry \d of the audit counts 2/;
    await add("withdrawals", ancient(3));
    expect(await finding()).toMatch(shown);
    await putBack(store, kept);
    await change((db) => db.updateTable("withdrawals").set({ amount: 1 }).where("id", "=", "A1"));
    expect(await finding()).toMatch(shown);
    await putBack(store, kept);
    await change((db) => db.deleteFrom("withdrawals").where("id", "=", "A1"));
    expect(await finding()).toMatch(shown);
    await change((db) => db.deleteFrom("withdrawals").where("id", "=", "A2"));
    expect(await finding()).toMatch(/counts 2 withdrawals of 1970-01 from before there was a history, none is left/);
  });

  test("whatever the clock shows, each day gets its line once, and rows that come late are in the next", async () => {
    const jumps = [3_650 * dayMs, -3_650 * dayMs, -40 * dayMs, 2 * dayMs, 40 * dayMs];
    for (const ms of jumps) {
      clock.jump(ms);
      await placeOrder(world.service);
      await close();
      expect(await verify()).toMatchObject({ history: "whole" });
    }
    await placeOrder(world.service);
    await endDay();
    await endDay();
    expect(await verify()).toMatchObject({ history: "whole", rows: 11 + 2 * (jumps.length + 1) });
    expect(await verify()).not.toHaveProperty("in_open_days");
    const days = (await rowsIn(store, "audit")).flatMap(({ event, object }) =>
      event === "history_day" ? [object] : [],
    );
    expect(new Set(days).size).toBe(days.length);
  });

  test("a stop, a failure or a kill between any two steps leaves nothing that is called broken, and nothing unproved", async () => {
    await settle();
    clock.jump(dayMs);
    await sealedBeside();
    const from = await copyOf(store);
    for (let steps = 0; ; steps += 1) {
      await putBack(store, from);
      let left = steps;
      const step = () => {
        if (left === 0) throw new Error("killed");
        left -= 1;
      };
      const cut: Store = {
        ...store,
        read: async (unit, isShort) => {
          step();
          return store.read(unit, isShort);
        },
        write: async (unit, about) => {
          step();
          return store.write(unit, about);
        },
      };
      const ended = await closeDays({ ...world.service, store: cut }).then(
        () => "done",
        (error: Error) => error.message,
      );
      expect(await verify()).toMatchObject({ history: "whole", rows: 21 });
      await close();
      expect(await verify()).not.toHaveProperty("in_open_days");
      if (ended === "done") {
        expect(steps).toBeGreaterThan(8);
        return;
      }
      expect(ended).toBe("killed");
    }
  });
  /** Rows that an older release has written, over a day ago. */
  const sealedBeside = async () => {
    const late = await settle();
    await change((db) =>
      db.updateTable("withdrawal_events").set({ day: 0, asked_at: 0 }).where("transaction_id", "=", late),
    );
    clock.jump(dayMs);
  };

  test.runIf(dialect === "postgres")(
    "a row that is not yet committed when its day ends is in that day's line",
    async () => {
      const pause = (seconds: number) =>
        adhoc((db) => ({ compile: () => sql`select pg_sleep(${seconds})`.compile(db) }));
      const written = Promise.withResolvers<void>();
      const slow: Store = {
        ...store,
        write: (unit, about) =>
          store.write(async (tx) => {
            const result = await unit(tx);
            // What is not awaited has been written, too, once this is answered.
            await tx.all(pause(0));
            written.resolve();
            await tx.all(pause(0.3));
            return result;
          }, about),
      };
      await placeOrder(world.service);
      const linked = linkTransaction({ ...world.service, store: slow }, till, other);
      await written.promise;
      await endDay();
      await linked;
      expect(await verify()).toMatchObject({ history: "whole", rows: 14 });
      expect(await verify()).not.toHaveProperty("in_open_days");
    },
  );

  test("a stop ends the look at the next page, without an alarm", async () => {
    await settle();
    clock.jump(dayMs);
    let looks = 0;
    await closeDays(world.service, () => {
      looks += 1;
      return looks === 4;
    });
    expect(looks).toBe(4);
    expect(await verify()).toMatchObject({ in_open_days: 5 });
    await close();
    expect(await verify()).not.toHaveProperty("in_open_days");
  });

  test("it goes on after the newest day that was found whole; the whole is verified without that", async () => {
    expect(await verify({ new: "1" })).toMatchObject({ history: "whole", rows: 11 });
    expect(await verify({ new: "1" })).toMatchObject({ history: "whole", rows: 0 });
    await settle();
    await endDay();
    const next = await settle();
    expect(await verify({ new: "1" })).toMatchObject({ history: "whole", rows: 10 });
    expect(await verify({ new: "1" })).toMatchObject({ history: "whole", rows: 5 });
    const verified = (await rowsIn(store, "audit")).flatMap((one) =>
      one.event === "history_verified" ? [one.object] : [],
    );
    expect(new Set(verified).size).toBe(3);
    await change((db) => db.updateTable("withdrawals").set({ amount: 1 }).where("id", "=", next));
    await expect(verify({ new: "1" })).rejects.toThrow(`row 1 of ${next} was changed, or its withdrawal was`);
    await putBack(store, sound);
    await verify({ new: "1" });
    await changeRow({ cashier: "7" });
    expect(await verify({ new: "1" })).toMatchObject({ history: "whole" });
    expect(await finding()).toMatch(/row 6 of \w+ was changed/);
  });

  /** The newest row of a withdrawal's history, which counts it still. */
  const cutOff = (of: string, sequence: number) =>
    change((db) =>
      db.deleteFrom("withdrawal_events").where("transaction_id", "=", of).where("sequence", "=", sequence),
    );
  const endLate = () => linkTransaction(world.service, till, other);

  test("it counts the rows of withdrawals since the day that was found whole, and not those that ended on that day again", async () => {
    await close();
    await endLate();
    await endDay();
    await verify({ new: "1" });
    const counted = async () => {
      let withdrawals = 0;
      const watched: Store = {
        ...store,
        read: (unit, isShort) =>
          store.read(
            (tx) =>
              unit({
                ...tx,
                all: async (query) => {
                  const rows = await tx.all(query);
                  if (/^proof_(withdrawals|open|ended)$/.test(query.name ?? "")) withdrawals += rows.length;
                  return rows;
                },
              }),
            isShort,
          ),
      };
      await checkAudit({ store: watched, clock, keys: testKeys }, { new: "1" });
      return withdrawals;
    };
    expect(await counted()).toBe(0);
    const open = await settle();
    expect(await counted()).toBe(1);
    await cutOff(open, 5);
    await expect(verify({ new: "1" })).rejects.toThrow(
      `the withdrawal ${open} counts 5 rows of its history, there are 4`,
    );
  });

  /** As after a row that is cut off again. */
  const goOnLate = () =>
    change((db) => db.updateTable("withdrawals").set({ history_length: 6 }).where("id", "=", other));
  test.each([
    ["has ended", endLate],
    ["is open", goOnLate],
  ])("it names the cut-off end of one that was asked for on a proved day, went on since, and %s", async (_, goOn) => {
    await verify({ new: "1" });
    await goOn();
    await cutOff(other, 6);
    await expect(verify({ new: "1" })).rejects.toThrow(
      `the withdrawal ${other} counts 6 rows of its history, there are 5`,
    );
  });

  test("it names the cut-off end of one that was asked for while a clock was behind", async () => {
    await close();
    await settle();
    await endDay();
    await verify({ new: "1" });
    clock.jump(-dayMs);
    await close();
    const id = await settle();
    await linkTransaction(world.service, till, id);
    clock.jump(dayMs);
    await cutOff(id, 6);
    await expect(verify({ new: "1" })).rejects.toThrow(
      `the withdrawal ${id} counts 6 rows of its history, there are 5`,
    );
  });

  test("it names a day that is gone whole each time, also after a later day was looked at", async () => {
    await verify({ new: "1" });
    const gone = await settle();
    await endDay();
    await settle();
    await endDay();
    await change((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", gone));
    await change((db) => db.deleteFrom("withdrawals").where("id", "=", gone));
    for (let looks = 0; looks < 2; looks += 1)
      await expect(verify({ new: "1" })).rejects.toThrow(/counts 5 rows of \S+ \S+, none is left/);
  });

  test("a day's line is printed, and a database that lacks it is named", async () => {
    const days = await readDays({ store }, {});
    expect(days.map(({ number }) => number)).toEqual([2, 3]);
    const line = String(days[1]?.line);
    expect(line).toMatch(/^\d{4}-\d\d-\d\d \d{4}-\d\d 6 rows [\w-]{43} from \w+\/\d to \w+\/\d in entry 3:[\w-]{43}$/);
    expect(await verify({ expect: line.split(" in entry ")[0] as string })).toMatchObject({ history: "whole" });
    expect(await verify({ expect: line })).toMatchObject({ history: "whole" });
    await expect(verify({ expect: line.replace("6 rows", "7 rows") })).rejects.toThrow(/is not the expected one/);
    await expect(verify({ expect: "6 rows" })).rejects.toThrow(/must be an entry's number and hash/);
    await putBack(store, before);
    await expect(verify({ expect: line })).rejects.toThrow(/is not the expected one/);
    expect(await readDays({ store }, { to: "1999-01-01" })).toEqual([]);
  });

  test("an audit that was cut off, and has the same days again, lacks the line that a third party has", async () => {
    const line = String((await readDays({ store }, {})).at(-1)?.line);
    await change((db) => db.deleteFrom("audit").where("seq", ">", 1));
    const { hash } = (await rowsIn(store, "audit"))[0] ?? {};
    await change((db) => db.updateTable("audit_head").set({ seq: 1, hash: String(hash) }));
    clock.jump(1);
    await close();
    expect(await verify()).toMatchObject({ audit: "whole", history: "whole", rows: 11 });
    expect(String((await readDays({ store }, {})).at(-1)?.line).slice(0, 80)).toBe(line.slice(0, 80));
    await expect(verify({ expect: line })).rejects.toThrow(/is not the expected one/);
  });

  test("a SERVICE_KEY that comes later holds what was written before it", async () => {
    const later = serviceKeysFrom("a service key that came later", true);
    const both = { ...world.service, keys: later };
    await linkTransaction(both, till, other);
    await closeDays(both);
    const verifyBoth = async () => {
      const reading = createHistoryReader();
      expect(await verifyAudit(store, [testKeys, later], reading.visit)).toMatchObject({ kind: "whole" });
      return verifyHistory(store, [testKeys, later], reading.result());
    };
    clock.jump(dayMs);
    await closeDays(both);
    expect(await verifyBoth()).toEqual({ kind: "whole", rows: 12, open: 0, unchained: 11 });
    // Whoever has the earlier key writes on under it.
    clock.jump(60_001);
    const forged = await placeOrder(world.service);
    expect(await verifyBoth()).toMatchObject({
      kind: "broken",
      what: expect.stringMatching(`row 1 of ${forged.transaction_id} is not chained as it should be`),
    });
  });
});
