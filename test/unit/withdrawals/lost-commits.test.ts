/** What a process takes for lost after the database's server has changed, and when a confirmation is let through. */
import { expect, test } from "vitest";
import type { Service } from "../../../backend/context.ts";
import { hourMs, toTime } from "../../../backend/contract/times.ts";
import { insertRestore, lookedSetting } from "../../../backend/store/restores.ts";
import { removeSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store, type Tx } from "../../../backend/store/store.ts";
import { archiveEnded } from "../../../backend/withdrawals/closed.ts";
import { confirmTransaction } from "../../../backend/withdrawals/confirm.ts";
import { closeDispute } from "../../../backend/withdrawals/dispute.ts";
import { hashOfEvent } from "../../../backend/withdrawals/history.ts";
import { declareUndelivered, linkTransaction } from "../../../backend/withdrawals/link.ts";
import { lostSince, refuseIfLost, rememberingStore, thinned } from "../../../backend/withdrawals/lost-commits.ts";
import { rejectTransaction } from "../../../backend/withdrawals/reject.ts";
import { settleAnswered } from "../../../backend/withdrawals/settle-answered.ts";
import type { Row } from "../../../backend/withdrawals/store.ts";
import { type Step, scriptedTx } from "../../service/test-tx.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { quiet, till } from "../../service/world.ts";
import { id, nowMs, orderWith, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const commitsMax = 3_000;
const workers = (...ids: readonly string[]) =>
  stage.store.write(async (tx) => {
    await tx.run(removeSetting({ name: lookedSetting }));
    await tx.run(adhoc((db) => db.deleteFrom("workers")));
    for (const worker of ids)
      await tx.run(
        adhoc((db) => db.insertInto("workers").values({ id: worker, seen_at: nowMs, service_keys: null, release: 1 })),
      );
  });
/** A process, and the server that it finds. */
const process = (workerId: string, write = stage.store.write, log = quiet) => {
  const on = { server: "primary" as string | null };
  const plain = { ...stage.store, write, server: () => on.server };
  const store = rememberingStore({ ...stage.service, store: plain, log }, workerId);
  const service = { ...stage.service, store, beatMs: 2_000 } as Service;
  return { on, service, beat: () => store.write(async () => {}) };
};
const ready = {
  status: "ready",
  deadline_at: 10 * hourMs,
  device_id: null,
  transaction_id_partner: null,
  confirmed_at: null,
} as const;
const find = hashOfEvent({ id, askedAt: 1_000, sequence: 9 });
const setting = async () =>
  JSON.parse((await stage.store.read((tx) => tx.first(settingByName({ name: lookedSetting }))))?.value ?? "null");
const forget = () =>
  stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", id))));

test.each<readonly [string, boolean, () => unknown]>([
  ["is gone is lost", true, forget],
  [
    "has another in its place is lost",
    true,
    () => stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawal_events").set({ hash: "other" })))),
  ],
  ["is there is not", false, () => {}],
  [
    "was moved with its ended withdrawal is not",
    false,
    () => stage.store.write((tx) => archiveEnded(tx, 20 * hourMs, 20 * hourMs, 9)),
  ],
  [
    "is older than any that retention deletes is not looked for",
    false,
    async () => {
      await forget();
      stage.clock.jump(hourMs);
    },
  ],
  [
    "an operator has spoken of is not lost any more",
    false,
    async () => {
      await forget();
      await stage.store.write((tx) => tx.run(insertRestore({ restored_at: nowMs + 1, forgot_since: nowMs })));
    },
  ],
  [
    "is of the very time that an operator has spoken of is not lost any more",
    false,
    async () => {
      await forget();
      await stage.store.write((tx) => tx.run(insertRestore({ restored_at: nowMs, forgot_since: nowMs })));
    },
  ],
  [
    "came after what an operator has spoken of is lost",
    true,
    async () => {
      await forget();
      await stage.store.write((tx) => tx.run(insertRestore({ restored_at: nowMs - 1, forgot_since: 0 })));
    },
  ],
  [
    "came before what an operator has spoken of is lost",
    true,
    async () => {
      await forget();
      await stage.store.write((tx) => tx.run(insertRestore({ restored_at: nowMs + 2, forgot_since: nowMs + 1 })));
    },
  ],
])("a commit that %s", async (_, isLost, meanwhile) => {
  await workers();
  await stage.put(ready);
  const one = process("one");
  await rejectTransaction(one.service, till, id);
  await meanwhile();
  one.on.server = "standby";
  await one.beat();
  expect((await setting()).forgotSince).toBe(isLost ? nowMs - 10_000 : null);
  expect(await stage.store.read(lostSince)).toBe(isLost ? nowMs : null);
  expect(stage.counted.lost).toBe(isLost ? 1 : 0);
});

const linkedRow = { status: "linked", linked_at: 4_000, hand_out_id: "one" } as const;
const decided = { ...linkedRow, reason: "decided_by_operator" } as const;
test.each<[what: string, row: Partial<Row>, act: (service: Service) => Promise<unknown>, isLost: boolean]>([
  ["a second hand-out", linkedRow, (on) => linkTransaction(on, till, id, null, undefined, "two"), true],
  ["a bank's other answer", linkedRow, (on) => settleAnswered(on, orderWith(), "declined"), true],
  ["a terminal's other word", decided, (on) => declareUndelivered(on, till, id, "till_short"), true],
  [
    "the end of a dispute",
    { ...linkedRow, disputed_at: 5_000 },
    (on) => closeDispute(on, id, "ada", "paid", nowMs),
    false,
  ],
])("a commit that is gone with nothing but %s", async (_, row, act, isLost) => {
  await workers();
  await stage.put(row);
  const one = process("one");
  await act(one.service).catch((error: unknown) => expect(error).toMatchObject({ code: "transaction_conflict" }));
  expect(await stage.history()).toHaveLength(1);
  await forget();
  one.on.server = "standby";
  await one.beat();
  expect((await setting()).forgotSince).toBe(isLost ? nowMs - 10_000 : null);
});

test("a commit that was rolled back is not looked for", async () => {
  await workers();
  await stage.put(ready);
  const one = process("one");
  const failed = one.service.store.write(async (tx) => {
    await rejectTransaction({ ...one.service, store: { ...one.service.store, write: (unit) => unit(tx) } }, till, id);
    throw new Error("no");
  });
  await expect(failed).rejects.toThrow("no");
  one.on.server = "standby";
  await one.beat();
  expect((await setting()).forgotSince).toBeNull();
});

test("of what ran again after a conflict the last try alone is looked for", async () => {
  await workers();
  await stage.put(ready);
  const one = process("one", async (unit) => {
    const conflict = new Error("conflict");
    const first = stage.store.write(async (tx) => {
      await unit(tx);
      throw conflict;
    });
    await expect(first).rejects.toBe(conflict);
    stage.clock.jump(1);
    return stage.store.write(unit);
  });
  expect((await rejectTransaction(one.service, till, id)).status).toBe("rejected");
  one.on.server = "standby";
  await one.beat();
  expect((await setting()).forgotSince).toBeNull();
  await forget();
  one.on.server = "another";
  await one.beat();
  expect((await setting()).forgotSince).not.toBeNull();
});

test("nobody looks again where nothing has changed, nor where the engine names no server", async () => {
  await workers();
  const one = process("one");
  await one.beat();
  await workers();
  for (const server of ["primary", null]) {
    one.on.server = server;
    await one.beat();
    expect(await setting()).toBeNull();
  }
});

test("who looks while the server changes names neither, and looks again", async () => {
  await workers();
  const names = ["standby"];
  const store = rememberingStore(
    { ...stage.service, store: { ...stage.store, server: () => names.pop() ?? "another" } },
    "one",
  );
  const beat = () => store.write(async () => {});
  await expect(beat()).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("replaced") });
  expect(await setting()).toBeNull();
  await beat();
  expect((await setting()).server).toBe("another");
});

