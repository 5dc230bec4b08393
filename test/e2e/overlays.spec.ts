/** What lies over the screens: the typing of a code, questions, lists, the manager's area. */

import { readFile } from "node:fs/promises";
import { type DayReport, type HistoryLine, type Reply, settingsSchema } from "../../preload/contract.ts";
import { guideOf } from "../../renderer/help/guide.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { textsOf } from "../../renderer/texts/index.ts";
import { answerManager } from "./gallery/answers.ts";
import { openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { answerOther, otherOverlaysIn } from "./gallery/other-overlays.ts";
import { button, openPart, overlays, overlaysIn, troubled } from "./gallery/overlays.ts";
import { cleared } from "./gallery/past-answers.ts";
import { busyHeader, dressed, screenOf } from "./gallery/snapshots.ts";
import { accessibilityFaults, faultsIn, isDark } from "./stage/accessibility.ts";
import { expect, test } from "./stage/kept-page.ts";
import { chooseWay } from "./stage/set-up.ts";
import { scanWithUsb } from "./stage/usb-scanner.ts";

test("what lies over the screens passes the accessibility rules in both schemes and fits", async ({ page }) => {
  const till = await openTill(page, dressed(screenOf("starting"), "en", "light"));
  till.answer(answerManager);
  for (const [name, open] of Object.entries(overlays))
    await test.step(name, async () => {
      // While money moves nothing stays open.
      await till.show(dressed(screenOf("confirming"), "en", "light"), `${name}.before`);
      await expect(page.getByRole("dialog")).toHaveCount(0);
      const step = name.replaceAll(" ", "-");
      await till.show(dressed(troubled, "en", "light"), step);
      await open(page);
      await expect(page.locator('main [aria-disabled="true"]:not([data-off])')).toHaveCount(0);
      expect.soft(await faultsIn("light")(page), name).toEqual([]);
      expect.soft(await page.evaluate(layoutFaults), name).toEqual([]);
      const shown = page.locator("main, [role=dialog]");
      const words = await shown.allInnerTexts();
      await till.push({ ...dressed(troubled, "en", "dark"), screen: { ...troubled.screen, step } });
      await isDark(page);
      expect(await shown.allInnerTexts(), `${name} is as open in the dark`).toEqual(words);
      expect.soft(await faultsIn("dark")(page), `${name}, dark`).toEqual([]);
      expect.soft(await page.evaluate(layoutFaults), `${name}, dark`).toEqual([]);
    });
});

for (const name of ["day begin", "day close"] as const)
  test(`${name}: every field, the number pad, the sum and the button are in sight without scrolling`, async ({
    page,
  }) => {
    const texts = await textsOf.de();
    const overlay = otherOverlaysIn(texts)[name];
    if (!overlay) throw new Error("no such overlay");
    const till = await openTill(page, dressed(overlay.from, "de", "light"));
    till.answer(answerOther(overlay));
    await overlay.open(page);
    const needed = page.locator("main :is([data-count], fieldset button, [type=submit], form [role=status], input)");
    await expect(page.getByLabel(texts.day.otherSum)).toBeVisible();
    for (const [width, height] of [
      [1024, 768],
      [1280, 720],
      ...(name === "day begin"
        ? ([
            [1024, 600],
            [800, 600],
          ] as const)
        : []),
    ] as const) {
      await page.setViewportSize({ width, height });
      for (const one of await needed.all()) await expect(one).toBeInViewport({ ratio: 1 });
    }
  });

test("closing the day is in sight whole on a large screen, and its sum and buttons on every one", async ({ page }) => {
  const close = otherOverlaysIn(en)["day close"];
  if (!close) throw new Error("no such overlay");
  const till = await openTill(page, close.from);
  till.answer(answerOther(close));
  await close.open(page);
  const inSight = { ratio: 1 };
  await page.setViewportSize({ width: 1920, height: 1080 });
  const last = page.getByLabel(en.day.otherSum);
  await expect(last).toBeInViewport(inSight);
  for (const [width, height] of [
    [1920, 1080],
    [1024, 768],
    [1024, 600],
    [800, 600],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(page.getByText(en.day.stays.replace("{{sum}}", "€135.00"))).toBeInViewport(inSight);
    // What keeps the button from being pressed.
    await expect(page.getByText(en.day.overNamed)).toBeInViewport(inSight);
    await expect(button(page, en.day.close)).toBeInViewport(inSight);
  }
});

test("dates are written and typed as the shop's language has them, whatever the browser's is", async ({ page }) => {
  const de = await textsOf.de();
  const till = await openTill(page, dressed(troubled, "de", "light"));
  till.answer(answerManager);
  await button(page, de.manager.history).click();
  const from = page.getByLabel(de.history.from, { exact: true });
  await expect(from).toHaveAttribute("placeholder", "TT.MM.JJJJ");
  const asked = () => till.commands.flatMap((one) => (one.type === "list_history" ? [one.filter?.from] : []));
  await from.pressSequentially("31.2.2026", { delay: 60 });
  await from.blur();
  await expect(from).toHaveValue("");
  await from.pressSequentially("2.11.2026", { delay: 60 });
  await expect.poll(() => asked().at(-1)).toBe("2026-11-02");
  expect(new Set(asked())).toEqual(new Set([null, "2026-11-02"]));
  await from.blur();
  await expect(from).toHaveValue("02.11.2026");
  // The first digit is written anew: what is there meanwhile, "2.11.2026", is a day as well, and stays as it is.
  await from.fill("22.11.2026");
  await from.press("Home");
  await from.press("Delete");
  await from.pressSequentially("1", { delay: 60 });
  await expect.poll(() => asked().at(-1)).toBe("2026-11-12");
  await expect(from).toHaveValue("12.11.2026");
  // A range is never the wrong way round: the other end goes along.
  const to = page.getByLabel(de.history.to, { exact: true });
  await to.pressSequentially("1.11.2026", { delay: 60 });
  await expect(from).toHaveValue("01.11.2026");
  await from.fill("3.11.2026");
  await expect(to).toHaveValue("03.11.2026");
  await from.clear();
  await expect(from).toHaveValue("");
  await expect.poll(() => asked().at(-1)).toBe(null);
});

test("a table's file is named in the language of the screens", async ({ page }) => {
  const de = await textsOf.de();
  const till = await openTill(page, dressed(troubled, "de", "light"));
  till.answer(answerManager);
  await overlaysIn(de, await guideOf.de()).books?.(page);
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: de.csv.saveWhat.replace("{{what}}", de.csv.sums) }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^bücher-summen-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
});

test("a withdrawal in front closes the manager's area", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  const area = page.getByRole("heading", { name: en.manager.title });
  await expect(area).toBeVisible();
  await till.push(screenOf("payable"));
  await expect(page.getByRole("heading", { name: en.payable.title })).toBeVisible();
  await expect(area).toHaveCount(0);
  await expect(button(page, en.header.manager)).toBeDisabled();
});

