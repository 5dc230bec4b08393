/** The small laws of the state: names and their hashes, what is remembered for how long, what may still pay, what settings say. */
import { describe, expect, test } from "vitest";
import {
  bookName,
  bookOf,
  hash,
  installationOf,
  isSameBook,
  isSameDevice,
  makeTerminalReference,
} from "../../../main/terminal/withdrawal/book.ts";
import { openCashOf } from "../../../main/terminal/withdrawal/drawer-day.ts";
import { type Event, upgradeEntry } from "../../../main/terminal/withdrawal/events.ts";
import { isPersonCode } from "../../../main/terminal/withdrawal/people-seen.ts";
import {
  choosesSerial,
  drawerPlace,
  newAddresses,
  placeOf,
  usableSettings,
} from "../../../main/terminal/withdrawal/settings.ts";
import {
  addCash,
  type CashGiven,
  cashWasGiven,
  mayHaveForgotten,
  type State,
} from "../../../main/terminal/withdrawal/state.ts";
import { mustAskFirst } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { type Settings, settingsSchema } from "../../../preload/contract.ts";
import { handedOut, kept, opening, payable } from "./decide-stage.ts";
import { drawerOpened } from "./entries.ts";
import { begun, confirming, given, moment, paying, rejecting, rejectingUnseen, waiting } from "./flow-stage.ts";

describe("the terminal's own ids", () => {
  test.each([
    ["till-1", "till-1", false],
    ["a".repeat(28), "a".repeat(28), false],
    ["a".repeat(29), "a".repeat(19), true],
    ["till.1", "till_1", true],
    ["Kässe 1", "K_sse_1", true],
  ])("carry the device's name, plain and short: %s", (device, name, isHashed) => {
    const id = `${name}${isHashed ? `~${hash(device)}` : ""}.tag.W1`;
    expect(makeTerminalReference(device, "tag", "W1")).toBe(id);
    expect(installationOf(device, id)).toBe("tag");
    expect(installationOf(`${device}2`, id)).toBeNull();
  });

  test.each(["till-1", "till-1.tag", ""])("what is none belongs to no installation: %j", (id) => {
    expect(installationOf("till-1", id)).toBeNull();
  });

  test("the hash is FNV-1a, in eight digits", () => {
    expect([hash(""), hash("a"), hash("foobar")]).toEqual(["811c9dc5", "e40c292c", "bf9cf968"]);
    expect(hash("till-1")).toBe("058a01b8");
  });
});

describe("whose journal it is", () => {
  const live = {
    purpose: "live",
    serviceUrl: "https://pay.example/till/",
    merchantId: "demo-shop",
    deviceId: "till-1",
  } as const;
  const training = { ...live, purpose: "training", serviceUrl: "http://127.0.0.1:1" } as const;
  test.each<[string, Parameters<typeof isSameBook>[0], boolean]>([
    ["the same", live, true],
    ["another device", { ...live, deviceId: "till-2" }, true],
    ["a path with one more slash", { ...live, serviceUrl: "https://pay.example/till//" }, true],
    ["a path without its last slashes", { ...live, serviceUrl: "https://pay.example/till" }, true],
    ["what a query adds", { ...live, serviceUrl: "https://pay.example/till/?a=1" }, true],
    ["another path", { ...live, serviceUrl: "https://pay.example/" }, false],
    ["another host", { ...live, serviceUrl: "https://pay2.example/till/" }, false],
    ["no address", { ...live, serviceUrl: "pay.example" }, false],
    ["another shop", { ...live, merchantId: "other" }, false],
    ["training", { ...live, purpose: "training" }, false],
  ])("%s", (_, other, isSame) => {
    expect(isSameBook(live, other)).toBe(isSame);
    expect(isSameDevice(live, other)).toBe(isSame && other.deviceId === "till-1");
    expect(bookName(live) === bookName(other)).toBe(isSame);
  });

  test("a terminal's book is for training or for real money", () => {
    const { purpose: _, ...device } = live;
    expect([bookOf(device, false), bookOf(device, true)]).toEqual([live, { ...live, purpose: "training" }]);
  });

  test("in training the service is one, whatever its port; an address that is none is itself", () => {
    expect(isSameBook(training, { ...training, serviceUrl: "http://127.0.0.1:2" })).toBe(true);
    // The hash is in the names of journals that lie beside: another one would not be found any more.
    expect([bookName(training), bookName(live)]).toEqual(["training-demo-shop-57cc060e", "live-demo-shop-9245c0c2"]);
    const odd = { ...live, serviceUrl: "pay" };
    expect([isSameBook(odd, odd), isSameBook(odd, { ...odd, serviceUrl: "pay2" })]).toEqual([true, false]);
    expect(bookName({ ...live, merchantId: `a..b/c${"d".repeat(60)}` })).toMatch(/^live-a-b-cd{35}-[0-9a-f]{8}$/);
  });
});

