/** Journals as earlier programs wrote them, read by today's: what was open goes on, what was handed out is never offered again. */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { replay } from "../../../main/terminal/journal-start.ts";
import { initialState, type State } from "../../../main/terminal/withdrawal/state.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { FakeService } from "./fake-service.ts";
import { ownFolder, setFormat } from "./journal-stage.ts";
import { createRig, handOver, idNumber, MemoryJournal, type Rig } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

const id = idNumber(1);
const of = {
  withdrawalId: "W1",
  transactionId: id,
  partnerId: "till-1.0000aaaa.W1",
  amount: "50.00",
  currency: "EUR",
  shop: "demo-shop",
};
const installed = { type: "installed", tag: "0000aaaa" };
const confirmed = [
  { type: "confirm_intended", of },
  { type: "confirm_accepted", of, status: "settling" },
];
const payable = [installed, ...confirmed, { type: "settled", of }];
const handedOut = [...payable, { type: "hand_out_intended", of }, { type: "handed_out", of, by: "drawer" }];

/** As the first programs wrote one: no book, no problems, no day. */
const firstCheckpoint = {
  type: "checkpoint",
  damagedEntries: 0,
  installation: { tag: "0000aaaa", sinceWallMs: 0 },
  open: [{ facts: of, stage: { kind: "payable" }, intended: true, confirmed: true, handOutBegun: false, ageMs: 1_000 }],
  cashGiven: [idNumber(7)],
};

const journalOf = (entries: readonly object[]): MemoryJournal => {
  const journal = new MemoryJournal();
  journal.append(
    1_000,
    entries.map((entry) => JSON.stringify(entry)),
  );
  return journal;
};
const read = (entries: readonly object[]): { state: State; damaged: readonly unknown[] } => {
  const initial = initialState(settingsSchema.parse({}), null, true, null);
  return replay(initial, journalOf(entries), { wallMs: 2_000, monotonicMs: 0 });
};

describe("what an earlier program left, as today's reads it", () => {
  test.each<[string, readonly object[], { stage?: string; open: number; problems: number; given: boolean }]>([
    ["nothing was ever confirmed", [installed], { open: 0, problems: 0, given: false }],
    [
      "a confirm that was accepted is waited for",
      [installed, ...confirmed],
      { stage: "waiting", open: 1, problems: 0, given: false },
    ],
    ["paid, cash not yet given", payable, { stage: "payable", open: 1, problems: 0, given: false }],
    ["given, the link still owed", handedOut, { stage: "handed_out", open: 1, problems: 0, given: true }],
    [
      "given and linked, in the words of then",
      [...handedOut, { type: "notice_taken", of, notice: "link" }],
      { open: 0, problems: 0, given: true },
    ],
    [
      "a link refused for good, in the words of then",
      [...handedOut, { type: "notice_refused", of, notice: "link", http: 404 }],
      { open: 0, problems: 1, given: true },
    ],
    [
      "a journal that had not taken entries",
      [...payable, { type: "journal_mended", failedForMs: 5 }],
      { stage: "payable", open: 1, problems: 0, given: false },
    ],
    [
      "declared not handed out, nobody named",
      [...payable, { type: "not_handed_out", of, reason: "till_short" }],
      { stage: "not_handed_out", open: 1, problems: 0, given: false },
    ],
    ["a checkpoint of the first form", [firstCheckpoint], { stage: "payable", open: 1, problems: 0, given: false }],
    [
      "behind a checkpoint of the first form, in the words of then",
      [firstCheckpoint, { type: "handed_out", of, by: "cashier" }, { type: "notice_taken", of, notice: "link" }],
      { open: 0, problems: 0, given: true },
    ],
  ])("%s", (_, entries, expected) => {
    const { state, damaged } = read(entries);
    expect(damaged).toEqual([]);
    expect(state.open.size).toBe(expected.open);
    expect([...state.open.values()][0]?.stage.kind).toBe(expected.stage);
    expect(state.problems.size).toBe(expected.problems);
    const { older, recent } = state.cashGiven;
    expect(older.has(id) || recent.has(id)).toBe(expected.given);
    expect([...state.open.values()].some(({ doubtful }) => doubtful)).toBe(false);
  });
});

const start = async (entries: readonly object[], status: string): Promise<Rig> => {
  const till = await createRig({ journal: journalOf(entries), idsFrom: 500 });
  till.service.order({ transaction_id: id, status, transaction_id_partner: of.partnerId });
  await till.clock.advance(5_000);
  return till;
};

test("cash that an earlier program gave is not offered again, and its link is sent", async () => {
  const till = await start(handedOut, "settled");
  await till.clock.advance(60_000);
  expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
  expect(till.service.orders.get(id)?.status).toBe("linked");
  expect(till.drawer.opens).toBe(0);
  await till.terminal.close();
});

test.each<[string, object, object?]>([
  ["as today's writes its amount", {}],
  ["in an amount as the server spelt it", { amount: "50" }],
  ["in an amount without a currency", { amount: "50.0", currency: "XXX" }],
  ["in an amount that its look-up would refuse today", { amount: "50.005" }, { amount: 50.005 }],
  ["in a currency that nobody can read", { currency: "XXX" }, { currency: 978 }],
])("cash that an earlier program owed, %s, is offered once it was asked about, and given", async (_, written, said) => {
  const clock = new VirtualClock();
  const service = new FakeService(clock);
  service.fault = () => "hang";
  const journal = journalOf(payable.map((entry) => ("of" in entry ? { ...entry, of: { ...of, ...written } } : entry)));
  const till = await createRig({ journal, idsFrom: 500, service, clock });
  till.service.shape = (fields) => ({ ...fields, ...said });
  till.service.order({ transaction_id: id, status: "settled", transaction_id_partner: of.partnerId });
  await till.clock.advance(60_000);
  expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
  till.service.fault = () => null;
  await till.clock.advance(60_000);
  expect(till.screen()).toMatchObject({ kind: "payable", money: { amount: "50.00", currency: "EUR", ...written } });
  await handOver(till);
  await till.clock.advance(1_000);
  expect(till.service.orders.get(id)?.status).toBe("linked");
  expect(journal.types()).not.toContain("discrepancy");
  await till.terminal.close();
});

describe("a journal's file", () => {
  const here = ownFolder();
  const version = (): number => {
    const database = new DatabaseSync(here.path);
    const { user_version: found } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    database.close();
    return found;
  };

  /** The programs before people, the drawer's day and archived years know 3 and refuse anything above. */
  test.each([0, 1, 2, 3])(
    "of format %i is brought to one that the programs before refuse, with a copy beside",
    (before) => {
      const older = openJournal(here.path, 0);
      older.append(
        1,
        handedOut.map((entry) => JSON.stringify(entry)),
      );
      older.close();
      setFormat(here.path, before);
      const today = openJournal(here.path, 5);
      expect([...today.read().entries]).toHaveLength(handedOut.length);
      today.close();
      expect(version()).toBeGreaterThan(3);
      expect(existsSync(`${here.path}.format-${Math.max(1, before)}`)).toBe(true);
    },
  );

  test("of a new installation says at once that earlier programs cannot read it", () => {
    openJournal(here.path, 0).close();
    expect(version()).toBe(4);
  });
});
