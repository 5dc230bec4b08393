/** A start from a journal that is damaged, full, failing or very long. */
import { expect, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { FakeService } from "./fake-service.ts";
import { createRig, handOver, idNumber, leadToPayable, MemoryJournal } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

const id = idNumber(1);

test("damaged entries are counted in the header, and the till starts", async () => {
  const journal = new MemoryJournal();
  journal.append(1, ["{not json", '{"type":"from the future"}', '{"type":"settled"}', "null"]);
  journal.damaged.push({ sequence: 9, why: "hash" });
  const till = await createRig({ journal });
  expect(till.screen().kind).toBe("ready");
  expect(till.snapshot().header.damagedEntries).toBe(5);
  const health = await till.terminal.dispatch({ type: "check_journal" });
  expect(health).toMatchObject({
    data: { damaged: [{ why: "hash" }, { why: "json" }, { why: "schema" }, { why: "schema" }, { why: "schema" }] },
  });
});

test("a journal that cannot be read for a while is not an empty one: the till waits for it, and then knows its cash", async () => {
  const journal = new MemoryJournal();
  const first = await createRig({ journal });
  await leadToPayable(first, id);
  await first.terminal.close();
  const before = journal.entries.length;
  const read = journal.read.bind(journal);
  journal.read = () => {
    throw new Error("disk I/O error");
  };
  const till = await createRig({ journal, clock: first.clock, service: first.service, idsFrom: 500 });
  expect(till.screen()).toMatchObject({ kind: "blocked", why: "journal_unavailable" });
  await till.clock.advance(60_000);
  expect([till.screen().kind, journal.entries.length]).toEqual(["blocked", before]);
  journal.read = read;
  await till.clock.advance(10_000);
  expect(till.screen().kind).toBe("payable");
});

test("cash that lost entries may have been about is not offered by the next start either, though more was written about it", async () => {
  const journal = new MemoryJournal();
  const first = await createRig({ journal });
  first.service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
  await leadToPayable(first, id);
  await handOver(first);
  await first.terminal.close();
  // A damaged page has taken all from the payment on; the first start writes down once more that it is paid.
  for (const { sequence } of journal.entries.slice(journal.types().indexOf("settled")))
    journal.damaged.push({ sequence, why: "hash" });
  const lost = journal.damaged.map(({ sequence }) => sequence);
  journal.entries.push({ sequence: Math.max(...lost) + 1, at: 1, body: '{"type":"journal_missing"}' });
  journal.entries = journal.entries.filter(({ sequence }) => !lost.includes(sequence));
  for (const idsFrom of [500, 600]) {
    const till = await createRig({ journal, clock: first.clock, service: first.service, idsFrom });
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "unknown", doing: "manager_decides" });
    await till.terminal.close();
  }
  expect(journal.types().filter((type) => type === "settled")).toHaveLength(1);
});

test("what this version cannot read is put behind no checkpoint: a later one may read it", async () => {
  const journal = new MemoryJournal();
  journal.append(1, ['{"type":"installed","tag":"a"}', '{"type":"from the future"}']);
  await createRig({ journal, checkpointEvery: 1 });
  expect(journal.types()).not.toContain("checkpoint");
});

test("damaged entries behind a checkpoint are still counted", async () => {
  const journal = new MemoryJournal();
  journal.append(1, ['{"type":"installed","tag":"a"}', '{"type":"journal_recovered","failedForMs":1}']);
  journal.damaged.push({ sequence: 9, why: "hash" });
  const before = await createRig({ journal, checkpointEvery: 1 });
  expect(journal.types()).toContain("checkpoint");
  await before.terminal.close();
  // A start reads no more than follows the checkpoint.
  journal.damaged.length = 0;
  // The second counts on from a checkpoint that the first has written.
  for (const _ of [1, 2]) {
    const again = await createRig({ journal, checkpointEvery: 1 });
    expect(again.snapshot().header.damagedEntries).toBe(1);
    await again.terminal.close();
  }
});

