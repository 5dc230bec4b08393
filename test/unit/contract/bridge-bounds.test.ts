/** What the bridge takes from a page and what it refuses, at the bounds; and what settings come to that nobody has made. */
import { expect, test } from "vitest";
import { type Command, commandSchema, settingsSchema } from "../../../preload/contract.ts";
import { enteredSettingsSchema, protectedSettingsSchema } from "../../../preload/settings.ts";
import { shopProfileSchema } from "../../../preload/shop.ts";
import { commands } from "../../every-command.ts";

type Type = Command["type"];
const given = (type: Type, change: object) => commandSchema.safeParse({ ...commands[type], ...change });
const pieces = (...values: readonly number[]) => values.map((valueMinor) => ({ valueMinor, count: 1 }));
const counted = (otherMinor: number, ...values: readonly number[]) => ({ pieces: pieces(...values), otherMinor });
const faces = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const most = 10_000_000_000;
const approval = { person: "M1", pin: "4829" };
const text = (length: number) => "x".repeat(length);
const bank = { part: "bank", bank: { id: "b", url: "u", eventsUrl: "", key: "" } };
const network = (port: number) => ({
  change: { part: "network", network: { publicUrl: "u", port, certFile: "c", keyFile: "k" } },
});

/** Each row: a command, what is right in it, and what is not. */
const bounds: readonly (readonly [Type, readonly object[], readonly object[]])[] = [
  ["scan", [{ text: text(4096) }, { text: "" }], [{ text: text(4097) }, { source: "phone" }]],
  ["confirm", [{ step: text(100) }], [{ step: "" }, { step: text(101) }, { step: undefined }]],
  [
    "hand_out",
    [{ alreadyGiven: true }, { cash: pieces(5_000, 2_000) }, { cash: pieces(...faces(40)) }, { approval }],
    [
      ...[{ alreadyGiven: false }, { cash: pieces(5_000, 5_000) }, { cash: pieces(...faces(41)) }, { step: "" }],
      ...[{ cash: pieces(0) }, { cash: pieces(-5_000) }, { cash: pieces(0.5) }, { cash: pieces(most + 1) }],
      ...[-1, 0.5, 100_000].map((count) => ({ cash: [{ valueMinor: 5_000, count }] })),
      ...["", "M0", "M01", "X1", "M123456", "m1"].map((person) => ({ approval: { ...approval, person } })),
      ...["", "482", "4829153004829", "48 29", "４８２９", "4829\n"].map((pin) => ({ approval: { ...approval, pin } })),
    ],
  ],
  ["not_handed_out", [{ approval }], [{ reason: "" }, { reason: undefined }, { step: "" }]],
  ["open_day", [{ count: counted(most) }], [{ number: 0 }, { number: 1.5 }, { currency: "eur" }, { currency: "" }]],
  ["move_cash", [{ amountMinor: 1 }, { amountMinor: most }], [{ amountMinor: 0 }, { amountMinor: -100 }]],
  ["move_cash", [{ note: text(200) }], [{ amountMinor: 0.5 }, { amountMinor: most + 1 }, { note: text(201) }]],
  ["move_cash", [{ count: counted(100) }], [{ moveId: "" }, { direction: "on" }, { count: undefined }, { reason: "" }]],
  ["no_sale", [{ reason: "cash_count" }], [{ reason: "cash_move" }, { number: 0 }]],
  [
    "count_day",
    [{ count: counted(0) }, { count: counted(0, ...faces(40)) }],
    [
      ...[
        { count: counted(-1) },
        { count: counted(0.5) },
        { count: counted(most + 1) },
        { count: counted(0, 100, 100) },
      ],
      { count: { pieces: [{ valueMinor: most, count: 11 }], otherMinor: 0 } },
    ],
  ],
  ["recount_day", [{ counts: 2 }], [{ counts: 0 }, { counts: undefined }]],
  [
    "close_day",
    [{ over: Array(1000).fill("w") }],
    [{ over: Array(1001).fill("w") }, { over: undefined }, { counts: 0 }],
  ],
  ["close_day", [{ takeOut: counted(0, 5_000) }], [{ takeOut: counted(-1) }, { reason: text(201) }]],
  [
    "decide_withdrawal",
    [{ note: text(500) }],
    [{ note: "" }, { note: " \n" }, { note: text(501) }, { decision: "paid" }],
  ],
  ["acknowledge_problem", [{ note: " x " }], [{ note: "" }, { note: "  " }, { withdrawalId: "" }]],
  [
    "acknowledge_problem",
    [{ shown: { since: text(100), about: text(2_000) } }],
    [{ shown: { since: text(101), about: "" } }, { shown: { since: "", about: text(2_001) } }, { shown: {} }],
  ],
  ["enroll", [{}], [{ serviceUrl: "http://evil.example" }, { secret: "" }, { merchantId: "" }, { deviceId: "" }]],
  ["enroll_by_code", [{}], [{ serviceUrl: "http://evil.example" }, { code: "  " }, { code: text(41) }]],
  ["check_connection", [{}], [{ serviceUrl: "http://evil.example" }, { serviceUrl: "file:///etc/passwd" }]],
  [
    "test_printer",
    [{ printer: { kind: "network", host: "10.0.0.9" } }],
    [{ printer: { kind: "network", host: "8.8.8.8" } }, { printer: { kind: "network", host: "10.0.0.9", port: 22 } }],
  ],
  [
    "practice_request",
    [{ amount: "999999.99" }],
    [{ amount: "50" }, { amount: "-50.00" }, { amount: "1000000.00" }, { amount: "50.001" }, { amount: "x50.00" }],
  ],
  ["list_history", [{ limit: 200 }], [{ limit: 201 }, { limit: 0 }, { before: undefined }]],
  [
    "list_history",
    [{ filter: { to: "2026-11-22" } }],
    [{ filter: { from: "22.11.2026" } }, { filter: { result: "x" } }],
  ],
  ["get_figures", [{}], [{ from: "2026-11-31" }, { to: "" }, { to: "2026-11-22T00:00:00Z" }]],
  ["change_service", [{ change: bank }, network(65_535)], [network(0), network(65_536), { change: { part: "bank" } }]],
  ["open_phone_access", [{ address: "10.0.0.9" }], [{ address: "evil.example" }, { address: "10.0.0.9:80" }]],
  ["set_manager_pin", [{ pin: "482915300482" }], [{ pin: "48291" }, { pin: "4829153004829" }, { pin: "48291x" }]],
  ["reset_manager", [{}], [{ pin: "48291" }, { code: " " }, { who: { kind: "known", person: "1" } }]],
  [
    "save_person",
    [{ name: text(40) }, { pin: null }, { name: "Ötzi Ó Brien" }],
    ["", "  ", text(41), "a\nb", "a\u202eb", "a\u200bb", "a\u2028b"].map((name) => ({ name })),
  ],
];

