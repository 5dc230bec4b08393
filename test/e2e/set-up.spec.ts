/** The set-up's own screens: what is typed, scanned, found and tried there, and what is sent for it. */
import type { Locator, Page } from "@playwright/test";
import { makeEnrolmentLink } from "../../backend/contract/enrolment-link.ts";
import type { Command, ConnectionReport, FoundPrinter, Reply, Settings, Snapshot } from "../../preload/contract.ts";
import de from "../../renderer/texts/de/screens.json" with { type: "json" };
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { type FakeTill, openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { calmHeader, screenOf, settings } from "./gallery/snapshots.ts";
import { accessibilityFaults } from "./stage/accessibility.ts";
import { expect, test } from "./stage/kept-page.ts";
import { chooseWay, managerPin } from "./stage/set-up.ts";
import { test as testAlone } from "./stage/shop.ts";
import { scanWithUsb } from "./stage/usb-scanner.ts";

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
const reached: Reply = { ok: true, data: { trouble: null, clockOffMs: null } };
const connects = ({ type }: Command): Reply => (type === "check_connection" ? reached : { ok: true });
const sent = <Type extends Command["type"]>(till: FakeTill, type: Type) =>
  till.commands.filter((command): command is Extract<Command, { type: Type }> => command.type === type);
const code = "F1M06XYERJMT";

test("an address without a scheme is one of https, and the field says what is called", async ({ page }) => {
  const till = await openTill(page, screenOf("setup-connect"));
  till.answer(connects);
  await page.getByLabel(en.setup.code).fill(code);
  await page.getByLabel(en.setup.serviceUrl).fill(" cash.example.com ");
  await button(page, en.setup.enroll).click();
  await expect
    .poll(() => sent(till, "enroll_by_code"))
    .toEqual([{ type: "enroll_by_code", serviceUrl: "https://cash.example.com", code }]);
  await expect(page.getByLabel(en.setup.serviceUrl)).toHaveValue("https://cash.example.com");
});

test("the first field that is wrong has the focus", async ({ page }) => {
  await openTill(page, screenOf("setup-connect"));
  await button(page, en.setup.enroll).click();
  await expect(page.getByLabel(en.setup.code)).toBeFocused();
  await page.getByLabel(en.setup.code).fill(code.replace("M06", "M60"));
  await page.keyboard.press("F9");
  await expect(page.getByText(en.setup.codeWrong)).toBeVisible();
  await page.getByLabel(en.setup.code).fill(code);
  await page.keyboard.press("F9");
  await expect(page.getByLabel(en.setup.serviceUrl)).toBeFocused();
});

/** The first step, filled, of a till that answers the test of its connection with this. */
const tested = async (page: Page, report: ConnectionReport, from: Snapshot = screenOf("setup-connect")) => {
  const till = await openTill(page, from);
  till.answer((command) => (command.type === "check_connection" ? { ok: true, data: report } : connects(command)));
  await page.getByLabel(en.setup.code).fill(code);
  await page.getByLabel(en.setup.serviceUrl).fill("https://cash.example.com");
  await button(page, en.setup.enroll).click();
  return till;
};

for (const [clockOffMs, text] of [
  [3_600_000, en.connection.clockAhead],
  [-3_600_000, en.connection.clockBehind],
] as const)
  test(`a clock that is off by ${clockOffMs} ms is said once, and a second press connects all the same`, async ({
    page,
  }) => {
    const till = await tested(page, { trouble: null, clockOffMs });
    await expect(page.getByRole("alert")).toHaveText(text.replace("{{time}}", "1 hour"));
    expect(sent(till, "enroll_by_code")).toEqual([]);
    await button(page, en.setup.anyway).click();
    await expect.poll(() => sent(till, "enroll_by_code")).toHaveLength(1);
  });

for (const [trouble, what, marked] of [
  ["refused", "is marked at the address", 1],
  ["service_down", "is no field's fault", 0],
] as const)
  test(`a connection that fails as ${trouble} ${what}`, async ({ page }) => {
    await tested(page, { trouble, clockOffMs: null });
    await expect(page.getByText(en.connection[trouble])).toBeVisible();
    await expect(page.locator('input[aria-invalid="true"]')).toHaveCount(marked);
  });

for (const [what, from] of [
  ["is connected again", screenOf("setup-refused")],
  ["has lost its people", { ...screenOf("setup"), people: { ...screenOf("setup").people, managers: "lost" } }],
] as const)
  test(`a till that ${what} begins no set-up of people`, async ({ page }) => {
    const till = await openTill(page, from);
    till.answer(connects);
    if (what === "has lost its people") await button(page, en.setup.go).click();
    else await expect(page.getByLabel(en.setup.serviceUrl)).toHaveValue("https://cash.example");
    await page.getByLabel(en.setup.code).fill(code);
    await page.getByLabel(en.setup.serviceUrl).fill("https://cash.example.com");
    await button(page, en.setup.enroll).click();
    await expect.poll(() => sent(till, "enroll_by_code")).toHaveLength(1);
    expect(sent(till, "change_settings")).toEqual([]);
  });

test("whoever tries it first goes to training, and is connected to nothing", async ({ page }) => {
  const till = await openTill(page, screenOf("setup"));
  await chooseWay(page, "byCode");
  await button(page, en.setup.tryFirst).click();
  await expect.poll(() => sent(till, "switch_purpose")).toEqual([{ type: "switch_purpose", training: true }]);
  expect(till.commands.filter(({ type }) => /^(check_connection|enroll)/.test(type))).toEqual([]);
});

test("a code that is scanned while an access key is asked for connects by itself", async ({ page }) => {
  const till = await openTill(page, screenOf("setup"));
  till.answer(connects);
  await chooseWay(page, "byKey");
  await scanWithUsb(page, makeEnrolmentLink({ serviceUrl: "https://cash.example.com", code }), {
    msPerKey: 5,
    end: "Enter",
  });
  await expect.poll(() => sent(till, "enroll_by_code")).toHaveLength(1);
});

for (const [what, press, setUp] of [
  ["works alone", en.setup.alone, "devices"],
  ["does it later", en.setup.later, "done"],
] as const)
  test(`nobody has to sign in where whoever sets it up ${what}`, async ({ page }) => {
    const ida = { code: "M1", name: "Ida", role: "manager", language: null, waitMs: 0 } as const;
    const first = { ...screenOf("ready"), settings: settings({ setUp: "people" }) };
    const till = await openTill(page, { ...first, people: { ...first.people, list: [ida] } });
    await button(page, press).click();
    const kept = () => sent(till, "change_settings").map(({ settings: to }) => [to.setUp, to.people.cashiersSignIn]);
    await expect.poll(kept).toEqual([[setUp, false]]);
  });

test("a scanned code connects by itself", async ({ page }) => {
  const till = await openTill(page, screenOf("setup-connect"));
  till.answer(connects);
  await scanWithUsb(page, makeEnrolmentLink({ serviceUrl: "https://cash.example.com", code }), {
    msPerKey: 5,
    end: "Enter",
  });
  await expect
    .poll(() => till.commands.map(({ type }) => type).filter((type) => type !== "still_here"))
    .toEqual(["check_connection", "change_settings", "enroll_by_code"]);
});

test("the manager's PIN is a step of its own: a code that was scanned before waits for it, and nothing asks for it after Connect", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("setup"));
  let hasManager = false;
  till.answer((command) => {
    if (command.type === "set_manager_pin") hasManager = true;
    const needsManager = command.type === "enroll_by_code" || command.type === "enroll";
    return needsManager && !hasManager ? { ok: false, code: "no_manager" } : connects(command);
  });
  await scanWithUsb(page, makeEnrolmentLink({ serviceUrl: "https://cash.example.com", code }), {
    msPerKey: 5,
    end: "Enter",
  });
  await expect(page.getByRole("heading", { name: en.people.firstTitle })).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await page.keyboard.type("Ida", { delay: 60 });
  for (const _ of [1, 2]) {
    await page.keyboard.press("Tab");
    await page.keyboard.type(managerPin, { delay: 60 });
  }
  await page.keyboard.press("F9");
  await expect.poll(() => sent(till, "enroll_by_code")).toHaveLength(1);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(sent(till, "set_manager_pin")).toEqual([{ type: "set_manager_pin", name: "Ida", pin: managerPin }]);
});

