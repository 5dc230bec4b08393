/** The API reference in a real browser: the quick start and the nine calls first, search, accessible, and its commands run. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "@playwright/test";
import { faultsIn } from "./stage/accessibility.ts";
import { startService } from "./stage/programs.ts";
import { test as base } from "./stage/quiet-test.ts";

let address = "";
// Not a worker's fixture, for which a worker and its browser are started anew.
const test = base.extend<{ url: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from here
  url: ({}, use) => use(address),
});

// One service for the whole file.
test.describe.configure({ mode: "default" });
let stopService = async (): Promise<void> => undefined;
test.beforeAll(async () => {
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-reference-"));
  const child = await startService({ data });
  address = child.address;
  stopService = async () => {
    await child.kill();
    rmSync(data, { recursive: true, force: true });
  };
});
test.afterAll(() => stopService());

test.beforeEach(async ({ page, url }) => {
  const problems: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && problems.push(message.text())));
  page.on("request", (request) => void (request.url().startsWith(url) || problems.push(request.url())));
  await page.goto(`${url}/docs`);
  expect(problems).toEqual([]);
});

for (const colorScheme of ["light", "dark"] as const)
  for (const width of [1280, 390])
    test(`nothing is in the way of anybody: ${colorScheme}, ${width} px`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await faultsIn(colorScheme)(page)).toEqual([]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    });

test("the quick start and the nine calls come first, and every link of the contents leads to its entry", async ({
  page,
}) => {
  const titles = await page.locator("main h2").allTextContents();
  expect(titles.slice(0, 2)).toEqual(["Begin", "The nine calls"]);
  const paths = await page.locator("section[aria-labelledby=the-nine-calls] .call").allTextContents();
  expect(paths.map((text) => text.split("/").at(-1)?.trim())).toEqual([
    ...["authorize", "startwithdrawal", "partnerCheckin", "settlewithdrawal"],
    ...["confirm", "reject", "link", "transaction", "users"],
  ]);
  const missing = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')]
      .map((link) => link.hash.slice(1))
      .filter((id) => document.getElementById(id) === null),
  );
  expect(missing).toEqual([]);
});

test("the search finds a word wherever it stands, by keyboard", async ({ page }) => {
  await page.keyboard.press("/");
  await page.keyboard.type("idempotency_key_reused");
  await expect(page.getByRole("status")).toHaveText(/^[1-9]\d* of \d+$/);
  await expect(page.getByRole("heading", { level: 3, name: "Request a withdrawal" })).toBeVisible();
  await expect(page.getByRole("heading", { level: 3, name: "Link a transaction" })).toBeHidden();
  await expect(page.getByRole("link", { name: "Link a transaction" })).toBeHidden();
  await page.getByRole("searchbox").fill("no such word anywhere");
  await expect(page.getByRole("status")).toHaveText(/^0 of/);
  await page.getByRole("searchbox").fill("");
  await expect(page.getByRole("heading", { level: 3, name: "Link a transaction" })).toBeVisible();
});

test("the commands of the quick start run as they are printed", async ({ page }) => {
  const [token, ask, , till] = await page.locator("#quick-start pre").allInnerTexts();
  const id = `ID=$(${ask?.replace("curl ", "curl -s ")} | sed 's/.*"transaction_id":"\\([^"]*\\)".*/\\1/')`;
  const script = ["set -e", token, id, till?.replace("TRANSACTION_ID", "$ID").replaceAll("curl ", "curl -s ")].join(
    "\n",
  );
  const seen = JSON.parse(execFileSync("bash", ["-c", script], { encoding: "utf8" }));
  expect(seen).toMatchObject({ status: "ready", amount: "50.00", store: "demo-shop" });
});