test("a list that was open never covers the next screen", async ({ page }) => {
  const till = await openTill(page, troubled);
  await overlays["open list"]?.(page);
  await expect(page.getByRole("dialog")).toBeVisible();
  await till.push({ ...screenOf("review"), header: busyHeader });
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("an open withdrawal comes back to the front on a press", async ({ page }) => {
  const till = await openTill(page, troubled);
  await overlays["open list"]?.(page);
  await expect(async () => {
    if (till.commands.length === 0) await page.getByRole("button", { name: en.open.payable }).click({ timeout: 1000 });
    await expect.poll(() => till.commands, { timeout: 1000 }).toEqual([{ type: "resume", withdrawalId: "w-3" }]);
  }).toPass();
});

test("while money is on its way the open withdrawals can be looked at, and none comes to the front", async ({
  page,
}) => {
  const till = await openTill(page, { ...screenOf("payable"), header: busyHeader });
  await overlays["open list"]?.(page);
  await expect(page.getByText(en.open.busy)).toBeVisible();
  await expect(page.getByRole("button", { name: en.open.payable })).toHaveAttribute("disabled");
  expect(till.commands).toEqual([]);
});

test("a problem leaves with a manager's note alone, and the list is asked for anew", async ({ page }) => {
  const overlay = otherOverlaysIn(en).problems;
  if (!overlay) throw new Error("no such overlay");
  const till = await openTill(page, overlay.from);
  till.answer(answerOther(overlay));
  await overlay.open(page);
  const [note, asked] = [page.getByLabel(en.problems.note), () => till.commands.map(({ type }) => type)];
  const [clear, given] = [button(page, en.problems.acknowledge), button(page, en.problems.handed_out)];
  await note.nth(2).fill(" ");
  for (const one of [clear.first(), given]) await expect(one).toBeDisabled();
  await note.nth(2).fill("Counted.");
  await expect(clear.first()).toBeDisabled();
  const before = asked().filter((type) => type === "list_problems").length;
  await given.click();
  const decision = { type: "decide_withdrawal", withdrawalId: "w-1", decision: "handed_out", note: "Counted." };
  await expect.poll(() => till.commands).toContainEqual(decision);
  await expect.poll(() => asked().filter((type) => type === "list_problems").length).toBe(before + 1);
});

test("a problem that says more than was read is refused, and can be read again there", async ({ page }) => {
  const overlay = otherOverlaysIn(en).problems;
  if (!overlay) throw new Error("no such overlay");
  const till = await openTill(page, overlay.from);
  const answer = answerOther(overlay);
  till.answer((command) => (command.type === "acknowledge_problem" ? { ok: false, code: "stale" } : answer(command)));
  await overlay.open(page);
  const asked = () => till.commands.filter(({ type }) => type === "list_problems").length;
  const before = asked();
  await page.getByLabel(en.problems.note).first().fill("Found.");
  await button(page, en.problems.acknowledge).first().click();
  await expect(page.getByText(en.problems.refused)).toBeVisible();
  await button(page, en.manager.again).click();
  await expect(page.getByText(en.problems.refused)).toHaveCount(0);
  expect(asked()).toBe(before + 1);
});

test("each entry of the journal that is not whole is named, what the service alone misses too", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.journal?.(page);
  const { why } = en.journal;
  await expect(page.getByRole("tabpanel").getByRole("listitem")).toHaveText(
    [`4711 ${why.hash}`, `9001 ${why.gap}`, `12 ${why.missing}`, `18100 ${why.different}`].map(
      (text) => new RegExp(`${text}$`),
    ),
  );
});

test("the books say what is still open, what a manager has cleared up, and who has more", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.books?.(page);
  const tables = page.getByRole("table");
  await expect(tables.nth(0).getByRole("row").nth(1)).toHaveText(/€5,093\.50 \(61\)€4,943\.50 \(60\)€150\.00$/);
  await expect(tables.nth(1)).not.toContainText(cleared.note);
  await expect(tables.nth(2)).toContainText(cleared.note);
  await expect(tables.nth(2).getByRole("row")).toHaveCount(2);
});

