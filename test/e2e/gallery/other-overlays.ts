/** What lies over the screens elsewhere than on a troubled *Ready*: each from its own screen, with its own answers. */
import { expect, type Page } from "@playwright/test";
import type {
  Command,
  DayReport,
  FoundPrinter,
  OwnServiceView,
  Problem,
  Reply,
  Snapshot,
} from "../../../preload/contract.ts";
import type { PaperLine } from "../../../preload/paper-line.ts";
import type { Texts } from "../../../renderer/texts/index.ts";
import { answerManager, openDay as dayInUse } from "./answers.ts";
import { button, openDay, openPart } from "./overlays.ts";
import { openToAll, staffed } from "./people-views.ts";
import { calmHeader, screenOf, transactionId } from "./snapshots.ts";

/** One of them. */
interface OtherOverlay {
  readonly from: Snapshot;
  /** What the terminal answers here; null leaves it to the manager's answers. */
  readonly answer: (command: Command) => Reply | null;
  readonly open: (page: Page) => Promise<void>;
}

const withData =
  (type: Command["type"], data: unknown): OtherOverlay["answer"] =>
  (command) =>
    command.type === type ? { ok: true, data } : null;
const refusing =
  (type: Command["type"], code: "approval_needed"): OtherOverlay["answer"] =>
  (command) =>
    command.type === type ? { ok: false, code } : null;

const ready = screenOf("ready-no-manager");
const calm: Snapshot = { ...ready, people: openToAll };
const training: Snapshot = {
  ...calm,
  header: { ...calmHeader, training: true, sandboxUrl: "http://127.0.0.1:8787/sandbox" },
};
const counts = { pieces: [{ valueMinor: 5_000, count: 2 }], otherMinor: 2_450 };

const printerAt = (host: string): FoundPrinter["printer"] => ({
  kind: "network",
  host,
  port: 9100,
  model: "generic",
  columns: 42,
  codePage: "auto",
  receipts: "customer",
});
const printers: readonly FoundPrinter[] = [
  { name: "Epson TM-T88VII", printer: printerAt("192.168.1.50") },
  { name: null, printer: printerAt("192.168.1.51") },
];
const paper: readonly PaperLine[] = [
  { kind: "text", text: "Spar Hauptplatz", style: "title", align: "center" },
  { kind: "rule" },
  { kind: "pair", label: "Counted", value: "€259.50" },
  { kind: "pair", label: "Difference", value: "-€15.00" },
];

const reports: readonly DayReport[] = [12, 11, 10].map((number) => ({
  number,
  currency: "EUR",
  openedAtMs: Date.UTC(2026, 10, 8 + number, 7),
  openedBy: "C2",
  closedAtMs: Date.UTC(2026, 10, 8 + number, 18),
  closedBy: "M1",
  approvedBy: null,
  floatMinor: 30_000,
  night:
    number === 11
      ? { leftMinor: 32_000, differenceMinor: -2_000, reason: "Rolls of coins went to the safe.", toExplain: true }
      : { leftMinor: 30_000, differenceMinor: 0, reason: "", toExplain: false },
  inMinor: 20_000,
  outMinor: 4_550,
  handOuts: 3,
  handedOutMinor: 18_000,
  otherCurrency: 0,
  otherCurrencies: [],
  drawerTests: [],
  before: { handOuts: 0, handedOutMinor: 0 },
  moves: [],
  expectedMinor: 127_450,
  count: counts,
  countedMinor: number === 11 ? 125_950 : 127_450,
  differenceMinor: number === 11 ? -1_500 : 0,
  reason: number === 11 ? "A note of 20 was given as change of 5." : "",
  counts: number === 11 ? 2 : 1,
  firstCountMinor: 127_450,
  toExplain: false,
  isBlind: false,
  everyFloat: [],
  shownTo: [],
  everyCount: [],
  clearedUp: [],
  takeOut: counts,
  takenOutMinor: 97_450,
  leftMinor: 30_000,
  over: [],
}));