test("a service of one's own is one of the ways that the connection can be chosen by", async ({ page }) => {
  await openTill(page, screenOf("setup"));
  await chooseWay(page, "byCode");
  await expect(page.getByRole("heading", { name: en.setup.title })).toBeVisible();
  await button(page, en.ownService.myself).click();
  await expect(page.getByRole("heading", { name: en.ownService.shopTitle })).toBeVisible();
});

test("cashiers are added one after the other, and sign in from the first one on", async ({ page }) => {
  const first = { ...screenOf("ready"), settings: settings({ setUp: "people" }) };
  const till = await openTill(page, first);
  await expect(button(page, en.setup.alone)).toBeVisible();
  await button(page, en.setup.addCashier).click();
  await expect(page.getByText(en.people.nameMissing)).toBeVisible();
  for (const [name, pin] of [
    ["Bo", "4829"],
    ["Jo", "7305"],
  ] as const) {
    await page.keyboard.type(name, { delay: 60 });
    await page.keyboard.press("Tab");
    await page.keyboard.type(pin, { delay: 60 });
    await page.keyboard.press("Enter");
    await expect(page.getByLabel(en.people.name)).toHaveValue("");
    await expect(page.getByLabel(en.people.name)).toBeFocused();
  }
  expect(sent(till, "save_person").map(({ name, role, pin }) => [name, role, pin])).toEqual([
    ["Bo", "cashier", "4829"],
    ["Jo", "cashier", "7305"],
  ]);
  await page.keyboard.type("Al", { delay: 60 });
  await page.keyboard.press("F9");
  await expect(page.getByText(en.people.pinShort.replace("{{min}}", "4"))).toBeVisible();
  await page.keyboard.type("1111", { delay: 60 });
  // What was typed and not added is added on the way on, or says what is wrong with it.
  till.answer(({ type }) => (type === "save_person" ? { ok: false, code: "weak_pin" } : { ok: true }));
  await page.keyboard.press("F9");
  await expect(page.getByText(en.refusals.weak_pin)).toBeVisible();
  expect(sent(till, "change_settings")).toEqual([]);
  till.answer(() => ({ ok: true }));
  await page.keyboard.press("F9");
  await expect
    .poll(() => sent(till, "change_settings").map(({ settings: { setUp, people } }) => [setUp, people.cashiersSignIn]))
    .toEqual([["devices", true]]);
});