test("an answer that comes after a later one's does not take its place in the list", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  const { promise: late, resolve } = Promise.withResolvers<Reply>();
  till.answer((command) =>
    command.type === "list_history" && command.filter?.code === "7F" ? late : answerManager(command),
  );
  const find = page.getByLabel(en.history.find);
  await find.fill("7F");
  await expect
    .poll(() => till.commands)
    .toContainEqual(expect.objectContaining({ filter: expect.objectContaining({ code: "7F" }) }));
  await find.fill("7F3K");
  await expect(page.getByRole("row")).toHaveCount(3);
  resolve({ ok: true, data: [] });
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await expect(page.getByRole("row")).toHaveCount(3);
});

test("the list's file has every line, however many there are", async ({ page }) => {
  const till = await openTill(page, troubled);
  const [one] = (answerManager({ type: "list_history", before: null, limit: 1 }) as { data: HistoryLine[] }).data;
  till.answer((command) => {
    if (command.type !== "list_history" || command.limit !== 200) return answerManager(command);
    const count = command.before === null ? 200 : 1;
    return { ok: true, data: Array.from({ length: count }, (_, at) => ({ ...one, withdrawalId: `w-${at}` })) };
  });
  await overlays.history?.(page);
  const [download] = await Promise.all([page.waitForEvent("download"), button(page, en.csv.save).click()]);
  expect((await readFile(await download.path(), "utf8")).trim().split("\r\n")).toHaveLength(202);
});

