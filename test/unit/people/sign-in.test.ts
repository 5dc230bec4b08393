/** PINs at the terminal: who is let in, who has to wait, and what a restart forgives (nothing). */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { commands } from "../../every-command.ts";
import { idNumber } from "../terminal/rig.ts";
import { answer, type Counter, codeOf, key, managerPin, openCounter, openShop, signInRule } from "./stage.ts";

const bo = { type: "save_person", person: null, name: "Bo", role: "cashier", pin: "9157" };

describe("the manager's PIN", () => {
  test("is set once, opens the session at once, and is nowhere on disk", async () => {
    const counter = await openCounter();
    expect(counter.people()).toMatchObject({ managers: "none", manager: null });
    expect(await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin })).toEqual({
      ok: true,
      data: "M1",
    });
    expect(counter.people()).toMatchObject({ managers: "set", manager: { code: "M1", name: "Ida", role: "manager" } });
    expect(await counter.press({ type: "set_manager_pin", name: "Eve", pin: "771133" })).toEqual({
      ok: false,
      code: "denied",
    });
    const file = path.join(counter.folder, "people.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(managerPin);
    expect(JSON.stringify([...counter.till.journal.read().entries])).not.toMatch(/482915|Ida/);
  });

  test("is refused when it is easy or short", async () => {
    const counter = await openCounter();
    for (const pin of ["123456", "48291"])
      expect(codeOf(await counter.press({ type: "set_manager_pin", name: "Ida", pin })), pin).toBe("weak_pin");
    expect(counter.people().managers).toBe("none");
  });

  test("is asked for again after a restart", async () => {
    const shop = await openShop();
    expect(codeOf(await shop.signIn("M1"))).toBe("ok");
    const again = await shop.restart();
    expect(again.people()).toMatchObject({ managers: "set", manager: null });
    expect([await again.signIn("M1", "771133"), await again.signIn("M1")].map(codeOf)).toEqual(["wrong_pin", "ok"]);
  });
});

describe("guessing", () => {
  test("stops after five wrong PINs, over a restart, for the right one too, until the time is over", async () => {
    const shop = await openShop();
    for (let guess = 0; guess < 5; guess += 1)
      expect(codeOf(await shop.signIn("M1", `77113${guess}`)), String(guess)).toBe("wrong_pin");
    expect(codeOf(await shop.signIn("M1"))).toBe("wait");
    expect(shop.people().list[0]?.waitMs).toBeGreaterThan(29_000);
    const again = await shop.restart();
    expect(codeOf(await again.signIn("M1"))).toBe("wait");
    await again.till.clock.advance(30_001);
    expect(codeOf(await again.signIn("M1"))).toBe("ok");
    expect(again.people().list[0]?.waitMs).toBe(0);
    const acts = again.entries().map(({ act }) => act);
    expect(acts.filter((act) => act === "sign_in_refused")).toHaveLength(5);
  });

  test("at the same moment gets no more tries than one after the other", async () => {
    const shop = await openShop();
    const replies = await Promise.all(
      Array.from({ length: 18 }, (_, guess) =>
        shop.guard.dispatch({ type: "sign_in", person: "M1", pin: `7711${10 + guess}`, as: "manager" }),
      ),
    );
    expect(replies.map(codeOf).filter((code) => code === "wrong_pin").length).toBeLessThanOrEqual(5);
    expect(replies.map(codeOf).every((code) => ["wrong_pin", "busy", "wait"].includes(code))).toBe(true);
    // Four in line, the one that is looked at among them.
    expect(replies.map(codeOf).filter((code) => code === "busy")).toHaveLength(14);
  });

  test("is not helped by a clock that is put forward", async () => {
    const shop = await openShop();
    for (let guess = 0; guess < 5; guess += 1) await shop.signIn("M1", `77113${guess}`);
    shop.till.clock.jump(86_400_000);
    expect(codeOf(await shop.signIn("M1"))).toBe("wait");
  });

  test.each([
    ["while the program runs", false],
    ["and a restart", true],
  ])("is not made longer by a clock that is set back, %s", async (_, restarts) => {
    let shop = await openShop();
    for (let guess = 0; guess < 5; guess += 1) await shop.signIn("M1", `77113${guess}`);
    shop.till.clock.jump(-3_600_000);
    if (restarts) shop = await shop.restart();
    await shop.till.clock.advance(30_001);
    expect(codeOf(await shop.signIn("M1"))).toBe("ok");
  });

  test("a PIN of somebody who waits keeps nobody else out", async () => {
    const shop = await openShop({}, 1);
    for (let guess = 0; guess < 5; guess += 1) await shop.signIn("M1", `77113${guess}`);
    expect(codeOf(await shop.signIn("C2"))).toBe("ok");
  });
});

