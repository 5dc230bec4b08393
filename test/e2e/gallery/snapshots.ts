/** Every screen of the till, as the core would describe it. One table for the tests of the screens and for looking at them. */
import {
  type Amount,
  type Header,
  type Language,
  outcomes,
  type Screen,
  type Settings,
  type Snapshot,
  settingsSchema,
} from "../../../preload/contract.ts";
import { openToAll, person, staffed } from "./people-views.ts";

/** A snapshot by the name that pictures and tests use for it. */
export interface GalleryScreen {
  readonly name: string;
  readonly snapshot: Snapshot;
}

/** The withdrawal of every screen here; its check character is right. */
export const transactionId = "7F3K9Q2M4XJ8A1WN";
const money: Amount = { amount: "150.00", currency: "EUR" };
const pieces = (...all: readonly (readonly [valueMinor: number, count: number])[]) =>
  all.map(([valueMinor, count]) => ({ valueMinor, count }));
/** Two ways to make the amount of the notes in the drawer. */
const cash = [pieces([5_000, 3]), pieces([5_000, 2], [2_000, 2], [1_000, 1])];
const of = { withdrawalId: "w-1", transactionId, money };
const paid = { ...of, cash };
/** As large as a withdrawal gets, of as many kinds of notes and coins as one can need. */
const large = {
  ...of,
  money: { amount: "1500.00", currency: "CHF" },
  cash: [pieces([20_000, 5], [10_000, 3], [5_000, 2], [2_000, 3], [1_000, 3], [500, 2])],
};

/** Short amounts of many kinds: the tiles stand below the countdown, where room is least. */
const fourKinds = {
  money: { amount: "185.00", currency: "EUR" },
  cash: [pieces([5_000, 1], [2_000, 2], [1_000, 9], [500, 1]), pieces([5_000, 3], [2_000, 1], [1_000, 1], [500, 1])],
};
const withCoins = {
  money: { amount: "37.80", currency: "EUR" },
  cash: [
    pieces([2_000, 1], [1_000, 1], [500, 1], [200, 1], [50, 1], [20, 1], [10, 1]),
    pieces([2_000, 1], [1_000, 1], [500, 1], [200, 1], [20, 4]),
  ],
};

/** A terminal at which nothing is wrong. */
export const calmHeader: Header = {
  shop: "Spar Hauptplatz",
  device: "till-1",
  identity: { serviceUrl: "https://cash.example", merchantId: "spar-0042", deviceId: "till-1" },
  profile: {
    merchantId: "spar-0042",
    name: "Spar Hauptplatz",
    limits: { currency: "EUR", min: "10.00", max: "500.00", step: "10.00" },
    scaTimeoutSeconds: 40,
    support: { text: "Zentrale, 8 bis 18 Uhr", phone: "+49 30 123456" },
  },
  training: false,
  sandboxUrl: null,
  phoneAccess: null,
  connection: "online",
  pendingReports: null,
  open: [],
  problems: 0,
  journalCheck: null,
  unfinished: 0,
  clockOffMs: null,
  sameDeviceElsewhere: false,
  damagedEntries: 0,
  journalFailing: false,
  wrongSettings: [],
  changedSettings: [],
  ownService: null,
  update: null,
  day: null,
  printing: null,
  paperLow: false,
};

/** Of a shop that counts its drawer here. */
const openDayHeader: Header = {
  ...calmHeader,
  day: { kind: "open", number: 12, openForMs: 3 * 3_600_000, currency: "EUR" },
};

/** Everything that a header can say at once, with long names. */
export const busyHeader: Header = {
  ...calmHeader,
  shop: "Kaufhaus am Hauptbahnhof GmbH",
  training: true,
  sandboxUrl: "http://127.0.0.1:8787/sandbox",
  connection: "offline",
  pendingReports: { count: 12, oldestMs: 3 * 86_400_000 },
  open: [
    { ...of, withdrawalId: "w-2", state: "unknown", sinceMs: 95_000 },
    { ...of, withdrawalId: "w-3", state: "payable", sinceMs: 300_000, money: { amount: "1250.00", currency: "CHF" } },
  ],
  clockOffMs: 3_600_000,
  sameDeviceElsewhere: true,
  damagedEntries: 3,
  day: { kind: "open", number: 12, openForMs: 3 * 3_600_000 },
  update: {
    progress: { kind: "ready", version: "0.2.0", waitsFor: "day", failedBefore: true },
    isUnattended: false,
  },
};

