/** Receipts at the terminal: asked for with the hand-out, printed behind it, and never in the way of money. */
import { expect, test } from "vitest";
import { printRetryPausesMs } from "../../../main/terminal/bounds.ts";
import { type HistoryLine, type Settings, settingsSchema } from "../../../preload/contract.ts";
import type { PaperLine } from "../../../preload/paper-line.ts";
import { nobodyYet } from "../../../preload/people.ts";
import { by } from "./history-stage.ts";
import { createRig, handOver, idNumber, leadToPayable, MemoryJournal, type Rig, ScriptedPrinter } from "./rig.ts";

const printerOf = (receipts: "none" | "customer" | "shop" | "both"): Settings["printer"] =>
  settingsSchema.parse({ printer: { kind: "network", host: "10.0.0.9", receipts } }).printer;

const rig = (receipts: Parameters<typeof printerOf>[0] = "customer", journal = new MemoryJournal()): Promise<Rig> =>
  createRig({ settings: { printer: printerOf(receipts) }, journal });

/** A whole withdrawal, up to the cash over the counter. */
const serve = async (till: Rig, number: number) => {
  await till.clock.advance(3_000);
  const order = await leadToPayable(till, idNumber(number));
  await handOver(till);
  return order;
};

const texts = (lines: readonly PaperLine[] = []): readonly string[] =>
  lines.map((line) => (line.kind === "text" ? line.text : line.kind === "pair" ? `${line.label}: ${line.value}` : ""));
const isCopy = (lines: readonly PaperLine[] = []): boolean => texts(lines).some((text) => text.includes("COPY"));
const lastHistory = async (till: Rig): Promise<HistoryLine> => {
  const reply = await till.terminal.dispatch({ type: "list_history", before: null, limit: 1 });
  const [line] = (reply.ok ? reply.data : []) as HistoryLine[];
  if (line === undefined) throw new Error("no line");
  return line;
};

test("without a printer nothing is printed and nothing is in the journal about it", async () => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  await serve(till, 1);
  expect(journal.types()).not.toContain("receipt_requested");
  const { withdrawalId } = await lastHistory(till);
  expect(await till.send({ type: "print_receipt", withdrawalId, copy: "customer" })).toEqual({
    ok: false,
    code: "no_printer",
  });
});

test("a printer that is off stops nobody: the cash is out, the report goes, the next customer comes; then it prints by itself", async () => {
  const till = await rig();
  till.printer.answers = [{ kind: "not_printed", why: "unreachable" }];
  const order = await serve(till, 1);
  expect(till.screen().kind).toBe("done");
  expect(till.snapshot().header.printing).toMatchObject({ why: "unreachable", isUnclear: false, isRetried: true });
  expect(order.status).toBe("linked");
  expect(till.printer.jobs).toHaveLength(0);
  await till.clock.advance(printRetryPausesMs[0] ?? 0);
  expect(till.printer.jobs).toHaveLength(1);
  expect(isCopy(till.printer.jobs[0])).toBe(false);
  expect(till.snapshot().header.printing).toBeNull();
});

test("after its own tries the terminal waits for a person, and prints all that waits when told to", async () => {
  const till = await rig();
  till.printer.answers = Array.from({ length: 4 }, () => ({ kind: "not_printed", why: "fault" }) as const);
  await serve(till, 1);
  await till.clock.advance(60_000);
  expect(till.snapshot().header.printing).toMatchObject({ why: "fault", isRetried: false, waiting: 1 });
  await serve(till, 2);
  expect(till.snapshot().header.printing).toMatchObject({ waiting: 2 });
  expect(await till.send({ type: "retry_print" })).toEqual({ ok: true });
  expect(till.printer.jobs).toHaveLength(2);
  expect(till.snapshot().header.printing).toBeNull();
  expect(await till.send({ type: "retry_print" })).toEqual({ ok: false, code: "stale" });
});

