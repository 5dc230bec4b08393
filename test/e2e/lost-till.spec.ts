/** The loopback bridge against a real server that goes away and comes back. */
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, type Page } from "@playwright/test";
import type { Snapshot } from "../../preload/contract.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { freePort } from "../free-port.ts";
import { builtRenderer } from "./gallery/fake-till.ts";
import { staffed } from "./gallery/people-views.ts";
import { calmHeader, screenOf, settings } from "./gallery/snapshots.ts";
import { startTillHost } from "./stage/programs.ts";
import { test } from "./stage/quiet-test.ts";

interface Host {
  readonly port: number;
  readonly commands: unknown[];
  /** Sends the snapshot once more. */
  show(): void;
  /** What its events were asked for with. */
  readonly sessions: string[];
  /** From now on it is between two terminals: its events end, and are answered 503. */
  startAnew(): void;
  stop(): Promise<void>;
}

const types: Readonly<Record<string, string>> = { ".js": "text/javascript", ".css": "text/css", ".html": "text/html" };

/** What a page of the fake hosts came in with. */
const hostKey = "of-these-hosts";
const comeIn = (page: Page): Promise<unknown> =>
  page.addInitScript((key) => localStorage.setItem("till-host-key", key), hostKey);

/** Serves the built screens and one snapshot; `reply` is the body of each answer to a command, once it is there. @param key null: it cannot prove that it is the host. */
const startHost = async (
  snapshot: Snapshot,
  port: number,
  reply: string | Promise<string>,
  key: string | null = hostKey,
): Promise<Host> => {
  const commands: unknown[] = [];
  const sessions: string[] = [];
  let show = (): void => {};
  let endEvents = (): void => {};
  let isStarting = false;
  const server: Server = createServer(async (request, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? "/", "http://till");
    const asked = `${request.headers["till-challenge"]} ${request.headers.host}`;
    if (key !== null) response.setHeader("till-proof", createHmac("sha256", key).update(asked).digest("hex"));
    if (pathname === "/bridge/events") {
      sessions.push(request.headers.authorization ?? "");
      if (isStarting) return void response.writeHead(503).end("The terminal starts.\n");
      response.writeHead(200, { "content-type": "text/event-stream" });
      endEvents = () => void response.end();
      show = () => void response.write(`data: ${JSON.stringify(snapshot)}\n\n`);
      show();
      const beat = setInterval(() => response.write(": here\n\n"), 15_000);
      response.once("close", () => clearInterval(beat));
    } else if (pathname === "/bridge/dispatch") {
      let body = "";
      for await (const part of request) body += part;
      commands.push(JSON.parse(body));
      response.writeHead(200, { "content-type": "application/json" }).end(await reply);
    } else {
      const file = path.join(builtRenderer, pathname === "/" ? "index.html" : pathname);
      const body = await readFile(file).catch(() => null);
      response.writeHead(body ? 200 : 404, { "content-type": types[path.extname(file)] ?? "application/octet-stream" });
      response.end(body);
    }
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    sessions,
    show: () => show(),
    startAnew: () => {
      isStarting = true;
      endEvents();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

for (const [part, said] of [
  ["setup", en.disconnected.title],
  ["en", "This page did not start"],
] as const)
  test(`a till program that ends while the part ${part} of its page is on its way is told, and comes back`, async ({
    page,
  }) => {
    await comeIn(page);
    const first = await startHost(screenOf("setup"), 0, '{"ok":true}');
    const asked = new RegExp(`/assets/${part}-[^/]*\\.js$`);
    // As the program ends: what it had begun to send never comes.
    await page.route(asked, async (route) => {
      await first.stop();
      await route.abort("connectionreset");
    });
    await page.goto(`http://127.0.0.1:${first.port}/`);
    await expect(page.getByText(said)).toBeVisible();
    await page.unroute(asked);
    const second = await startHost(screenOf("setup"), first.port, '{"ok":true}');
    await expect(page.getByRole("heading", { name: en.setup.appearanceTitle })).toBeVisible();
    await second.stop();
  });

test("a text that fails while the till program runs is said once, and the page does not load again and again", async ({
  page,
}) => {
  await comeIn(page);
  const host = await startHost(screenOf("setup"), 0, '{"ok":true}');
  let loaded = 0;
  await page.route(/\/assets\/en-[^/]*\.js$/, async (route) => {
    loaded += 1;
    await route.abort("failed");
  });
  await page.goto(`http://127.0.0.1:${host.port}/`);
  await expect.poll(() => host.sessions.length).toBeGreaterThan(0);
  await expect(page.getByText("This page did not start")).toBeVisible();
  host.show();
  host.show();
  await page.waitForTimeout(1_500);
  expect(loaded).toBe(1);
  await host.stop();
});

for (const [part, people] of [
  ["the question for a PIN", { ...staffed, locked: false }],
  ["the lock screen", staffed],
] as const)
  test(`${part} that does not load is asked for again, and takes nothing else away`, async ({ page }) => {
    await comeIn(page);
    const host = await startHost({ ...screenOf("ready-cashier"), people }, 0, '{"ok":true}');
    const asked = /\/assets\/pins-[^/]*\.js$/;
    await page.route(asked, (route) => route.abort("failed"));
    await page.goto(`http://127.0.0.1:${host.port}/`);
    const openManager = page.getByRole("button", { name: en.header.manager });
    if (!people.locked) await openManager.click();
    await expect(page.getByText(en.manager.failed)).toBeVisible();
    await expect(openManager).toBeAttached();
    await expect(page.getByText(en.cash.never)).toHaveCount(0);
    await page.unroute(asked);
    await page.getByRole("button", { name: en.manager.again }).click();
    await expect(page.getByText(en.manager.failed)).toHaveCount(0);
    if (!people.locked) await openManager.click();
    await expect(page.getByLabel(en.people.pin, { exact: true })).toBeFocused();
    await host.stop();
  });

const practising = {
  ...screenOf("ready"),
  header: { ...calmHeader, training: true },
  settings: settings({ setUp: "practice" }),
};
/** So much later no more time passes for the page, however late a busy machine shows what it has found by then. */
const stopClock = async (page: Page, afterMs: number): Promise<void> =>
  page.clock.pauseAt((await page.evaluate(() => Date.now())) + afterMs);

for (const comesBack of [true, false])
  test(`the change from the practice to real money is ${comesBack ? "no" : "a"} loss where the till program ${comesBack ? "comes back" : "stays away"}`, async ({
    page,
  }) => {
    await comeIn(page);
    const first = await startHost(practising, 0, '{"ok":true}');
    await page.clock.install();
    await page.goto(`http://127.0.0.1:${first.port}/`);
    await page.getByRole("button", { name: en.phone.leave }).click();
    await expect.poll(() => first.commands).toContainEqual({ type: "switch_purpose", training: false });
    await first.stop();
    await expect(page.getByText(en.starting.title)).toBeVisible();
    await expect(page.getByText(en.cash.never)).toHaveCount(0);
    if (comesBack) {
      const second = await startHost(screenOf("ready"), first.port, '{"ok":true}');
      await expect(page.getByRole("heading", { name: en.ready.title })).toBeVisible();
      await second.stop();
      // Sooner than a page waits for a change that is under way.
      await stopClock(page, 10_000);
    } else await stopClock(page, 21_000);
    await expect(page.getByRole("heading", { name: en.disconnected.title })).toBeVisible();
  });

test("a change of a slow machine is no loss: its events end before its reply, and it says for a minute that it starts", async ({
  page,
}) => {
  await comeIn(page);
  const host = await startHost(practising, 0, new Promise(() => undefined));
  await page.clock.install();
  await page.goto(`http://127.0.0.1:${host.port}/`);
  await page.getByRole("button", { name: en.phone.leave }).click();
  await expect.poll(() => host.commands).toContainEqual({ type: "switch_purpose", training: false });
  // It does not ask again before it has shown what it takes the end for.
  await page.clock.pauseAt(Date.now() + 5_000);
  host.startAnew();
  const starting = page.getByText(en.starting.title);
  await expect(starting).toBeVisible();
  await page.clock.resume();
  for (let seconds = 0; seconds < 60; seconds += 15) {
    const asked = host.sessions.length;
    await expect.poll(() => host.sessions.length).toBeGreaterThan(asked + 1);
    await expect(starting).toBeVisible();
    await page.clock.fastForward(15_000);
  }
  await host.stop();
  // It has read by then what was sent before.
  await page.waitForEvent("requestfailed", (request) => request.url().endsWith("/bridge/events"));
  await stopClock(page, 21_000);
  await expect(page.getByRole("heading", { name: en.disconnected.title })).toBeVisible();
});

test("a lost till program is told, hides the offer of cash, and comes back by itself", async ({ page }) => {
  await comeIn(page);
  const first = await startHost(screenOf("payable"), 0, '{"ok":true}');
  await page.goto(`http://127.0.0.1:${first.port}/`);
  await expect(page.getByText(en.cash.give, { exact: true })).toBeVisible();
  await first.stop();
  await expect(page.getByRole("heading", { name: en.disconnected.title })).toBeVisible();
  await expect(page.getByText(en.cash.give, { exact: true })).toHaveCount(0);
  await expect(page.getByText(en.cash.never)).toBeVisible();

  const second = await startHost(screenOf("payable"), first.port, '{"ok":true}');
  await page.getByRole("button", { name: en.payable.ok }).click();
  await expect.poll(() => second.commands).toMatchObject([{ type: "hand_out", step: "1.payable" }]);
  await second.stop();
});

for (const [name, reply] of [
  ["HTML", "<html>Bad gateway</html>"],
  ["half a JSON", '{"ok":tr'],
  ["a reply of another form", '{"fine":1}'],
] as const)
  test(`a host that answers a command with ${name} leaves the screen open for another press`, async ({ page }) => {
    await comeIn(page);
    const host = await startHost(screenOf("review"), 0, reply);
    await page.goto(`http://127.0.0.1:${host.port}/`);
    await page.getByRole("button", { name: en.review.confirm }).click();
    await expect(page.getByText(en.refusals.failed)).toBeVisible();
    await expect(page.getByRole("button", { name: en.review.confirm })).toBeEnabled();
    await host.stop();
  });

test("a till program that hangs is told, hides what it offered, and comes back when it goes on", async ({ page }) => {
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-hang-"));
  const till = await startTillHost({ data, live: true });
  await page.clock.install();
  await page.goto(till.entry);
  const setUp = page.getByRole("button", { name: en.setup.go });
  await expect(setUp).toBeVisible();
  till.child.signal("SIGSTOP");
  const lost = page.getByRole("heading", { name: en.disconnected.title });
  await page.clock.runFor(35_000);
  // Two of its signs of life may be late.
  await expect(lost).toHaveCount(0);
  await page.clock.runFor(15_000);
  await expect(lost).toBeVisible();
  await expect(setUp).toHaveCount(0);
  // What asks it again gets no answer either.
  await page.clock.runFor(60_000);
  await expect(lost).toBeVisible();
  till.child.signal("SIGCONT");
  await expect(setUp).toBeVisible();
  await till.child.stop();
  rmSync(data, { recursive: true, force: true });
});

test("a program that takes the port of a till that ended gets no session that works, and what it shows is not believed", async ({
  page,
}) => {
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-port-"));
  const till = await startTillHost({ data, live: true, port: await freePort() });
  await page.goto(till.entry);
  // All that the page loads is there: a till that ends before has shown nothing yet.
  await expect(page.getByRole("button", { name: en.setup.go })).toBeVisible();
  await till.child.kill();
  const stranger = await startHost(screenOf("payable"), Number(new URL(till.entry).port), '{"ok":true}', null);
  const offer = page.getByText(en.cash.give, { exact: true });
  await expect
    .poll(async () => stranger.sessions.length > 2 || (await offer.count()) > 0, { timeout: 90_000 })
    .toBe(true);
  await expect(offer).toHaveCount(0);
  await expect(page.getByRole("heading", { name: en.disconnected.title })).toBeVisible();

  const again = await startTillHost({ data, live: true });
  const { origin } = new URL(again.entry);
  for (const authorization of new Set(stranger.sessions)) {
    const stay = await fetch(`${origin}/bridge/stay`, { method: "POST", headers: { origin, authorization } });
    expect(stay.status).toBe(401);
  }
  await stranger.stop();
  await again.child.stop();
  rmSync(data, { recursive: true, force: true });
});