describe("sessions", () => {
  test("end by themselves when nobody touches the terminal", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, 1);
    await shop.signIn("C2");
    await shop.signIn("M1");
    await shop.till.clock.advance(4 * 60_000);
    await shop.guard.dispatch({ type: "still_here" });
    await shop.till.clock.advance(4 * 60_000);
    expect(shop.people()).toMatchObject({ locked: false, cashier: { code: "C2" }, manager: { code: "M1" } });
    await shop.till.clock.advance(61_000);
    expect(shop.people()).toMatchObject({ locked: true, cashier: null, manager: null });
  });

  test("end though somebody presses what they may not", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, 1);
    await shop.signIn("C2");
    for (let minute = 0; minute < 6; minute += 1) {
      await shop.till.clock.advance(60_000);
      expect(codeOf(await shop.guard.dispatch({ type: "list_problems" }))).toBe("manager_needed");
    }
    expect(shop.people()).toMatchObject({ locked: true, cashier: null });
  });

  test("of a manager end after half an hour, however busy the page is", async () => {
    const shop = await openShop();
    await shop.signIn("M1");
    for (let minute = 0; minute < 31; minute += 1) {
      await shop.till.clock.advance(60_000);
      await shop.guard.dispatch({ type: "still_here" });
    }
    expect(shop.people().manager).toBeNull();
  });

  test("change from one cashier to the next without a sign-out between them", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, 2);
    await shop.signIn("C2");
    await shop.signIn("C3");
    expect(shop.people()).toMatchObject({ locked: false, cashier: { code: "C3" } });
    await shop.press({ type: "sign_out", as: "cashier" });
    expect(shop.people().locked).toBe(true);
  });

  test("end, the manager's too, when the host locks the counter", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, 1);
    await shop.signIn("C2");
    await shop.signIn("M1");
    shop.guard.lock();
    expect(shop.people()).toMatchObject({ locked: true, cashier: null, manager: null });
  });

  const again = { type: "sign_in", person: "M1", pin: managerPin, as: "manager" };
  const first = { type: "set_manager_pin", name: "Ida", pin: managerPin };
  const locked = { ok: false, code: "locked" };
  test.each<[string, () => Promise<Counter>, object, object, readonly (readonly string[])[]]>([
    ["manager", openShop, again, locked, []],
    ["cashier", () => openShop({}, 1), { ...again, person: "C2", pin: "4829", as: "cashier" }, locked, []],
    // It is set by then, and the journal has to know that there is somebody.
    ["first manager", openCounter, first, { ok: true, data: "M1" }, [["manager_pin_set", "M1", "M1"]]],
  ])("of a %s do not begin behind a lock that came while the PIN was in work", async (_, open, sent, reply, acts) => {
    const shop = await open();
    const before = shop.entries().length;
    const answered = shop.press(sent);
    shop.guard.lock();
    expect(await answered).toEqual(reply);
    expect(shop.people()).toMatchObject({ cashier: null, manager: null });
    const written = shop.entries().slice(before);
    expect(written.map(({ act, about, actor }) => [act, about, actor])).toEqual(acts);
    expect(codeOf(await shop.signIn("M1"))).toBe("ok");
    expect(shop.people().manager?.code).toBe("M1");
  });

  test("end before the first command after a sleep that stopped one of the clocks", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, 1);
    await shop.signIn("C2");
    await shop.signIn("M1");
    shop.till.clock.jump(6 * 60_000);
    expect(codeOf(await shop.guard.dispatch({ type: "list_problems" }))).toBe("manager_needed");
    expect(shop.people()).toMatchObject({ locked: true, cashier: null, manager: null });
  });

  const save = (shop: Counter, person: string | null, role: "cashier" | "manager", pin: string | null) =>
    shop.press({ type: "save_person", person, name: "Bo", role, pin });
  const secondPin = "730514";

  test("of a manager who makes themselves a cashier end at once, and do not come back with the right", async () => {
    const shop = await openShop();
    await shop.signIn("M1");
    await save(shop, null, "manager", secondPin);
    expect(codeOf(await save(shop, "M1", "manager", null))).toBe("ok");
    expect(shop.people().manager?.code).toBe("M1");
    expect(codeOf(await save(shop, "M1", "cashier", null))).toBe("ok");
    expect(shop.people().manager).toBeNull();
    expect(codeOf(await shop.guard.dispatch({ type: "list_problems" }))).toBe("manager_needed");
    await shop.signIn("M2", secondPin);
    await save(shop, "M1", "manager", managerPin);
    await shop.press({ type: "sign_out", as: "manager" });
    expect(shop.people().manager).toBeNull();
  });

  test("of a manager who makes themselves a cashier end at the counter too", async () => {
    const shop = await openShop({ settings: { people: signInRule } });
    await shop.signIn("M1");
    await save(shop, null, "manager", secondPin);
    await shop.signIn("M1", managerPin, "cashier");
    await save(shop, "M1", "manager", null);
    expect(shop.people()).toMatchObject({ cashier: { code: "M1" }, manager: { code: "M1" } });
    await save(shop, "M1", "cashier", null);
    expect(shop.people()).toMatchObject({ cashier: null, locked: true, manager: null });
  });

  test("of a manager who removes themselves end at once", async () => {
    const shop = await openShop();
    await shop.signIn("M1");
    await save(shop, null, "manager", secondPin);
    expect(codeOf(await shop.press({ type: "remove_person", person: "M1" }))).toBe("ok");
    expect(codeOf(await shop.guard.dispatch({ type: "list_problems" }))).toBe("manager_needed");
  });

  test.each<[string, "cashier" | "manager", string | null]>([
    ["right", "cashier", null],
    ["PIN", "manager", "915273"],
  ])("of a manager whose %s another one changed end, at the counter too", async (_, role, pin) => {
    const shop = await openShop({ settings: { people: signInRule } });
    await shop.signIn("M1");
    await save(shop, null, "manager", secondPin);
    await shop.signIn("M2", secondPin, "cashier");
    expect(codeOf(await save(shop, "M2", role, pin))).toBe("ok");
    expect(shop.people()).toMatchObject({ cashier: null, locked: true, manager: { code: "M1" } });
  });

  test("of a manager whose PIN was reset end at the counter too", async () => {
    const shop = await openShop({ settings: { people: signInRule } });
    await shop.signIn("M1", managerPin, "cashier");
    shop.till.service.fault = ({ path: asked }) =>
      asked === "/ext/v1/manager-resets" ? answer(201, { merchant_id: "demo-shop", device_id: "till-1" }) : null;
    const reset = {
      type: "reset_manager",
      code: "7F3K-9Q2M-4XTZ",
      who: { kind: "known", person: "M1" },
      pin: secondPin,
    };
    expect(codeOf(await shop.press(reset))).toBe("ok");
    expect(shop.people()).toMatchObject({ cashier: null, locked: true, manager: { code: "M1" } });
  });

  test("of a cashier who becomes manager need a PIN of a manager's length", async () => {
    const shop = await openShop({}, 1);
    await shop.signIn("M1");
    const seen: string[] = [];
    for (const pin of [null, "9157", secondPin]) seen.push(codeOf(await save(shop, "C2", "manager", pin)));
    expect(seen).toEqual(["weak_pin", "weak_pin", "ok"]);
    await shop.press({ type: "sign_out", as: "manager" });
    expect(
      [await shop.signIn("C2", "4829", "manager"), await shop.signIn("C2", secondPin, "manager")].map(codeOf),
    ).toEqual(["wrong_pin", "ok"]);
  });

  test("of somebody who was removed or got a new PIN end at once", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, 1);
    await shop.signIn("C2");
    await shop.signIn("M1");
    expect(codeOf(await shop.press({ ...bo, person: "C2" }))).toBe("ok");
    expect(shop.people().cashier).toBeNull();
    await shop.signIn("C2", "9157");
    expect(codeOf(await shop.press({ type: "remove_person", person: "C2" }))).toBe("ok");
    expect(shop.people()).toMatchObject({ cashier: null, locked: true });
    expect(codeOf(await shop.signIn("C2", "9157"))).toBe("wrong_pin");
    const written = shop.types().length;
    expect(codeOf(await shop.press({ type: "sign_out", as: "cashier" }))).toBe("ok");
    expect(shop.types()).toHaveLength(written);
  });
});

