/** The connection test names each cause, the drawer is tried only while nothing is under way, practice is for training alone. */
import { describe, expect, it } from "vitest";
import { checkConnection } from "../../../main/terminal/commands.ts";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import { commandSchema, settingsSchema, type TerminalCommand } from "../../../preload/contract.ts";
import { on, rig } from "./day-stage.ts";
import { createRig, handOver, idNumber, leadToPayable, MemoryJournal } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

const answer = (status: number, body: unknown, dateMs: number | null = null): ServiceAnswer => ({
  kind: "answer",
  status,
  body,
  dateMs,
  retryAfterMs: null,
});
const refused = { error: "invalid_request" };

const atService = (reply: ServiceAnswer, clock = new VirtualClock(), address = "https://service.example") =>
  checkConnection({ clock, transport: { send: async () => reply } }, address);

describe("the connection test", () => {
  const check = atService;

  it.each<[string, ServiceAnswer]>([
    ["name_not_found", { kind: "silence", why: "unreachable", because: "name_not_found" }],
    ["no_route", { kind: "silence", why: "unreachable", because: "no_route" }],
    ["certificate", { kind: "silence", why: "reset", because: "certificate" }],
    ["refused", { kind: "silence", why: "refused" }],
    ["timeout", { kind: "silence", why: "timeout" }],
    ["not_a_service", { kind: "silence", why: "garbled" }],
    ["not_a_service", answer(200, { hello: "world" })],
    ["not_a_service", answer(404, undefined)],
    ["not_a_service", answer(404, { message: "no such page" })],
    ["not_a_service", answer(302, null)],
    ["service_down", answer(503, { code: "unavailable" })],
  ])("says %s", async (trouble, reply) => {
    expect(await check(reply)).toEqual({ trouble, clockOffMs: null });
  });

  it.each<[string, ServiceAnswer]>([
    ["refused", { kind: "silence", why: "refused" }],
    ["a time-out", { kind: "silence", why: "timeout" }],
    ["no TLS", { kind: "silence", why: "reset", because: "certificate" }],
    ["a database", { kind: "silence", why: "garbled" }],
    ["another program", answer(200, { hello: "world" })],
    ["a program in trouble", answer(503, { code: "unavailable" })],
  ])("does not tell the ports of this machine apart: %s", async (_, reply) => {
    for (const address of ["http://127.0.0.1:5432", "http://localhost:6379", "https://[::1]:22"])
      expect(await atService(reply, undefined, address)).toEqual({ trouble: "nothing_here", clockOffMs: null });
  });

  it.each(["sandbox", "plain_http"] as const)("says %s of an address of this machine, too", async (because) => {
    const silence = { kind: "silence", why: "refused", because } as const;
    expect((await atService(silence, undefined, "http://127.0.0.1:8787")).trouble).toBe(because);
  });

  it.each([answer(400, refused), answer(401, { error: "invalid_client" }), answer(429, null)])(
    "finds a service of the specification by how it refuses: $status",
    async (reply) => {
      expect((await check(reply)).trouble).toBeNull();
    },
  );

  it("says by how much the clock is off, and nothing of less than a minute", async () => {
    const clock = new VirtualClock();
    const off = (ms: number) => check(answer(400, refused, clock.now() - ms), clock);
    expect((await off(12 * 60_000)).clockOffMs).toBe(12 * 60_000);
    expect((await off(-12 * 60_000)).clockOffMs).toBe(-12 * 60_000);
    expect((await off(40_000)).clockOffMs).toBeNull();
  });
});