test.each(["no_paper", "cover_open"] as const)(
  "a printer that says %s prints soon after somebody saw to it, and the notice stays until then",
  async (why) => {
    const till = await rig();
    till.printer.answers = Array.from({ length: 300 }, () => ({ kind: "not_printed", why }) as const);
    await serve(till, 1);
    const before = till.snapshots.length;
    await till.clock.advance(5 * 60_000);
    const shown = till.snapshots.slice(before).map(({ header }) => header.printing);
    expect(shown.length).toBeGreaterThan(100);
    for (const printing of shown) expect(printing).toEqual({ why, isUnclear: false, isRetried: true, waiting: 1 });
    till.printer.answers = [];
    await till.clock.advance(2_000);
    expect(till.printer.jobs).toHaveLength(1);
    expect(till.snapshot().header.printing).toBeNull();
  },
);

test("a printer that was off or busy after it had asked for paper is tried as often as at first", async () => {
  const till = await rig();
  const none = { kind: "not_printed", why: "no_paper" } as const;
  till.printer.answers = [
    ...Array.from({ length: 30 }, () => none),
    { kind: "not_printed", why: "unreachable" },
    { kind: "not_printed", why: "busy" },
  ];
  await serve(till, 1);
  await till.clock.advance(120_000);
  expect(till.printer.jobs).toHaveLength(1);
  expect(till.snapshot().header.printing).toBeNull();
});

test("the notice's buttons work while the printer is tried again: nothing is printed twice, and what is dropped stays dropped", async () => {
  const printer = new ScriptedPrinter();
  const ends: ((answer: Awaited<ReturnType<typeof printer.print>>) => void)[] = [];
  printer.print = () => new Promise((resolve) => ends.push(resolve));
  const till = await createRig({ settings: { printer: printerOf("customer") }, printer });
  await serve(till, 1);
  ends.shift()?.({ kind: "not_printed", why: "no_paper" });
  await till.clock.advance(2_000);
  expect(ends).toHaveLength(1);
  expect(await till.send({ type: "retry_print" })).toEqual({ ok: true });
  expect(ends).toHaveLength(1);
  expect(await till.send({ type: "drop_prints" })).toEqual({ ok: true });
  expect(till.snapshot().header.printing).toBeNull();
  ends.shift()?.({ kind: "not_printed", why: "no_paper" });
  await till.clock.advance(10_000);
  expect(ends).toHaveLength(0);
  expect(till.snapshot().header.printing).toBeNull();
});

test("what may be on paper is not printed again by itself, and is a copy when somebody says so", async () => {
  const till = await rig();
  till.printer.answers = [{ kind: "unclear", why: "unreachable" }];
  await serve(till, 1);
  await till.clock.advance(120_000);
  expect(till.printer.jobs).toHaveLength(1);
  expect(till.snapshot().header.printing).toMatchObject({ isUnclear: true, isRetried: false });
  await till.send({ type: "retry_print" });
  expect(till.printer.jobs.map(isCopy)).toEqual([false, true]);
});

test("a reprint says what the first one said, is marked as a copy, and is an entry of the journal", async () => {
  const journal = new MemoryJournal();
  const till = await rig("customer", journal);
  await serve(till, 1);
  await till.clock.advance(3_600_000);
  const { withdrawalId } = await lastHistory(till);
  // The terminal has got another name since.
  const settings = { ...till.snapshot().settings, terminalName: "Window" };
  expect(await till.send({ type: "change_settings", settings })).toEqual({ ok: true });
  expect(await till.send({ type: "print_receipt", withdrawalId, copy: "shop" })).toEqual({ ok: true });
  const [first, second] = till.printer.jobs;
  expect(isCopy(second)).toBe(true);
  const facts = (lines: readonly PaperLine[] = []) => texts(lines).filter((text) => text.includes(": "));
  expect(facts(second)).toEqual(facts(first));
  await till.terminal.dispatch({ type: "print_receipt", withdrawalId, copy: "customer" }, by("C3"));
  const requests = journal.entries
    .map(({ body }) => JSON.parse(body))
    .filter(({ type }) => type === "receipt_requested");
  expect(requests.map(({ actor, copies }) => [actor, ...copies])).toEqual([
    ["counter", "customer"],
    ["counter", "shop"],
    ["C3", "customer"],
  ]);
});

