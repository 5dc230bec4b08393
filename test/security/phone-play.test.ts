/** A real phone plays the customer in training: from the manager's press to the cash, and every way in which it ends. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { qrPath } from "../../backend/contract/qr-code.ts";
import { createBrowser } from "../service/browser.ts";
import { callAs } from "../service/sandbox-stage.ts";
import { ask, openPhoneStage, type PhoneStage } from "./phone-stage.ts";

let stage: PhoneStage;
beforeEach(async () => {
  stage = await openPhoneStage();
});
afterEach(() => stage.stop());

const isReached = (url: string): Promise<boolean> =>
  ask(Number(new URL(url).port), { path: "/", headers: [["Host", new URL(url).host]] }).then(
    ({ status }) => status === 403,
    () => false,
  );
const urlNow = (): string => stage.shown()?.url ?? "";

test("a phone scans the code, asks, shows its code, approves, and begins again; a terminal hands out meanwhile", async () => {
  const { origin } = await stage.open();
  const phone = createBrowser();
  const start = await phone.open(urlNow());
  expect(start.status).toBe(200);
  expect(new URL(start.url).pathname).toMatch(/^\/websdk\/[\w-]+$/);
  const asked = await phone.submit(`${start.url}/withdrawal`, { after: "", amount: "50.00", store: "demo-shop" });
  expect(asked.html).toContain('data-status="ready"');
  const id = /name="transaction_id" value="(\w{16})"/.exec(asked.html)?.[1] ?? "";

  const till = await callAs(stage.service, "till");
  await till.post("/transaction/confirm", { transaction_id: id, transaction_id_partner: "t-1" });
  const waiting = await phone.open(start.url);
  const approvePath = /href="(\/sandbox\/bank\/sca\/[^"]+)"/.exec(waiting.html)?.[1]?.replace("&amp;", "&") ?? "";
  const question = await phone.open(origin + approvePath);
  expect(question.html).toContain('value="approved"');
  await phone.submit(origin + approvePath, { outcome: "approved" });
  await expect.poll(async () => (await till.get(`/transaction?id=${id}`)).body.status).toBe("settled");
  await till.post("/transaction/link", { transaction_id: id, transaction_id_partner: "t-1" });

  const done = await phone.open(start.url);
  expect(done.html).toContain('data-status="linked"');
  // The phone's browser is told what the service tells it.
  const headers = Object.fromEntries(start.headers);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
  expect(Object.keys(headers)).not.toContain("x-request-id");
  // No page leads to an address that only this machine reaches.
  for (const { html } of [start, asked, waiting, question, done]) expect(html).not.toContain("127.0.0.1");
  const back = /href="(\/sandbox\?[^"]+)"/.exec(done.html)?.[1] ?? "none";
  const again = await phone.open(origin + back);
  expect(again.status).toBe(200);
  expect(again.url).not.toBe(start.url);
  const file = /src="([^"]+)"/.exec(again.html)?.[1] ?? "";
  expect((await phone.open(origin + file)).headers.get("content-type")).toContain("javascript");
});

test("it is drawn as a code that holds the address, with its quiet zone", async () => {
  await stage.open();
  const { qr, url } = stage.shown() ?? { qr: { size: 0, path: "" }, url: "" };
  expect(qr).toEqual(qrPath(url));
  expect(qr.path).toMatch(/^M4 4h7v1h-7z/);
  expect(qr.size).toBeGreaterThanOrEqual(33);
});

test("it ends on a press, and the code of then never works again", async () => {
  await stage.open();
  const first = urlNow();
  expect(await isReached(first)).toBe(true);
  expect(await stage.press({ type: "close_phone_access" })).toEqual({ ok: true });
  expect(stage.shown()).toBeNull();
  expect(await isReached(first)).toBe(false);
  const { port, origin } = await stage.open();
  expect(urlNow()).not.toBe(first);
  const old = await ask(port, { path: new URL(first).pathname, headers: [["Host", new URL(origin).host]] });
  expect(old.status).toBe(403);
  expect(stage.acts).toEqual([
    "phone_access_opened 127.0.0.1 M1",
    "phone_access_closed M1",
    "phone_access_opened 127.0.0.1 M1",
  ]);
});

test("a press cuts off what a phone has begun to send", async () => {
  const { port } = await stage.open();
  const phone = connect(port, "127.0.0.1");
  phone.on("error", () => undefined);
  let answer = "";
  phone.on("data", (bytes) => {
    answer += bytes;
  });
  phone.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
  expect(await isReached(urlNow())).toBe(true);
  await stage.press({ type: "close_phone_access" });
  phone.write("\r\n");
  await new Promise((resolve) => phone.once("close", resolve));
  expect(answer).toBe("");
});

test("it ends after an hour by itself, also for a phone that holds a page", async () => {
  await stage.open();
  const url = urlNow();
  const phone = createBrowser();
  const page = await phone.open(url);
  await stage.clock.advance(3_600_000 - 1);
  expect(await isReached(url)).toBe(true);
  expect((await phone.open(page.url)).status).toBe(200);
  await stage.clock.advance(1);
  expect(stage.shown()).toBeNull();
  expect(await isReached(url)).toBe(false);
  await expect(phone.open(page.url)).rejects.toThrow();
  expect(stage.acts.at(-1)).toBe("phone_access_closed terminal");
});

test("behind its hour it answers nothing, though its timer has not run: a machine that slept wakes with requests first", async () => {
  const { port, origin } = await stage.open();
  const asked = () => ask(port, { path: "/", headers: [["Host", new URL(origin).host]] });
  expect((await asked()).status).toBe(403);
  const awakeMs = stage.clock.monotonicMs();
  stage.clock.monotonicMs = () => awakeMs + 3_600_000;
  expect((await asked()).status).toBe(410);
});

test("thirty-two connections are taken at once, and no more", async () => {
  const { port } = await stage.open();
  const newSocket = async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: 32 }, newSocket));
  const more = await newSocket();
  let answer = "";
  more.on("data", (bytes) => {
    answer += bytes;
  });
  more.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
  // Reset or ended: `once` would take the one for a failure.
  await new Promise((resolve) => more.once("close", resolve));
  expect(answer).toBe("");
  expect(sockets.filter(({ readyState }) => readyState === "open")).toHaveLength(32);
  for (const socket of sockets) socket.destroy();
});

test("it ends with the program", async () => {
  await stage.open();
  const url = urlNow();
  stage.end();
  expect(await isReached(url)).toBe(false);
  expect(await stage.press({ type: "open_phone_access", address: null })).toEqual({ ok: false, code: "failed" });
});

test("it is not opened behind the program's end", async () => {
  const listeners = () => process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
  const before = listeners();
  const opening = stage.press({ type: "open_phone_access", address: null });
  stage.end();
  expect(await opening).toEqual({ ok: false, code: "failed" });
  await expect.poll(listeners).toBe(before);
  expect(stage.shown()).toBeNull();
});

test("two presses at once open one listener, the one that is shown", async () => {
  const press = () => stage.press({ type: "open_phone_access", address: null });
  expect(await Promise.all([press(), press()])).toEqual([{ ok: true }, { ok: true }]);
  expect(stage.acts).toEqual(["phone_access_opened 127.0.0.1 M1"]);
  expect(await isReached(urlNow())).toBe(true);
});

test("a machine without a private address says so, and one that has lost the chosen one as well", async () => {
  stage.addresses = [];
  expect(await stage.press({ type: "open_phone_access", address: null })).toEqual({
    ok: false,
    code: "no_private_network",
  });
  stage.addresses = [{ address: "127.0.0.1", card: "wlan0" }];
  expect(await stage.press({ type: "open_phone_access", address: "192.168.9.9" })).toEqual({
    ok: false,
    code: "stale",
  });
  expect(stage.acts).toEqual([]);
});

test("of several addresses the likeliest is taken, and another one on a press", async () => {
  const [cable, radio] = [
    { address: "127.0.0.1", card: "eth0" },
    { address: "127.0.0.2", card: "wlan0" },
  ];
  stage.addresses = [cable, radio];
  await stage.open();
  expect(stage.shown()).toMatchObject({ url: expect.stringContaining("//127.0.0.1:"), others: [radio] });
  const before = urlNow();
  expect(await stage.press({ type: "open_phone_access", address: radio.address })).toEqual({ ok: true });
  expect(stage.shown()).toMatchObject({ url: expect.stringContaining("//127.0.0.2:"), others: [cable] });
  expect(await isReached(before)).toBe(false);
});

test("an address that cannot be listened on is a refusal, and nothing is open", async () => {
  stage.addresses = [{ address: "203.0.113.77", card: "eth0" }];
  expect(await stage.press({ type: "open_phone_access", address: null })).toEqual({ ok: false, code: "failed" });
  expect(stage.shown()).toBeNull();
});

test("with real money nothing is ever opened", async () => {
  const live = await openPhoneStage(true);
  expect(await live.press({ type: "open_phone_access", address: null })).toEqual({ ok: false, code: "invalid" });
  expect(live.shown()).toBeNull();
  expect(live.acts).toEqual([]);
  await live.stop();
});