describe("people", () => {
  test("get codes that no later person gets, and the last manager stays", async () => {
    const shop = await openShop({}, 1);
    await shop.signIn("M1");
    expect(codeOf(await shop.press({ type: "remove_person", person: "M1" }))).toBe("denied");
    expect(codeOf(await shop.press({ type: "remove_person", person: "C2" }))).toBe("ok");
    expect(await shop.press(bo)).toEqual({ ok: true, data: "C3" });
  });

  test("change their own PIN by the old one alone", async () => {
    const shop = await openShop({}, 1);
    const change = (pin: string) => shop.press({ type: "change_pin", person: "C2", pin, newPin: "9157" });
    expect([await change("1111"), await change("4829")].map(codeOf)).toEqual(["wrong_pin", "ok"]);
    expect(codeOf(await shop.signIn("C2", "9157"))).toBe("ok");
  });

  test("end by a new PIN what the old one opened, in every role, and nobody else's session", async () => {
    const shop = await openShop({}, 1);
    await shop.signIn("M1");
    await shop.signIn("C2");
    const change = (person: string, pin: string, newPin: string) =>
      shop.press({ type: "change_pin", person, pin, newPin });
    const who = () => [shop.people().cashier?.code, shop.people().manager?.code];
    expect(codeOf(await change("C2", "1111", "9157"))).toBe("wrong_pin");
    expect(who()).toEqual(["C2", "M1"]);
    expect(codeOf(await change("C2", "4829", "9157"))).toBe("ok");
    expect(who()).toEqual([undefined, "M1"]);
    await shop.signIn("M1", managerPin, "cashier");
    expect(codeOf(await change("M1", managerPin, "730514"))).toBe("ok");
    expect(who()).toEqual([undefined, undefined]);
    expect(codeOf(await shop.press({ type: "list_problems" }))).toBe("manager_needed");
  });

  test("stay what a manager makes of them while they change their own PIN", async () => {
    const shop = await openShop();
    await shop.signIn("M1");
    await shop.press({ type: "save_person", person: null, name: "Eve", role: "manager", pin: "730514" });
    const [changed, saved] = await Promise.all([
      shop.press({ type: "change_pin", person: "M2", pin: "730514", newPin: "915736" }),
      shop.press({ type: "save_person", person: "M2", name: "Evelyn", role: "cashier", pin: null }),
    ]);
    expect([changed, saved].map(codeOf)).toEqual(["ok", "ok"]);
    expect(shop.people().list.at(-1)).toMatchObject({ code: "M2", name: "Evelyn", role: "cashier" });
  });
});

