/** The customer's phone in a real browser: every page complete, accessible, readable by a scanner, alive without a reload. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type BrowserContextOptions, expect, type Page } from "@playwright/test";
import { scanImageData } from "@undecaf/zbar-wasm";
import { PNG } from "pngjs";
import { groupId } from "../../backend/contract/ids.ts";
import { sandboxTexts } from "../../backend/sandbox/texts.ts";
import { de } from "../../backend/websdk/texts/de.ts";
import { en } from "../../backend/websdk/texts/en.ts";
import { accessibilityFaults } from "./stage/accessibility.ts";
import { connectDemoBank, type DemoBank } from "./stage/bank-client.ts";
import { startService } from "./stage/programs.ts";
import { test as base } from "./stage/quiet-test.ts";

interface Service {
  readonly url: string;
  readonly bank: DemoBank;
  /** As a till: confirms, or reports the cash as handed out. */
  till(call: "confirm" | "link", id: string): Promise<void>;
}

let running: Service | undefined;
// Not a worker's fixture, for which a worker and its browser are started anew.
const test = base.extend<{ service: Service }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from here
  service: async ({}, use) => {
    if (running === undefined) throw new Error("the service has not been started");
    await use(running);
  },
});

// One service for the whole file.
test.describe.configure({ mode: "default" });
let stopService = async (): Promise<void> => undefined;
test.beforeAll(async () => {
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-phone-"));
  const child = await startService({ data, env: { SCA_TIMEOUT_SECONDS: "120" } });
  stopService = async () => {
    await child.kill();
    rmSync(data, { recursive: true, force: true });
  };
  running = { url: child.address, bank: await connectDemoBank(child.address), till: await asTill(child.address) };
});
test.afterAll(() => stopService());

