/** The printer's driver against a virtual printer on a real port: what it says, what lands on paper, how often the drawer is kicked. */

import ReceiptPrinterEncoder from "@point-of-sale/receipt-printer-encoder";
import { afterEach, expect, test } from "vitest";
import { createClock } from "../../../main/terminal/adapters.ts";
import { createConfiguredDevices, type Devices } from "../../../main/terminal/devices/configured.ts";
import { plain, rule } from "../../../main/terminal/printing/paper.ts";
import { printerModels } from "../../../preload/choices.ts";
import { type PaperLine, settingsSchema } from "../../../preload/contract.ts";
import { type Mood, startVirtualPrinter, type VirtualPrinter } from "../../printer/virtual-printer.ts";

const printers: VirtualPrinter[] = [];
afterEach(async () => {
  for (const printer of printers.splice(0)) await printer.switchOff().catch(() => undefined);
});

interface Bench extends Devices {
  readonly virtual: VirtualPrinter;
}

const setUp = async (mood: Partial<Mood> = {}): Promise<Bench> => {
  const virtual = await startVirtualPrinter(mood, 42);
  printers.push(virtual);
  const settings = settingsSchema.parse({
    printer: { kind: "network", host: "127.0.0.1", port: virtual.port },
    drawer: { kind: "printer", pulse: { pin: 5, onMs: 100, offMs: 400 } },
  });
  return { virtual, ...createConfiguredDevices(() => settings, createClock()) };
};

const lines: readonly PaperLine[] = [plain("one"), plain("two"), rule, plain("three"), { kind: "cut" }];
const text = ({ virtual }: Bench): string => virtual.interpreter.lines.join("|");
const countOf = (bench: Bench, word: string): number => text(bench).split(word).length - 1;

test("a job is on paper once, and the driver says so", async () => {
  const bench = await setUp();
  expect(await bench.printer.print(lines)).toEqual({ kind: "printed", paperLow: false });
  expect(text(bench)).toContain("one|two|");
  expect([countOf(bench, "three"), bench.virtual.interpreter.cuts, bench.virtual.pulses.length]).toEqual([1, 1, 0]);
});

test("one that is tried prints without being the one of the settings", async () => {
  const [bench, other] = [await setUp(), await startVirtualPrinter({}, 42)];
  printers.push(other);
  const tried = settingsSchema.parse({ printer: { kind: "network", host: "127.0.0.1", port: other.port } }).printer;
  expect(await bench.printer.print(lines, tried)).toEqual({ kind: "printed", paperLow: false });
  expect(other.interpreter.lines.join("|")).toContain("one|two|");
  expect(text(bench)).toBe("");
});

test("a shop without a printer prints nothing, and says so", async () => {
  const { printer } = createConfiguredDevices(() => settingsSchema.parse({ printer: { kind: "none" } }), createClock());
  expect(await printer.print(lines)).toEqual({ kind: "not_printed", why: "unreachable" });
});

test.each([
  ["says that its paper comes to an end", { paper: "low" }, { kind: "printed", paperLow: true }],
  ["answers no DLE EOT, but automatic status", { answersRealTime: false }, { kind: "printed", paperLow: false }],
  [
    "never says a word: it has taken the job, more cannot be known",
    { answersRealTime: false, answersQueued: false },
    { kind: "printed", paperLow: false },
  ],
  ["is out of paper", { paper: "out" }, { kind: "not_printed", why: "no_paper" }],
  ["is open", { coverOpen: true }, { kind: "not_printed", why: "cover_open" }],
  ["breaks in the middle", { diesAfterBytes: 20 }, { kind: "unclear", why: "unreachable" }],
  ["runs out of paper in the middle", { paperLinesLeft: 2 }, { kind: "unclear", why: "no_paper" }],
] as const)("a printer that %s", async (_, mood, answer) => {
  const bench = await setUp(mood);
  expect(await bench.printer.print(lines)).toEqual(answer);
  if (answer.kind === "not_printed") expect(bench.virtual.interpreter.pending).toBe(0);
  if (answer.kind === "printed") await expect.poll(() => countOf(bench, "three")).toBe(1);
  if (answer.kind === "unclear") expect(countOf(bench, "three")).toBe(0);
});