test.each(bounds)("%s at its bounds", (type, right, wrong) => {
  for (const change of right) expect(given(type, change).success, JSON.stringify(change)).toBe(true);
  for (const change of wrong) expect(given(type, change).success, JSON.stringify(change)).toBe(false);
});

test.each<[Type, object, object]>([
  ["decide_withdrawal", { note: " looked into\n" }, { note: "looked into" }],
  ["move_cash", { note: "  coins " }, { note: "coins" }],
  ["enroll_by_code", { code: " 7F3K9Q2M4XTZ " }, { code: "7F3K9Q2M4XTZ" }],
  ["reset_manager", { code: " 7F3K9Q2M4XTZ " }, { code: "7F3K9Q2M4XTZ" }],
  ["save_person", { name: " Eve " }, { name: "Eve" }],
  // Nothing that a page leaves out is taken for agreed.
  ["open_day", { isEmpty: undefined }, { isEmpty: false }],
  ["count_day", { isEmpty: undefined }, { isEmpty: false }],
  ["get_day", { reveal: undefined }, { reveal: false }],
  ["no_sale", { note: undefined }, { note: "" }],
])("%s with %j comes in as %j", (type, change, expected) => {
  expect(given(type, change).data).toMatchObject(expected);
});

test("what an untouched terminal does about rights and cash, and what it sounds and reads like", () => {
  expect(protectedSettingsSchema.parse({})).toEqual({
    drawer: { kind: "simulated" },
    printer: { kind: "none" },
    drawerMoney: { enabled: false, managerFor: ["cash_moves", "expected"], differenceMinor: 0 },
    confirmHandOver: true,
    openOnSettled: false,
    people: { cashiersSignIn: false, lockAfterMinutes: 5, notHandedOutBy: "manager" },
    windowMode: "window",
  });
  expect(settingsSchema.parse({})).toMatchObject({
    sound: true,
    volume: 50,
    scaTimeoutSeconds: 35,
    camera: { enabled: true, deviceId: null },
    symbologies: ["code128", "qr", "aztec", "datamatrix", "pdf417"],
    fixedLength: null,
    foreignIds: null,
    keyboardScanner: { gapMs: 60, prefix: "", suffix: "", layout: "us" },
    customerDisplay: "off",
    updates: { enabled: true, channel: "latest", window: null },
  });
  const at = { kind: "network", host: "10.0.0.9" } as const;
  const pulse = { pin: 2, onMs: 50, offMs: 250 };
  const { drawer, printer } = enteredSettingsSchema.parse({ drawer: at, printer: at, foreignIds: null });
  expect(drawer).toEqual({ ...at, port: 9100, sensor: true, pulse });
  expect(printer).toEqual({ ...at, port: 9100, model: "generic", columns: 42, codePage: "auto", receipts: "customer" });
});