test("a cashier who was added by mistake is removed in the set-up", async ({ page }) => {
  const bo = { code: "C1", name: "Bo", role: "cashier", language: null, waitMs: 0 } as const;
  const first = { ...screenOf("ready"), settings: settings({ setUp: "people" }) };
  const till = await openTill(page, { ...first, people: { ...first.people, list: [bo] } });
  till.answer(() => ({ ok: true }));
  await button(page, `${en.people.remove}: Bo`).click();
  await expect.poll(() => sent(till, "remove_person")).toEqual([{ type: "remove_person", person: "C1" }]);
  await expect(page.getByRole("textbox", { name: en.people.name })).toBeFocused();
  till.answer(() => ({ ok: false, code: "failed" }));
  await button(page, `${en.people.remove}: Bo`).click();
  await expect(page.getByText(en.refusals.failed)).toBeVisible();
  await page.getByLabel(en.people.pin).pressSequentially("48-29", { delay: 60 });
  await expect(page.getByLabel(en.people.pin)).toHaveValue("4829");
  await page.getByLabel(en.people.pin).clear();
  await page.getByRole("switch", { name: en.people.cashiersSignIn }).click();
  await page.keyboard.press("F9");
  await expect
    .poll(() => sent(till, "change_settings").map(({ settings: { people } }) => people.cashiersSignIn))
    .toEqual([false]);
});