const problems: readonly Problem[] = [
  { kind: "journal", withdrawalId: "journal", since: "2026-11-20T09:12:00.000Z", about: "journal_forked" },
  {
    kind: "drawer",
    withdrawalId: "night:12",
    since: "2026-11-20T07:02:00.000Z",
    about: "night_differs",
    day: 12,
    differenceMinor: -2_000,
    currency: "EUR",
    who: "C2",
  },
  {
    kind: "open",
    withdrawalId: "w-1",
    transactionId,
    money: { amount: "150.00", currency: "EUR" },
    shop: "Kaufhaus am Hauptbahnhof GmbH",
    since: "2026-11-20T16:44:02.000Z",
    about: "payable",
    otherShop: null,
    decisions: ["handed_out", "not_handed_out", "leave_to_books"],
  },
  {
    kind: "unresolved",
    withdrawalId: "w-2",
    transactionId,
    money: { amount: "1250.00", currency: "CHF" },
    shop: "Spar Hauptplatz",
    since: "2026-11-19T11:20:45.000Z",
    about: "link_refused,amount_changed",
    otherShop: "demo-shop",
    decisions: [],
  },
];

const ownService: OwnServiceView = {
  state: "running",
  why: null,
  address: "http://127.0.0.1:8790",
  database: "/home/shop/.local/state/tillcash/service/service.db",
  backupFolder: "/media/copies/tillcash",
  network: {
    publicUrl: "https://cash.corner-shop.example",
    port: 8443,
    certFile: "/etc/tls/cert.pem",
    keyFile: "/etc/tls/key.pem",
  },
  bankFile: "/home/shop/.local/state/tillcash/service/my-bank.txt",
  lastOutput: null,
  live: {
    service: {
      version: "0.1.0",
      publicUrl: "https://cash.corner-shop.example",
      outbox: { waiting: 2, oldestAt: Date.UTC(2026, 10, 20, 9) },
      backup: { file: "service-2026-11-20.db", at: Date.UTC(2026, 10, 20, 2), bytes: 1_200_000 },
    },
    shop: {
      id: "corner-shop",
      name: "Corner shop",
      currency: "EUR",
      smallest: "10.00",
      largest: "200.00",
      step: "10.00",
    },
    bank: { id: "my-bank", url: "https://bank.example/tillcash", eventsUrl: "" },
  },
};

