/** Changes of people wait for their turn: whoever sent one may be gone by then. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Command } from "../../../preload/contract.ts";
import { type Counter, managerPin, openShop } from "./stage.ts";

const pin = "4829";
const manager = { type: "save_person", person: null, name: "Eve", role: "manager", pin: "730514" } as const;
const cashier = { ...manager, person: "C2", role: "cashier" } as const;
const locks = ({ guard }: Counter): void => guard.lock();
const signsOut = ({ guard }: Counter) => guard.dispatch({ type: "sign_out", as: "manager" });

test.each<[string, Command, (shop: Counter) => unknown, string]>([
  ["another manager when the counter locks", manager, locks, "locked"],
  ["another manager when who sent it signs out", manager, signsOut, "manager_needed"],
  ["a cashier's PIN when the counter locks", cashier, locks, "locked"],
  ["a cashier's name when the counter locks", { ...cashier, pin: null }, locks, "locked"],
  ["one's own PIN when the counter locks", { type: "change_pin", person: "C2", pin, newPin: "9157" }, locks, "locked"],
])("nothing comes of %s before its turn", async (_, sent, leave, code) => {
  const { guard, folder, ...shop } = await openShop({}, 1);
  await guard.dispatch({ type: "sign_in", person: "M1", pin: managerPin, as: "manager" });
  const kept = () => readFileSync(path.join(folder, "people.json"), "utf8");
  const before = kept();
  // Before it in line; a right one costs no try.
  const first = guard.dispatch({ type: "sign_in", person: "C2", pin, as: "cashier" });
  const answered = guard.dispatch(sent);
  await leave({ guard, folder, ...shop });
  await first;
  expect(await answered).toEqual({ ok: false, code });
  expect(kept()).toBe(before);
});
