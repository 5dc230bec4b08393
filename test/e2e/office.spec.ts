/** The chain's page in a real browser: signed in and out, full, empty, without its service, by keyboard, and against the accessibility rules. */
import { expect, type Page } from "@playwright/test";
import { accessibilityFaults, faultsIn } from "./stage/accessibility.ts";
import { type Office, startOffice } from "./stage/office.ts";
import { test as base } from "./stage/quiet-test.ts";

let running: Office | undefined;
// Not a worker's fixture, for which a worker and its browser are started anew.
const test = base.extend<{ problems: string[]; office: Office }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from here
  office: async ({}, use) => {
    if (running === undefined) throw new Error("the service has not been started");
    await use(running);
  },
  // The shops' day stays today for the page when a midnight comes among the tests.
  page: async ({ page, office }, use) => {
    await page.clock.setFixedTime(office.filledAt);
    await use(page);
  },
  /** What the page complained of: a refusal by the content policy is one. */
  problems: async ({ page, office }, use) => {
    const problems: string[] = [];
    page.on("console", (message) => void (message.type() === "error" && problems.push(message.text())));
    page.on("pageerror", (error) => void problems.push(error.message));
    page.on("request", (request) => {
      const isOwn = request.url().startsWith(new URL(office.url).origin) || /^(data|blob):/.test(request.url());
      if (!isOwn) problems.push(request.url());
    });
    await use(problems);
  },
});

// One service with all its withdrawals for the whole file.
test.describe.configure({ mode: "default" });
test.beforeAll(async () => {
  running = await startOffice();
});
test.afterAll(() => running?.close());