test("once something is lost it stays so over further servers and starts", async () => {
  await workers();
  await stage.put(ready);
  const one = process("one");
  await rejectTransaction(one.service, till, id);
  await forget();
  one.on.server = "standby";
  await one.beat();
  for (const server of ["standby", "another"]) {
    const late = process("late");
    late.on.server = server;
    await late.beat();
    expect(await setting()).toMatchObject({ server, forgotSince: nowMs - 10_000 });
  }
  expect(stage.counted.lost).toBe(3);
  // A further failover may have lost the word of the first.
  await workers();
  one.on.server = "a third";
  await one.beat();
  expect((await setting()).forgotSince).toBe(nowMs - 10_000);
});

test("of too many the newest thousand are remembered, and one in five seconds of those before", () => {
  const all = Array.from({ length: 3_001 }, (_, n) => ({ at: n * 100 }));
  const left = thinned(all);
  expect(left.slice(-1_000)).toEqual(all.slice(-1_000));
  expect(left.slice(0, -1_000)).toEqual(Array.from({ length: 41 }, (_, n) => ({ at: n * 5_000 })));
  expect(thinned(left)).toEqual(left);
});

test.each([
  ["three thousand at once", 3_000, 0, 3_000],
  ["one more at once", 3_001, 0, 1_001],
  ["one more over two hours", 3_001, 2_500, 1_220],
  ["one more before a clock is put right", 3_001, 5_000, 3_000],
])("of %s so many are looked for, and the newest hundred are named", async (_, count, apartMs, looked) => {
  const [asked, said]: [string[], object[]] = [[], []];
  const seen = (step: Step) => void (step !== "changed" && asked.push(step.name ?? ""));
  const write: Store["write"] = (unit) => unit(scriptedTx(() => [], seen));
  const one = process("one", write, { ...quiet, error: (what) => void said.push(what) });
  await one.service.store.write(async (tx) => {
    for (let n = 0; n < count; n += 1) {
      tx.changed(String(n), rowWith(), { find, hash: "hash" });
      stage.clock.jump(apartMs);
    }
    if (looked === commitsMax) stage.clock.putBack(nowMs);
  });
  stage.clock.putBack(nowMs);
  one.on.server = "standby";
  await one.beat();
  expect(asked.filter((name) => name === "withdrawal_event_hash")).toHaveLength(looked);
  const transactions = Array.from({ length: 100 }, (_, n) => String(count - 100 + n));
  expect(said).toEqual([{ since: toTime(nowMs - 10_000), transactions }]);
});