test("a journal that takes nothing lets the till start and show, and confirm nothing", async () => {
  const journal = new MemoryJournal();
  journal.full = true;
  const till = await createRig({ journal });
  till.service.order({ transaction_id: id });
  await till.scan(id);
  expect(till.screen().kind).toBe("review");
  expect(await till.send({ type: "confirm" })).toEqual({ ok: false, code: "failed" });
  await till.clock.advance(10_000);
  expect(till.service.calls("/transaction/confirm")).toEqual([]);
  journal.full = false;
  expect(await till.send({ type: "confirm" })).toEqual({ ok: true });
  expect(journal.types().slice(0, 2)).toEqual(["book_opened", "confirm_intended"]);
});

test("a till that never restarts makes checkpoints too, while nothing is open", async () => {
  const journal = openJournal(":memory:", 0);
  const till = await createRig({ journal, checkpointEvery: 50 });
  // One link is still owed when the checkpoint is due.
  let isOwed = true;
  till.service.fault = ({ path, body }) =>
    isOwed && path === "/transaction/link" && JSON.stringify(body).includes(idNumber(6)) ? "drop" : null;
  for (let number = 1; number <= 14; number++) {
    isOwed = number < 10;
    await leadToPayable(till, idNumber(number));
    await handOver(till);
    await till.clock.advance(3_000);
  }
  const bodies = [...journal.read(Number.MAX_SAFE_INTEGER).entries].map(({ body }) => body);
  const checkpoints = bodies.filter((body) => body.startsWith('{"type":"checkpoint"'));
  expect(checkpoints.map((body) => JSON.parse(body))).toMatchObject([{ open: [] }]);
  expect([...journal.read().entries].length).toBeLessThan(50);
  expect(journal.verify()).toMatchObject({ damaged: [] });
});

test("a long history starts from a checkpoint, with nothing forgotten", async () => {
  const journal = openJournal(":memory:", 0);
  const entries: string[] = [JSON.stringify({ type: "installed", tag: "long" })];
  const facts = (number: number) => ({
    withdrawalId: `H${number}`,
    transactionId: idNumber(number),
    terminalReference: `till-1.long.H${number}`,
    amount: "20.00",
    currency: "EUR",
    shop: "demo-shop",
  });
  for (let number = 1; number <= 900; number++) {
    const of = facts(number);
    entries.push(
      ...[
        { type: "confirm_intended", withdrawal: of },
        { type: "confirm_accepted", withdrawal: of, status: "awaiting_sca" },
        { type: "settled", withdrawal: of },
        { type: "hand_out_intended", withdrawal: of },
        { type: "handed_out", withdrawal: of, by: "drawer" },
        ...(number === 450 ? [] : [{ type: "report_accepted", withdrawal: of, report: "link" }]),
      ].map((event) => JSON.stringify(event)),
    );
  }
  journal.append(1_000, entries);
  const clock = new VirtualClock();
  const service = new FakeService(clock);
  service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
  const first = await createRig({ journal: { ...journal, close: () => {} }, clock, service });
  await first.terminal.close();
  const read = [...journal.read().entries];
  expect(read.length).toBeLessThan(10);
  expect(read[0]?.body.startsWith('{"type":"checkpoint"')).toBe(true);

  service.fault = () => null;
  service.order({ transaction_id: idNumber(450), status: "settled", transaction_id_partner: "till-1.long.H450" });
  service.order({ transaction_id: idNumber(899) });
  const till = await createRig({ journal, clock, service, idsFrom: 5_000 });
  await till.clock.advance(600_000);
  expect(till.service.orders.get(idNumber(450))?.status).toBe("linked");
  await till.scan(idNumber(899));
  expect(till.screen()).toMatchObject({ kind: "ended", outcome: "already_used" });
  const asked = till.terminal.dispatch({ type: "list_history", before: "H890", limit: 2 });
  // Thousands of entries are read in slices, with a pause behind each.
  await till.clock.advance(1_000);
  const history = await asked;
  expect(history).toMatchObject({ data: [{ withdrawalId: "H889", result: "handed_out" }, { withdrawalId: "H888" }] });
});
