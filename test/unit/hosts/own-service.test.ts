/** A terminal that runs the service itself: set up by a manager's form, it plays the whole job against a bank of the test's own. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BrowserHost, openBrowserHost } from "../../../main/browser/host.ts";
import { saveOwnSettings } from "../../../main/service/own/process.ts";
import type { OwnServiceReply, OwnServiceView } from "../../../preload/contract.ts";
import { type BridgeClient, openBridge } from "../../e2e/stage/bridge-client.ts";
import { freePort } from "../../free-port.ts";
import { ensureBuilt } from "../../runner/built.ts";
import { root } from "../../runner/run-program.ts";
import { type BankServer, bankSecret, startBank } from "../../service/bank-server.ts";
import { namedCertificate, namedKey } from "../../service/tls-files.ts";

const data = mkdtempSync(path.join(tmpdir(), "tillcash-own-"));
const copies = path.join(data, "copies");
let bank: BankServer;
let host: Extract<BrowserHost, { kind: "started" }>;
let till: BridgeClient;

const open = async (): Promise<void> => {
  const opened = await openBrowserHost({
    built: path.join(root, "out"),
    data,
    port: 0,
    training: false,
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
};

beforeAll(async () => {
  await ensureBuilt();
  bank = await startBank();
  await open();
});
afterAll(async () => {
  await close();
  await bank?.close();
  rmSync(data, { recursive: true, force: true });
});

const screen = () => till.snapshot()?.screen.kind;
const shows = (kind: string) => expect.poll(screen, { interval: 20 }).toBe(kind);
const shop = { id: "corner-shop", name: "Corner shop", currency: "EUR", smallest: "", largest: "200.00", step: "" };
const ours = () => ({ id: "my-bank", url: bank.url, eventsUrl: "", key: bankSecret });
const setUp = async (part: object = {}): Promise<OwnServiceReply> => {
  const reply = await till.press({
    type: "set_up_service",
    shop,
    bank: ours(),
    backupFolder: copies,
    ...part,
  } as Parameters<BridgeClient["press"]>[0]);
  expect(reply).toMatchObject({ ok: true });
  return (reply as { data: OwnServiceReply }).data;
};
const view = async (): Promise<OwnServiceView> => {
  const reply = await till.press({ type: "get_service" });
  return (reply as { data: OwnServiceView }).data;
};

/** As the bank's server reads its file. */
const accessFrom = (file: string) => {
  const text = readFileSync(file, "utf8");
  const field = (name: string) => new RegExp(`^\\s*${name}\\s+(\\S+)$`, "m").exec(text)?.[1] ?? "";
  return {
    address: field("Service"),
    merchant_id: field("merchant_id"),
    device_id: field("device_id"),
    password: field("password"),
  };
};
const asBank = async () => {
  const { address, ...grant } = accessFrom(path.join(data, "service", "for-the-bank.txt"));
  const post = async (route: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(address + route, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const granted = await post("/oauth2/authorize", {
    grant_type: "client_credentials",
    device_type: "client",
    scope: "",
    ...grant,
  });
  const authorization = `Bearer ${granted.body.access_token}`;
  return {
    post: (route: string, body: object, key = "k") => post(route, body, { authorization, "idempotency-key": key }),
    report: async () => {
      const answer = await fetch(`${address}/ext/v1/reconciliation`, { headers: { authorization } });
      return (await answer.json()) as unknown;
    },
  };
};

test("nobody sets it up without a manager, and a wrong form is refused at its fields with nothing enrolled", async () => {
  await expect.poll(() => till.snapshot()?.screen.kind).toBe("setup");
  expect(await till.press({ type: "set_up_service", shop, bank: ours(), backupFolder: copies } as never)).toEqual({
    ok: false,
    code: "no_manager",
  });
  expect(await till.press({ type: "set_manager_pin", name: "Ida", pin: "482915" } as never)).toMatchObject({
    ok: true,
  });
  expect(await till.press({ type: "restart_service" })).toEqual({ ok: false, code: "failed" });
  await close();
  // As a set-up that was cut off leaves it: by default every service on this machine wants one port.
  const begun = { network: null, shop: null, bank: null, isBankTold: false, attempts: [] };
  mkdirSync(path.join(data, "service"), { recursive: true });
  saveOwnSettings(path.join(data, "service"), { port: await freePort(), backupFolder: copies, ...begun });
  await open();
  await till.press({ type: "sign_in", person: "M1", pin: "482915", as: "manager" } as never);
  expect(await setUp({ backupFolder: "copies" })).toMatchObject({ kind: "refused", fields: ["backupFolder"] });
  expect(await setUp({ shop: { ...shop, name: "" } })).toMatchObject({ kind: "refused", fields: ["shopName"] });
  expect(await setUp({ shop: { ...shop, largest: "12,5" } })).toMatchObject({ kind: "refused", fields: ["largest"] });
  const wrongBank = (part: object) => setUp({ bank: { ...ours(), ...part } });
  expect(await wrongBank({ url: "http://bank.example" })).toMatchObject({
    kind: "refused",
    fields: ["bankUrl"],
    output: "--url must be https (plain http is for this very machine alone)",
  });
  expect(await wrongBank({ key: "whsec_c2hvcnQ=" })).toMatchObject({ kind: "refused", fields: ["bankKey"] });
  expect(await wrongBank({ eventsUrl: "ftp://x" })).toMatchObject({ kind: "refused", fields: ["eventsUrl"] });
  expect(screen()).toBe("setup");
  expect(till.snapshot()?.header.ownService).toBe(null);
});

test("set up and enrolled, also by a form that is sent twice; no secret has come back to the page, and the bank's file is its owner's alone", async () => {
  expect(await Promise.all([setUp(), setUp()])).toEqual([{ kind: "done" }, { kind: "done" }]);
  await shows("ready");
  await expect.poll(() => till.snapshot()?.header.ownService).toEqual({ state: "running", why: null });
  const seen = await view();
  expect(seen).toMatchObject({ state: "running", network: null, backupFolder: copies });
  expect(seen.live?.shop).toMatchObject({ id: "corner-shop", currency: "EUR", largest: "200.00" });
  expect(seen.live?.bank).toEqual({ id: "my-bank", url: bank.url, eventsUrl: "" });
  expect(seen.live?.service).toMatchObject({ outbox: { waiting: 0, oldestAt: null } });
  const file = path.join(data, "service", "for-the-bank.txt");
  expect(seen.bankFile).toBe(file);
  expect(statSync(file).mode & 0o077).toBe(0);
  const { password } = accessFrom(file);
  expect(password).not.toBe("");
  const page = JSON.stringify([seen, till.snapshot()]);
  expect(page).not.toContain(password);
  expect(page).not.toContain("whsec_");
  const log =
    readFileSync(path.join(data, "till.log"), "utf8") + readFileSync(path.join(data, "service", "service.log"), "utf8");
  expect(log).not.toContain(password);
  expect(log).not.toContain(bankSecret);
});

test("the whole job: asked for by the bank, scanned, confirmed, approved, handed out, linked, in the report", async () => {
  const client = await asBank();
  const asked = await client.post("/ext/v1/withdrawals", {
    user_id: "ann",
    amount: "50.00",
    currency: "EUR",
    store: "corner-shop",
  });
  expect(asked.status).toBe(201);
  const id = asked.body.transaction_id ?? "";
  await till.press({ type: "scan", text: id, source: "keyboard" } as never);
  await shows("review");
  await till.press({ type: "confirm" });
  await shows("waiting");
  expect((await client.post(`/ext/v1/withdrawals/${id}/sca`, { outcome: "approved" })).status).toBe(201);
  await shows("payable");
  expect([...bank.payments.values()]).toMatchObject([{ SvcTransactionReferenceId: id }]);
  expect(bank.badSignatures()).toBe(0);
  await till.press({ type: "hand_out" });
  await shows("done");
  await expect.poll(client.report).toMatchObject({ lines: [{ transaction_id: id, finding: "matched" }] });
});

test("a copy by a press is checked and shown; the bank's file goes when the bank has it", async () => {
  expect(await till.press({ type: "back_up_service" })).toEqual({ ok: true, data: { kind: "done" } });
  expect((await view()).live?.service.backup?.bytes).toBeGreaterThan(0);
  expect(readdirSync(copies)).toHaveLength(1);
  expect(await till.press({ type: "discard_bank_file" })).toEqual({ ok: true });
  expect((await view()).bankFile).toBe(null);
});

test("the set-up once more changes no key: the bank that has its file goes on", async () => {
  expect(await setUp({ shop: { ...shop, name: "Corner shop & more" } })).toEqual({ kind: "done" });
  expect(existsSync(path.join(data, "service", "for-the-bank.txt"))).toBe(false);
  expect((await view()).live?.shop).toMatchObject({ name: "Corner shop & more" });
  await shows("ready");
});

test("new access that is asked for twice at once is made once: the key that the bank has goes on signing", async () => {
  const renew = () => till.press({ type: "renew_bank_access" });
  expect(await Promise.all([renew(), renew()])).toEqual(Array(2).fill({ ok: true, data: { kind: "done" } }));
  const client = await asBank();
  const order = { user_id: "ann", amount: "10.00", currency: "EUR", store: "corner-shop" };
  expect((await client.post("/ext/v1/withdrawals", order, "renewed")).status).toBe(201);
  expect(bank.badSignatures()).toBe(0);
});

test("it is opened to other machines only with a certificate that holds, and this terminal stays in its book", async () => {
  const [certFile, keyFile] = [path.join(data, "cert.pem"), path.join(data, "key.pem")];
  writeFileSync(certFile, namedCertificate);
  writeFileSync(keyFile, namedKey);
  const port = await freePort();
  const publicUrl = `https://till.example:${port}`;
  const open = async (network: object | null) => {
    const reply = await till.press({ type: "change_service", change: { part: "network", network } } as never);
    return (reply as { data: OwnServiceReply }).data;
  };
  const wrong = (fields: readonly string[]) => ({ kind: "refused", fields });
  const right = { publicUrl, port, certFile, keyFile };
  expect(await open({ ...right, publicUrl: "http://till.example" })).toMatchObject(wrong(["publicUrl"]));
  expect(await open({ ...right, publicUrl: "https://other.example" })).toMatchObject(wrong(["certFile"]));
  expect(await open({ ...right, certFile: keyFile })).toMatchObject(wrong(["certFile"]));
  expect(await open({ ...right, keyFile: "none.pem" })).toMatchObject(wrong(["keyFile"]));
  expect(await view()).toMatchObject({ network: null });

  expect(await open(right)).toEqual({ kind: "done" });
  const seen = await view();
  expect(seen).toMatchObject({ network: { publicUrl }, live: { service: { publicUrl } } });
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/healthz", ca: namedCertificate, servername: "till.example" };
    get(options, (incoming) => resolve(incoming.resume().statusCode)).on("error", reject);
  });
  expect(answer).toBe(200);
  // Nothing listens in the open any more: this terminal needs no port of its own.
  await expect(fetch(`${seen.address}/healthz`)).rejects.toThrow();
  await shows("ready");
  await expect.poll(() => till.snapshot()?.header.connection).toBe("online");
  expect(await open(null)).toEqual({ kind: "done" });
});