test("the drawer's money is counted here or elsewhere at a press, and the devices can wait", async ({ page }) => {
  const { kept, till } = await openDevices(page);
  const counts = row(page, en.devices.drawerMoney);
  await expect(counts).toContainText(en.devices.drawerMoneyOff);
  await counts.getByRole("button").click();
  await expect(counts).toContainText(en.devices.drawerMoneyOn);
  expect(kept().drawerMoney.enabled).toBe(true);
  await counts.getByRole("button").click();
  await expect(counts).toContainText(en.devices.drawerMoneyOff);
  expect(kept().drawerMoney.enabled).toBe(false);
  await button(page, en.setup.later).click();
  await expect.poll(() => sent(till, "change_settings").at(-1)?.settings.setUp).toBe("done");
});

const paper = { model: "generic", columns: 42, codePage: "auto", receipts: "customer" } as const;
const usb: FoundPrinter = {
  name: "EPSON TM-T20II",
  printer: { kind: "serial", path: "/dev/usb/lp0", baudRate: 9_600, ...paper },
};
const atNetwork: FoundPrinter = {
  name: null,
  printer: { kind: "network", host: "192.168.1.50", port: 9_100, ...paper },
};

/** The devices' step of a till that keeps its settings, as the real one does. */
const openDevices = async (page: Page, of: Partial<Settings> = {}) => {
  let now = { ...screenOf("ready"), settings: settings({ setUp: "devices", ...of }) };
  const till = await openTill(page, screenOf("ready"));
  const answers = {
    find_printers: [usb, atNetwork] as readonly FoundPrinter[],
    test_printer: "printed",
    test_drawer: "opened",
  };
  const asFrom = (reply: Readonly<Record<string, unknown>>): void =>
    till.answer((command) => {
      if (command.type === "change_settings") {
        now = { ...now, settings: command.settings };
        void till.push(now);
      }
      return command.type in reply ? { ok: true, data: reply[command.type] } : { ok: true };
    });
  asFrom(answers);
  await till.push(now);
  return { till, kept: () => now.settings, answer: (more: object) => asFrom({ ...answers, ...more }) };
};

const row = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

test("printers are found when the step opens; each is tried, and a No goes on to the next", async ({ page }) => {
  const { kept, answer, till } = await openDevices(page);
  await expect(row(page, en.settings.printer)).toContainText(en.devices.found_other.replace("{{count}}", "2"));
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  expect(sent(till, "find_printers")).toHaveLength(1);
  const first = row(page, "EPSON TM-T20II");
  await first.getByRole("button").click();
  await expect(first).toContainText(en.devices.didPrint);
  expect(kept().printer).toEqual({ kind: "none" });
  await first.getByRole("button", { name: en.devices.no }).click();
  await expect(first).toContainText(en.devices.notThis);
  expect(kept().printer).toEqual({ kind: "none" });
  const second = row(page, "192.168.1.50");
  answer({ test_printer: "no_paper" });
  await second.getByRole("button").click();
  await expect(second).toContainText(en.printing.why.no_paper);
  answer({});
  await second.getByRole("button", { name: en.devices.try }).click();
  await second.getByRole("button", { name: en.devices.yes }).click();
  await expect(row(page, en.settings.printer)).toContainText("192.168.1.50");
  expect(kept().printer).toEqual(atNetwork.printer);
});