const confirm = (service: Service) =>
  confirmTransaction(service, till, { transaction_id: id, transaction_id_partner: "pos" });

test("a confirmation waits until each process has looked, and for one that was killed for eight beats", async () => {
  await workers("one", "killed");
  await stage.put(ready);
  const one = process("one");
  await one.beat();
  expect((await setting()).isOpen).toBe(true);
  one.on.server = "standby";
  for (const waited of [0, 16_000]) {
    stage.clock.jump(waited);
    await expect(confirm(one.service)).rejects.toMatchObject({ code: "unavailable", extra: { retryAfterSeconds: 1 } });
  }
  expect(await stage.rows("withdrawals")).toMatchObject([{ status: "ready" }]);
  stage.clock.jump(1);
  expect((await confirm(one.service)).status).toBe("awaiting_sca");
});

test("one that has not looked yet is not let through by what the others have found", async () => {
  await workers("one", "other");
  await stage.put(ready);
  const [one, other] = [process("one"), process("other")];
  for (const each of [one, other]) {
    each.on.server = "standby";
    await each.beat();
  }
  // Its connection is a newer one than its last write.
  const moved = { ...one.service, store: { ...one.service.store, server: () => "another" } };
  const { value } = (await stage.store.read((tx) => tx.first(settingByName({ name: lookedSetting })))) ?? {
    value: null,
  };
  expect(() => refuseIfLost(moved, value)).toThrow(/just come back/);
  expect(() => refuseIfLost(one.service, value)).not.toThrow();
});

const found = (more: object) =>
  JSON.stringify({ server: "here", at: nowMs, isOpen: false, forgotSince: null, ...more });
const goesOn = { seconds: null, message: null };
const waits = { seconds: 1, message: /just come back/ };
const stands = { seconds: undefined, message: /has lost commits/ };
test.each<
  [
    what: string,
    server: string | null | undefined,
    looked: string | null,
    then: typeof waits | typeof goesOn | typeof stands,
  ]
