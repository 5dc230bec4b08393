/** What a start or the command `restored` makes of a database that is marked as a copy, and what the audit says of it. */
import { beforeEach, expect, test } from "vitest";
import { auditAbout } from "../../../backend/access/audit.ts";
import { toTime } from "../../../backend/contract/times.ts";
import {
  copiedAtSetting,
  correctedEvent,
  leftToCommand,
  lookedSetting,
  restoredEvent,
  restoredFromSetting,
} from "../../../backend/store/restores.ts";
import { removeSetting, setSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import {
  applyPendingRestore,
  applyRestore,
  correctRestore,
  disputeEndedSince,
  disputeToldOtherwise,
  isRestorePending,
} from "../../../backend/withdrawals/restored.ts";
import { nowMs, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const marks = [copiedAtSetting, restoredFromSetting] as const;
beforeEach(() =>
  stage.store.write(async (tx) => {
    for (const name of marks) await tx.run(removeSetting({ name }));
    await tx.run(adhoc((db) => db.deleteFrom("audit")));
  }),
);
const mark = (copiedAt: string | null, from: string | null) =>
  stage.store.write(async (tx) => {
    for (const [n, value] of [copiedAt, from].entries())
      if (value !== null) await tx.run(setSetting({ name: marks[n] ?? "", value }));
  });
const audited = async (event: string, object: string) =>
  (await stage.store.read((tx) => tx.all(auditAbout({ event, object })))).map(({ actor, detail }) => [actor, detail]);

const file = { copy: "c.db", by: "operator ada" };
test.each<
  [
    copiedAt: string | null,
    from: string | null,
    isRestoring: boolean | undefined,
    then: { readonly since: number; readonly copy?: string; readonly by?: string } | null,
  ]
>([
  [null, null, false, null],
  ["5000", null, false, { since: 5_000 }],
  ["5000", null, true, { since: 5_000 }],
  // Of unknown time it is as old as the newest that is in it.
  [null, JSON.stringify(file), false, { since: 3_000, ...file }],
  [null, JSON.stringify(file), true, { since: 3_000, ...file }],
  ["5000", JSON.stringify(file), false, { since: 5_000, ...file }],
  [null, leftToCommand, false, { since: 3_000 }],
  [null, leftToCommand, undefined, { since: 3_000 }],
  [null, leftToCommand, true, null],
  ["5000", leftToCommand, true, { since: 5_000 }],
])("marked with the time %s, and as from %s, before the command: %s", async (copiedAt, from, isRestoring, then) => {
  await stage.put({ status: "awaiting_sca", deadline_at: nowMs + 1, settled_at: 3_000 });
  await mark(copiedAt, from);
  expect(await stage.store.read(isRestorePending)).toBe(copiedAt !== null || from !== null);
  const write: Store["write"] = () => Promise.reject(new Error("there is nothing to write"));
  const on = then === null ? { ...stage.service, store: { ...stage.store, write } } : stage.service;
  const restored = await applyPendingRestore(on, isRestoring);
  const [status] = (await stage.rows("withdrawals")).map((row) => row.status);
  if (then === null) {
    expect([restored, status, await stage.rows("restores")]).toEqual([null, "awaiting_sca", []]);
    return;
  }
  const { since, copy = "database", by = "service" } = then;
  expect(restored).toMatchObject({ restoredAt: nowMs, forgotSince: since, ended: 1 });
  expect([status, await stage.rows("restores")]).toMatchObject(["canceled", [{ forgot_since: since }]]);
  expect(await audited(restoredEvent, copy)).toEqual([[by, `copy of ${toTime(since)}; ended 1`]]);
  expect(await stage.store.read(isRestorePending)).toBe(false);
});

test.each([
  ["which says nothing of one before it", {}, null],
  ["which says that there was none before it", { toldSince: null }, null],
  ["which says since when its bank may know more", { told: [600, 500] }, nowMs],
  ["which says so as a release before did", { toldSince: 500 }, nowMs],
  ["which says that its bank may know more since later", { told: [nowMs - 1] }, null],
])(
  "what a copy has as handed out is disputed where its bank was told otherwise by one before it, %s",
  async (_, said, disputed_at) => {
    await stage.put({ status: "linked", linked_at: 550, created_at: 400, settled_at: 540 });
    await mark("5000", JSON.stringify(said));
    await applyPendingRestore(stage.service);
    expect(await stage.rows("withdrawals")).toMatchObject([{ status: "linked", disputed_at }]);
  },
);

test.each([
  ["after the older copy", { settled_at: 540, linked_at: 550, archived_at: 550 }, nowMs],
  ["before it", { settled_at: 440, linked_at: 450, archived_at: 450 }, null],
  // Its cash left after its payment, which is after the older copy.
  ["after it, as the clock was behind", { settled_at: 540, linked_at: 450, archived_at: 450 }, nowMs],
  ["before it was requested, as the clock was", { created_at: 480, settled_at: 440, linked_at: 450 }, nowMs],
  ["before it, in one moment", { created_at: 450, settled_at: 450, linked_at: 450 }, null],
])("what is archived and was handed out %s is a dispute only if that was after it", async (_, times, disputed_at) => {
  await stage.putArchived({ status: "linked", created_at: 400, ...times });
  await mark("5000", JSON.stringify({ told: [500] }));
  await applyPendingRestore(stage.service);
  expect(await stage.rows("archived_withdrawals")).toMatchObject([{ status: "linked", disputed_at }]);
});

test("what processes have found of their commits is forgotten once a restore was said: they look anew", async () => {
  await stage.store.write((tx) => tx.run(setSetting({ name: lookedSetting, value: '{"forgotSince":5000}' })));
  await applyRestore(stage.service, { forgotSince: 5_000 });
  expect(await stage.store.read((tx) => tx.first(settingByName({ name: lookedSetting })))).toBeUndefined();
});

test.each([
  ["requested", { status: "canceled", reason: "restored", closed_at: nowMs, disputed_at: null }],
  ["ready", { status: "canceled", reason: "restored", closed_at: nowMs, disputed_at: null }],
  ["awaiting_sca", { status: "canceled", reason: "restored", closed_at: nowMs, disputed_at: nowMs }],
  ["settling", { status: "settling", reason: null, closed_at: null, disputed_at: null }],
  ["settled", { status: "settled", reason: null, closed_at: null, disputed_at: null }],
] as const)("what was %s when the copy was made is then %j", async (status, then) => {
  const isConfirmed = status !== "requested" && status !== "ready";
  const deadline_at = status.startsWith("settl") ? null : nowMs + 1;
  await stage.put({ status, deadline_at, confirmed_at: isConfirmed ? 2_000 : null, settled_at: null });
  await applyRestore(stage.service, { forgotSince: 5_000 });
  expect(await stage.rows("withdrawals")).toMatchObject([then]);
});

const [from, to] = [0, nowMs];
test.each([
  ["ended", () => disputeEndedSince[0]({ from, since: 5, said: 5, until: to, to, toUntold: to, now: nowMs, limit: 1 })],
  ["told otherwise", () => disputeToldOtherwise[0]({ since: from, knownUntil: to, now: nowMs, limit: 1 })],
])("of what was %s as many are disputed in a commit as are asked for", async (what, dispute) => {
  const row = { status: what === "ended" ? "expired" : "settled", created_at: 4, closed_at: 6 } as const;
  await stage.put(row, { ...row, id: secondId });
  const next = async () => (await stage.store.write((tx) => tx.all(dispute()))).length;
  expect([await next(), await next(), await next()]).toEqual([1, 1, 0]);
});

test.each([
  [undefined, ""],
  [false, ""],
  [true, "; what was there could not be read"],
])("that what was there could not be read (%s) is in the audit", async (isUnread, detail) => {
  const from = { forgotSince: 5_000, ...(isUnread === undefined ? {} : { isUnread }) };
  expect(await applyRestore(stage.service, from)).toMatchObject({ isUnread: isUnread ?? false });
  expect(await audited(restoredEvent, "database")).toEqual([["service", `copy of ${toTime(5_000)}; ended 0${detail}`]]);
});

test("a time that was put right is in the audit, and counts as a restore of then", async () => {
  await applyRestore(stage.service, { forgotSince: 5_000 });
  stage.clock.jump(9_000);
  await correctRestore(stage.service, { forgotSince: 4_000, by: "operator ada" });
  expect(await stage.rows("restores")).toEqual([{ restored_at: nowMs + 9_000, forgot_since: 4_000 }]);
  expect(await audited(correctedEvent, "database")).toEqual([
    ["operator ada", `copy of ${toTime(4_000)}, not of ${toTime(5_000)}`],
  ]);
});
