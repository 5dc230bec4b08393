/** The customer's phone beside the terminal: the terminal is drawn smaller then, and still pressed with a finger. */

import type { Reply } from "../../preload/contract.ts";
import de from "../../renderer/texts/de/screens.json" with { type: "json" };
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { calmHeader, dressed, screenOf, settings } from "./gallery/snapshots.ts";
import { accessibilityFaults } from "./stage/accessibility.ts";
import { expect, test } from "./stage/kept-page.ts";

const header = { ...calmHeader, training: true, sandboxUrl: "http://127.0.0.1:8787/sandbox" };
const phoneAccess = {
  url: "http://192.168.100.120:8790/K7M2QD9X",
  qr: { size: 37, path: "M4 4h29v29h-29z" },
  untilMs: Date.UTC(2026, 10, 20, 11),
  others: [
    { address: "10.20.100.200", card: "Ethernet 2" },
    { address: "172.20.100.1", card: "Drahtlosnetzwerkverbindung" },
  ],
};
const ready = { ...screenOf("ready"), header, settings: settings({ camera: { enabled: false, deviceId: null } }) };

for (const [width, height] of [
  [800, 600],
  [1024, 600],
  [1024, 768],
  [1920, 1080],
  [768, 1024],
] as const)
  test(`everything can be pressed and read beside the phone at ${width}×${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const till = await openTill(page, ready);
    await page.getByRole("button", { name: en.phone.tourStart }).click();
    await expect(page.getByRole("complementary", { name: en.phone.title })).toBeVisible();
    const found: unknown[] = [];
    for (const name of ["ready", "review", "waiting-approval", "payable", "counting", "done"]) {
      const step = `${name}.beside`;
      await till.push({ ...ready, screen: { ...screenOf(name).screen, step } });
      await expect(page.locator(`[data-step="${step}"]`)).toBeAttached();
      for (const fault of await page.evaluate(layoutFaults)) found.push([name, fault]);
      if (name !== "waiting-approval") continue;
      const seen = (text: Element) => Number.parseFloat(getComputedStyle(text).fontSize) * text.currentCSSZoom;
      expect(await page.getByText(en.waiting.approvalNext).evaluate(seen)).toBeGreaterThan(15.5);
    }
    await till.push({ ...ready, screen: { ...ready.screen, step: "typed" } });
    await page.getByRole("button", { name: en.ready.type }).click();
    await expect(page.getByLabel(en.entry.field)).toBeVisible();
    for (const fault of await page.evaluate(layoutFaults)) found.push(["a code typed", fault]);
    await page.getByRole("button", { name: en.entry.back }).click();
    // What a person opens over the screen has the room to itself; the phone comes back after it.
    await page.getByRole("button", { name: en.manager.history }).click();
    await expect(page.getByRole("heading", { name: en.manager.history })).toBeVisible();
    for (const fault of await page.evaluate(layoutFaults)) found.push(["history", fault]);
    await page.getByRole("button", { name: en.manager.close, exact: true }).click();
    await expect(page.getByRole("complementary", { name: en.phone.title })).toBeVisible();
    // A real phone takes the place of the drawn one, in the longest language.
    await till.push({ ...dressed(ready, "de", "dark"), header: { ...header, phoneAccess } });
    const place = page.getByRole("complementary", { name: de.phone.title });
    await expect(place).toContainText("192.168.100.120:8790/K7M2QD9X");
    for (const fault of await page.evaluate(layoutFaults)) found.push(["real phone", fault]);
    for (const fault of await accessibilityFaults(page)) found.push(["real phone", fault]);
    await place.getByRole("button", { name: "172.20.100.1" }).click();
    await place.getByRole("button", { name: de.phone.real.end }).click();
    await expect
      .poll(() => till.commands.slice(-2))
      .toEqual([{ type: "open_phone_access", address: "172.20.100.1" }, { type: "close_phone_access" }]);
    expect(found).toEqual([]);
  });

test("a tour that is over asks no cashier for a manager's PIN, and is kept where nobody needs one", async ({
  page,
}) => {
  const over = {
    transactionId: "7F3K9Q2M4XJ8A1WU",
    status: "linked",
    reason: null,
    amount: "20.00",
    currency: "EUR",
    shop: "Demo",
  };
  const till = await openTill(page, { ...ready, people: { ...ready.people, guarded: true } });
  till.answer(({ type }) => {
    if (type === "change_settings") return { ok: false, code: "manager_needed" };
    return type === "practice_request" ? { ok: true, data: over } : { ok: true };
  });
  await page.getByRole("button", { name: en.phone.tourStart }).click();
  await page.getByRole("button", { name: "€20.00" }).click();
  await expect(page.getByText(en.phone.tour.step6)).toBeVisible();
  const kept = () => till.commands.filter(({ type }) => type === "change_settings");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(kept()).toEqual([]);
  await till.push({ ...ready, people: { ...ready.people, guarded: false } });
  await expect.poll(kept).toMatchObject([{ settings: { tourSeen: true } }]);
});

const practised = (status: string) => ({
  ok: true as const,
  data: { transactionId: "7F3K9Q2M4XJ8A1WU", status, reason: null, amount: "20.00", currency: "EUR", shop: "Demo" },
});

test("the customer may say no on the phone, and asks anew once it is over; what failed is said", async ({ page }) => {
  const till = await openTill(page, ready);
  const answers: Record<string, Reply> = { practice_request: { ok: false, code: "failed" } };
  till.answer(({ type }) => answers[type] ?? { ok: true });
  await page.getByRole("button", { name: en.phone.tourStart }).click();
  const phone = page.getByRole("complementary", { name: en.phone.title });
  await phone.getByRole("button", { name: "€20.00" }).click();
  await expect(phone.getByText(en.refusals.failed)).toBeVisible();
  answers.practice_request = practised("awaiting_sca");
  await phone.getByRole("button", { name: "€20.00" }).click();
  await expect(phone.getByText(en.refusals.failed)).toHaveCount(0);
  answers.practice_decide = practised("canceled");
  await phone.getByRole("button", { name: en.phone.deny }).click();
  await phone.getByRole("button", { name: en.phone.again }).click();
  await expect(phone.getByRole("button", { name: "€50.00" })).toBeEnabled();
  expect(till.commands.filter(({ type }) => type === "practice_decide")).toEqual([
    { type: "practice_decide", transactionId: "7F3K9Q2M4XJ8A1WU", approved: false },
  ]);
});

test("a code is shown to a till that is ready, one that was not handed out is over, and is gone with the phone", async ({
  page,
}) => {
  const till = await openTill(page, ready);
  let status = "ready";
  till.answer(({ type }) => (type.startsWith("practice_") ? practised(status) : { ok: true }));
  await page.getByRole("button", { name: en.phone.tourStart }).click();
  const phone = page.getByRole("complementary", { name: en.phone.title });
  await phone.getByRole("button", { name: "€20.00" }).click();
  const show = phone.getByRole("button", { name: en.phone.show });
  await till.push({ ...ready, screen: { ...screenOf("review").screen, step: "beside" } });
  await expect(show).toBeDisabled();
  await till.push(ready);
  await show.click();
  await expect
    .poll(() => till.commands.filter(({ type }) => type === "scan"))
    .toEqual([{ type: "scan", text: "7F3K9Q2M4XJ8A1WU", source: "typed" }]);
  status = "undelivered";
  await expect(phone.getByRole("button", { name: en.phone.again })).toBeVisible();
  const reads = () => till.commands.filter(({ type }) => type === "practice_read").length;
  await phone.getByRole("button", { name: en.phone.close, exact: true }).click();
  const before = reads();
  await page.getByRole("button", { name: en.phone.tourStart }).click();
  await expect(phone.getByText(en.phone.ask)).toBeVisible();
  expect(reads()).toBe(before);
  await phone.getByRole("button", { name: en.phone.real.start }).click();
  await expect.poll(() => till.commands.at(-1)).toEqual({ type: "open_phone_access", address: null });
});

test("what was asked for stays on the phone while something lies over the screen, and while the phone is shut", async ({
  page,
}) => {
  const asked = {
    transactionId: "7F3K9Q2M4XJ8A1WU",
    status: "ready",
    reason: null,
    amount: "20.00",
    currency: "EUR",
    shop: "Demo",
  };
  const till = await openTill(page, { ...ready, header: { ...header, connection: "starting" } });
  till.answer(({ type }) => (type.startsWith("practice_") ? { ok: true, data: asked } : { ok: true }));
  await page.getByRole("button", { name: en.phone.tourStart }).click();
  // The bank is not there yet.
  await expect(page.getByRole("button", { name: "€20.00" })).toBeDisabled();
  await till.push(ready);
  await page.getByRole("button", { name: "€20.00" }).click();
  const phone = page.getByRole("complementary", { name: en.phone.title });
  await expect(phone).toContainText("7F3K 9Q2M 4XJ8 A1WU");
  await page.getByRole("button", { name: en.manager.history }).click();
  await expect(phone).toHaveCount(0);
  await page.getByRole("button", { name: en.manager.close, exact: true }).click();
  await expect(phone).toContainText("7F3K 9Q2M 4XJ8 A1WU");
  await phone.getByRole("button", { name: en.phone.close, exact: true }).click();
  await page.getByRole("button", { name: en.phone.tourStart }).click();
  await expect(phone).toContainText("7F3K 9Q2M 4XJ8 A1WU");
});
