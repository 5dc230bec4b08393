/**
 * The version before lost its power in the middle of a morning: this one takes its folders over, and everything open goes
 * on. Then the way back, with that version's own programs: what is promised in docs/install.md and docs/operate.md.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type BrowserHost, openBrowserHost } from "../../main/browser/host.ts";
import { connectDemoBank, type DemoBank } from "../e2e/stage/bank-client.ts";
import { type BridgeClient, openBridge } from "../e2e/stage/bridge-client.ts";
import type { Child } from "../e2e/stage/child.ts";
import { startService } from "../e2e/stage/programs.ts";
import { ensureBuilt } from "../runner/built.ts";
import { root } from "../runner/run-program.ts";
import { type EarlierTill, startEarlierService, startEarlierTill, unpackPrograms } from "./earlier-programs.ts";
import { fixtureAddress, fixturePin, openAtTheCut, unpackFixture } from "./fixture.ts";

const { host, port } = fixtureAddress;
const serviceUrl = `http://${host}:${port}`;

const isFree = (): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });

// macOS has one address of its own machine alone.
describe.skipIf(process.platform === "darwin").each(["0.1.0-format-3"])("from %s", (version) => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-upgrade-"));
  const [tillData, serviceData] = [path.join(folder, "till"), path.join(folder, "service")];
  const programs = path.join(folder, "programs");
  let service: Child;
  let bank: DemoBank;
  let till: BridgeClient;
  let terminal: Extract<BrowserHost, { kind: "started" }> | null = null;
  let earlier: EarlierTill | null = null;
  let waiting = "";
  const press = (command: object) => till.press(command as Parameters<BridgeClient["press"]>[0]);
  const screen = () => till.snapshot()?.screen;
  const shows = (kind: string) => expect.poll(() => screen()?.kind, { interval: 20 }).toBe(kind);
  const idOf = async (amount: string): Promise<string> => {
    const lines = [...(await bank.report()).values()];
    return lines.find((line) => line.amount === amount)?.transaction_id ?? "";
  };

  beforeAll(async () => {
    await ensureBuilt();
    // Its address is in the journal: another run of this test on the same machine ends first.
    await vi.waitFor(
      async () => {
        if (!(await isFree())) throw new Error("the fixture's address is taken");
      },
      { timeout: 50_000, interval: 200 },
    );
    unpackFixture(version, folder);
    unpackPrograms(version, programs);
    // The approval comes behind a stop and a start, which take their time.
    service = await startService({ data: serviceData, port, env: { HOST: host, SCA_TIMEOUT_SECONDS: "600" } });
    bank = await connectDemoBank(serviceUrl);
    const opened = await openBrowserHost({
      built: path.join(root, "out"),
      data: tillData,
      port: 0,
      training: false,
      takes: { takesSandbox: true, takesPlainHttp: true },
      restart: () => {},
      entered: () => {},
    });
    if (opened.kind !== "started") throw new Error("another host runs on a folder of this test");
    terminal = opened;
    till = await openBridge(terminal.address);
  });
  afterAll(async () => {
    till?.close();
    await earlier?.close();
    await terminal?.stop();
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the terminal is still enrolled and has its people, and a copy of the older journal lies beside", async () => {
    await shows("payable");
    expect(till.snapshot()?.people.list).toMatchObject([{ code: "M1", name: "Ida", role: "manager" }]);
    expect(till.snapshot()?.header).toMatchObject({ damagedEntries: 0, sameDeviceElsewhere: false });
    expect(existsSync(path.join(tillData, "journal.db.format-3"))).toBe(true);
    const copies = readdirSync(serviceData).filter((name) => name.includes(".version-"));
    expect(copies).toHaveLength(1);
  });

  test("what was paid is offered once more, handed out and in the report", async () => {
    expect(screen()).toMatchObject({ money: { amount: openAtTheCut.payable } });
    const id = await idOf(openAtTheCut.payable);
    await press({ type: "hand_out", alreadyGiven: undefined });
    await shows("ready");
    await expect.poll(async () => (await bank.report()).get(id)?.finding).toBe("matched");
  });

  test("the order that was on its way is settled once, and waits in the report for the cash that nobody gave", async () => {
    const id = await idOf(openAtTheCut.settling);
    await expect.poll(async () => (await bank.read(id)).status).toBe("settled");
    expect((await bank.payments()).filter(({ reference }) => reference === id)).toHaveLength(1);
    expect((await bank.report()).get(id)?.finding).toBe("not_linked");
  });

  test("a new withdrawal is played to its end, and the manager's PIN opens what it opened before", async () => {
    const { transaction_id: id } = await bank.request("30.00");
    await press({ type: "scan", text: id, source: "keyboard" });
    await shows("review");
    await press({ type: "confirm" });
    await shows("waiting");
    await bank.decideSca(id, "approved");
    await shows("payable");
    await press({ type: "hand_out" });
    await expect.poll(async () => (await bank.report()).get(id)?.finding).toBe("matched");
    expect(await press({ type: "sign_in", person: "M1", pin: fixturePin, as: "manager" })).toEqual({ ok: true });
    expect(await press({ type: "check_journal" })).toMatchObject({ ok: true, data: { damaged: [] } });
    expect(await press({ type: "list_history", before: null, limit: 10 })).toMatchObject({
      data: [{ outcome: "handed_out" }, { outcome: "handed_out" }, { outcome: "handed_out" }],
    });
  });

  test("back on the version before, the service goes on with the newer database as it is", async () => {
    waiting = (await bank.request("10.00")).transaction_id;
    await press({ type: "scan", text: waiting, source: "keyboard" });
    await shows("review");
    await press({ type: "confirm" });
    await shows("waiting");
    till.close();
    await terminal?.stop();
    terminal = null;
    await service.stop();
    service = await startEarlierService(programs, serviceData, host, port);
    bank = await connectDemoBank(serviceUrl);
    await bank.decideSca(waiting, "approved");
    await expect.poll(async () => (await bank.read(waiting)).status).toBe("settled");
    const lines = [...(await bank.report()).values()].map(({ amount, finding }) => [amount, finding]);
    expect(Object.fromEntries(lines)).toEqual({
      "50.00": "matched",
      [openAtTheCut.payable]: "matched",
      [openAtTheCut.settling]: "not_linked",
      "30.00": "matched",
      "10.00": "not_linked",
    });
  });

  test("the terminal refuses the newer journal by name, gives nothing out over it, and leaves it as it is", async () => {
    const journal = path.join(tillData, "journal.db");
    const hashOf = () => createHash("sha256").update(readFileSync(journal)).digest("hex");
    const before = hashOf();
    earlier = await startEarlierTill(programs, tillData);
    await expect.poll(() => earlier?.snapshot()?.screen).toMatchObject({ kind: "blocked", why: "journal_newer" });
    await earlier.close();
    expect(hashOf()).toBe(before);
  });

  test("with the copy in its place it goes on, and what became of it meanwhile is the service's to say", async () => {
    renameSync(path.join(tillData, "journal.db"), path.join(tillData, "newer-journal.db"));
    renameSync(path.join(tillData, "journal.db.format-3"), path.join(tillData, "journal.db"));
    earlier = await startEarlierTill(programs, tillData);
    const seen = () => earlier?.snapshot();
    // It was handed out by the newer version, which the copy does not know: it is not offered again.
    await expect
      .poll(() => seen()?.screen)
      .toMatchObject({ kind: "ended", outcome: "already_used", money: { amount: openAtTheCut.payable } });
    // That withdrawal, and that the service knows a longer journal, are a manager's to look at.
    await expect.poll(() => seen()?.header.problems).toBe(2);
    expect(seen()?.header).toMatchObject({ connection: "online", damagedEntries: 0, unfinished: 0 });
    expect((await bank.report()).get(waiting)?.finding).toBe("not_linked");
  });
});