test("a try of another printer changes nothing until somebody says that it printed: the one in use stays first", async ({
  page,
}) => {
  const { kept, answer, till } = await openDevices(page, { printer: atNetwork.printer });
  answer({ find_printers: [usb], test_printer: "unreachable" });
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  await button(page, en.devices.searchAgain).click();
  const items = page.locator("main").getByRole("listitem");
  const other = row(page, "EPSON TM-T20II");
  await other.getByRole("button").click();
  await expect(other).toContainText(en.printing.why.unreachable);
  await expect(other).not.toHaveAttribute("data-good");
  await expect(items.first()).toContainText(`192.168.1.50 · ${en.devices.inUse}`);
  await expect(items.first()).toHaveAttribute("data-good");
  expect(sent(till, "test_printer").at(-1)?.printer).toEqual(usb.printer);
  await items.first().getByRole("button").click();
  await expect(items.first()).toContainText(en.printing.why.unreachable);
  await expect(items.first()).not.toHaveAttribute("data-good");
  answer({});
  await other.getByRole("button").click();
  await expect(other).toContainText(en.devices.didPrint);
  await button(page, en.setup.good).click();
  await expect(row(page, en.settings.printer)).toContainText("192.168.1.50");
  expect(sent(till, "change_settings")).toEqual([]);
  expect(kept().printer).toEqual(atNetwork.printer);
});

test("a typed address is one row of the list, before and after its test", async ({ page }) => {
  await openDevices(page, { printer: usb.printer });
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  await page.getByLabel(en.devices.address).fill("10.0.0.9");
  const places = page.locator("main").getByRole("listitem").locator("strong + span");
  const listed = [`/dev/usb/lp0 · ${en.devices.inUse}`, "192.168.1.50", "10.0.0.9"];
  await expect(places).toHaveText(listed);
  await row(page, "10.0.0.9").getByRole("button").click();
  await expect(row(page, "10.0.0.9")).toContainText(en.devices.didPrint);
  await expect(places).toHaveText(listed);
});

test("two printers at one address are two rows, told apart by their ports; one is in use", async ({ page }) => {
  const second = { name: null, printer: { ...atNetwork.printer, port: 9_101 } } as FoundPrinter;
  const { kept, answer } = await openDevices(page, { printer: second.printer });
  answer({ find_printers: [atNetwork, second] });
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  await button(page, en.devices.searchAgain).click();
  const places = page.locator("main").getByRole("listitem").locator("strong + span");
  await expect(places).toHaveText([`192.168.1.50:9101 · ${en.devices.inUse}`, "192.168.1.50"]);
  await button(page, en.setup.good).click();
  await button(page, `${en.settings.drawer}: ${en.devices.setUp}`).click();
  const drawer = row(page, en.devices.inNetwork);
  await expect(drawer).toHaveCount(1);
  await drawer.getByRole("button").click();
  await drawer.getByRole("button", { name: en.devices.yes }).click();
  await expect.poll(() => kept().drawer).toMatchObject({ kind: "network", host: "192.168.1.50", port: 9_100 });
});

for (const name of [null, usb.name])
  test(`a port that answers to ${name ?? "no name"} is ${name ? "a" : "no"} found printer`, async ({ page }) => {
    (await openDevices(page)).answer({ find_printers: [{ ...usb, name }] });
    await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
    await button(page, en.devices.searchAgain).click();
    await expect(row(page, "/dev/usb/lp0")).toContainText(name ?? en.devices.atPort);
    await button(page, en.setup.good).click();
    const found = name ? en.devices.found_one.replace("{{count}}", "1") : en.devices.noneFound;
    await expect(row(page, en.settings.printer)).toContainText(found);
    await button(page, `${en.settings.drawer}: ${en.devices.setUp}`).click();
    await expect(page.getByText(en.devices.drawerNoPrinter)).toHaveCount(name ? 0 : 1);
    await expect(page.getByText(en.devices.drawerNext)).toHaveCount(name ? 1 : 0);
  });

test("a printer that answers but has no paper can be chosen as it is", async ({ page }) => {
  const { kept, answer } = await openDevices(page);
  answer({ test_printer: "no_paper" });
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  const printer = row(page, "192.168.1.50");
  await printer.getByRole("button").click();
  await expect(printer).toContainText(en.printing.why.no_paper);
  await printer.getByRole("button", { name: en.devices.useIt }).click();
  await expect.poll(() => kept().printer).toEqual(atNetwork.printer);
  answer({ test_printer: "unreachable" });
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  const silent = row(page, "EPSON TM-T20II");
  await silent.getByRole("button").click();
  await expect(silent).toContainText(en.printing.why.unreachable);
  await expect(silent.getByRole("button", { name: en.devices.useIt })).toHaveCount(0);
});

