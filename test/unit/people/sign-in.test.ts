/** PINs at the terminal: who is let in, who has to wait, and what a restart forgives (nothing). */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Reply } from "../../../preload/contract.ts";
import { idNumber } from "../terminal/rig.ts";
import { answer, type Counter, managerPin, openCounter, openShop } from "./stage.ts";

const signIn = (counter: Counter, pin: string, person = "M1", as: "manager" | "cashier" = "manager"): Promise<Reply> =>
  counter.press({ type: "sign_in", person, pin, as } as never);
const codes = (replies: readonly Reply[]) => replies.map((reply) => (reply.ok ? "ok" : reply.code));

describe("the manager's PIN", () => {
  test("is set once, opens the session at once, and is nowhere on disk", async () => {
    const counter = await openCounter();
    expect(counter.people()).toMatchObject({ managers: "none", manager: null });
    expect(await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin } as never)).toEqual({
      ok: true,
      data: "M1",
    });
    expect(counter.people()).toMatchObject({ managers: "set", manager: { code: "M1", name: "Ida", role: "manager" } });
    expect(await counter.press({ type: "set_manager_pin", name: "Eve", pin: "771133" } as never)).toEqual({
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
    expect(codes([await counter.press({ type: "set_manager_pin", name: "Ida", pin: "123456" } as never)])).toEqual([
      "weak_pin",
    ]);
    expect(counter.people().managers).toBe("none");
  });

  test("is asked for again after a restart", async () => {
    const shop = await openShop();
    expect(codes([await signIn(shop, managerPin)])).toEqual(["ok"]);
    const again = await shop.restart();
    expect(again.people()).toMatchObject({ managers: "set", manager: null });
    expect(codes([await signIn(again, "771133"), await signIn(again, managerPin)])).toEqual(["wrong_pin", "ok"]);
  });
});

describe("guessing", () => {
  test("stops after five wrong PINs, over a restart, for the right one too, until the time is over", async () => {
    const shop = await openShop();
    for (let guess = 0; guess < 5; guess += 1)
      expect(codes([await signIn(shop, `77113${guess}`)]), String(guess)).toEqual(["wrong_pin"]);
    expect(codes([await signIn(shop, managerPin)])).toEqual(["wait"]);
    expect(shop.people().list[0]?.waitMs).toBeGreaterThan(29_000);
    const again = await shop.restart();
    expect(codes([await signIn(again, managerPin)])).toEqual(["wait"]);
    await again.till.clock.advance(30_001);
    expect(codes([await signIn(again, managerPin)])).toEqual(["ok"]);
    expect(again.people().list[0]?.waitMs).toBe(0);
    const refused = again.types().filter((type) => type === "act").length;
    expect(refused).toBeGreaterThanOrEqual(8);
  });

  test("at the same moment gets no more tries than one after the other", async () => {
    const shop = await openShop();
    const replies = await Promise.all(
      Array.from({ length: 18 }, (_, guess) =>
        shop.guard.dispatch({ type: "sign_in", person: "M1", pin: `7711${10 + guess}`, as: "manager" }),
      ),
    );
    expect(codes(replies).filter((code) => code === "wrong_pin").length).toBeLessThanOrEqual(5);
    expect(codes(replies).every((code) => ["wrong_pin", "busy", "wait"].includes(code))).toBe(true);
    // Four in line, the one that is looked at among them.
    expect(codes(replies).filter((code) => code === "busy")).toHaveLength(14);
  });

  test("is not helped by a clock that is put forward", async () => {
    const shop = await openShop();
    for (let guess = 0; guess < 5; guess += 1) await signIn(shop, `77113${guess}`);
    shop.till.clock.jump(86_400_000);
    expect(codes([await signIn(shop, managerPin)])).toEqual(["wait"]);
  });

  test.each([
    ["while the program runs", false],
    ["and a restart", true],
  ])("is not made longer by a clock that is set back, %s", async (_, restarts) => {
    let shop = await openShop();
    for (let guess = 0; guess < 5; guess += 1) await signIn(shop, `77113${guess}`);
    shop.till.clock.jump(-3_600_000);
    if (restarts) shop = await shop.restart();
    await shop.till.clock.advance(30_001);
    expect(codes([await signIn(shop, managerPin)])).toEqual(["ok"]);
  });

  test("a PIN of somebody who waits keeps nobody else out", async () => {
    const shop = await openShop({}, "4829");
    for (let guess = 0; guess < 5; guess += 1) await signIn(shop, `77113${guess}`);
    expect(codes([await signIn(shop, "4829", "C2", "cashier")])).toEqual(["ok"]);
  });
});

