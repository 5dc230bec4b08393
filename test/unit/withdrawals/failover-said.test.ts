/** An operator says since when a promoted standby has forgotten, after processes have served on with it: what ended meanwhile may have been paid. */
import { expect, onTestFinished, test } from "vitest";
import { copiedAtSetting, lookedSetting } from "../../../backend/store/restores.ts";
import { setSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { closeDispute } from "../../../backend/withdrawals/dispute.ts";
import { reconcile } from "../../../backend/withdrawals/reconcile.ts";
import { applyPendingRestore, applyRestore, correctRestore } from "../../../backend/withdrawals/restored.ts";
import type { Row } from "../../../backend/withdrawals/store.ts";
import { testKeys, till } from "../../service/world.ts";
import { id, nowMs, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const dayMs = 86_400_000;
const since = 90_000;
const unconfirmed = { confirmed_at: null, device_id: null, transaction_id_partner: null };
const ended = { status: "rejected", reason: "cashier_rejected", created_at: since, closed_at: since + 1 } as const;

const address = (events_url: string | null) =>
  stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.updateTable("partners").set({ events_url })));
  });
const say = (forgotSince: number) =>
  applyRestore({ store: stage.store, clock: stage.clock, keys: testKeys }, { forgotSince });
const lines = async () => {
  const found = [];
  for await (const page of reconcile(stage.service, till, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }))
    found.push(...page);
  return found;
};
const put = {
  open: (row: Partial<Row>) => stage.put(row),
  archived: (row: Partial<Row>) => stage.putArchived(row),
} as const;

test.each<readonly [keyof typeof put, Partial<Row>]>([
  ["archived", {}],
  ["archived", { created_at: since - 1 }],
  ["archived", { closed_at: since + dayMs }],
  ["archived", { status: "canceled", reason: "sca_timeout" }],
  ["archived", { status: "expired", reason: "order_expired" }],
  ["archived", { status: "declined", reason: "partner_unreachable" }],
  ["archived", { reason: null }],
  ["archived", { closed_at: since - 1 }],
  ["archived", { created_at: since - dayMs, closed_at: since - dayMs - 1 }],
  ["archived", { created_at: since + dayMs, closed_at: since }],
  // The failed server's clock was weeks ahead, which its standby's was not.
  ["archived", { created_at: since + 21 * dayMs, closed_at: since + 5 }],
  ["open", { created_at: since + 21 * dayMs, closed_at: since + 5 }],
  ["open", { closed_at: since - 1 }],
  ["open", {}],
])("%s and ended since, as %o, it is a line, and its bank is told again", async (where, change) => {
  const row = { ...unconfirmed, ...ended, ...change };
  await address("https://bank.example/events");
  onTestFinished(() => address(null));
  await put[where](row);
  expect(await lines()).toEqual([]);
  await say(since);
  const { status } = row;
  expect(await lines()).toMatchObject([{ transaction_id: id, status, finding: "disputed" }]);
  expect(await stage.history()).toMatchObject([{ kind: "contradicted", reason: "restored", to_status: status }]);
  expect(await stage.rows("status_events")).toMatchObject([{ transaction_id: id }]);
});

test("what was confirmed keeps its time; a bank without an address for events is told nothing", async () => {
  await stage.putArchived({ ...ended, status: "canceled", confirmed_at: since - 5 });
  await say(since);
  expect(await lines()).toMatchObject([{ confirmed_at: new Date(since - 5).toISOString(), finding: "disputed" }]);
  expect(await stage.rows("status_events")).toEqual([]);
});

test.each<readonly [string, Partial<Row>]>([
  ["was asked for since", { created_at: since + 1, closed_at: since + 2 }],
  ["had ended by then", { created_at: since - 9, closed_at: since }],
  ["was asked for a day before", { created_at: since - dayMs - 1 }],
  ["was asked for a day before, and ended while the clock was behind", { created_at: since - dayMs - 1, closed_at: 3 }],
  ["ended at the time at which it was asked for", { closed_at: since }],
  ["failed", { status: "failed", reason: "settle_declined" }],
  ["was handed out", { status: "linked", reason: null, closed_at: since }],
  ["is disputed already", { disputed_at: 7 }],
  ["a restore has ended", { status: "canceled", reason: "restored" }],
])("what %s is left as it is", async (_, change) => {
  await stage.putArchived({ ...ended, ...change });
  const before = await stage.rows("archived_withdrawals");
  await say(since);
  expect(await stage.rows("archived_withdrawals")).toEqual(before);
});