/** Of a terminal that nobody has set up yet. */
const newHeader: Header = {
  ...calmHeader,
  shop: "",
  device: "",
  identity: null,
  profile: null,
  connection: "starting",
};

/** The journal takes nothing. */
export const failingHeader: Header = { ...calmHeader, journalFailing: true };

/** The defaults with changes. */
export const settings = (part: Partial<Settings> = {}): Settings => ({ ...settingsSchema.parse({}), ...part });

const snapshotOf = (screen: Screen, part: Partial<Snapshot> = {}): Snapshot => ({
  revision: 1,
  screen,
  header: calmHeader,
  toast: null,
  settings: settings(),
  people: openToAll,
  ...part,
});

const waiting: Screen = {
  kind: "waiting",
  step: "1.waiting:approval",
  phase: "approval",
  countdown: { totalMs: 35_000, remainingMs: 28_000 },
  ...paid,
};
const review: Screen = {
  kind: "review",
  step: "1.review",
  shop: "Spar Hauptplatz",
  orderedMsAgo: 130_000,
  expires: { totalMs: 900_000, remainingMs: 770_000 },
  drawer: "ok",
  missing: null,
  ...paid,
};

const payable = (changes: Partial<Screen & { kind: "payable" }> = {}, part: Partial<Snapshot> = {}): Snapshot => {
  const known = { recovered: false, handOutBegun: false, rejectedHere: false, ...paid };
  return snapshotOf({ kind: "payable", step: "1.payable", ...known, ...changes }, part);
};

const opening = (drawer: (Screen & { kind: "opening" })["drawer"], recovered: boolean): Snapshot =>
  snapshotOf({ kind: "opening", step: `1.opening:${drawer}`, drawer, recovered, ...paid });

const counting = (drawer: (Screen & { kind: "counting" })["drawer"], recovered: boolean): Snapshot =>
  snapshotOf({ kind: "counting", step: "1.counting", drawer, recovered, ...paid });