test("printer and drawer are tried where they are set, and the page says what became of it", async ({ page }) => {
  const printer = { kind: "network", host: "192.168.1.50" };
  const till = await openTill(page, {
    ...troubled,
    settings: { ...troubled.settings, ...settingsSchema.parse({ printer }) },
  });
  till.answer((command) => {
    if (command.type === "test_printer") return { ok: true, data: "no_paper" };
    return command.type === "test_drawer" ? { ok: false, code: "busy" } : answerManager(command);
  });
  await overlays.settings?.(page);
  // It may have printed all day: nothing is said of tries.
  await expect(page.getByText(en.devices.inUse, { exact: true })).toBeVisible();
  await button(page, en.devices.tryPrinter).click();
  await expect(page.getByText(en.printing.notPrinted.replace("{{why}}", en.printing.why.no_paper))).toBeVisible();
  await openPart(page, "devices", en.settings.drawer);
  await button(page, en.devices.tryDrawer).click();
  await expect(page.getByText(en.devices.drawerSays.busy)).toBeVisible();
});

test("a change to training that is refused says why", async ({ page }) => {
  const till = await openTill(page, screenOf("ready"));
  till.answer((command) => (command.type === "switch_purpose" ? { ok: false, code: "busy" } : answerManager(command)));
  await overlays["shop settings"]?.(page);
  await button(page, en.practice.start).click();
  await expect(page.getByText(en.refusals.busy)).toBeVisible();
});

test("changed settings are kept at once and whole, and only where they are right", async ({ page }) => {
  // In training the drawer is always the simulated one.
  const till = await openTill(page, { ...troubled, header: { ...troubled.header, training: false } });
  await button(page, en.header.manager).click();
  await openPart(page, "devices", en.manager.scannerSettings);
  await page.getByText(en.settings.expert, { exact: true }).click();
  const sent = () => till.commands.filter(({ type }) => type === "change_settings");
  await page.getByRole("checkbox", { name: "PDF417" }).uncheck();
  await expect(page.getByText(en.settings.saved, { exact: true })).toBeVisible();
  await openPart(page, "shop", en.manager.rules);
  const seconds = page.getByLabel(en.settings.scaTimeout);
  await seconds.fill("40");
  await expect(page.getByText(en.settings.invalid)).toBeVisible();
  await page.getByRole("switch", { name: en.settings.drawerMoneyOn }).click();
  await seconds.fill("20");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: en.manager.title })).toHaveCount(0);
  const symbologies = ["code128", "qr", "aztec", "datamatrix"];
  const drawerMoney = { ...troubled.settings.drawerMoney, enabled: !troubled.settings.drawerMoney.enabled };
  await expect.poll(() => sent().length).toBe(3);
  expect(sent().map((command) => (command.type === "change_settings" ? command.settings : null))).toEqual([
    settingsSchema.parse({ ...troubled.settings, symbologies }),
    settingsSchema.parse({ ...troubled.settings, symbologies, drawerMoney }),
    settingsSchema.parse({ ...troubled.settings, symbologies, drawerMoney, scaTimeoutSeconds: 20 }),
  ]);
});

test("settings that were refused are sent again when the page is left", async ({ page }) => {
  const till = await openTill(page, { ...troubled, header: { ...troubled.header, training: false } });
  till.answer((command) =>
    command.type === "change_settings" ? { ok: false, code: "failed" } : answerManager(command),
  );
  await overlays["shop settings"]?.(page);
  await openPart(page, "shop", en.manager.rules);
  await page.getByRole("switch", { name: en.settings.drawerMoneyOn }).click();
  await expect(page.getByText(en.settings.failed, { exact: true })).toBeVisible();
  const sent = () => till.commands.filter(({ type }) => type === "change_settings");
  const [first] = sent();
  await page.keyboard.press("Escape");
  await expect.poll(() => sent().length).toBeGreaterThan(1);
  expect(sent().at(-1)).toEqual(first);
});

test("a page of the settings speaks of its own marked fields alone, and keeps what was typed there", async ({
  page,
}) => {
  await openTill(page, { ...troubled, header: { ...troubled.header, training: false } });
  await button(page, en.header.manager).click();
  await openPart(page, "shop", en.manager.rules);
  await page.getByLabel(en.settings.scaTimeout).fill("99");
  await expect(page.getByText(en.settings.invalid)).toBeVisible();
  for (const [tab, part] of [
    ["shop", en.settings.terminal],
    ["devices", en.settings.printer],
  ] as const) {
    await openPart(page, tab, part);
    await expect(page.getByText(en.settings.atOnce)).toBeVisible();
  }
  await openPart(page, "shop", en.manager.rules);
  await expect(page.getByText(en.settings.invalid)).toBeVisible();
  await expect(page.getByLabel(en.settings.scaTimeout)).toHaveValue("99");
});