test.each([
  ["more than a day later", since + dayMs + 1],
  ["now", nowMs + 2 * dayMs],
])("what was asked for %s, and ended while the clock was behind, is left as it is", async (_, created_at) => {
  stage.clock.jump(2 * dayMs);
  await stage.putArchived({ ...ended, created_at, closed_at: 3 });
  await say(since);
  expect(await stage.rows("archived_withdrawals")).toMatchObject([{ disputed_at: null }]);
});

test("what was asked for at a time to come stays closed where a time that was too late is put right", async () => {
  await stage.putArchived({ ...ended, created_at: since + 21 * dayMs, closed_at: since - 9 });
  await say(since + 5);
  expect(await closeDispute(stage.service, id, "Ada", "the bank has paid nothing")).toBe(true);
  await correctRestore(stage.service, { forgotSince: since, by: "Ada" });
  expect(await lines()).toMatchObject([{ finding: "closed" }]);
});

test.each([
  [nowMs + 50, true],
  [nowMs + 49, false],
])(
  "said while the clock is behind, of what was asked for until then all that has ended since is a line: said as %d, it is %s",
  async (said, isLine) => {
    await stage.putArchived({ ...ended, ...unconfirmed, created_at: nowMs + 50, closed_at: nowMs + 60 });
    await say(said);
    expect(await lines()).toHaveLength(isLine ? 1 : 0);
    expect(await stage.rows("restores")).toMatchObject([{ forgot_since: expect.toSatisfy((at) => at <= nowMs) }]);
  },
);

test.each([
  ["as the log has it", since, 10_000, true],
  ["later", since, 10_001, false],
  ["while the clock is a day behind", since - dayMs, 10_000, true],
])(
  "of what was asked for until the first commit that is missing all that has ended since is a line: said %s as %d, asked for %d ms after that, it is %s",
  async (_, said, askedAfterMs, isLine) => {
    stage.clock.jump(dayMs);
    const looked = { server: "b", at: nowMs, by: [], isOpen: true, forgotSince: since };
    await stage.store.write((tx) => tx.run(setSetting({ name: lookedSetting, value: JSON.stringify(looked) })));
    const created_at = since + askedAfterMs;
    await stage.putArchived({ ...ended, ...unconfirmed, created_at, closed_at: created_at + 1 });
    await say(said);
    expect(await lines()).toHaveLength(isLine ? 1 : 0);
  },
);

test.each([
  [since, nowMs + 1, 1],
  [nowMs, nowMs + 1, 1],
  [nowMs - 1, nowMs, 0],
])(
  "said as %d by a clock that was set back, what was asked for at %d, and ended since, is %d lines",
  async (said, created_at, count) => {
    await stage.putArchived({ ...ended, ...unconfirmed, created_at, closed_at: created_at + 1 });
    await say(said);
    expect(await lines()).toHaveLength(count);
  },
);

test("what was said is kept until it is done, as the next start's clock may be right again", async () => {
  const write: Store["write"] = async (unit) => {
    const begun = (await stage.store.read((tx) => tx.all(settingByName({ name: copiedAtSetting })))).length > 0;
    if (begun) throw new Error("cut off");
    return stage.store.write(unit);
  };
  const on = { store: { ...stage.store, write }, clock: stage.clock, keys: testKeys };
  await stage.put({ status: "linked", created_at: since, settled_at: since + 1, linked_at: since + 2 });
  const told = [{ since, knownUntil: since }];
  await expect(applyRestore(on, { forgotSince: nowMs + 50, by: "Ada", told })).rejects.toThrow("cut off");
  stage.clock.jump(70);
  expect(await applyPendingRestore({ ...on, store: stage.store })).toMatchObject({ forgotSince: nowMs + 50 });
  expect(await lines()).toMatchObject([{ transaction_id: id, status: "linked", finding: "disputed" }]);
  expect(await stage.history()).toMatchObject([{ kind: "contradicted", actor: "operator", actor_id: "Ada" }]);
});

