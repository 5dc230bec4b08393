/** Another program has the port of the service that the terminal runs itself, for real money or in training: it is sent nothing, and nothing that it says counts. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BrowserHost, openBrowserHost } from "../../../main/browser/host.ts";
import { saveOwnSettings } from "../../../main/service/own/process.ts";
import type { OwnServiceReply, OwnServiceView } from "../../../preload/contract.ts";
import { type BridgeClient, openBridge } from "../../e2e/stage/bridge-client.ts";
import { type CashDrawer, ownPrinterPort, startCashDrawer } from "../../e2e/stage/cash-drawer.ts";
import { commands } from "../../every-command.ts";
import { freePort } from "../../free-port.ts";
import { ensureBuilt } from "../../runner/built.ts";
import { root } from "../../runner/run-program.ts";
import { type BankServer, bankSecret, startBank } from "../../service/bank-server.ts";
import { type Stranger, startStranger } from "./stranger.ts";

/** An id whose check character is right. */
const orderId = "0000000000000000";
const data = mkdtempSync(path.join(tmpdir(), "tillcash-stranger-"));
const at = ownPrinterPort();
let bank: BankServer;
let drawer: CashDrawer;
let stranger: Stranger;
let host: Extract<BrowserHost, { kind: "started" }> | null = null;
let till: BridgeClient;
let address = "";

const open = async (training = false): Promise<void> => {
  const opened = await openBrowserHost({
    built: path.join(root, "out"),
    data,
    port: 0,
    training,
    restart: () => {},
    entered: () => {},
  });
  if (opened.kind !== "started") throw new Error("another host runs on a folder of this test");
  host = opened;
  till = await openBridge(host.address);
};
const close = async (): Promise<void> => {
  till?.close();
  await host?.stop();
  host = null;
};
const press = async <T>(command: object): Promise<T> => {
  const reply = await till.press(command as Parameters<BridgeClient["press"]>[0]);
  expect(reply).toMatchObject({ ok: true });
  return (reply as { data: T }).data;
};
const screen = () => till.snapshot()?.screen.kind;
const trouble = () => till.snapshot()?.header.ownService?.why;

const shop = { id: "corner-shop", name: "Corner shop", currency: "EUR", smallest: "", largest: "500.00", step: "" };

beforeAll(async () => {
  await ensureBuilt();
  // As a set-up that was cut off leaves it: the usual port is anybody's on this machine as soon as the service or the stranger lets it go.
  const begun = { network: null, shop: null, bank: null, isBankTold: false, attempts: [] };
  mkdirSync(path.join(data, "service"));
  saveOwnSettings(path.join(data, "service"), {
    port: await freePort(),
    backupFolder: path.join(data, "copies"),
    ...begun,
  });
  // So is the one of training.
  mkdirSync(path.join(data, "training"));
  writeFileSync(path.join(data, "training", "service-port.json"), String(await freePort()));
  [bank, drawer] = await Promise.all([startBank(), startCashDrawer(at)]);
  await open();
  await press({ type: "set_manager_pin", name: "Ida", pin: "482915" });
  const ours = { id: "my-bank", url: bank.url, eventsUrl: "", key: bankSecret };
  const setUp = { type: "set_up_service", shop, bank: ours, backupFolder: path.join(data, "copies") };
  expect(await press<OwnServiceReply>(setUp)).toEqual({ kind: "done" });
  const network = { kind: "network", ...at, sensor: false, pulse: { pin: 2, onMs: 50, offMs: 250 } };
  await press({ type: "change_settings", settings: { ...commands.change_settings.settings, drawer: network } });
  ({ address } = await press<OwnServiceView>({ type: "get_service" }));
  await close();
  stranger = await startStranger(Number(new URL(address).port));
  await open();
});
afterAll(async () => {
  await close();
  await stranger?.leave().catch(() => {});
  await Promise.all([bank?.close(), drawer?.switchOff()]);
  rmSync(data, { recursive: true, force: true });
});

test("no withdrawal of a stranger's is taken for one: nothing is settled, the drawer stays shut", async () => {
  const shown = new Set<string>();
  const watching = setInterval(() => shown.add(screen() ?? ""), 20);
  await expect.poll(trouble).toBe("port_taken");
  for (const press of [
    { type: "scan", text: orderId, source: "keyboard" },
    { type: "confirm" },
    { type: "hand_out" },
  ]) {
    await till.press(press as never);
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  clearInterval(watching);
  expect([...shown].filter((kind) => ["payable", "opening", "counting", "done"].includes(kind))).toEqual([]);
  expect(drawer.opens()).toBe(0);
  expect([...bank.payments.values()]).toEqual([]);
});

test("a code that nobody gave out makes nobody a manager", async () => {
  const who = { kind: "new", name: "Mallory" };
  const reply = await till.press({ type: "reset_manager", code: "7F3K9Q2M4XTZ", who, pin: "918273" } as never);
  expect(reply).toEqual({ ok: false, code: "unreachable" });
});

test("it was sent nothing at all: no access key, no code, no link of the journal", () => {
  expect(stranger.sent.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([]);
});

test("once it has gone the service is back by itself, at its own port", async () => {
  await stranger.leave();
  const header = () => till.snapshot()?.header;
  await expect.poll(() => header()?.ownService).toEqual({ state: "running", why: null });
  // An idle terminal asks again within a minute.
  await expect.poll(() => header()?.connection, { timeout: 90_000 }).toBe("online");
  await press({ type: "sign_in", person: "M1", pin: "482915", as: "manager" });
  expect((await press<OwnServiceView>({ type: "get_service" })).address).toBe(address);
});

/** The service's process, by the folder of its database in its environment. */
const serviceOn = (folder: string): number => {
  const found = readdirSync("/proc").find((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/environ`, "utf8").includes(`sqlite:${folder}`);
    } catch {
      return false;
    }
  });
  return Number(found);
};

test.runIf(process.platform === "linux")(
  "training: who takes the port of its service that was killed is sent nothing",
  async () => {
    await close();
    await open(true);
    await expect.poll(screen).toBe("ready");
    const port = Number(new URL((await host?.phone) ?? "").port);
    await expect
      .poll(
        async () => {
          // Its supervisor may be quicker with the port: then once more.
          const own = serviceOn(path.join(data, "training"));
          if (!Number.isNaN(own)) process.kill(own, "SIGKILL");
          stranger = await startStranger(port);
          return true;
        },
        { interval: 5 },
      )
      .toBe(true);
    await till.press({ type: "scan", text: orderId, source: "keyboard" } as never);
    await expect.poll(() => till.snapshot()?.header.connection).not.toBe("online");
    expect(screen()).not.toBe("review");
    expect(stranger.sent).toEqual([]);
  },
);