describe("trying the drawer", () => {
  it("opens it, and leaves the intent and the result in the journal", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    till.drawer.answers = ["failed"];
    expect(await till.terminal.dispatch({ type: "test_drawer" })).toEqual({ ok: true, data: "failed" });
    expect(till.drawer.opens).toBe(1);
    const tested = journal.entries.map(({ body }) => JSON.parse(body)).filter(({ act }) => act === "drawer_test");
    expect(tested.map(({ about }) => about)).toEqual(["intended", "failed"]);
  });

  it("opens another one than that of the settings, names it in the journal, and leaves the settings as they are", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    const before = till.snapshot().settings.drawer;
    const command = commandSchema.parse({ type: "test_drawer", drawer: { kind: "network", host: "10.0.0.9" } });
    expect(await till.terminal.dispatch(command as TerminalCommand)).toEqual({ ok: true, data: "opened" });
    expect(till.drawer.tried).toMatchObject([{ kind: "network", host: "10.0.0.9", port: 9100 }]);
    const acts = () => journal.entries.map(({ body }) => JSON.parse(body)).filter(({ type }) => type === "act");
    const [intended, opened] = ["intended 10.0.0.9:9100", "opened 10.0.0.9:9100"];
    expect(acts().map(({ act, about }) => [act, about])).toEqual([
      ["drawer_test", intended],
      ["drawer_test", opened],
    ]);
    expect(till.snapshot().settings.drawer).toEqual(before);
    await till.terminal.dispatch({ type: "change_settings", settings: till.snapshot().settings });
    expect(acts().at(-1)?.act).toBe("settings_changed");
  });

  it("opens the one of the settings where none is named, and none outside of the shop's network", () => {
    expect(commandSchema.parse({ type: "test_drawer" })).toEqual({ type: "test_drawer" });
    const outside = { type: "test_drawer", drawer: { kind: "network", host: "8.8.8.8" } };
    expect(commandSchema.safeParse(outside).success).toBe(false);
  });

  it("stays shut when the intent cannot be written", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    journal.full = true;
    expect(await till.terminal.dispatch({ type: "test_drawer" })).toEqual({ ok: false, code: "failed" });
    expect(till.drawer.opens).toBe(0);
  });

  it("is refused while a withdrawal is under way, from the look-up on, and behind a screen that is free again", async () => {
    const till = await createRig();
    const isRefused = async (screen: string): Promise<void> => {
      expect(till.screen().kind).toBe(screen);
      expect(await till.terminal.dispatch({ type: "test_drawer" })).toEqual({ ok: false, code: "busy" });
    };
    till.service.order({ transaction_id: idNumber(1) });
    till.service.fault = ({ path }, nth) => (path.startsWith("/transaction?") && nth === 1 ? "hang" : null);
    await till.scan(idNumber(1));
    await isRefused("looking_up");
    await till.clock.advance(4_000);
    await till.send({ type: "retry" });
    await isRefused("review");
    await till.send({ type: "confirm" });
    await isRefused("waiting");
    till.service.fault = () => "drop";
    await till.send({ type: "reject" });
    await till.clock.advance(5_000);
    await till.send({ type: "dismiss" });
    await isRefused("ready");
    expect(till.drawer.opens).toBe(0);
  });
});

describe("trying the printer", () => {
  const printer = { kind: "network", host: "10.0.0.9" } as const;
  const withPrinter = settingsSchema.parse({ printer });

  it("prints a slip that is no receipt, and says what became of it", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ settings: withPrinter, journal });
    expect(await till.terminal.dispatch({ type: "test_printer" })).toEqual({ ok: true, data: "printed" });
    expect([till.printer.jobs.length, journal.types().includes("receipt_requested")]).toEqual([1, false]);
    expect(till.snapshot().header.printing).toBeNull();
  });

  it("tries another one than that of the settings, and leaves them as they are", async () => {
    const till = await createRig({ settings: withPrinter });
    till.printer.answers = [{ kind: "not_printed", why: "unreachable" }];
    const other = { ...withPrinter.printer, host: "10.0.0.10" } as typeof withPrinter.printer;
    expect(await till.terminal.dispatch({ type: "test_printer", printer: other })).toEqual({
      ok: true,
      data: "unreachable",
    });
    expect(till.printer.places).toEqual([other]);
    expect(till.snapshot().settings.printer).toEqual(withPrinter.printer);
  });

  it("leaves in the journal where something was printed, and prints nothing when that cannot be written", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ settings: withPrinter, journal });
    const serial = settingsSchema.parse({ printer: { kind: "serial", path: "/dev/ttyUSB0" } }).printer;
    for (const tried of [withPrinter.printer, serial])
      await till.terminal.dispatch({ type: "test_printer", printer: tried });
    const tests = journal.entries.map(({ body }) => JSON.parse(body)).filter(({ act }) => act === "printer_test");
    expect(tests.map(({ about }) => about)).toEqual(["10.0.0.9:9100", "/dev/ttyUSB0"]);
    journal.full = true;
    expect(await till.terminal.dispatch({ type: "test_printer" })).toEqual({ ok: false, code: "failed" });
    expect(till.printer.jobs).toHaveLength(2);
  });

  it("is refused beside a withdrawal, and while the drawer opens", async () => {
    const till = await createRig({ settings: withPrinter });
    till.service.order({ transaction_id: idNumber(1) });
    await till.scan(idNumber(1));
    expect(await till.terminal.dispatch({ type: "test_printer" })).toEqual({ ok: false, code: "busy" });
    const day = await rig({ settings: { ...on, ...withPrinter, drawerMoney: on.drawerMoney } });
    await day.terminal.dispatch({ type: "no_sale", number: 1, reason: "cash_count", note: "" });
    expect(await day.terminal.dispatch({ type: "test_printer" })).toEqual({ ok: false, code: "busy" });
    expect([...till.printer.jobs, ...day.printer.jobs]).toEqual([]);
  });

  it("is refused while a receipt waits for the printer", async () => {
    const receipts = { ...withPrinter.printer, receipts: "customer" } as typeof withPrinter.printer;
    const till = await createRig({ settings: { ...withPrinter, printer: receipts } });
    till.printer.answers = Array(4).fill({ kind: "not_printed", why: "no_paper" });
    await leadToPayable(till, idNumber(1));
    await handOver(till);
    await till.clock.advance(5_000);
    expect(till.screen().kind).toBe("ready");
    expect(till.snapshot().header.printing).not.toBeNull();
    expect(await till.terminal.dispatch({ type: "test_printer" })).toEqual({ ok: false, code: "busy" });
  });

  it("is one at a time, beside a try of the drawer as well", async () => {
    const till = await createRig({ settings: withPrinter });
    const press = () => till.terminal.dispatch({ type: "test_printer" });
    expect(await Promise.all([press(), press(), till.terminal.dispatch({ type: "test_drawer" })])).toEqual([
      { ok: true, data: "printed" },
      { ok: false, code: "busy" },
      { ok: false, code: "busy" },
    ]);
    expect([till.printer.jobs.length, till.drawer.opens]).toEqual([1, 0]);
    expect(await press()).toMatchObject({ ok: true });
  });

  it("is refused where there is none", async () => {
    const till = await createRig();
    expect(await till.terminal.dispatch({ type: "test_printer" })).toEqual({ ok: false, code: "no_printer" });
  });
});