test("paper names the people as they are called, and by their codes where they have gone or share a name", async () => {
  const [ida, otto, other] = [
    { code: "C1", name: "Ida", role: "cashier" },
    { code: "C2", name: "Otto", role: "cashier" },
    { code: "M3", name: "Otto", role: "manager" },
  ] as const;
  const till = await rig();
  const printedFor = async ({ code }: typeof ida | typeof otto, list: readonly unknown[], number: number) => {
    till.terminal.show({ people: { ...nobodyYet, list } as never });
    await till.clock.advance(3_000);
    await leadToPayable(till, idNumber(number));
    for (let press = 0; press < 2; press++) {
      await till.terminal.dispatch({ type: "hand_out", step: till.screen().step }, by(code));
      await till.clock.advance(0);
    }
    return texts(till.printer.jobs.at(-1)).find((text) => text.startsWith("Cashier"));
  };
  expect(await printedFor(ida, [ida, otto, other], 1)).toBe("Cashier: Ida");
  expect(await printedFor(otto, [ida, otto, other], 2)).toBe("Cashier: Otto (C2)");
  expect(await printedFor(otto, [ida], 3)).toBe("Cashier: C2");
});

test("the shop's copy alone has the terminal's long reference", async () => {
  const till = await rig("both");
  await serve(till, 1);
  const { terminalReference } = await lastHistory(till);
  const both = texts(till.printer.jobs[0]);
  const shops = both.lastIndexOf("Shop's copy");
  expect([both.indexOf(terminalReference) > shops, both.filter((text) => text === terminalReference).length]).toEqual([
    true,
    1,
  ]);
});

test("a first print on request is no copy, the second one is", async () => {
  const till = await rig("none");
  await serve(till, 1);
  const screen = till.screen();
  if (screen.kind !== "done") throw new Error(screen.kind);
  const print = { type: "print_receipt", withdrawalId: screen.withdrawalId, copy: "customer" } as const;
  await till.send(print);
  await till.send(print);
  expect(till.printer.jobs.map(isCopy)).toEqual([false, true]);
});

test("of two first prints that are asked for at once, the second one is a copy", async () => {
  const till = await rig("none");
  await serve(till, 1);
  const { withdrawalId } = await lastHistory(till);
  const print = { type: "print_receipt", withdrawalId, copy: "customer" } as const;
  const printed = [till.terminal.dispatch(print), till.terminal.dispatch(print)];
  await till.clock.advance(1_000);
  expect(await Promise.all(printed)).toEqual([{ ok: true }, { ok: true }]);
  expect(till.printer.jobs.map(isCopy)).toEqual([false, true]);
});

test("nothing of a withdrawal without cash is printed", async () => {
  const till = await rig();
  till.service.order({ transaction_id: idNumber(1) });
  await till.scan(idNumber(1));
  const screen = till.screen();
  if (screen.kind !== "review") throw new Error(screen.kind);
  expect(await till.send({ type: "print_receipt", withdrawalId: screen.withdrawalId, copy: "customer" })).toEqual({
    ok: false,
    code: "stale",
  });
  expect(till.printer.jobs).toEqual([]);
});

test("after a restart nothing prints by itself; the receipt that was lost is printed as a copy", async () => {
  const journal = new MemoryJournal();
  const till = await rig("customer", journal);
  till.printer.answers = [{ kind: "not_printed", why: "unreachable" }];
  await serve(till, 1);
  await till.terminal.close();
  const again = await createRig({
    journal: journal.cut(journal.entries.length),
    clock: till.clock,
    service: till.service,
    settings: { printer: printerOf("customer") },
    idsFrom: 500,
  });
  await again.clock.advance(120_000);
  expect(again.printer.jobs).toHaveLength(0);
  const { withdrawalId } = await lastHistory(again);
  await again.send({ type: "print_receipt", withdrawalId, copy: "customer" });
  expect(again.printer.jobs.map(isCopy)).toEqual([true]);
});
