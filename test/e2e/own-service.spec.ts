/** A terminal that runs the service itself, from the first start to the manager's page about it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "@playwright/test";
import type { Bridge, Command, Reply } from "../../preload/contract.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { answerOther, otherOverlaysIn } from "./gallery/other-overlays.ts";
import { button } from "./gallery/overlays.ts";
import { screenOf } from "./gallery/snapshots.ts";
import { accessibilityFaults } from "./stage/accessibility.ts";
import { test } from "./stage/kept-page.ts";
import { startTillHost } from "./stage/programs.ts";
import { test as testAlone } from "./stage/quiet-test.ts";
import { chooseWay, managerPin, setManagerPin } from "./stage/set-up.ts";

const { ownService: texts } = en;

testAlone("this terminal runs the service itself: set up, and looked at by its manager", async ({ page }) => {
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-own-e2e-"));
  const host = await startTillHost({ data, live: true });
  const field = (name: keyof typeof texts.fields) => page.getByLabel(texts.fields[name], { exact: true });
  const sound = async () => {
    expect(await page.evaluate(layoutFaults)).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
  };
  try {
    await page.setViewportSize({ width: 800, height: 600 });
    await page.goto(host.entry);
    await button(page, en.setup.go).click();
    await setManagerPin(page);
    await button(page, texts.myself).click();
    await expect(page.getByRole("heading", { name: texts.shopTitle })).toBeVisible();
    await button(page, en.setup.go).click();
    await expect(page.getByText(texts.rules.shopName)).toBeVisible();
    await sound();
    await field("shopId").fill("corner-shop");
    await field("shopName").fill("Corner shop");
    await button(page, en.setup.go).click();
    await field("bankId").fill("my-bank");
    await field("bankUrl").fill("http://bank.example");
    await button(page, texts.start).click();
    // In the open the service talks to no bank, and says so at the field.
    await expect(page.getByText(texts.rules.bankUrl)).toBeVisible();
    await sound();
    await field("bankUrl").fill("http://127.0.0.1:9");
    await button(page, texts.start).click();
    await button(page, en.setup.later).click();
    await expect(page.getByRole("heading", { level: 1, name: en.ready.title })).toBeVisible();

    await page.addLocatorHandler(page.getByLabel(en.people.pin, { exact: true }), async (pin) => {
      await pin.fill(managerPin);
      await button(page, en.people.ok).click();
    });
    await button(page, en.header.manager).click();
    await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toBeVisible();
    // A browser has nothing to set about its computer.
    await page.getByRole("tab", { name: en.manager.tabs.shop }).click();
    await expect(button(page, en.manager.rules)).toBeVisible();
    await expect(button(page, en.computer.title)).toHaveCount(0);
    const part = button(page, texts.tab);
    await expect(async () => {
      await page.getByRole("tab", { name: en.manager.tabs.support }).click();
      await part.click({ timeout: 1_000 });
      await expect(part).toHaveAttribute("aria-pressed", "true", { timeout: 1_000 });
    }).toPass();
    await expect(page.getByRole("heading", { name: texts.states.running })).toBeVisible();
    await expect(page.getByText(texts.outboxEmpty)).toBeVisible();
    await button(page, texts.backUp).click();
    await expect(page.getByText(/service-\d{8}T\d{9}Z\.db/)).toBeVisible();
    // Until the answer is there its buttons show a spinner in place of their words.
    await expect(button(page, texts.backUp)).toBeEnabled();
    await sound();
    await button(page, texts.open).click();
    await expect(page.getByText(texts.rules.certFile)).toBeVisible();
    await button(page, texts.discard).click();
    await expect(page.getByText(texts.bankFileGone)).toBeVisible();
  } finally {
    await host.child.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

const changed = (commands: readonly Command[]) =>
  commands.flatMap((one) => (one.type === "change_service" ? [one.change] : []));

test("each part of the service is kept by itself: a key does not stay on the page, a name in books is not changed", async ({
  page,
}) => {
  const overlay = otherOverlaysIn(en)["own service"];
  if (!overlay) throw new Error("no such overlay");
  const till = await openTill(page, overlay.from);
  till.answer(answerOther(overlay));
  await overlay.open(page);
  const field = (name: keyof typeof texts.fields) => page.getByLabel(texts.fields[name], { exact: true });
  await expect(page.getByText("https://cash.corner-shop.example").first()).toBeVisible();
  for (const name of ["shopId", "currency", "bankId"] as const) await expect(field(name)).toHaveAttribute("readonly");
  await expect(field("bankKey")).toHaveAttribute("type", "password");
  // A program that answers in the turn in which it is asked: the page draws nothing in between.
  await page.evaluate(async () => {
    const { till } = window as unknown as { till: { dispatch: Bridge["dispatch"] } };
    const { dispatch } = till;
    const service = await dispatch({ type: "get_service" });
    till.dispatch = async (command) => (command.type === "get_service" ? service : dispatch(command));
  });
  await field("bankKey").fill("whsec_secret");
  await button(page, texts.keep).nth(1).click();
  await expect.poll(() => changed(till.commands)).toMatchObject([{ part: "bank", bank: { key: "whsec_secret" } }]);
  await expect(field("bankKey")).toHaveValue("");
  await field("backupFolder").fill("/copies");
  await button(page, texts.keep).nth(2).click();
  await expect.poll(() => changed(till.commands).at(-1)).toEqual({ part: "backups", folder: "/copies" });
  await field("networkPort").fill("65536");
  await button(page, texts.open).click();
  await expect(page.getByText(texts.rules.networkPort)).toBeVisible();
  expect(changed(till.commands)).toHaveLength(2);
  await button(page, texts.close).click();
  await expect.poll(() => changed(till.commands).at(-1)).toEqual({ part: "network", network: null });
});

test("what the service refuses is said with its reason, also where it was started anew over it", async ({ page }) => {
  const overlay = otherOverlaysIn(en)["own service"];
  if (!overlay) throw new Error("no such overlay");
  const till = await openTill(page, overlay.from);
  const answer = answerOther(overlay);
  const refused = (fields: readonly string[], output: string): Reply => ({
    ok: true,
    data: { kind: "refused", fields, output },
  });
  const restarted = async (): Promise<void> => {
    const { header } = overlay.from;
    for (const state of ["starting", "running"] as const)
      await till.push({ ...overlay.from, header: { ...header, ownService: { state, why: null } } });
  };
  till.answer(async (command) => {
    if (command.type === "back_up_service") return refused([], "no space left on device");
    if (command.type !== "change_service") return answer(command);
    await restarted();
    return refused(["networkPort"], "the port is taken");
  });
  await overlay.open(page);
  await button(page, texts.backUp).click();
  await expect(page.getByText("no space left on device")).toBeVisible();
  await page.getByLabel(texts.fields.networkPort, { exact: true }).fill("8444");
  await button(page, texts.open).click();
  await expect(page.getByText(texts.rules.networkPort)).toBeVisible();
  await expect(page.getByLabel(texts.fields.networkPort, { exact: true })).toHaveValue("8444");
});

test("a service that does not run is started by a press", async ({ page }) => {
  const overlay = otherOverlaysIn(en)["own service"];
  if (!overlay) throw new Error("no such overlay");
  const till = await openTill(page, overlay.from);
  const answer = answerOther(overlay);
  till.answer(async (command) => {
    const reply = await answer(command);
    return command.type === "get_service" && reply.ok
      ? { ok: true, data: { ...(reply.data as object), state: "given_up", why: "failed", live: null } }
      : reply;
  });
  await overlay.open(page);
  await button(page, texts.restart).click();
  await expect.poll(() => till.commands.map(({ type }) => type)).toContain("restart_service");
});

test("a service that does not start with its certificate is closed to other machines by a press", async ({ page }) => {
  const overlay = otherOverlaysIn(en)["own service"];
  if (!overlay) throw new Error("no such overlay");
  const till = await openTill(page, overlay.from);
  const answer = answerOther(overlay);
  till.answer(async (command) => {
    const reply = await answer(command);
    return command.type === "get_service" && reply.ok
      ? { ok: true, data: { ...(reply.data as object), state: "restarting", why: "failed", live: null } }
      : reply;
  });
  await overlay.open(page);
  await expect(page.getByLabel(texts.fields.certFile, { exact: true })).toBeVisible();
  await expect(page.getByLabel(texts.fields.bankUrl, { exact: true })).toHaveCount(0);
  await button(page, texts.close).click();
  await expect.poll(() => changed(till.commands)).toEqual([{ part: "network", network: null }]);
});

test("a shop's currency goes out in capitals, and the way back from the bank leads to the shop", async ({ page }) => {
  const till = await openTill(page, screenOf("setup"));
  await chooseWay(page, "byCode");
  await button(page, texts.myself).click();
  const field = (name: keyof typeof texts.fields) => page.getByLabel(texts.fields[name], { exact: true });
  await field("shopId").fill("corner-shop");
  await field("shopName").fill("Corner shop");
  await field("currency").fill("chf");
  await button(page, en.setup.go).click();
  await expect(field("bankId")).toBeVisible();
  await button(page, en.setup.back).click();
  await expect(field("shopId")).toHaveValue("corner-shop");
  await button(page, en.setup.go).click();
  await field("bankId").fill("my-bank");
  await field("bankUrl").fill("https://bank.example");
  await button(page, texts.start).click();
  await expect
    .poll(() => till.commands.filter(({ type }) => type === "set_up_service"))
    .toMatchObject([{ shop: { id: "corner-shop", currency: "CHF" }, bank: { id: "my-bank", key: "" } }]);
});

test("where the service of this terminal is lost, the screen says so and leads to its set-up, with the shop's short name", async ({
  page,
}) => {
  await openTill(page, screenOf("setup-own-lost"));
  await expect(page.getByRole("heading", { level: 1, name: en.setup.ownTitle })).toBeVisible();
  await button(page, texts.myself).click();
  await expect(page.getByLabel(texts.fields.shopId, { exact: true })).toHaveValue("corner-shop");
});

test("where a provider's service takes this terminal no more, nobody is led to a service of their own", async ({
  page,
}) => {
  await openTill(page, screenOf("setup-refused"));
  await expect(page.getByRole("heading", { level: 1, name: en.setup.refusedTitle })).toBeVisible();
  await expect(button(page, texts.myself)).toHaveCount(0);
});