describe("sessions", () => {
  const signInRule = { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" } as const;

  test("end by themselves when nobody touches the terminal", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, "4829");
    await signIn(shop, "4829", "C2", "cashier");
    await signIn(shop, managerPin);
    await shop.till.clock.advance(4 * 60_000);
    await shop.guard.dispatch({ type: "still_here" });
    await shop.till.clock.advance(4 * 60_000);
    expect(shop.people()).toMatchObject({ locked: false, cashier: { code: "C2" }, manager: { code: "M1" } });
    await shop.till.clock.advance(61_000);
    expect(shop.people()).toMatchObject({ locked: true, cashier: null, manager: null });
  });

  test("of a manager end after half an hour, however busy the page is", async () => {
    const shop = await openShop();
    await signIn(shop, managerPin);
    for (let minute = 0; minute < 31; minute += 1) {
      await shop.till.clock.advance(60_000);
      await shop.guard.dispatch({ type: "still_here" });
    }
    expect(shop.people().manager).toBeNull();
  });

  test("change from one cashier to the next without a sign-out between them", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, "4829", "9157");
    await signIn(shop, "4829", "C2", "cashier");
    await signIn(shop, "9157", "C3", "cashier");
    expect(shop.people()).toMatchObject({ locked: false, cashier: { code: "C3" } });
    await shop.press({ type: "sign_out", as: "cashier" } as never);
    expect(shop.people().locked).toBe(true);
  });

  test("end, the manager's too, when the host locks the counter", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, "4829");
    await signIn(shop, "4829", "C2", "cashier");
    await signIn(shop, managerPin);
    shop.guard.lock();
    expect(shop.people()).toMatchObject({ locked: true, cashier: null, manager: null });
  });

  test("end before the first command after a sleep that stopped one of the clocks", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, "4829");
    await signIn(shop, "4829", "C2", "cashier");
    await signIn(shop, managerPin);
    shop.till.clock.jump(6 * 60_000);
    expect(codes([await shop.guard.dispatch({ type: "list_problems" })])).toEqual(["manager_needed"]);
    expect(shop.people()).toMatchObject({ locked: true, cashier: null, manager: null });
  });

  const save = (shop: Counter, person: string | null, role: "cashier" | "manager", pin: string | null) =>
    shop.press({ type: "save_person", person, name: "Bo", role, pin } as never);
  const secondPin = "730514";

  test("of a manager who makes themselves a cashier end at once, and do not come back with the right", async () => {
    const shop = await openShop();
    await signIn(shop, managerPin);
    await save(shop, null, "manager", secondPin);
    expect(codes([await save(shop, "M1", "manager", null)])).toEqual(["ok"]);
    expect(shop.people().manager?.code).toBe("M1");
    expect(codes([await save(shop, "M1", "cashier", null)])).toEqual(["ok"]);
    expect(shop.people().manager).toBeNull();
    expect(codes([await shop.guard.dispatch({ type: "list_problems" })])).toEqual(["manager_needed"]);
    await signIn(shop, secondPin, "M2");
    await save(shop, "M1", "manager", managerPin);
    await shop.press({ type: "sign_out", as: "manager" } as never);
    expect(shop.people().manager).toBeNull();
  });

  test("of a manager who removes themselves end at once", async () => {
    const shop = await openShop();
    await signIn(shop, managerPin);
    await save(shop, null, "manager", secondPin);
    expect(codes([await shop.press({ type: "remove_person", person: "M1" } as never)])).toEqual(["ok"]);
    expect(codes([await shop.guard.dispatch({ type: "list_problems" })])).toEqual(["manager_needed"]);
  });

  test.each<[string, "cashier" | "manager", string | null]>([
    ["right", "cashier", null],
    ["PIN", "manager", "915273"],
  ])("of a manager whose %s another one changed end, at the counter too", async (_, role, pin) => {
    const shop = await openShop({ settings: { people: signInRule } });
    await signIn(shop, managerPin);
    await save(shop, null, "manager", secondPin);
    await signIn(shop, secondPin, "M2", "cashier");
    expect(codes([await save(shop, "M2", role, pin)])).toEqual(["ok"]);
    expect(shop.people()).toMatchObject({ cashier: null, locked: true, manager: { code: "M1" } });
  });

  test("of a manager whose PIN was reset end at the counter too", async () => {
    const shop = await openShop({ settings: { people: signInRule } });
    await signIn(shop, managerPin, "M1", "cashier");
    shop.till.service.fault = ({ path: asked }) =>
      asked === "/ext/v1/manager-resets" ? answer(201, { merchant_id: "demo-shop", device_id: "till-1" }) : null;
    const reset = {
      type: "reset_manager",
      code: "7F3K-9Q2M-4XTZ",
      who: { kind: "known", person: "M1" },
      pin: secondPin,
    };
    expect(codes([await shop.press(reset as never)])).toEqual(["ok"]);
    expect(shop.people()).toMatchObject({ cashier: null, locked: true, manager: { code: "M1" } });
  });

  test("of a cashier who becomes manager need a PIN of a manager's length", async () => {
    const shop = await openShop({}, "4829");
    await signIn(shop, managerPin);
    const replies = [null, "9157", secondPin].map((pin) => () => save(shop, "C2", "manager", pin));
    const seen: string[] = [];
    for (const attempt of replies) seen.push(...codes([await attempt()]));
    expect(seen).toEqual(["weak_pin", "weak_pin", "ok"]);
    await shop.press({ type: "sign_out", as: "manager" } as never);
    expect(codes([await signIn(shop, "4829", "C2"), await signIn(shop, secondPin, "C2")])).toEqual(["wrong_pin", "ok"]);
  });

  test("of somebody who was removed or got a new PIN end at once", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, "4829");
    await signIn(shop, "4829", "C2", "cashier");
    await signIn(shop, managerPin);
    const changed = { type: "save_person", person: "C2", name: "Bo", role: "cashier", pin: "9157" };
    expect(codes([await shop.press(changed as never)])).toEqual(["ok"]);
    expect(shop.people().cashier).toBeNull();
    await signIn(shop, "9157", "C2", "cashier");
    expect(codes([await shop.press({ type: "remove_person", person: "C2" } as never)])).toEqual(["ok"]);
    expect(shop.people()).toMatchObject({ cashier: null, locked: true });
    expect(codes([await signIn(shop, "9157", "C2", "cashier")])).toEqual(["wrong_pin"]);
    const written = shop.types().length;
    expect(codes([await shop.press({ type: "sign_out", as: "cashier" } as never)])).toEqual(["ok"]);
    expect(shop.types()).toHaveLength(written);
  });
});

