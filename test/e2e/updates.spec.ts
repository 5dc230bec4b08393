/** A new version that waits: a quiet line for the manager, nothing for whoever serves customers. */

import type { Command, Snapshot, UpdateProgress } from "../../preload/contract.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { answerManager } from "./gallery/answers.ts";
import { openTill } from "./gallery/fake-till.ts";
import { button, openPart } from "./gallery/overlays.ts";
import { calmHeader, gallery, screenOf } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";

const { updates: texts } = en;
const ready: UpdateProgress = { kind: "ready", version: "0.2.0", waitsFor: "day", failedBefore: false };
const at = (snapshot: Snapshot, progress: UpdateProgress): Snapshot => ({
  ...snapshot,
  header: { ...calmHeader, update: { progress, isUnattended: true } },
});
const readyText = `${texts.ready.replace("{{version}}", "0.2.0")} ${texts.waits.day}`;
const ofUpdates = ({ type }: Command): boolean =>
  ["install_update", "check_for_update", "change_settings"].includes(type);

test("a manager reads that a version waits, installs it, and sets when versions are installed", async ({ page }) => {
  const till = await openTill(page, at(screenOf("ready-camera-off"), ready));
  let isBusy = true;
  till.answer((command) => {
    if (command.type === "install_update") return isBusy ? { ok: false, code: "busy" } : { ok: true };
    return answerManager(command);
  });
  await button(page, en.header.manager).click();
  await expect(page.getByText(readyText)).toBeVisible();
  await button(page, texts.installNow).click();
  await expect(page.getByText(texts.busy)).toBeVisible();
  isBusy = false;
  await button(page, texts.installNow).click();
  await expect(page.getByText(texts.away)).toBeVisible();
  await till.push(at(screenOf("ready-camera-off"), { kind: "idle", checkedAt: null, trouble: "replayed" }));
  await expect(button(page, texts.installNow)).toHaveCount(0);

  await openPart(page, "shop", en.computer.title);
  await expect(page.getByText(texts.troubles.replayed)).toBeVisible();
  await button(page, texts.checkNow).click();
  await page.getByLabel(texts.time, { exact: true }).selectOption("between");
  await page.getByLabel(texts.from, { exact: true }).selectOption("23:00");
  await page.getByLabel(texts.channel, { exact: true }).selectOption("beta");
  await page.getByRole("switch", { name: texts.on }).uncheck();
  await expect(page.getByText(en.settings.saved, { exact: true })).toBeVisible();
  const window = { from: "23:00", to: "05:00" };
  const sent = () => till.commands.filter(ofUpdates);
  expect(sent().slice(0, 3)).toEqual([
    { type: "install_update", version: "0.2.0" },
    { type: "install_update", version: "0.2.0" },
    { type: "check_for_update" },
  ]);
  await expect
    .poll(() => sent().flatMap((command) => (command.type === "change_settings" ? command.settings.updates : [])))
    .toEqual([
      { enabled: true, channel: "latest", window: { from: "02:00", to: "05:00" } },
      { enabled: true, channel: "latest", window },
      { enabled: true, channel: "beta", window },
      { enabled: false, channel: "beta", window },
    ]);
});

test("no screen of a cashier names the version that waits", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  for (const [index, one] of gallery.entries()) {
    await till.show(at(one.snapshot, ready), `${index}.${one.name}`);
    expect(await page.locator("body").innerText(), one.name).not.toContain("0.2.0");
  }
});