test("a copy that nobody has served on has none", async () => {
  await stage.putArchived({ ...ended, ...unconfirmed, closed_at: since - 1, created_at: since - 9 });
  await stage.put({ id: secondId, status: "ready", deadline_at: nowMs + 1, ...unconfirmed });
  await say(since);
  expect(await lines()).toEqual([]);
  expect(await stage.rows("withdrawals")).toMatchObject([{ id: secondId, status: "canceled", disputed_at: null }]);
});

test("a copy of unknown time is as old as the end that was written last, which stands", async () => {
  await stage.putArchived({ ...ended, ...unconfirmed, created_at: since - 9, closed_at: since, archived_at: since });
  await applyRestore({ store: stage.store, clock: stage.clock, keys: testKeys }, { forgotSince: null });
  expect(await lines()).toEqual([]);
});

test("a time that was too late is put right: what ended before it is disputed, and what an operator has closed stays closed", async () => {
  await address("https://bank.example/events");
  onTestFinished(() => address(null));
  await stage.putArchived({ ...ended, ...unconfirmed, closed_at: since + 2 });
  await stage.putArchived({ ...ended, ...unconfirmed, id: secondId, closed_at: since + 3 });
  await say(since + 2);
  expect(await lines()).toMatchObject([{ transaction_id: secondId }]);
  expect(await closeDispute(stage.service, secondId, "Ada", "the bank has paid nothing")).toBe(true);
  const on = { store: stage.store, clock: stage.clock, keys: testKeys };
  const [wrong] = await stage.rows("restores");
  const corrected = { restored_at: nowMs + 1, forgot_since: since };
  expect(await correctRestore(on, { forgotSince: since, by: "Ada" })).toEqual({
    ...{ restoredAt: corrected.restored_at, forgotSince: since, ended: 0, endedCodes: 0 },
  });
  expect([wrong, await stage.rows("restores")]).toMatchObject([{ restored_at: nowMs }, [corrected]]);
  expect((await lines()).map((line) => [line.transaction_id, line.finding]).toSorted()).toEqual([
    [id, "disputed"],
    [secondId, "closed"],
  ]);
  // Both events have a number above all that the bank was told before.
  expect((await stage.rows("status_events")).map((event) => event.id)).toEqual([
    `event_${secondId}_7`,
    `event_${id}_7`,
  ]);
});

test.each([
  ["of what the wrong time reached stays closed", since - dayMs + 5, "closed"],
  ["is disputed where it did not reach", since - dayMs + 4, "disputed"],
])("a time that was too late is put right: what ended before it was asked for %s", async (_, created_at, finding) => {
  await stage.putArchived({ ...ended, created_at, closed_at: created_at - 1 });
  await say(since + 5);
  await closeDispute(stage.service, id, "Ada", "the bank has paid nothing");
  await correctRestore(stage.service, { forgotSince: since, by: "Ada" });
  expect(await lines()).toMatchObject([{ finding }]);
});

test("what another process has disputed at the same time, and an operator has closed meanwhile, stays closed", async () => {
  await stage.putArchived({ ...ended, ...unconfirmed });
  const on = { store: stage.store, clock: stage.clock, keys: testKeys };
  let commits = 0;
  const write: Store["write"] = async (unit, about) => {
    commits += 1;
    // Its begin, and one for each status of what is open.
    if (commits === 5) {
      await applyPendingRestore(on);
      expect(await closeDispute(stage.service, id, "Ada", "the bank has paid nothing")).toBe(true);
    }
    return stage.store.write(unit, about);
  };
  await applyRestore({ ...on, store: { ...stage.store, write } }, { forgotSince: since });
  expect(await lines()).toMatchObject([{ transaction_id: id, finding: "closed" }]);
});