/** By the names of their pictures, opened in a language. */
export const otherOverlaysIn = (t: Texts): Readonly<Record<string, OtherOverlay>> => {
  const manage = (tab: keyof Texts["manager"]["tabs"], part: string) => async (page: Page) => {
    await button(page, t.header.manager).click();
    await openPart(page, tab, part, t);
  };
  const openDrawer = (page: Page) => button(page, t.day.title).click();
  const inDay = (kind: "closed" | "open" | "counted"): Snapshot => ({
    ...calm,
    header: { ...calmHeader, day: { kind, number: 12, openForMs: kind === "closed" ? null : 36_000_000 } },
  });
  const none = () => null;
  const managersQuestion = { from: { ...calm, people: { ...staffed, locked: false } }, answer: none };
  const openInstead = (link: string) => async (page: Page) => {
    await button(page, t.header.manager).click();
    await button(page, link).click();
  };
  /** The pages of printers and drawers are opened by buttons of one name. */
  const setUp = (at: 1 | 2) => (page: Page) =>
    page
      .getByRole("button", { name: new RegExp(`: ${t.devices.setUp}$`) })
      .nth(at - 1)
      .click();
  /** A screen that hands out cash takes no early press. */
  const pressUntilAsked = (key: string) => (page: Page) =>
    expect(async () => {
      await page.keyboard.press(key);
      await expect(page.getByRole("dialog")).toBeVisible({ timeout: 300 });
    }).toPass();
  /** It stays open beside the screens that follow. */
  const openPhone = async (page: Page) => {
    const start = page.getByRole("button", { name: t.phone.tourStart });
    if (await start.isVisible()) await start.click();
  };
  return {
    "day begin": {
      from: inDay("closed"),
      answer: withData("get_day", { kind: "closed", next: 13, leftMinor: 30_000, handedOutMinor: 0, currency: "EUR" }),
      open: openDrawer,
    },
    "day close": {
      from: inDay("counted"),
      answer: withData("get_day", {
        ...dayInUse,
        kind: "counted",
        expected: { ...dayInUse.expected, differenceMinor: -1_500 },
        counted: { counts: 2, countedMinor: 25_950, count: counts, proposal: counts },
        over: [{ withdrawalId: "w-1", transactionId, money: { amount: "150.00", currency: "EUR" } }],
      }),
      open: openDrawer,
    },
    "day reports": {
      from: {
        ...calm,
        settings: { ...calm.settings, drawerMoney: { enabled: true, managerFor: [], differenceMinor: 0 } },
      },
      answer: withData("list_days", reports),
      open: manage("today", t.day.reports),
    },
    problems: { from: calm, answer: withData("list_problems", problems), open: manage("today", t.manager.overview) },
    "own service": {
      from: { ...calm, header: { ...calmHeader, ownService: { state: "running", why: null } } },
      answer: withData("get_service", ownService),
      open: manage("support", t.ownService.tab),
    },
    "first pin": { from: ready, answer: none, open: (page) => button(page, t.header.manager).click() },
    "manager pin": { ...managersQuestion, open: (page) => button(page, t.header.manager).click() },
    "manager's new pin": { ...managersQuestion, open: openInstead(t.people.changePin) },
    "forgotten pin": { ...managersQuestion, open: openInstead(t.people.forgotten) },
    "cashier's new pin": {
      from: screenOf("locked"),
      answer: none,
      open: (page) => button(page, t.people.changePin).click(),
    },
    "a person": {
      from: { ...calm, people: { ...staffed, locked: false, guarded: false } },
      answer: none,
      open: async (page) => {
        await button(page, t.header.manager).click();
        await openPart(page, "people", undefined, t);
        await button(page, t.people.edit).nth(2).click();
      },
    },
    "cash in": {
      from: inDay("open"),
      answer: none,
      open: async (page) => {
        await openDay(page, t);
        await button(page, t.day.cashIn).click();
        await page.getByLabel(t.day.otherSum).fill("20");
        await button(page, t.day.look).click();
      },
    },
    "open drawer": {
      from: inDay("open"),
      answer: none,
      open: async (page) => {
        await openDay(page, t);
        await button(page, t.day.noSale).click();
      },
    },
    "day closed": {
      from: inDay("counted"),
      answer: (command) =>
        command.type === "get_day"
          ? {
              ok: true,
              data: {
                ...dayInUse,
                kind: "counted",
                counted: { counts: 1, countedMinor: 25_950, count: counts, proposal: counts },
              },
            }
          : command.type === "read_day"
            ? { ok: true, data: paper }
            : null,
      open: async (page) => {
        await openDrawer(page);
        await button(page, t.day.close).click();
        await expect(page.getByText(t.day.closedTitle)).toBeVisible();
      },
    },
    "learn scanner": {
      from: calm,
      answer: none,
      open: async (page) => {
        await manage("devices", t.manager.scanner)(page);
        await button(page, t.scan.test.learn).click();
      },
    },
    "set-up printers": { from: screenOf("setup-devices"), answer: withData("find_printers", printers), open: setUp(1) },
    "set-up drawers": { from: screenOf("setup-devices"), answer: withData("find_printers", printers), open: setUp(2) },
    "set-up manager": {
      from: screenOf("setup"),
      answer: none,
      open: async (page) => {
        await page.keyboard.press("F9");
        await page.getByLabel(t.people.name).fill("Ida Berg");
      },
    },
    "set-up access key": {
      from: screenOf("setup-connect"),
      answer: none,
      open: (page) => button(page, t.setup.byKey).click(),
    },
    "not handed out": {
      from: screenOf("counting"),
      answer: none,
      open: pressUntilAsked("F8"),
    },
    approval: {
      from: { ...screenOf("counting"), people: { ...staffed, locked: false } },
      answer: refusing("open_drawer", "approval_needed"),
      open: pressUntilAsked("F7"),
    },
    "practice phone": {
      from: training,
      answer: none,
      open: openPhone,
    },
    "real phone": {
      from: {
        ...training,
        header: {
          ...training.header,
          phoneAccess: {
            url: "http://192.168.100.120:8790/K7M2QD9X",
            qr: { size: 37, path: "M4 4h7v7h-7zM26 4h7v7h-7zM4 26h7v7h-7zM14 14h9v9h-9z" },
            untilMs: Date.UTC(2026, 10, 20, 11),
            others: [{ address: "10.20.100.200", card: "Ethernet 2" }],
          },
        },
      },
      answer: none,
      open: openPhone,
    },
  };
};

/** The answers of one of them, the manager's for the rest. */
export const answerOther =
  ({ answer }: OtherOverlay) =>
  (command: Command): Reply =>
    answer(command) ?? answerManager(command);