const signIn = async (page: Page, url: string, key: string, chain = "north") => {
  await page.goto(url);
  await page.getByLabel("Chain").fill(chain);
  await page.getByLabel("Access key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("tab", { name: "Open now" })).toBeVisible();
};
const tab = (page: Page, name: string) => page.getByRole("tab", { name }).click();
const rows = (page: Page) => page.locator("tbody tr");
const tabs = ["Open now", "Day by shop", "Withdrawals", "Terminals"];

const sizes = [
  ["light", 800, 600],
  ["light", 1024, 768],
  ["light", 1920, 1080],
  ["dark", 800, 600],
] as const;
for (const [colorScheme, width, height] of sizes)
  test(`nothing is in the way of anybody: ${colorScheme}, ${width}×${height}`, async ({ page, office, problems }) => {
    const faults = faultsIn(colorScheme);
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await page.goto(office.url);
    expect(await faults(page)).toEqual([]);
    await signIn(page, office.url, office.key);
    for (const name of tabs) {
      await tab(page, name);
      if (name === "Day by shop") await page.getByRole("button", { name: "The day after" }).click();
      // The table of the tab before stands until this one is drawn.
      const panel = page.getByRole("tabpanel", { name });
      await expect(panel.locator("tbody tr").first()).toBeVisible();
      expect([name, await faults(page)]).toEqual([name, []]);
      const overflow = await page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement;
        return [scrollWidth - innerWidth, scrollHeight - innerHeight];
      });
      expect([name, ...overflow.map((px) => px > 0)]).toEqual([name, false, false]);
      const isSqueezed = await panel
        .locator(".table")
        .evaluate((table) => table.clientHeight < Math.min(table.scrollHeight, 90));
      expect([name, isSqueezed]).toEqual([name, false]);
    }
    await tab(page, "Open now");
    await page
      .getByRole("button", { name: /^[0-9A-Z]{4} / })
      .first()
      .click();
    await expect(page.getByRole("dialog").getByText("Asked for")).toBeVisible();
    expect(await faults(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

test("the page is at one address, below which nothing else is, under a policy of its own files alone", async ({
  office,
}) => {
  const ask = (path: string) => fetch(office.url + path, { redirect: "manual" });
  const [redirect, page, nothing] = [await ask(""), await ask("/"), await ask("/assets/..%2findex.html")];
  expect([redirect.status, redirect.headers.get("location")]).toEqual([302, "office/"]);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect([nothing.status, (await ask("/assets/index.html")).status, (await ask("/x")).status]).toEqual([404, 404, 404]);
  const [script = ""] = /assets\/[\w-]+\.js/.exec(await page.text()) ?? [];
  const asset = await ask(`/${script}`);
  expect([asset.status, asset.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  expect(asset.headers.get("content-type")).toContain("javascript");
});

test("a browser whose language is no language still shows the page", async ({ page, office, problems }) => {
  // As Chromium has it under LANG=C.UTF-8.
  await page.addInitScript(() => Object.defineProperty(navigator, "languages", { value: ["en-US@posix"] }));
  await signIn(page, office.url, office.key);
  expect(problems).toEqual([]);
});

test("a wrong key is refused in words; a right one lasts as long as the tab, and signing out forgets it", async ({
  page,
  office,
}) => {
  await page.goto(office.url);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toHaveText("Type the chain's name and its key.");
  await page.getByLabel("Chain").fill("north");
  await page.getByLabel("Access key").fill("wrong");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("The name or the key is wrong");
  await signIn(page, office.url, office.key);
  await page.reload();
  await expect(rows(page).first()).toBeVisible();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(office.key);
  const other = await page.context().newPage();
  await other.goto(office.url);
  await expect(other.getByLabel("Access key")).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.reload();
  await expect(page.getByLabel("Access key")).toHaveValue("");
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("what is open stands in the order of what has to be done, with since when and its story", async ({
  page,
  office,
}) => {
  await signIn(page, office.url, office.key);
  await expect(page.getByText("8 paid, and no terminal has said what became of the cash: have")).toBeVisible();
  await expect(rows(page)).toHaveCount(18);
  await expect(rows(page).first()).toContainText("Paid, no word of the cash");
  await expect(rows(page).last()).toContainText("Ready to be scanned");
  await page.getByPlaceholder("Withdrawal number").fill(office.handedOut.toLowerCase());
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(/EUR\s[\d.]+ at .+, the bank’s reference .+, the terminal’s /);
  const story = dialog.getByRole("listitem");
  await expect(story.nth(-2)).toContainText("Paid");
  await expect(story.nth(-2)).not.toContainText("no word of the cash");
  await expect(story.last()).toContainText("Handed out");
  await expect(story.last()).toContainText("Terminal till-1 · cashier C2");
  await page.keyboard.press("Escape");
  await page.getByPlaceholder("Withdrawal number").fill("0000 0000 0000 0000");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByRole("dialog")).toContainText("There is no such withdrawal in your shops.");
});

/** A withdrawal as the service lists it, asked for so many seconds ago. */
const listed = (office: Office, name: string, status: string, secondsAgo: number) => ({
  ...{ transaction_id: name, status, store_name: "Zoo", partner_reference: null, amount: "50.00", currency: "EUR" },
  ...{ settled_at: null, confirmed_at: null },
  created_at: new Date(office.filledAt.getTime() - secondsAgo * 1_000).toISOString(),
});

test("all that is paid is counted however much it is, and what is paid while the page reads is in it once", async ({
  page,
  office,
}) => {
  await signIn(page, office.url, office.key);
  await expect(rows(page)).toHaveCount(18);
  const asked: string[] = [];
  await page.route(/ext\/v1\/withdrawals\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [status, cursor] = [query.get("status") ?? "", query.get("cursor")];
    asked.push(`${status}${cursor ?? ""}`);
    const pages: Record<string, readonly [next: string | null, ...names: string[]]> = {
      settling: [null, "MOVES"],
      settled: ["2", "MOVES", ...Array.from({ length: 199 }, (_, n) => `P${n}`)],
      settled2: [null, "OLDEST"],
    };
    const [next, ...names] = pages[`${status}${cursor ?? ""}`] ?? [null];
    const withdrawals = names.map((name) => listed(office, name, status, name === "OLDEST" ? 9_000 : 60));
    return route.fulfill({ json: { withdrawals, next } });
  });
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(page.getByText("201 paid, and no terminal has said")).toBeVisible();
  await expect(page.getByText("201 open in all.")).toBeVisible();
  await expect(rows(page).first()).toContainText("OLDE ST");
  expect(asked).toEqual(["requested", "ready", "awaiting_sca", "settling", "settled", "settled2"]);
});

test("a page behind the first that has become empty says nothing of the others, and leads back", async ({
  page,
  office,
}) => {
  await signIn(page, office.url, office.key);
  await page.route(/ext\/v1\/terminals\?/, (route) => {
    const isFirst = new URL(route.request().url()).searchParams.get("cursor") === null;
    const journal = { seq: null, at: null, forked_at: null };
    const one = {
      store: "zoo",
      store_name: "Zoo",
      device_id: "till-1",
      heard_at: null,
      silent: true,
      version: null,
      journal,
    };
    return route.fulfill({ json: { terminals: isFirst ? [one] : [], next: isFirst ? "zoo/till-1" : null } });
  });
  await tab(page, "Terminals");
  await page.getByRole("button", { name: "Next" }).click();
  await expect(rows(page)).toHaveCount(0);
  await expect(page.getByText("No terminal is silent.")).toHaveCount(0);
  await page.getByRole("button", { name: "Back" }).click();
  await expect(rows(page)).toHaveCount(1);
});

test("the day by shop comes to what the file of it has, and leads to a shop's withdrawals", async ({
  page,
  office,
}) => {
  await signIn(page, office.url, office.key);
  await tab(page, "Day by shop");
  await expect(page.getByText("No withdrawal was confirmed on this day.")).toBeVisible();
  await page.getByRole("button", { name: "The day after" }).click();
  await expect(rows(page)).toHaveCount(6);
  const sums = await page.locator("tfoot td").allInnerTexts();
  expect(sums[0]).toBe("6 shops");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV" }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^reconciliation-\d{4}-\d\d-\d\d\.csv$/);
  const { readFileSync } = await import("node:fs");
  const [head = "", ...lines] = readFileSync(await file.path(), "utf8")
    .trim()
    .split("\r\n");
  const at = (name: string) => head.split(",").indexOf(name);
  const cents = (finding: string) =>
    lines
      .map((line) => line.split(","))
      .filter((cells) => cells[at("finding")] === finding)
      .reduce((sum, cells) => sum + Math.round(Number(cells[at("amount")]) * 100), 0);
  for (const [column, finding] of [
    [1, "matched"],
    [2, "not_linked"],
    [3, "undelivered"],
  ] as const) {
    const shown = Number((sums[column] ?? "").replace(/^\d+\s+EUR/, "").replaceAll(/[^\d.]/g, ""));
    expect([finding, Math.round(shown * 100)]).toEqual([finding, cents(finding)]);
  }
  await page.getByRole("button", { name: /^Harbour/ }).click();
  await expect(page.getByLabel("Shop", { exact: true })).toHaveValue("shop-4");
  await expect(rows(page).first()).toContainText("Harbour");
  await expect(rows(page).filter({ hasNotText: "Harbour" })).toHaveCount(0);
});

test("the list goes on past 200, back again, and by shop, status and day", async ({ page, office }) => {
  await signIn(page, office.url, office.key);
  await tab(page, "Withdrawals");
  await expect(page.getByText("1 to 200")).toBeVisible();
  const newest = await rows(page).first().innerText();
  await page.getByRole("button", { name: "Older" }).click();
  await expect(page.getByText("201 to 250")).toBeVisible();
  await expect(page.getByRole("button", { name: "Older" })).toBeDisabled();
  await page.getByRole("button", { name: "Newer" }).click();
  await expect(page.getByText("1 to 200")).toBeVisible();
  const [number] = newest.match(/([0-9A-Z]{4} ){3}[0-9A-Z]{4}/) ?? [];
  await expect(rows(page).first()).toContainText(number ?? "no number");
  await page.getByLabel("Status").selectOption("Paid, not handed out");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(rows(page)).toHaveCount(7);
  await page.getByLabel("From").fill("2020-01-01");
  await page.getByLabel("To").fill("2020-01-02");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByText("There are none for these shops and days.")).toBeVisible();
  await page.getByLabel("From").fill("");
  await page.getByLabel("To").fill("");
  await page.getByLabel("Status").selectOption("Any status");
  const harbour = page.locator("#shops option[value^=Harbour]");
  await page.getByLabel("Shop", { exact: true }).fill((await harbour.getAttribute("value")) ?? "");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(rows(page).first()).toContainText("Harbour");
  await expect(rows(page).filter({ hasNotText: "Harbour" })).toHaveCount(0);
  // By its name alone, as a person knows it, and at another case.
  await page.getByLabel("Shop", { exact: true }).fill("zoo");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(rows(page).first()).toContainText("Zoo");
  await expect(rows(page).filter({ hasNotText: "Zoo" })).toHaveCount(0);
  await page.getByLabel("Shop", { exact: true }).fill("demo-shop");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page.getByRole("alert").first()).toContainText("Check the shop and the days.");
});

test("terminals that are silent, or all", async ({ page, office }) => {
  await signIn(page, office.url, office.key);
  await tab(page, "Terminals");
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText(/Bahnhof Süd.*ago.*Silent while open.*1\.4\.0/s);
  await page.getByLabel("All terminals").check();
  await expect(rows(page)).toHaveCount(6);
  await expect(rows(page).first()).toContainText("Airport");
});

test("a chain whose shops have done nothing is told so everywhere", async ({ page, office, problems }) => {
  await signIn(page, office.url, office.emptyKey, "empty");
  for (const [name, text] of [
    ["Open now", "Nothing is open."],
    ["Day by shop", "No withdrawal was confirmed on this day."],
    ["Withdrawals", "There are none for these shops and days."],
    ["Terminals", "No terminal is silent."],
  ] as const) {
    await tab(page, name);
    await expect(page.getByText(text)).toBeVisible();
    expect([name, await accessibilityFaults(page)]).toEqual([name, []]);
  }
  expect(problems).toEqual([]);
});

test("without its service the page says so, keeps what it had with its time, and goes on when it is back", async ({
  page,
  office,
}) => {
  await signIn(page, office.url, office.key);
  await tab(page, "Day by shop");
  await page.getByRole("button", { name: "The day after" }).click();
  await expect(rows(page).first()).toBeVisible();
  await page.route("**/ext/v1/**", (route) => route.abort());
  await page.getByRole("button", { name: "The day before" }).click();
  await expect(page.getByRole("alert").first()).toContainText("This could not be read");
  // One day's sums never stand under another day.
  await expect(rows(page)).toHaveCount(0);
  await page.unroute("**/ext/v1/**");
  await tab(page, "Open now");
  await expect(rows(page)).toHaveCount(18);
  await page.route("**/ext/v1/**", (route) => route.abort());
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(page.getByRole("alert").first()).toContainText("The service does not answer.");
  await expect(page.getByRole("alert").first()).toContainText("What you see is of");
  await expect(rows(page)).toHaveCount(18);
  await tab(page, "Terminals");
  await expect(page.getByRole("alert").first()).toContainText("This could not be read");
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.unroute("**/ext/v1/**");
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(page.getByText("could not be read")).toHaveCount(0);
});

test("all of it by keyboard alone", async ({ page, office }) => {
  await page.goto(office.url);
  await expect(page.getByLabel("Chain")).toBeFocused();
  await page.keyboard.type("north");
  await page.keyboard.press("Tab");
  await page.keyboard.type(office.key);
  await page.keyboard.press("Enter");
  await expect(rows(page)).toHaveCount(18);
  const tabTo = async (what: ReturnType<Page["locator"]>) => {
    for (let presses = 0; presses < 40; presses += 1) {
      if (await what.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error("the keyboard does not get there");
  };
  await tabTo(page.getByRole("tab", { name: "Open now" }));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByText("1 to 200")).toBeVisible();
  await page.keyboard.press("Tab");
  await tabTo(page.getByRole("button", { name: /^[0-9A-Z]{4} / }).first());
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect(page.getByRole("button", { name: /^[0-9A-Z]{4} / }).first()).toBeFocused();
});

test("a token that has ended leads to the sign-in, which says why", async ({ page, office }) => {
  await signIn(page, office.url, office.key);
  await expect(rows(page)).toHaveCount(18);
  const key = office.rotate();
  await expect(async () => {
    await page.getByRole("button", { name: "Refresh" }).click({ timeout: 1_000 });
    await expect(page.getByLabel("Access key")).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await expect(page.getByRole("alert")).toHaveText("Your sign-in has ended. Sign in again.");
  await signIn(page, office.url, key);
  await expect(rows(page)).toHaveCount(18);
});