describe("people", () => {
  test("get codes that no later person gets, and the last manager stays", async () => {
    const shop = await openShop({}, "4829");
    await signIn(shop, managerPin);
    expect(codes([await shop.press({ type: "remove_person", person: "M1" } as never)])).toEqual(["denied"]);
    expect(codes([await shop.press({ type: "remove_person", person: "C2" } as never)])).toEqual(["ok"]);
    const added = { type: "save_person", person: null, name: "Bo", role: "cashier", pin: "9157" };
    expect(await shop.press(added as never)).toEqual({ ok: true, data: "C3" });
  });

  test("change their own PIN by the old one alone", async () => {
    const shop = await openShop({}, "4829");
    const change = (pin: string) => shop.press({ type: "change_pin", person: "C2", pin, newPin: "9157" } as never);
    expect(codes([await change("1111"), await change("4829")])).toEqual(["wrong_pin", "ok"]);
    expect(codes([await signIn(shop, "9157", "C2", "cashier")])).toEqual(["ok"]);
  });

  test("whose file is damaged are let in by nobody's PIN, and the shop goes on paying out", async () => {
    const shop = await openShop();
    writeFileSync(path.join(shop.folder, "people.json"), "{");
    const again = await shop.restart();
    expect(again.people().managers).toBe("unreadable");
    expect(codes([await signIn(again, managerPin)])).toEqual(["people_lost"]);
    expect(codes([await again.press({ type: "set_manager_pin", name: "Eve", pin: "771133" } as never)])).toEqual([
      "denied",
    ]);
    expect(codes([await again.press({ type: "list_problems" } as never)])).toEqual(["manager_needed"]);
    const order = again.till.service.order({ transaction_id: idNumber(1) });
    await again.press({ type: "scan", text: idNumber(1), source: "typed" } as never);
    await again.press({ type: "confirm" } as never);
    order.status = "settled";
    await again.till.clock.advance(1_500);
    expect(codes([await again.press({ type: "hand_out" } as never)])).toEqual(["ok"]);
  });
});

test("who is here stays on the screens when another book is opened by an enrolment", async () => {
  const counter = await openCounter({ credential: null });
  await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin } as never);
  const key = { serviceUrl: "https://service", merchantId: "demo-shop", deviceId: "till-1", secret: "till-secret" };
  expect(codes([await counter.press({ type: "enroll", ...key } as never)])).toEqual(["ok"]);
  expect(counter.till.screen().kind).toBe("ready");
  expect(counter.people()).toMatchObject({ managers: "set", manager: { code: "M1" } });
});