test("a drawer that did not open is not chosen, nor one that nobody said Yes to", async ({ page }) => {
  const { kept, answer, till } = await openDevices(page, { printer: usb.printer, drawer: { kind: "none" } });
  answer({ test_drawer: "failed" });
  await button(page, `${en.settings.drawer}: ${en.devices.setUp}`).click();
  const drawer = row(page, en.settings.drawerPrinter);
  await drawer.getByRole("button").click();
  await expect(drawer).toContainText(en.devices.drawerSays.failed);
  await expect(drawer).not.toHaveAttribute("data-good");
  expect(kept().drawer).toEqual({ kind: "none" });
  answer({});
  await drawer.getByRole("button").click();
  await expect(drawer).toContainText(en.devices.didOpen);
  await button(page, en.setup.good).click();
  await expect(row(page, en.settings.drawer).first()).toContainText(en.devices.byHand);
  expect(kept().drawer).toEqual({ kind: "none" });
  // The drawer goes with the try: nothing is kept that a crash could leave behind.
  expect(sent(till, "change_settings")).toEqual([]);
  expect(sent(till, "test_drawer")).toMatchObject([{ drawer: { kind: "printer" } }, { drawer: { kind: "printer" } }]);
});

test("what is wrong with a name or a PIN stands at its field, which has the focus", async ({ page }) => {
  const till = await openTill(page, screenOf("setup"));
  await page.getByRole("button", { name: en.setup.go }).click();
  const [name, first] = [page.getByLabel(en.people.name, { exact: true }), page.getByLabel(en.people.newPin)];
  await first.fill("1234");
  await page.keyboard.press("F9");
  await expect(name).toBeFocused();
  await expect(name).toHaveAccessibleDescription(en.people.nameMissing);
  await name.fill("Ida");
  await page.keyboard.press("F9");
  await expect(page.getByRole("alert")).toHaveText(en.people.pinShort.replace("{{min}}", "6"));
  await expect(first).toBeFocused();
  await expect(first).toHaveAttribute("aria-invalid", "true");
  await expect(first).toHaveAccessibleDescription(en.people.pinShort.replace("{{min}}", "6"));
  till.answer(() => ({ ok: false, code: "weak_pin" }));
  for (const field of [first, page.getByLabel(en.people.repeat)]) await field.fill("111111");
  await page.keyboard.press("F9");
  await expect(page.getByRole("alert")).toHaveText(en.refusals.weak_pin);
  await expect(first).toBeFocused();
  const topOf = async (field: Locator) => (await field.boundingBox())?.y;
  expect(await topOf(first)).toBe(await topOf(page.getByLabel(en.people.repeat)));
  await till.push({ ...screenOf("ready"), revision: 2, settings: settings({ setUp: "people" }) });
  const add = button(page, en.setup.addCashier);
  const places = () => Promise.all([name, page.getByLabel(new RegExp(`^${en.people.pin} `)), add].map(topOf));
  const before = await places();
  await name.fill("Bo");
  await add.click();
  await expect(page.getByRole("alert")).toHaveText(en.people.pinShort.replace("{{min}}", "4"));
  expect(await places()).toEqual(before);
});

test("the eye of a PIN field is named in the terminal's language", async ({ page }) => {
  await openTill(page, { ...screenOf("ready"), settings: settings({ setUp: "people", language: "de" }) });
  await expect(page.getByRole("button", { name: de.people.showTyped })).toBeVisible();
});