describe("cash that was given", () => {
  test("is folded away at 256, and the oldest of 5,000 are forgotten", () => {
    let cash: CashGiven = { recent: new Set(), older: new Set() };
    const add = (from: number, to: number) => {
      for (let number = from; number <= to; number += 1) cash = addCash(cash, `T${number}`);
    };
    add(1, 255);
    expect([cash.recent.size, cash.older.size]).toEqual([255, 0]);
    add(256, 256);
    expect([cash.recent.size, cash.older.size]).toEqual([0, 256]);
    add(257, 20 * 256);
    expect([cash.recent.size, cash.older.size]).toEqual([0, 5_000]);
    expect([1, 120, 121, 5_120].map((number) => cashWasGiven(cash, `T${number}`))).toEqual([false, false, true, true]);
  });
  test.each<[string, readonly Event[], boolean]>([
    ["a review", begun, false],
    ["confirming", confirming, true],
    ["approving", waiting, true],
    ["paying", paying, true],
    ["payable", payable, true],
    ["opening", opening, true],
    ["counting, what began it lost", [...begun, drawerOpened], true],
    ["rejecting after a confirm", rejecting, true],
    ["rejecting what was only looked at", rejectingUnseen, false],
    ["handed out", handedOut, false],
    ["declared", kept, false],
  ])("may still leave the drawer: %s", (_, events, mayPay) => {
    expect(openCashOf(given(...events)).length).toBe(mayPay ? 1 : 0);
  });
});

test.each<[string, number | null, boolean]>([
  ["this run did not see it paid", null, true],
  ["it was paid half a minute ago", moment.monotonicMs, false],
  ["it was paid longer ago", moment.monotonicMs - 1, true],
])("the service is asked before cash leaves the drawer, or not: %s", (_, settledMs, asks) => {
  const [one] = given(...payable).open.values();
  expect(one && mustAskFirst({ ...one, settledMs }, moment.monotonicMs + 30_000)).toBe(asks);
});

test("a restore that the service has named is not forgotten by it", () => {
  const restore = { restoredAt: "2026-01-01T00:00:00.000Z", forgotSinceMs: 1, keptHead: null };
  const state = { serviceRestore: null, restoreSaidUnder: null, keyNumber: 1 };
  const forgotten = (changes: Partial<State>) => mayHaveForgotten({ ...given(), ...state, ...changes });
  expect([forgotten({}), forgotten({ serviceRestore: restore }), forgotten({ restoreSaidUnder: 1 })]).toEqual([
    true,
    false,
    false,
  ]);
});

