/** What refused PINs and codes leave in the journal: a line for each try that counts, so that nobody fills the disk from the keyboard. */
import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { answer, type Counter, codeOf, openShop } from "./stage.ts";

const lines = (shop: Counter) =>
  shop
    .entries()
    .filter(({ type, act }) => type === "act" && act.endsWith("_refused"))
    .map(({ act, about }) => `${act} ${about}`);
const times = (count: number, line: string): string[] => Array.from({ length: count }, () => line);

const signIn = (person: string) => ({ type: "sign_in", person, pin: "771133", as: "cashier" });
const approve = (person: string) => ({ type: "get_day", reveal: false, approval: { person, pin: "771133" } });
const changePin = (person: string, pin = "771133") => ({ type: "change_pin", person, pin, newPin: "9157" });
const reset = (pin = "730514") => ({
  type: "reset_manager",
  code: "7F3K-9Q2M-4XTZ",
  who: { kind: "known", person: "M1" },
  pin,
});

test.each<[string, (person: string) => object, string]>([
  ["sign-in", signIn, "sign_in_refused"],
  ["an approval", approve, "approval_refused"],
  ["a change of a PIN by a wrong old one", changePin, "pin_change_refused"],
])("%s: a wrong PIN counts and is written, one while the person waits neither", async (_, command, act) => {
  const shop = await openShop({}, 1);
  const codes = [];
  for (let guess = 0; guess < 12; guess++) codes.push(codeOf(await shop.press(command("C2"))));
  expect(codes).toEqual([...times(5, "wrong_pin"), ...times(7, "wait")]);
  expect(lines(shop)).toEqual(times(5, `${act} C2`));
  // The right one waits too: tries of every kind are the same tries.
  expect(codeOf(await shop.press(changePin("C2", "4829")))).toBe("wait");
  await shop.till.clock.advance(30_001);
  expect(codeOf(await shop.press(command("C2")))).toBe("wrong_pin");
  expect(lines(shop)).toHaveLength(6);
});

test.each<[string, (person: string) => object, string]>([
  ["sign-in", signIn, "sign_in_refused"],
  ["an approval", approve, "approval_refused"],
])("%s: a lock while a wrong PIN is checked saves nobody the try", async (_, command, act) => {
  const shop = await openShop({}, 1);
  const codes = [];
  for (let guess = 0; guess < 6; guess++) {
    const answered = shop.press(command("C2"));
    shop.guard.lock();
    codes.push(codeOf(await answered));
  }
  expect(codes).toEqual([...times(5, "wrong_pin"), "wait"]);
  expect(lines(shop)).toEqual(times(5, `${act} C2`));
});

test("all who are not on the list share their tries, whatever codes are made up and wherever", async () => {
  const shop = await openShop({}, 1);
  const codes = [];
  for (let guess = 0; guess < 4; guess++)
    for (const command of [signIn, approve, changePin]) codes.push(codeOf(await shop.press(command(`C${90 + guess}`))));
  expect(codes).toEqual([...times(5, "wrong_pin"), ...times(7, "wait")]);
  expect(lines(shop)).toHaveLength(5);
  expect(lines(shop)).toContain("sign_in_refused null");
  // They keep nobody out who is.
  expect(codeOf(await shop.signIn("C2"))).toBe("ok");
});

test("refused codes of the operator are as few lines, and the right one is taken all the same", async () => {
  const shop = await openShop();
  const { service } = shop.till;
  for (const to of [answer(404, { code: "not_found" }), answer(429, {}), answer(503, undefined)]) {
    service.fault = ({ path: asked }) => (asked.endsWith("manager-resets") ? to : null);
    for (let guess = 0; guess < 4; guess++) expect(codeOf(await shop.press(reset()))).not.toBe("ok");
  }
  expect(lines(shop)).toEqual(times(5, "manager_reset_refused M1"));
  service.fault = ({ path: asked }) =>
    asked.endsWith("manager-resets") ? answer(201, { merchant_id: "demo-shop", device_id: "till-1" }) : null;
  expect(codeOf(await shop.press(reset()))).toBe("ok");
});

test("what is refused before any code or PIN is looked at is no try", async () => {
  const shop = await openShop();
  for (let press = 0; press < 3; press++) expect(codeOf(await shop.press(reset("111111")))).toBe("weak_pin");
  await shop.signIn("M1");
  rmSync(path.join(shop.folder, "people.json"));
  const lost = await shop.restart();
  for (const command of [signIn, approve, changePin])
    for (const person of ["M1", "C9"]) expect(codeOf(await lost.press(command(person)))).toBe("people_lost");
  expect(lines(lost)).toEqual([]);
});

test("many at once are no more lines than tries", async () => {
  const shop = await openShop();
  await Promise.all(Array.from({ length: 18 }, () => shop.press(signIn("M1"))));
  // Of 18 four are in line; the others are turned away untried.
  expect(lines(shop)).toEqual(times(4, "sign_in_refused M1"));
});