test("who is here stays on the screens when another book is opened by an enrolment", async () => {
  const counter = await openCounter({ credential: null });
  await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
  expect(codeOf(await counter.press({ type: "enroll", ...key }))).toBe("ok");
  expect(counter.till.screen().kind).toBe("ready");
  expect(counter.people()).toMatchObject({ managers: "set", manager: { code: "M1" } });
});

describe("what is written about people", () => {
  test("says what was done, about whom and by whom, also of what was refused", async () => {
    const shop = await openCounter({ settings: { people: signInRule } });
    const signIn = (person: string, pin: string, as = "cashier") => ({ type: "sign_in", person, pin, as });
    const save = (person: string | null, name: string, pin: string | null) => ({ ...bo, person, name, pin });
    const reset = (who: object) => ({ type: "reset_manager", code: "X", who, pin: "730514" });
    type Written = readonly [act: string, about: string | null, actor: string];
    const steps: readonly (readonly [object, unknown, ...Written[]])[] = [
      [{ type: "set_manager_pin", name: "Ida", pin: managerPin }, "ok", ["manager_pin_set", "M1", "M1"]],
      [save(null, "Bo", "4829"), "ok", ["person_added", "C2", "M1"]],
      [save("C2", "Bob", null), "ok", ["person_changed", "C2", "M1"]],
      [save(null, "Al", "1111"), "weak_pin"],
      [signIn("C2", "4829"), "ok", ["cashier_signed_in", "C2", "C2"]],
      [signIn("C2", "4829", "manager"), "manager_needed"],
      [signIn("C2", "1111"), "wrong_pin", ["sign_in_refused", "C2", "counter"]],
      [signIn("C9", "1111"), "wrong_pin", ["sign_in_refused", null, "counter"]],
      [{ type: "still_here" }, "ok"],
      [{ type: "change_pin", person: "C2", pin: "4829", newPin: "1111" }, "weak_pin"],
      [{ type: "change_pin", person: "C2", pin: "4829", newPin: "9157" }, "ok", ["pin_changed", "C2", "C2"]],
      [signIn("C2", "9157"), "ok", ["cashier_signed_in", "C2", "C2"]],
      [save(null, "Al", "9157"), "ok", ["person_added", "C3", "M1"]],
      [{ type: "sign_out", as: "manager" }, "ok", ["manager_signed_out", "M1", "M1"]],
      [signIn("M1", managerPin, "manager"), "ok", ["manager_signed_in", "M1", "M1"]],
      [{ type: "sign_out", as: "cashier" }, "ok", ["cashier_signed_out", "C2", "C2"]],
      [{ type: "sign_out", as: "cashier" }, "ok"],
      [signIn("M1", managerPin), "ok", ["cashier_signed_in", "M1", "M1"]],
      [{ type: "sign_out", as: "manager" }, "ok", ["manager_signed_out", "M1", "M1"]],
      [reset({ kind: "known", person: "M1" }), "unreachable", ["manager_reset_refused", "M1", "counter"]],
      [reset({ kind: "new", name: "Eve" }), "unreachable", ["manager_reset_refused", null, "counter"]],
      [signIn("M1", managerPin, "manager"), "ok", ["manager_signed_in", "M1", "M1"]],
      [signIn("C3", "9157"), "ok", ["cashier_signed_in", "C3", "C3"]],
      [{ type: "remove_person", person: "C2" }, "ok", ["person_removed", "C2", "M1"]],
    ];
    shop.till.service.fault = ({ path: asked }) => (asked.endsWith("manager-resets") ? answer(404, undefined) : null);
    const acts = () =>
      shop
        .entries()
        .filter(({ type }) => type === "act")
        .map(({ act, about, actor }) => [act, about, actor]);
    for (const [command, reply, ...written] of steps) {
      const before = acts().length;
      const given = await shop.press(command);
      expect([codeOf(given), acts().slice(before)], JSON.stringify(command)).toEqual([reply, written]);
    }
    const before = acts().length;
    await shop.till.clock.advance(6 * 60_000);
    expect(acts().slice(before)).toEqual([
      ["cashier_session_ended", "C3", "counter"],
      ["manager_session_ended", "M1", "counter"],
    ]);
  });

  test("names the cashier for what is done at the counter, and the manager for what is a manager's", async () => {
    const shop = await openShop({ settings: { people: signInRule, drawer: { kind: "none" } } }, 1);
    await shop.signIn("M1");
    const actors = async (command: object) => {
      const before = shop.types().length;
      await shop.press(command);
      return shop
        .entries()
        .slice(before)
        .map(({ actor }) => actor)
        .filter((one) => one !== "terminal");
    };
    const count = { pieces: [], otherMinor: 90_000 };
    const open = { type: "open_day", number: 1, currency: "EUR", count, isEmpty: false };
    const { settings } = shop.till.snapshot();
    const change = (lockAfterMinutes: number) => ({
      type: "change_settings",
      settings: { ...settings, people: { ...signInRule, lockAfterMinutes } },
    });
    expect(new Set(await actors(change(6)))).toEqual(new Set(["M1"]));
    await shop.signIn("C2");
    expect(new Set(await actors(change(7)))).toEqual(new Set(["M1"]));
    const enabled = { ...settings, drawerMoney: { ...settings.drawerMoney, enabled: true } };
    await actors({ type: "change_settings", settings: { ...enabled, people: signInRule } });
    expect(await actors(open)).toEqual(["C2"]);
    shop.till.service.order({ transaction_id: idNumber(1), status: "ready" });
    await actors({ type: "scan", text: idNumber(1), source: "typed" });
    expect(await actors({ type: "confirm" })).toEqual(["C2"]);
    const order = shop.till.service.orders.get(idNumber(1));
    if (order !== undefined) order.status = "settled";
    await shop.till.clock.advance(1_500);
    expect(await actors({ type: "not_handed_out", reason: "other" })).toEqual(["C2"]);
  });

  test("a wrong PIN beside a command is written and costs a try; no approval is none", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, 1);
    await shop.signIn("C2");
    const day = (approval?: object) => shop.press({ type: "get_day", reveal: false, approval });
    expect(codeOf(await day())).toBe("ok");
    const before = shop.types().length;
    for (const person of ["M9", "M1"]) expect(codeOf(await day({ person, pin: "111222" }))).toBe("wrong_pin");
    const written = shop.entries().slice(before);
    expect(written).toMatchObject([
      { act: "approval_refused", about: null, actor: "C2" },
      { act: "approval_refused", about: "M1", actor: "C2" },
    ]);
    for (let guess = 0; guess < 4; guess++) await day({ person: "M1", pin: "111222" });
    expect(shop.people().list[0]?.waitMs).toBe(30_000);
  });
});

