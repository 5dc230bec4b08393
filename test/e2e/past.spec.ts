/** The list of withdrawals and a withdrawal's story: what is asked for, what is saved, and what each side says of it. */
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import type { Command, HistoryLine, Reply, Story, StoryStep } from "../../preload/contract.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { answerManager } from "./gallery/answers.ts";
import { openTill } from "./gallery/fake-till.ts";
import { button, overlays, troubled } from "./gallery/overlays.ts";
import { cleared } from "./gallery/past-answers.ts";
import { staffed } from "./gallery/people-views.ts";
import { settings } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";
import { test as testAlone } from "./stage/shop.ts";

const listed = (before: string | null, limit: number): readonly HistoryLine[] =>
  (answerManager({ type: "list_history", before, limit }) as { data: readonly HistoryLine[] }).data;
const [line] = listed("w-0", 1) as [HistoryLine];

test("the list is narrowed by what came of it and by its last day, from its newest on, and says whether nothing matches or nothing is there", async ({
  page,
}) => {
  const till = await openTill(page, { ...troubled, people: { ...staffed, locked: false } });
  till.answer(answerManager);
  await button(page, en.manager.history).click();
  await expect(page.getByRole("row").nth(1)).toContainText("Bo");
  await expect(page.getByRole("row").filter({ hasText: "Bo, Anna-Katharina" })).not.toHaveCount(0);
  const unclear = en.history.discrepancy.replace("{{what}}", en.discrepancies.link_refused);
  await expect(page.getByRole("row").getByText(unclear)).toBeVisible();
  await expect(button(page, en.csv.save)).toHaveCount(0);
  const asked = () => till.commands.flatMap((one) => (one.type === "list_history" ? [one] : [])).at(-1);
  await button(page, en.history.more).click();
  await expect(page.getByRole("row").first()).toBeInViewport();
  await page.getByLabel(en.history.result, { exact: true }).selectOption("not_handed_out");
  await expect.poll(asked).toMatchObject({ before: null, filter: { result: "not_handed_out" } });
  await expect(button(page, en.history.newer)).toHaveCount(0);
  const to = page.getByLabel(en.history.to, { exact: true });
  await to.fill("22/11/2026");
  await expect.poll(() => asked()?.filter?.to).toBe("2026-11-22");
  await to.clear();
  await expect.poll(() => asked()?.filter?.to).toBeNull();
  till.answer((command) => (command.type === "list_history" ? { ok: true, data: [] } : answerManager(command)));
  await to.fill("23/11/2026");
  await expect(page.getByText(en.history.none)).toBeVisible();
  await button(page, en.history.reset).click();
  await expect(page.getByText(en.history.empty)).toBeVisible();
});

test("a page that was not answered is asked for again as it was", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  till.answer((command) => (command.type === "list_history" ? { ok: false, code: "failed" } : answerManager(command)));
  await button(page, en.history.more).click();
  const again = button(page, en.manager.again);
  await expect(again).toBeVisible();
  till.answer(answerManager);
  await again.click();
  await expect(page.getByRole("row")).toHaveCount(11);
});

testAlone(
  "what is saved is what the list shows; one that ends half way is no file, and says so until it is whole",
  async ({ page }) => {
    const till = await openTill(page, troubled);
    let isBroken = true;
    till.answer((command) => {
      if (command.type !== "list_history" || command.limit !== 200) return answerManager(command);
      if (command.before === null) return { ok: true, data: Array.from({ length: 200 }, () => line) };
      return isBroken ? { ok: false, code: "failed" } : { ok: true, data: [] };
    });
    let files = 0;
    page.on("download", () => {
      files += 1;
    });
    await overlays.history?.(page);
    await page.getByLabel(en.history.result, { exact: true }).selectOption("handed_out");
    await expect(page.getByRole("row")).toHaveCount(51);
    await button(page, en.csv.save).click();
    await expect(page.getByText(en.history.partial)).toBeVisible();
    expect(files).toBe(0);
    isBroken = false;
    const [download] = await Promise.all([page.waitForEvent("download"), button(page, en.csv.save).click()]);
    expect((await readFile(await download.path(), "utf8")).trim().split("\r\n")).toHaveLength(201);
    await expect(page.getByText(en.history.partial)).toHaveCount(0);
    expect(files).toBe(1);
    const saved = till.commands.flatMap((one) => (one.type === "list_history" && one.limit === 200 ? [one] : []));
    expect(new Set(saved.map(({ filter }) => filter?.result))).toEqual(new Set(["handed_out"]));
  },
);