test("after a restart of the program the service is back, at the same address, and the terminal in its book", async () => {
  const before = await view();
  await close();
  await open();
  await shows("ready");
  await expect.poll(() => till.snapshot()?.header.ownService?.state).toBe("running");
  await till.press({ type: "sign_in", person: "M1", pin: "482915", as: "manager" } as never);
  expect((await view()).address).toBe(before.address);
  const history = await till.press({ type: "list_history", before: null, limit: 10 } as never);
  expect(history).toMatchObject({ data: [{ outcome: "handed_out" }] });
});

/** Asked for by the bank, confirmed here and approved: its cash is offered. */
const paid = async (key: string): Promise<string> => {
  const client = await asBank();
  const order = { user_id: "ann", amount: "20.00", currency: "EUR", store: "corner-shop" };
  const id = (await client.post("/ext/v1/withdrawals", order, key)).body.transaction_id ?? "";
  await till.press({ type: "scan", text: id, source: "keyboard" } as never);
  await shows("review");
  await till.press({ type: "confirm" });
  await shows("waiting");
  expect((await client.post(`/ext/v1/withdrawals/${id}/sca`, { outcome: "approved" })).status).toBe(201);
  await shows("payable");
  return id;
};
/** The program starts again without this file of its folder, and the manager signs in. */
const startWithout = async (file: string): Promise<void> => {
  await close();
  rmSync(path.join(data, file));
  await open();
  await till.press({ type: "sign_in", person: "M1", pin: "482915", as: "manager" } as never);
};
const isMatched = async (id: string): Promise<void> => {
  const client = await asBank();
  await expect.poll(client.report).toMatchObject({
    lines: expect.arrayContaining([expect.objectContaining({ transaction_id: id, finding: "matched" })]),
  });
};

test("without its file of settings the set-up leads back to the same book, and cash that was paid goes on there", async () => {
  const id = await paid("settings");
  const { address } = await view();
  await startWithout("service/service.json");
  expect(till.snapshot()?.header.ownService).toBe(null);
  expect(await setUp()).toEqual({ kind: "done" });
  expect((await view()).address).toBe(address);
  await shows("payable");
  await till.press({ type: "hand_out" });
  await isMatched(id);
});

test("without its access key it is set up again, also while what a manager has decided waits for that to be reported", async () => {
  const id = await paid("key");
  await startWithout("credential.json");
  const { data: problems } = (await till.press({ type: "list_problems" })) as { data: { withdrawalId: string }[] };
  const [{ withdrawalId } = { withdrawalId: "" }] = problems;
  const decided = { type: "decide_withdrawal", withdrawalId, decision: "handed_out", note: "the drawer was counted" };
  expect(await till.press(decided as never)).toEqual({ ok: true });
  expect(await setUp()).toEqual({ kind: "done" });
  await isMatched(id);
});