const screens: Readonly<Record<string, Snapshot>> = {
  starting: snapshotOf({ kind: "starting", step: "0.starting" }),
  setup: snapshotOf(
    { kind: "setup", step: "0.setup", why: "not_enrolled", known: null },
    { header: newHeader, people: { ...openToAll, guarded: true } },
  ),
  "setup-refused": snapshotOf({
    kind: "setup",
    step: "0.setup",
    why: "credential_refused",
    known: { serviceUrl: "https://cash.example", merchantId: "spar-0042", deviceId: "till-1" },
  }),
  "setup-own-lost": snapshotOf({
    kind: "setup",
    step: "0.setup",
    why: "unsafe_service",
    known: { serviceUrl: "http://127.0.0.1:8787", merchantId: "corner-shop", deviceId: "till-1" },
  }),
  "setup-connect": snapshotOf({ kind: "ready", step: "0.ready" }, { settings: settings({ setUp: "connect" }) }),
  "setup-people": snapshotOf({ kind: "ready", step: "0.ready" }, { settings: settings({ setUp: "people" }) }),
  "setup-devices": snapshotOf({ kind: "ready", step: "0.ready" }, { settings: settings({ setUp: "devices" }) }),
  "ready-service-down": snapshotOf(
    { kind: "ready", step: "0.ready" },
    { header: { ...calmHeader, connection: "offline", ownService: { state: "restarting", why: "port_taken" } } },
  ),
  "setup-practice": snapshotOf({ kind: "ready", step: "0.ready" }, { settings: settings({ setUp: "practice" }) }),
  "blocked-journal": snapshotOf({ kind: "blocked", step: "0.blocked", why: "journal_unavailable" }),
  "blocked-other": snapshotOf({
    kind: "blocked",
    step: "0.blocked",
    why: "other_journal",
    found: { shops: ["demo-shop"], terminals: ["till-1"], open: 2 },
  }),
  ready: snapshotOf({ kind: "ready", step: "0.ready" }),
  "ready-no-day": snapshotOf(
    { kind: "ready", step: "0.ready" },
    { header: { ...calmHeader, day: { kind: "closed", number: 12, openForMs: null } } },
  ),
  "ready-not-printed": snapshotOf(
    { kind: "ready", step: "0.ready" },
    {
      header: { ...calmHeader, printing: { why: "unreachable", isUnclear: false, isRetried: true, waiting: 1 } },
    },
  ),
  "ready-print-unclear": snapshotOf(
    { kind: "ready", step: "0.ready" },
    {
      header: { ...calmHeader, printing: { why: "cover_open", isUnclear: true, isRetried: false, waiting: 12 } },
    },
  ),
  "ready-training": snapshotOf(
    { kind: "ready", step: "0.ready" },
    { header: { ...calmHeader, training: true, sandboxUrl: "http://127.0.0.1:8787/sandbox" } },
  ),
  "ready-cashier": snapshotOf(
    { kind: "ready", step: "0.ready" },
    {
      people: { ...staffed, locked: false, cashier: staffed.list[2] ?? null },
      settings: settings({
        camera: { enabled: false, deviceId: null },
        people: { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" },
      }),
    },
  ),
  locked: snapshotOf({ kind: "ready", step: "0.ready" }, { people: staffed }),
  "locked-waiting": snapshotOf(
    { kind: "ready", step: "0.ready" },
    { people: { ...staffed, list: [person("M1", "Ida Berg", 29_400)] } },
  ),
  "ready-no-manager": snapshotOf(
    { kind: "ready", step: "0.ready" },
    { people: { ...openToAll, guarded: true }, settings: settings({ camera: { enabled: false, deviceId: null } }) },
  ),
  "ready-awaiting-service": snapshotOf(
    { kind: "ready", step: "0.ready" },
    {
      people: { ...openToAll, guarded: true, isAwaitingService: true },
      header: { ...calmHeader, connection: "starting" },
    },
  ),
  "ready-offline": snapshotOf(
    { kind: "ready", step: "0.ready" },
    {
      header: { ...calmHeader, connection: "offline" },
      settings: settings({ camera: { enabled: false, deviceId: null } }),
    },
  ),
  "ready-camera-off": snapshotOf(
    { kind: "ready", step: "0.ready" },
    { header: busyHeader, settings: settings({ camera: { enabled: false, deviceId: null } }) },
  ),
  "looking-up": snapshotOf({ kind: "looking_up", step: "1.looking_up", transactionId }),
  review: snapshotOf(review),
  "review-short": snapshotOf({ ...review, cash: [], drawer: "short", missing: "50.00" } as Screen, {
    header: openDayHeader,
  }),
  "review-no-notes": snapshotOf({ ...review, cash: [], drawer: "no_notes" } as Screen),
  "review-notes-unknown": snapshotOf({ ...review, cash: [] } as Screen, { header: openDayHeader }),
  "review-uncounted": snapshotOf({ ...review, cash: [] } as Screen),
  "review-large": snapshotOf({
    ...review,
    ...large,
    shop: "Kaufhaus am Hauptbahnhof GmbH & Co. KG, Filiale Ost",
    expires: { totalMs: 900_000, remainingMs: 65_000 },
  }),
  confirming: snapshotOf({ kind: "confirming", step: "1.confirming", ...paid }),
  "waiting-approval": snapshotOf(waiting),
  "waiting-last-seconds": snapshotOf({ ...waiting, countdown: { totalMs: 35_000, remainingMs: 7_400 } }),
  "waiting-large": snapshotOf({ ...waiting, ...large }),
  "waiting-four-kinds": snapshotOf({ ...waiting, ...fourKinds }),
  "waiting-coins": snapshotOf({ ...waiting, ...withCoins }),
  "waiting-uncounted": snapshotOf({ ...waiting, cash: [] } as Screen),
  "waiting-offline": snapshotOf(waiting, { header: { ...calmHeader, connection: "offline" } }),
  "waiting-payment": snapshotOf({ ...waiting, step: "1.waiting:payment", phase: "payment", countdown: null }),
  "closing-cashier": snapshotOf({ kind: "closing", step: "1.closing", why: "cashier", ...of }),
  "closing-time-out": snapshotOf({ kind: "closing", step: "1.closing", why: "time_out", ...of }),
  payable: payable(),
  "payable-large": payable(large),
  "payable-notes-unknown": payable({ ...of, cash: [] }, { header: openDayHeader }),
  "payable-uncounted": payable({ ...of, cash: [] }),
  "payable-recovered": payable({ recovered: true }),
  "payable-rejected": payable({ recovered: true, rejectedHere: true }),
  "payable-begun": payable({ recovered: true, handOutBegun: true }),
  "payable-by-hand-begun": payable(
    { recovered: true, handOutBegun: true },
    { settings: settings({ drawer: { kind: "none" } }) },
  ),
  "opening-checking": opening("checking", false),
  "opening-opening": opening("opening", false),
  "opening-failed": opening("failed", false),
  "opening-unknown": opening("unknown", false),
  "opening-again": opening("opening", true),
  "opening-again-failed": opening("failed", true),
  "opening-again-unknown": opening("unknown", true),
  "ready-journal-failing": snapshotOf(
    { kind: "ready", step: "0.ready" },
    { header: failingHeader, settings: settings({ camera: { enabled: false, deviceId: null } }) },
  ),
  "payable-journal-failing": payable({}, { header: failingHeader }),
  "opening-journal-failing": { ...opening("opening", false), header: failingHeader },
  counting: counting("unknown", false),
  "counting-large": snapshotOf({ kind: "counting", step: "1.counting", drawer: "open", recovered: false, ...large }),
  "counting-uncounted": snapshotOf({
    kind: "counting",
    step: "1.counting",
    drawer: "open",
    recovered: false,
    ...of,
    cash: [],
  }),
  "counting-sensed": counting("open", false),
  "counting-closed": counting("closed", false),
  "counting-again": counting("unknown", true),
  "counting-journal-failing": { ...counting("open", false), header: failingHeader },
  "ended-earlier": snapshotOf({
    kind: "ended",
    step: "1.ended",
    outcome: "sca_timeout",
    transactionId,
    money,
    canRetry: false,
    late: "2026-11-20T10:00:00.000Z",
  }),
  done: snapshotOf({ kind: "done", step: "1.done", until: { totalMs: 3000, remainingMs: 3000 }, ...of }),
  unknown: snapshotOf(
    { kind: "unknown", step: "1.unknown", sinceMs: 95_000, doing: "asking_service", ...of },
    { header: { ...busyHeader, training: false, sandboxUrl: null, sameDeviceElsewhere: false, clockOffMs: null } },
  ),
  "unknown-manager": snapshotOf({
    kind: "unknown",
    step: "1.unknown",
    sinceMs: 95_000,
    doing: "manager_decides",
    ...of,
  }),
};

const endedScreens = outcomes.map((outcome): GalleryScreen => {
  const barcodeOnly = ["unknown_barcode", "no_network", "service_down", "service_refused"].includes(outcome);
  return {
    name: `ended-${outcome}`,
    snapshot: snapshotOf({
      kind: "ended",
      step: "1.ended",
      outcome,
      transactionId,
      money: barcodeOnly ? null : money,
      canRetry: outcome === "no_network" || outcome === "service_down",
      late: null,
    }),
  };
});

/** Every screen and every way a withdrawal can end. */
export const gallery: readonly GalleryScreen[] = [
  ...Object.entries(screens).map(([name, snapshot]) => ({ name, snapshot })),
  ...endedScreens,
];

/** The same screen in another language and scheme. */
export const dressed = (snapshot: Snapshot, language: Language, colorScheme: "light" | "dark"): Snapshot => ({
  ...snapshot,
  settings: { ...snapshot.settings, language, colorScheme },
});

/** The snapshot by its name. Throws when there is none. */
export const screenOf = (name: string): Snapshot => {
  const found = screens[name];
  if (!found) throw new Error(`no such screen: ${name}`);
  return found;
};