describe("settings", () => {
  const network = (host: string, port = 9_100) => ({ kind: "network", host, port }) as const;
  const serial = (path: string) => ({ kind: "serial", path }) as const;
  const settings = (drawer: object, printer: object = { kind: "none" }): Settings =>
    settingsSchema.parse({ drawer, printer });

  test("only addresses that are new are tested", () => {
    const before = settings(network("10.0.0.1"), network("10.0.0.2"));
    const addresses = (drawer: object, printer?: object) => newAddresses(before, settings(drawer, printer));
    expect(addresses(network("10.0.0.2"), network("10.0.0.1"))).toEqual([]);
    expect(addresses(network("10.0.0.1", 9_101), network("10.0.0.3"))).toEqual([
      { host: "10.0.0.1", port: 9_101 },
      { host: "10.0.0.3", port: 9_100 },
    ]);
    expect(addresses({ kind: "none" })).toEqual([]);
  });

  test("a device at a serial port is chosen once", () => {
    const before = settings({ kind: "none" }, serial("/dev/ttyUSB0"));
    const chosen = (printer: object) => choosesSerial(before, settings(network("10.0.0.1"), printer));
    expect([chosen(serial("/dev/ttyUSB0")), chosen(serial("/dev/ttyUSB1")), chosen({ kind: "none" })]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("where a drawer or a printer is, in as much as the journal takes", () => {
    const long = `/dev/${"x".repeat(190)}`;
    const drawer = (of: object, printer: object) =>
      drawerPlace(settings(of).drawer, settings({ kind: "none" }, printer));
    expect(placeOf(settings({ kind: "none" }, serial(long)).printer)).toBe(long.slice(0, 180));
    expect(placeOf({ ...network("h".repeat(190)), sensor: false } as unknown as Settings["drawer"])).toBe(
      `${"h".repeat(180)}:9100`,
    );
    expect(placeOf(settings({ kind: "simulated" }).drawer)).toBeNull();
    expect(drawer({ kind: "printer" }, network("10.0.0.2"))).toBe("10.0.0.2:9100");
    expect(drawer(network("10.0.0.1"), network("10.0.0.2"))).toBe("10.0.0.1:9100");
    expect(drawer({ kind: "none" }, network("10.0.0.2"))).toBeNull();
  });

  test.each<[string, object, object, boolean, string]>([
    ["a network drawer in training", network("10.0.0.1"), { kind: "none" }, true, "simulated"],
    ["a network drawer in a shop", network("10.0.0.1"), { kind: "none" }, false, "network"],
    ["a printer's drawer in training", { kind: "printer" }, network("10.0.0.2"), true, "simulated"],
    ["a printer's drawer in a shop", { kind: "printer" }, network("10.0.0.2"), false, "printer"],
    ["a printer's drawer without a printer", { kind: "printer" }, { kind: "none" }, false, "none"],
    ["a simulated drawer in training", { kind: "simulated" }, { kind: "none" }, true, "simulated"],
    ["a simulated drawer in a shop", { kind: "simulated" }, { kind: "none" }, false, "none"],
    ["no drawer in training", { kind: "none" }, network("10.0.0.2"), true, "none"],
    ["no drawer in a shop", { kind: "none" }, { kind: "none" }, false, "none"],
  ])(
    "a drawer that really opens belongs to a shop, one that pretends to training: %s",
    (_, drawer, printer, training, kind) => {
      const wanted = settings(drawer, printer);
      const usable = usableSettings(wanted, training);
      expect(usable).toEqual({ ...wanted, drawer: kind === wanted.drawer.kind ? wanted.drawer : { kind } });
    },
  );
});

test.each([
  null,
  "M1",
  5,
  ["notice_taken"],
  {},
  { type: 5 },
  { type: "toString" },
  { type: "settled", notice: "link" },
])("what is no entry of an earlier version is left as it is: %j", (entry) => {
  expect(upgradeEntry(entry)).toEqual(entry);
});

test("a person's code is one that the house gives", () => {
  const codes = ["M1", "C99999", "C0", "X1", "M", "", null, "terminal", "M1 ", "C100000"];
  expect(codes.filter(isPersonCode)).toEqual(["M1", "C99999"]);
});