const printer = {
  kind: "network",
  host: "10.0.0.9",
  port: 9_100,
  model: "generic",
  columns: 42,
  codePage: "auto",
  receipts: "customer",
} as const;
const step = (
  side: StoryStep["side"],
  what: StoryStep["what"],
  second: number,
  more: Partial<StoryStep> = {},
): StoryStep => ({
  ...{ side, what, atMs: Date.UTC(2026, 10, 20, 16, 44, second), about: null, by: "C2", byName: null },
  ...more,
});
const told: Story = {
  line: { ...line, outcome: "handed_out", result: "cleared", discrepancy: null, cleared },
  service: "available",
  clockOffMs: -95_000,
  steps: [step("here", "drawer_reopened", 1, { byName: "M1" }), step("there", "there_settled", 2, { by: "partner" })],
};
/** Opens the story of a till with a printer, which answers a receipt with `printed`. */
const openStory = async (page: Page, story: Story, printed: Reply = { ok: true }, of = settings({ printer })) => {
  const people = { ...staffed, locked: false };
  const till = await openTill(page, { ...troubled, people, settings: of });
  till.answer((command: Command) => {
    if (command.type === "get_story") return { ok: true, data: story };
    return command.type === "print_receipt" ? printed : answerManager(command);
  });
  await button(page, en.manager.history).click();
  await page.getByRole("row").getByRole("button", { name: en.history.story }).first().click();
  await expect(page.getByText(en.story.steps.drawer_reopened)).toBeVisible();
  return till;
};

test("a story has each step on its side, who agreed, what was cleared up, and by how much the clocks differ", async ({
  page,
}) => {
  await openStory(page, told);
  const cells = (row: number) => page.getByRole("row").nth(row).getByRole("cell");
  await expect(cells(1).nth(1)).toContainText(en.story.steps.drawer_reopened);
  await expect(cells(1).nth(1)).toContainText(en.story.approved.replace("{{who}}", "Ida Berg"));
  await expect(cells(1).nth(2)).toBeEmpty();
  await expect(cells(2).nth(1)).toBeEmpty();
  await expect(cells(2).nth(2)).toContainText(en.story.steps.there_settled);
  await expect(page.getByText(cleared.note)).toBeVisible();
  await expect(page.getByText(en.history.cleared.replace("{{what}}", en.discrepancies.unclear))).toBeVisible();
  await expect(page.getByText(line.terminalReference)).toBeVisible();
  await expect(page.getByText(en.story.clock.replace("{{time}}", "1 minute"))).toBeVisible();
});

test("where the service could not be asked the story says so, and a second between the clocks is none", async ({
  page,
}) => {
  await openStory(page, { ...told, service: "offline", clockOffMs: 1_900 });
  await expect(page.getByText(en.story.offline)).toBeVisible();
  await expect(page.getByRole("columnheader", { name: en.story.there })).toHaveCount(0);
  await expect(page.getByText(en.story.clock.split("{{time}}")[0] ?? "")).toHaveCount(0);
});

test("a receipt is printed once more as the copy that was pressed, and is said to be sent when it was", async ({
  page,
}) => {
  const till = await openStory(page, told);
  await button(page, en.printing.shop).click();
  await expect(page.getByText(en.history.sentToPrinter)).toBeVisible();
  const sent = till.commands.filter(({ type }) => type === "print_receipt");
  expect(sent).toEqual([{ type: "print_receipt", withdrawalId: line.withdrawalId, copy: "shop" }]);
});

test("a receipt that was refused is not said to be sent", async ({ page }) => {
  const till = await openStory(page, told, { ok: false, code: "no_printer" });
  await button(page, en.printing.customer).click();
  await expect.poll(() => till.commands.at(-1)).toMatchObject({ type: "print_receipt", copy: "customer" });
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect(page.getByText(en.history.sentToPrinter)).toHaveCount(0);
});

for (const [what, story, of] of [
  [
    "of cash that was not handed out",
    { ...told, line: { ...told.line, outcome: "sca_timeout" } },
    settings({ printer }),
  ],
  ["without a printer", told, settings({ printer: { kind: "none" } })],
] as const)
  test(`there is no receipt ${what}`, async ({ page }) => {
    await openStory(page, story, { ok: true }, of);
    await expect(button(page, en.printing.customer)).toHaveCount(0);
  });