describe("the screens", () => {
  test("are told when who must sign in changes, and not with each press", async () => {
    const shop = await openShop({}, 1);
    await shop.signIn("M1");
    expect(shop.people().locked).toBe(false);
    const settings = { ...shop.till.snapshot().settings, people: signInRule };
    expect(codeOf(await shop.press({ type: "change_settings", settings }))).toBe("ok");
    expect(shop.people().locked).toBe(true);
    const seen = shop.till.snapshots.length;
    await shop.guard.dispatch({ type: "still_here" });
    expect(shop.till.snapshots).toHaveLength(seen);
  });

  test("are told nothing by a guard that is closed, and no session of it is looked at", async () => {
    const shop = await openShop();
    const said = shop.people();
    shop.till.terminal.show({ people: { ...said, managers: "none" } });
    expect(shop.people().managers).toBe("set");
    const { timers } = shop.till.clock;
    shop.guard.close();
    expect(shop.till.clock.timers).toBe(timers - 1);
    shop.till.terminal.show({ people: { ...said, managers: "none" } });
    expect(shop.people().managers).toBe("none");
  });
});

describe("a terminal that is being set up", () => {
  const answerTo = async (shop: Counter, type: keyof typeof commands): Promise<string> =>
    codeOf(await shop.guard.dispatch(commands[type]));

  test("is open to whoever is there until it has a manager", async () => {
    const shop = await openCounter({ credential: null });
    expect(await answerTo(shop, "check_connection")).not.toBe("no_manager");
    await shop.press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
    await shop.press({ type: "sign_out", as: "manager" });
    for (const type of ["check_connection", "enroll", "enroll_by_code"] as const)
      expect(await answerTo(shop, type), type).toBe("manager_needed");
  });

  test("is not open any more when its key is refused", async () => {
    const { service } = (await openCounter()).till;
    service.fault = ({ path: asked }) =>
      asked === "/oauth2/authorize" ? answer(401, { error: "invalid_client" }) : null;
    const shop = await openCounter({ service });
    expect(shop.till.screen()).toMatchObject({ kind: "setup", why: "credential_refused" });
    expect(await answerTo(shop, "check_connection")).toBe("no_manager");
  });

  test("in training asks for the PIN once there is one", async () => {
    const shop = await openCounter({ training: true });
    expect([shop.people().guarded, await answerTo(shop, "list_problems")]).toEqual([false, "ok"]);
    await shop.press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
    await shop.press({ type: "sign_out", as: "manager" });
    expect([shop.people().guarded, await answerTo(shop, "list_problems")]).toEqual([true, "manager_needed"]);
  });

  test("with its people lost and no service lets whoever is there look at the connection, and no more", async () => {
    const shop = await openCounter({ hasEarlierLife: true, credential: null });
    expect(shop.people().managers).toBe("lost");
    expect(await answerTo(shop, "check_connection")).not.toBe("manager_needed");
    for (const type of ["change_settings", "enroll"] as const)
      expect(await answerTo(shop, type), type).toBe("manager_needed");
    const enrolled = await openCounter({ hasEarlierLife: true });
    expect(await answerTo(enrolled, "check_connection")).toBe("manager_needed");
  });
});

test("a journal that cannot be read makes nobody a stranger: who was here signs in", async () => {
  const shop = await openShop();
  Object.assign(shop.till.journal, { open: () => ({ kind: "unavailable", error: "locked" }) });
  const after = await shop.restart();
  expect(after.people().managers).toBe("set");
  expect(codeOf(await after.signIn("M1"))).toBe("ok");
});