test("the history goes on past its first page", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  await button(page, en.history.more).click();
  await expect(page.getByRole("row")).toHaveCount(11);
  await expect(button(page, en.history.more)).toHaveCount(0);
  await button(page, en.history.newer).click();
  await expect(page.getByRole("row")).toHaveCount(51);
  await expect(button(page, en.history.newer)).toHaveCount(0);
  // Of a third page the second is the newer one.
  const [one] = (answerManager({ type: "list_history", before: null, limit: 1 }) as { data: HistoryLine[] }).data;
  till.answer((command) =>
    command.type === "list_history"
      ? { ok: true, data: Array.from({ length: 51 }, (_, at) => ({ ...one, withdrawalId: `${command.before} ${at}` })) }
      : answerManager(command),
  );
  for (const way of [en.history.more, en.history.more, en.history.newer]) await button(page, way).click();
  const lastAsked = () =>
    till.commands.flatMap((command) => (command.type === "list_history" ? [command.before] : [])).slice(-3);
  await expect.poll(lastAsked).toEqual(["w-49", "w-49 49", "w-49"]);
});

test("of years of closed days those before the list come by a button, until the first", async ({ page }) => {
  const overlay = otherOverlaysIn(en)["day reports"];
  if (!overlay) throw new Error("no such overlay");
  const till = await openTill(page, overlay.from);
  const answer = answerOther(overlay);
  const { data } = answer({ type: "list_days" }) as { data: readonly DayReport[] };
  till.answer((command) =>
    command.type === "list_days" && command.before !== undefined
      ? { ok: true, data: data.map((one) => ({ ...one, number: one.number - 9 })) }
      : answer(command),
  );
  await overlay.open(page);
  await button(page, en.history.more).click();
  await expect(button(page, en.day.read)).toHaveCount(6);
  await expect(button(page, en.history.more)).toHaveCount(0);
  expect(till.commands.flatMap((command) => (command.type === "list_days" ? [command.before] : []))).toEqual([
    undefined,
    10,
  ]);
});

test("older closed days that cannot be read are said, and are asked for by the next press", async ({ page }) => {
  const overlay = otherOverlaysIn(en)["day reports"];
  if (!overlay) throw new Error("no such overlay");
  const till = await openTill(page, overlay.from);
  let isBroken = true;
  till.answer((command) =>
    command.type === "list_days" && command.before !== undefined
      ? isBroken
        ? { ok: false, code: "failed" }
        : { ok: true, data: [] }
      : answerOther(overlay)(command),
  );
  await overlay.open(page);
  await button(page, en.history.more).click();
  await expect(page.getByText(en.refusals.failed)).toBeVisible();
  isBroken = false;
  await button(page, en.history.more).click();
  await expect(page.getByText(en.refusals.failed)).toHaveCount(0);
  await expect(button(page, en.history.more)).toHaveCount(0);
});

test("each figure beside a chart has its line, at its height", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.figures?.(page);
  const chart = page.locator("figure", { has: page.locator("svg.recharts-surface") });
  for (const one of [chart.nth(0), chart.nth(1), chart.nth(2)]) {
    const [figures, lines] = await Promise.all(
      [".recharts-yAxis-tick-labels text", ".recharts-cartesian-grid-horizontal line"].map((them) =>
        one.locator(them).evaluateAll((all) =>
          all.map((it) => {
            const { top, bottom } = it.getBoundingClientRect();
            return (top + bottom) / 2;
          }),
        ),
      ),
    );
    const sorted = lines?.toSorted((a, b) => b - a) ?? [];
    expect(sorted).toHaveLength(5);
    expect(figures).toHaveLength(5);
    for (const [at, middle] of (figures ?? []).entries()) expect(Math.abs(middle - (sorted[at] ?? 0))).toBeLessThan(3);
  }
});

test("a scan while the manager's area is open is not acted on, and says so", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.journal?.(page);
  const before = till.commands.length;
  await scanWithUsb(page, "7F3K9Q2M4XJ8A1WC", { msPerKey: 5, end: "Enter" });
  await expect(page.getByText(en.manager.scanning)).toBeVisible();
  expect(till.commands).toHaveLength(before);
});