const asTill = async (url: string): Promise<Service["till"]> => {
  const post = (route: string, body: object, headers = {}) =>
    fetch(url + route, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const grant = {
    grant_type: "client_credentials",
    merchant_id: "demo-shop",
    device_id: "till-1",
    device_type: "terminal",
  };
  const reply = await post("/oauth2/authorize", { ...grant, password: "till-secret", scope: "" });
  const { access_token } = (await reply.json()) as { access_token: string };
  return async (call, id) => {
    const body = { transaction_id: id, ...(call === "confirm" ? { transaction_id_partner: `pos-${id}` } : {}) };
    const { status } = await post(`/transaction/${call}`, body, { authorization: `Bearer ${access_token}` });
    expect(status).toBe(201);
  };
};

const phones: readonly (BrowserContextOptions & { readonly name: string })[] = [
  { name: "small, light, English", viewport: { width: 360, height: 740 }, colorScheme: "light", locale: "en-GB" },
  { name: "usual, dark, German", viewport: { width: 390, height: 844 }, colorScheme: "dark", locale: "de-DE" },
];

const status = (page: Page, word: string) => expect(page.locator("main")).toHaveAttribute("data-status", word);
const codeOf = async (page: Page) => (await page.locator("[data-code]").getAttribute("data-code")) ?? "";

/** What a scanner reads from a picture of a part of the page. */
const scanned = async (page: Page, selector: string): Promise<readonly string[]> => {
  const { width, height, data } = PNG.sync.read(await page.locator(selector).first().screenshot({ scale: "device" }));
  const symbols = await scanImageData({
    width,
    height,
    data: new Uint8ClampedArray(data),
    colorSpace: "srgb",
  } as ImageData);
  return symbols.map((symbol) => symbol.decode());
};

/** Nothing beyond the edges; what is to be pressed is within the thumb's reach and large enough. */
const checkLook = async (page: Page): Promise<void> => {
  expect(await accessibilityFaults(page, ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  const action = page.locator("main .actions .button:visible").first();
  if ((await action.count()) > 0) {
    const box = await action.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
  }
};

for (const { name, ...phone } of phones)
  test.describe(`on a phone (${name})`, () => {
    test.use({ ...phone, deviceScaleFactor: 2, hasTouch: true });
    const texts = phone.locale === "de-DE" ? de : en;
    const own = sandboxTexts[texts.language];

    test("the whole job, each page looked at", async ({ page, service }) => {
      await page.goto(`${service.url}/sandbox`);
      await checkLook(page);
      await page.getByRole("button", { name: own.free }).click();
      await checkLook(page);
      for (const key of ["7", "0", "0"]) await page.getByRole("button", { name: key, exact: true }).click();
      await expect(page.getByText(texts.amountTooLarge("").trim().slice(0, 12))).toBeVisible();
      await checkLook(page);
      await page.getByRole("button", { name: texts.deleteDigit }).click();
      await page.getByRole("button", { name: texts.getCode }).click();
      await status(page, "ready");
      await checkLook(page);
      const id = await codeOf(page);
      expect(await scanned(page, ".codes .linear")).toEqual([id]);
      expect(await scanned(page, ".codes .matrix")).toEqual([id]);

      await page.getByRole("button", { name: texts.enlarge }).click();
      await checkLook(page);
      expect(await scanned(page, ".big-codes")).toEqual([id]);
      await page.getByRole("button", { name: "Code 128" }).click();
      expect(await scanned(page, ".big-codes")).toEqual([id]);
      await page.keyboard.press("Escape");

      await service.till("confirm", id);
      await status(page, "awaiting_sca");
      await checkLook(page);
      await page.getByRole("link", { name: texts.approve }).click();
      await checkLook(page);
      await page.getByRole("button", { name: own.approve }).click();
      await status(page, "settled");
      await checkLook(page);
      await page.getByRole("link", { name: own.backToWithdrawal }).click();
      await service.till("link", id);
      await status(page, "linked");
      await checkLook(page);
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: texts.saveReceipt }).click();
      const receipt = Buffer.concat((await (await (await saved).createReadStream()).toArray()) as Buffer[]).toString();
      expect(receipt).toContain(`${texts.code} ${groupId(id)}`);
      expect(receipt).toMatch(/20\d\d/);
      expect(receipt).not.toContain("{time}");
      await page.getByRole("link", { name: texts.back("Demo Bank") }).click();
      expect(new URL(page.url()).searchParams.get("outcome")).toBe("linked");
      expect(new URL(page.url()).searchParams.get("transaction_id")).toBe(id);
    });

    test("one tap starts a steering amount", async ({ page, service }) => {
      await page.goto(`${service.url}/sandbox`);
      await page.getByRole("button", { name: /50[.,]01/ }).click();
      await status(page, "declined");
      await checkLook(page);
      await page.getByRole("link", { name: texts.sandboxHome }).click();
      await page.getByRole("button", { name: /50[.,]08/ }).click();
      await status(page, "ready");
      await service.till("confirm", await codeOf(page));
      await status(page, "settled");
    });
  });

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  const start = async (page: Page, service: Service): Promise<string> => {
    await page.goto(`${service.url}/sandbox`);
    await page.getByRole("button", { name: /50\.00/ }).click();
    await status(page, "ready");
    return codeOf(page);
  };

  test("the status changes without a reload and is read out", async ({ page, service }) => {
    const id = await start(page, service);
    await page.evaluate(() => Object.assign(globalThis, { notReloaded: true }));
    await service.till("confirm", id);
    await status(page, "awaiting_sca");
    await expect(page.locator("#announcement")).toContainText(en.awaitingSca.title);
    expect(await page.evaluate(() => "notReloaded" in globalThis)).toBe(true);
  });

  test("without a connection it says so, and goes on by itself", async ({ page, context, service }) => {
    const id = await start(page, service);
    await context.setOffline(true);
    await expect(page.getByText(en.offline)).toBeVisible();
    await service.till("confirm", id);
    await context.setOffline(false);
    await status(page, "awaiting_sca");
    await expect(page.getByText(en.offline)).toBeHidden();
  });

  test("a page that cannot be read as the status changes is read again", async ({ page, service }) => {
    const id = await start(page, service);
    let reads = 0;
    await page.route(page.url(), (route) => {
      reads += 1;
      const body = `<main><h1>${en.unavailable.title}</h1></main>`;
      return reads === 1 ? route.fulfill({ status: 503, contentType: "text/html", body }) : route.fallback();
    });
    await service.till("confirm", id);
    await status(page, "awaiting_sca");
    expect(reads).toBe(2);
  });

  test("cancels only after a question, and the code is dead at once", async ({ page, service }) => {
    const id = await start(page, service);
    await page.getByRole("button", { name: en.cancel }).click();
    await expect(page.getByRole("dialog")).toContainText(en.cancelQuestion);
    await page.getByRole("button", { name: en.keep }).click();
    await status(page, "ready");
    await page.getByRole("button", { name: en.cancel }).click();
    await page.getByRole("dialog").getByRole("button", { name: en.cancel }).click();
    await status(page, "canceled");
    expect((await service.bank.read(id)).reason).toBe("user_canceled");
    await page.getByRole("link", { name: en.again }).click();
    await page.getByRole("button", { name: "€20", exact: true }).click();
    await page.getByRole("button", { name: en.getCode }).click();
    await status(page, "ready");
    expect(await codeOf(page)).not.toBe(id);
  });

  test("going back in the history shows the withdrawal, not the form that started it", async ({ page, service }) => {
    await page.goto(`${service.url}/sandbox`);
    await page.getByRole("button", { name: sandboxTexts.en.free }).click();
    await page.getByRole("textbox", { name: en.amountLabel }).fill("50");
    await page.getByRole("button", { name: en.getCode }).click();
    await status(page, "ready");
    const id = await codeOf(page);
    await page.goto(`${service.url}/sandbox`);
    await page.goBack();
    await status(page, "ready");
    expect(await codeOf(page)).toBe(id);
  });

  test("a phone clock that is wrong by hours counts the same", async ({ page, service }) => {
    await page.clock.install({ time: new Date(Date.now() + 5 * 3_600_000) });
    await start(page, service);
    await expect(page.getByRole("timer")).toContainText(/1[45]:\d\d/);
  });

  test("nothing on the way is against the page's own policy", async ({ page, service }) => {
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await start(page, service);
    await page.getByRole("button", { name: en.enlarge }).click();
    await expect(page.locator(".big-codes")).toBeVisible();
    expect(complaints).toEqual([]);
  });
});

test.describe("without scripts", () => {
  test.use({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });

  test("the job can still be done", async ({ page, service }) => {
    await page.goto(`${service.url}/sandbox`);
    await page.getByRole("button", { name: sandboxTexts.en.free }).click();
    await page.getByRole("textbox", { name: en.amountLabel }).fill("9");
    await page.getByRole("button", { name: en.getCode }).click();
    await expect(page.getByText(en.amountTooSmall("€10"))).toBeVisible();
    await page.getByRole("textbox", { name: en.amountLabel }).fill("50.08");
    await page.getByRole("button", { name: en.getCode }).click();
    await status(page, "ready");
    await service.till("confirm", await codeOf(page));
    await status(page, "settled");
  });
});