>([
  ["all have looked", "here", found({ isOpen: true }), goesOn],
  ["somebody has not", "here", found({}), waits],
  ["all have looked on another server", "there", found({ isOpen: true }), waits],
  ["nobody has looked", "here", null, goesOn],
  ["the engine names no server", null, found({}), goesOn],
  ["the engine has none", undefined, found({}), goesOn],
  ["something is lost", "here", found({ isOpen: true, forgotSince: 0 }), stands],
  ["something is lost, whatever the engine names", null, found({ forgotSince: 0 }), stands],
  ["somebody has not, since eight beats", "here", found({ at: nowMs - 16_000 }), waits],
  ["somebody has not, since more", "here", found({ at: nowMs - 16_001 }), goesOn],
  ["somebody has not, and a clock was ahead", "here", found({ at: nowMs + 16_001 }), goesOn],
  ["somebody has not, in a setting without a time", "here", found({ at: undefined }), goesOn],
])("a confirmation where %s", (_, server, looked, { seconds, message }) => {
  const store = { ...stage.store, ...(server === undefined ? {} : { server: () => server }) };
  const confirms = () => refuseIfLost({ ...stage.service, store, beatMs: 2_000 } as Service, looked);
  if (message === null) expect(confirms).not.toThrow();
  else
    expect(confirms).toThrow(
      expect.objectContaining({
        code: "unavailable",
        message: expect.stringMatching(message),
        extra: seconds === undefined ? {} : { retryAfterSeconds: seconds },
      }),
    );
});

test("who has committed is waited for, though its first beat is still to come", async () => {
  await workers();
  await stage.put(ready);
  const [one, late] = [process("one"), process("late")];
  await one.beat();
  await rejectTransaction(late.service, till, id);
  for (const each of [one, late]) each.on.server = "standby";
  await one.beat();
  expect(await setting()).toMatchObject({ isOpen: false, by: ["one"] });
  await late.beat();
  expect(await setting()).toMatchObject({ isOpen: true, by: ["one", "late"] });
});

test("one that looks once all have looked leaves what they have found, and says what it misses", async () => {
  await workers("one");
  await stage.put(ready);
  const [one, late] = [process("one"), process("late")];
  await rejectTransaction(late.service, till, id);
  // It has slept for so long that it was forgotten.
  await workers("one");
  for (const each of [one, late]) each.on.server = "standby";
  await one.beat();
  const before = await setting();
  expect(before).toMatchObject({ isOpen: true, by: ["one"] });
  const other = process("other");
  other.on.server = "standby";
  await other.beat();
  expect(await setting()).toEqual(before);
  await forget();
  await late.beat();
  expect(await setting()).toMatchObject({ by: ["one", "late"], at: before.at, forgotSince: nowMs - 10_000 });
});

test("how long is waited counts from the first look at a server, and not from one before", async () => {
  await workers("one", "killed");
  const [one, other] = [process("one"), process("other")];
  await one.beat();
  for (const [n, each] of [one, other].entries()) {
    stage.clock.jump(1_000);
    each.on.server = "standby";
    await each.beat();
    expect(await setting()).toMatchObject({ at: nowMs + 1_000, by: ["one", "other"].slice(0, n + 1), isOpen: false });
  }
});

test("a commit of a clock that is ahead is lost since now", async () => {
  await workers();
  await stage.put(ready);
  const one = process("one");
  stage.clock.jump(5_000);
  await rejectTransaction(one.service, till, id);
  await forget();
  stage.clock.putBack(nowMs);
  one.on.server = "standby";
  await one.beat();
  expect((await setting()).forgotSince).toBe(nowMs - 10_000);
});

test("what is told to those who wait for it goes on to them", async () => {
  await workers();
  const told: unknown[] = [];
  const one = process("one", (unit) =>
    stage.store.write((tx) => unit({ ...tx, changed: (...what) => void told.push(what) })),
  );
  const row = rowWith();
  const unchained = { find, hash: null };
  const changes: Parameters<Tx["changed"]>[] = [["1"], ["2", undefined, unchained], ["3", row, unchained]];
  await one.service.store.write(async (tx) => {
    for (const change of changes) tx.changed(...change);
  });
  expect(told).toEqual([
    ["1", undefined],
    ["2", undefined],
    ["3", row],
  ]);
  // None of these can be known again.
  one.on.server = "standby";
  await one.beat();
  expect((await setting()).forgotSince).toBeNull();
});