test("one that was not found is tried by its address, and none is a choice", async ({ page }) => {
  const { kept, answer } = await openDevices(page);
  answer({ find_printers: [] });
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  await button(page, en.devices.searchAgain).click();
  await expect(page.getByText(en.devices.foundNone)).toBeVisible();
  await page.getByLabel(en.devices.address).fill("8.8.8.8");
  await expect(page.getByRole("listitem")).toHaveCount(0);
  await page.getByLabel(en.devices.address).fill("10.0.0.9");
  await row(page, "10.0.0.9").getByRole("button").click();
  await row(page, "10.0.0.9").getByRole("button", { name: en.devices.yes }).click();
  await expect.poll(() => kept().printer).toMatchObject({ kind: "network", host: "10.0.0.9", port: 9_100 });
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  await button(page, en.devices.noPrinter).click();
  await expect.poll(() => kept().printer).toEqual({ kind: "none" });
});

test("the drawer is opened in the step: a No tries its other contact, a silent printer has no switch", async ({
  page,
}) => {
  const { kept, answer, till } = await openDevices(page, { printer: usb.printer, drawer: { kind: "none" } });
  const open = `${en.settings.drawer}: ${en.devices.setUp}`;
  const tried = () => sent(till, "test_drawer").at(-1)?.drawer;
  await button(page, open).click();
  const drawer = row(page, en.settings.drawerPrinter);
  await drawer.getByRole("button").click();
  await expect(drawer).toContainText(en.devices.drawerSays.opened);
  expect(tried()).toMatchObject({ kind: "printer", pulse: { pin: 2 } });
  await drawer.getByRole("button", { name: en.devices.no }).click();
  await drawer.getByRole("button").click();
  await expect(drawer).toContainText(en.devices.drawerSays.opened);
  expect(tried()).toMatchObject({ kind: "printer", pulse: { pin: 5 } });
  // A try is no choice: what happens to the program meanwhile leaves the drawer that is in use.
  expect(sent(till, "change_settings")).toEqual([]);
  await drawer.getByRole("button", { name: en.devices.yes }).click();
  await expect.poll(() => kept().drawer).toMatchObject({ kind: "printer", sensor: true, pulse: { pin: 5 } });
  answer({ test_drawer: "unknown" });
  await button(page, open).click();
  await expect(drawer).toContainText(en.devices.inUse);
  await expect(drawer).toContainText(en.devices.otherContact.replace("{{name}}", en.settings.drawerPrinter));
  await drawer.getByRole("button").click();
  await expect(drawer).toContainText(en.devices.drawerSays.unknown);
  await drawer.getByRole("button", { name: en.devices.no }).click();
  // The contact that is not the one in use does not stand as that.
  await expect(drawer).not.toContainText(en.devices.inUse);
  await expect(drawer).not.toHaveAttribute("data-good");
  await drawer.getByRole("button").click();
  await drawer.getByRole("button", { name: en.devices.yes }).click();
  await expect.poll(() => kept().drawer).toMatchObject({ kind: "printer", sensor: false, pulse: { pin: 2 } });
  await button(page, open).click();
  for (const _ of ["one contact", "the other"]) {
    await drawer.getByRole("button").click();
    await drawer.getByRole("button", { name: en.devices.no }).click();
  }
  await expect(drawer).toContainText(en.devices.notThis);
  await expect(drawer).not.toHaveAttribute("data-good");
});

test("a choice that the terminal refuses leaves its page open and says why", async ({ page }) => {
  const { till } = await openDevices(page, { printer: usb.printer, drawer: { kind: "none" } });
  till.answer(({ type }) => {
    if (type === "change_settings") return { ok: false, code: "busy" };
    return { ok: true, data: type === "find_printers" ? [usb] : type === "test_printer" ? "printed" : "opened" };
  });
  for (const [part, name, none] of [
    [en.settings.printer, "EPSON TM-T20II", en.devices.noPrinter],
    [en.settings.drawer, en.settings.drawerPrinter, en.devices.byHand],
  ] as const) {
    await button(page, `${part}: ${en.devices.setUp}`).click();
    const device = row(page, name);
    await device.getByRole("button").click();
    await device.getByRole("button", { name: en.devices.yes }).click();
    await expect(device).toContainText(en.refusals.busy);
    await expect(device).not.toHaveAttribute("data-good");
    await button(page, none).click();
    await expect(page.getByRole("alert").filter({ hasText: en.refusals.busy })).toBeVisible();
    await button(page, en.setup.good).click();
  }
});