it("looks for printers once for two presses at a time, and anew for a later one", async () => {
  const searches: PromiseWithResolvers<readonly []>[] = [];
  const findPrinters = () => {
    const search = Promise.withResolvers<readonly []>();
    searches.push(search);
    return search.promise;
  };
  const { terminal } = await createRig({ findPrinters });
  for (const [presses, number] of [
    [2, 1],
    [1, 2],
  ] as const) {
    const found = Array.from({ length: presses }, () => terminal.dispatch({ type: "find_printers" }));
    await expect.poll(() => searches.length).toBe(number);
    searches.at(-1)?.resolve([]);
    expect(await Promise.all(found)).toEqual(found.map(() => ({ ok: true, data: [] })));
    expect(searches).toHaveLength(number);
  }
});

it("signs in anew at the training service that refuses its token, once", async () => {
  const till = await createRig();
  const tokens: unknown[] = [];
  till.service.fault = ({ path, body, token }) => {
    if (path === "/oauth2/authorize" && JSON.stringify(body).includes("demo-bank"))
      return answer(200, { access_token: `token-${tokens.length}` });
    if (!path.startsWith("/ext/")) return null;
    tokens.push(token);
    return answer(401, null);
  };
  const read = { type: "practice_read", transactionId: idNumber(1) } as const;
  expect(await till.terminal.dispatch(read)).toEqual({ ok: false, code: "failed" });
  expect(tokens).toEqual(["token-0", "token-1"]);
});

it("plays the customer at the training service, also where that had to move after the terminal's start", async () => {
  let port = 8787;
  const till = await createRig({
    credential: {
      get serviceUrl() {
        return `http://127.0.0.1:${port}`;
      },
      merchantId: "demo-shop",
      deviceId: "till-1",
      secret: "till-secret",
    },
  });
  port = 8788;
  const before = till.service.requests.length;
  await till.terminal.dispatch({ type: "practice_request", amount: "50.00" });
  const sent = till.service.requests.slice(before).map(({ baseUrl, path }) => `${baseUrl}${path}`);
  expect(sent).toEqual(["http://127.0.0.1:8788/oauth2/authorize"]);
});

it("plays no customer outside of training", async () => {
  const till = await createRig({ training: false });
  const before = till.service.requests.length;
  expect(await till.terminal.dispatch({ type: "practice_request", amount: "50.00" })).toEqual({
    ok: false,
    code: "invalid",
  });
  expect(till.service.requests).toHaveLength(before);
});