const ids = (lengthMin: number, lengthMax: number) => ({
  foreignIds: { lengthMin, lengthMax, alphabet: "digits", check: "luhn" },
});
const drawer = (more: object) => ({ drawer: { kind: "network", host: "10.0.0.9", ...more } });
const people = (lockAfterMinutes: number) => ({ people: { lockAfterMinutes } });
const money = (differenceMinor: number) => ({ drawerMoney: { differenceMinor } });
const between = (from: string) => ({ updates: { window: { from, to: "04:00" } } });

test.each([
  ...[ids(8, 8), ids(4, 64), drawer({}), people(1), people(60), money(50_000), between("23:59"), between("00:00")],
  ...[drawer({ pulse: { onMs: 10, offMs: 510 } }), { scaTimeoutSeconds: 39 }, { scaTimeoutSeconds: 10 }],
  ...[{ fixedLength: 4 }, { volume: 0 }, { keyboardScanner: { prefix: text(8) } }],
])("a manager may enter %j", (change) => {
  expect(enteredSettingsSchema.safeParse({ foreignIds: null, ...change }).success).toBe(true);
});

test.each([
  ...[ids(9, 8), ids(3, 8), ids(4, 65), drawer({ port: 22 }), people(0), people(61), money(-1), money(50_001)],
  ...[between("24:00"), between("2:00"), between("02:60"), between("02:00:00"), drawer({ host: "8.8.8.8" })],
  ...[drawer({ pulse: { onMs: 9 } }), drawer({ pulse: { offMs: 511 } }), drawer({ pulse: { pin: 3 } })],
  ...[{ scaTimeoutSeconds: 40 }, { scaTimeoutSeconds: 9 }, { fixedLength: 3 }, { volume: 101 }],
  ...[{ keyboardScanner: { suffix: text(9) } }, { keyboardScanner: { gapMs: 19 } }],
])("a manager may not enter %j", (change) => {
  expect(enteredSettingsSchema.safeParse({ foreignIds: null, ...change }).success).toBe(false);
});

test.each([
  ["a time to approve", 40, true],
  ["no time to approve", null, true],
  ["none at all", 0, false],
  ["one below zero", -1, false],
  ["a day of it", 86_400, false],
])("a shop with %s", (_, scaTimeoutSeconds, isTaken) => {
  const shop = { merchantId: "m", name: "M", limits: null, support: null, scaTimeoutSeconds };
  expect(shopProfileSchema.safeParse(shop).success).toBe(isTaken);
});