test("a printer in use that did not print is not shown as good beside “not this one”", async ({ page }) => {
  await openDevices(page, { printer: usb.printer });
  await button(page, `${en.settings.printer}: ${en.devices.setUp}`).click();
  const used = row(page, "EPSON TM-T20II");
  await expect(used).toHaveAttribute("data-good");
  await used.getByRole("button").click();
  await used.getByRole("button", { name: en.devices.no }).click();
  await expect(used).toContainText(en.devices.notThis);
  await expect(used).not.toHaveAttribute("data-good");
});

test("practice starts by itself, and says so where it cannot", async ({ page }) => {
  const till = await openTill(page, screenOf("ready"));
  till.answer(({ type }) => (type === "switch_purpose" ? { ok: false, code: "busy" } : { ok: true }));
  await till.push(screenOf("setup-practice"));
  await expect
    .poll(() => sent(till, "switch_purpose"))
    .toEqual([{ type: "switch_purpose", training: true, practice: true }]);
  await expect(page.getByText(en.refusals.busy)).toBeVisible();
  await button(page, en.practice.finish).click();
  await expect.poll(() => sent(till, "change_settings").at(-1)?.settings.setUp).toBe("done");
});

testAlone("practice ends by itself after one withdrawal, and by a press at any time", async ({ page }) => {
  const practising = {
    ...screenOf("ready"),
    header: { ...calmHeader, training: true },
    settings: settings({ setUp: "practice" }),
  };
  await page.clock.install();
  const till = await openTill(page, practising);
  const over = { transactionId: "7F3K9Q2M4XJ8A1WU", reason: null, amount: "20.00", currency: "EUR", shop: "Demo" };
  till.answer(({ type }) =>
    type === "practice_request" ? { ok: true, data: { ...over, status: "linked" } } : { ok: true },
  );
  const phone = page.getByRole("complementary", { name: en.phone.title });
  await expect(phone).toBeVisible();
  const [leave, ask] = [phone.getByRole("button", { name: en.phone.leave }), phone.getByText(en.phone.ask)];
  const [above, below] = [await leave.boundingBox(), await ask.boundingBox()];
  expect((below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)).toBeLessThan(60);
  await phone.getByRole("button", { name: en.phone.leave }).click();
  await expect.poll(() => sent(till, "switch_purpose")).toEqual([{ type: "switch_purpose", training: false }]);
  await phone.getByRole("button", { name: "€20.00" }).click();
  await expect(phone).toContainText(en.phone.tour.over);
  expect(sent(till, "switch_purpose")).toHaveLength(1);
  await page.clock.fastForward(8_500);
  await expect.poll(() => sent(till, "switch_purpose")).toHaveLength(2);
});

test("each page of the devices passes the accessibility rules and fits from 800×600 up", async ({ page }) => {
  const found: unknown[] = [];
  await openDevices(page, { printer: usb.printer });
  for (const [width, height] of [
    [800, 600],
    [1024, 768],
    [768, 1024],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const [name, open] of [
      ["scanner", `${en.devices.scanner}: ${en.devices.nothingShows}`],
      ["printer", `${en.settings.printer}: ${en.devices.setUp}`],
      ["drawer", `${en.settings.drawer}: ${en.devices.setUp}`],
    ] as const) {
      await button(page, open).click();
      await expect(page.getByRole("heading", { level: 1, name: en.devices.title })).toHaveCount(0);
      await expect(page.locator('main [aria-disabled="true"]:not([data-off])')).toHaveCount(0);
      const faults = [...(await accessibilityFaults(page)), ...(await page.evaluate(layoutFaults))];
      if (faults.length > 0) found.push({ name, width, height, faults });
      await button(page, en.setup.good).click();
    }
  }
  expect(found).toEqual([]);
});