test("a till is set up with trimmed details, and not over http at another machine", async ({ page }) => {
  const till = await openTill(page, screenOf("setup"));
  till.answer(({ type }) =>
    type === "check_connection"
      ? { ok: true, data: { trouble: null, clockOffMs: null } }
      : type === "enroll"
        ? { ok: false, code: "denied" }
        : { ok: true },
  );
  await chooseWay(page, "byKey");
  await page.getByLabel(en.setup.serviceUrl).fill(" http://service.example ");
  await page.getByLabel(en.setup.merchantId).fill(" shop-1 ");
  await page.getByLabel(en.setup.deviceId).fill("till-1");
  // A key may begin or end in anything.
  const secret = page.getByLabel(en.setup.secret, { exact: true });
  await secret.fill(" s3cret ");
  await button(page, en.setup.enroll).click();
  await expect(page.getByText(en.setup.url)).toBeVisible();
  expect(till.commands.map(({ type }) => type)).toEqual(["set_manager_pin"]);
  await page.getByLabel(en.setup.serviceUrl).fill(" https://service.example ");
  await button(page, en.setup.enroll).click();
  await expect(page.getByText(en.refusals.denied)).toBeVisible();
  await expect(secret).toHaveAttribute("data-invalid", "true");
  expect(till.commands.map(({ type }) => type)).toEqual([
    "set_manager_pin",
    "check_connection",
    "change_settings",
    "enroll",
  ]);
  expect(till.commands.slice(-1)).toEqual([
    {
      type: "enroll",
      serviceUrl: "https://service.example",
      merchantId: "shop-1",
      deviceId: "till-1",
      secret: " s3cret ",
    },
  ]);
});

test("each step of the set-up passes the accessibility rules and fits, in both schemes and from 800×600 up", async ({
  page,
}) => {
  const found: unknown[] = [];
  const till = await openTill(page, screenOf("starting"));
  const trouble = { ok: true, data: { trouble: "name_not_found", clockOffMs: null } } as const;
  till.answer(({ type }) => (type === "check_connection" ? trouble : { ok: true }));
  const sizes = [
    [800, 600],
    [1024, 768],
    [768, 1024],
  ] as const;
  for (const [index, [width, height]] of sizes.entries()) {
    const scheme = index === 1 ? "dark" : "light";
    await page.setViewportSize({ width, height });
    const setup = dressed(screenOf("setup"), "en", scheme);
    await till.push({ ...setup, screen: { ...setup.screen, step: `${index}.setup` } });
    const look = async (name: string): Promise<void> => {
      await expect(page.locator('main [aria-disabled="true"]:not([data-off])')).toHaveCount(0);
      const faults = [...(await accessibilityFaults(page)), ...(await page.evaluate(layoutFaults))];
      if (faults.length > 0) found.push({ name, width, height, faults });
    };
    const isRead = async (title: string): Promise<void> => {
      await expect(page.getByRole("heading", { name: title })).toBeVisible();
      await expect(page.locator("[aria-live=assertive]")).toContainText(title);
    };
    await isRead(en.setup.appearanceTitle);
    // Nothing is being connected yet, and the set-up asks for the PIN itself.
    await expect(page.locator("header [role=status]")).toHaveText("");
    await look("appearance");
    await button(page, en.setup.go).click();
    await isRead(en.people.firstTitle);
    await look("manager");
    await button(page, en.setup.back).click();
    await chooseWay(page, "byCode");
    await button(page, en.setup.enroll).click();
    await expect(page.getByText(en.setup.missing).first()).toBeVisible();
    await look("code, empty");
    await page.getByLabel(en.setup.code).fill("0000-0000-0000");
    await page.getByLabel(en.setup.serviceUrl).fill("https://cash.exampel");
    await button(page, en.setup.enroll).click();
    await expect(page.getByText(en.connection.name_not_found)).toBeVisible();
    await expect(page.getByLabel(en.setup.serviceUrl)).toHaveAttribute("aria-invalid", "true");
    await look("trouble");
    await button(page, en.setup.scan).click();
    await look("scan");
  }
  expect(found).toEqual([]);
});