test.each([
  ["zeros", new Uint8Array(3)],
  ["all ones", Uint8Array.of(0xff, 0xff)],
  ["a web server's words", new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n")],
])("a printer that answers %s ends the job, and never prints twice", async (_, nonsense) => {
  const bench = await setUp({ nonsense });
  const { kind } = await bench.printer.print(lines);
  // A letter may look like the report of an open cover; then nothing is sent.
  await expect.poll(() => countOf(bench, "three")).toBe(kind === "not_printed" ? 0 : 1);
});

test("a printer that is off: nothing was sent; on again, it prints", async () => {
  const bench = await setUp();
  await bench.virtual.switchOff();
  expect(await bench.printer.print(lines)).toEqual({ kind: "not_printed", why: "unreachable" });
  expect(await bench.drawer.open()).toBe("failed");
  await bench.virtual.switchOn();
  expect((await bench.printer.print(lines)).kind).toBe("printed");
  expect([countOf(bench, "three"), bench.virtual.pulses.length]).toEqual([1, 0]);
});

test("another program's half line does not get into a receipt", async () => {
  const bench = await setUp();
  bench.virtual.otherJob(Uint8Array.of(0x1b, 0x61, 2, 0x1b, 0x45, 1, ...Buffer.from("their half")));
  expect((await bench.printer.print(lines)).kind).toBe("printed");
  expect(bench.virtual.interpreter.lines.find((line) => line.includes("one"))).toBe("one");
});

test("while another program holds the printer nothing is sent, and the next try prints", async () => {
  const bench = await setUp({ oneAtATime: true });
  const first = bench.printer.print(lines);
  const other = createConfiguredDevices(
    () => settingsSchema.parse({ printer: { kind: "network", host: "127.0.0.1", port: bench.virtual.port } }),
    createClock(),
  );
  const second = await other.printer.print(lines);
  expect((await first).kind).toBe("printed");
  expect(["not_printed", "unclear"]).toContain(second.kind);
  expect(countOf(bench, "three")).toBe(1);
  // Its line is let go a moment after its last word.
  await expect.poll(async () => (await other.printer.print(lines)).kind).toBe("printed");
  expect(countOf(bench, "three")).toBe(2);
});

test("the drawer is kicked once with the pulse of the settings, and its switch is read", async () => {
  const bench = await setUp();
  expect(await bench.drawer.open()).toBe("opened");
  expect(bench.virtual.pulses).toEqual([{ pin: 5, onMs: 100, offMs: 400 }]);
  expect(await bench.drawer.state()).toBe("open");
  bench.virtual.drawerOpen = false;
  expect(await bench.drawer.state()).toBe("closed");
});

test("a drawer on the printer goes with it to another place", async () => {
  const [one, other] = [await setUp(), await setUp()];
  const at = ({ virtual: { port } }: Bench) =>
    settingsSchema.parse({ printer: { kind: "network", host: "127.0.0.1", port }, drawer: { kind: "printer" } });
  let settings = at(one);
  const { drawer } = createConfiguredDevices(() => settings, createClock());
  expect(await drawer.open()).toBe("opened");
  settings = at(other);
  expect(await drawer.open()).toBe("opened");
  expect([one.virtual.pulses.length, other.virtual.pulses.length]).toEqual([1, 1]);
});

test.each([
  ["does not move", { drawerMoves: false }],
  ["is on a printer that reports by automatic status alone", { answersRealTime: false }],
] as const)("a drawer that %s", async (name, mood) => {
  const bench = await setUp(mood);
  expect(await bench.drawer.open()).toBe(name === "does not move" ? "unknown" : "opened");
  expect(bench.virtual.pulses).toHaveLength(1);
});

test("a drawer opens before a receipt that waits, and no bytes of one get into the other", async () => {
  const bench = await setUp();
  const first = bench.printer.print(lines);
  const second = bench.printer.print(lines);
  const opened = bench.drawer.open();
  expect(await opened).toBe("opened");
  expect(countOf(bench, "three")).toBe(0);
  const answers = [await first, await second];
  expect(bench.virtual.pulses).toHaveLength(1);
  expect(bench.virtual.interpreter.unknown).toEqual([]);
  const certain = answers.filter(({ kind }) => kind === "printed").length;
  expect(countOf(bench, "three")).toBeGreaterThanOrEqual(certain);
  expect(answers[1]).toEqual({ kind: "printed", paperLow: false });
});

test.each([
  ["is kicked all the same, at once", {}, "opened", 1],
  ["whose printer knows no such kick is opened by hand", { kicksRealTime: false }, "unknown", 0],
] as const)(
  "without paper the drawer %s, and does not open by itself when new paper is in",
  async (_, mood, answer, kicks) => {
    const bench = await setUp({ paper: "out", ...mood });
    expect(await bench.drawer.open()).toBe(answer);
    bench.virtual.repair();
    expect(bench.virtual.pulses).toHaveLength(kicks);
  },
);

test("every model of the settings is one that the encoder knows and speaks ESC/POS to", () => {
  const known = ReceiptPrinterEncoder.printerModels.map(({ id }) => id);
  for (const model of printerModels) if (model !== "generic") expect(known).toContain(model);
  for (const model of printerModels)
    if (model !== "generic") expect(new ReceiptPrinterEncoder({ printerModel: model }).language).toBe("esc-pos");
});
