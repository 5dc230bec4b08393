/** A forgotten manager's PIN, and people.json damaged or deleted: only the operator's code, which the service redeems, helps. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import { type Event, makeCheckpoint, readEvent } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { initialState } from "../../../main/terminal/withdrawal/state.ts";
import { type Command, settingsSchema } from "../../../preload/contract.ts";
import { commands } from "../../every-command.ts";
import { answer, type Counter, openCounter, openShop } from "./stage.ts";

const granted = answer(201, { merchant_id: "demo-shop", device_id: "till-1" });
const newPin = "730514";
const known = { kind: "known", person: "M1" } as const;
const eve = { kind: "new", name: "Eve" } as const;

const reset = (shop: Counter, to: ServiceAnswer, fields: Partial<Extract<Command, { type: "reset_manager" }>> = {}) => {
  shop.till.service.fault = (request) => (request.path === "/ext/v1/manager-resets" ? to : null);
  return shop.press({ type: "reset_manager", code: "7F3K-9Q2M-4XTZ", who: known, pin: newPin, ...fields });
};
const firstPin = (shop: Counter) => shop.press({ type: "set_manager_pin", name: "Eve", pin: newPin });
const asked = (shop: Counter) => shop.till.service.calls("manager-resets");

/** A shop with a manager in the journal and what was done to its file of people. */
const reopened = async (spoil: (file: string) => void, cashiers = 0): Promise<Counter> => {
  const shop = await openShop({}, cashiers);
  await shop.signIn("M1");
  spoil(path.join(shop.folder, "people.json"));
  return shop.restart();
};

test("a code sets a manager's PIN anew, signs in with it, and names this terminal to the service", async () => {
  const shop = await openShop();
  expect(await reset(shop, granted)).toEqual({ ok: true, data: "M1" });
  expect(shop.people().manager?.code).toBe("M1");
  expect(asked(shop).map(({ body, token }) => [body, token])).toEqual([
    [{ merchant_id: "demo-shop", device_id: "till-1", code: "7F3K-9Q2M-4XTZ" }, undefined],
  ]);
  await shop.press({ type: "sign_out", as: "manager" });
  expect(await shop.signIn("M1")).toEqual({ ok: false, code: "wrong_pin" });
  expect(await shop.signIn("M1", newPin)).toEqual({ ok: true });
  const acts = shop.entries();
  expect(acts).toContainEqual({ type: "act", act: "manager_pin_reset", about: "M1", actor: "M1" });
});

test.each(["the PIN is hashed", "the service is asked"])(
  "a lock while %s: the PIN is set, and nobody is signed in",
  async (when) => {
    const shop = await openShop();
    const { service } = shop.till;
    const answered = reset(shop, granted);
    const { fault } = service;
    if (when === "the PIN is hashed") shop.guard.lock();
    else
      service.fault = (...request) => {
        shop.guard.lock();
        return fault?.(...request) ?? null;
      };
    expect(await answered).toEqual({ ok: true, data: "M1" });
    expect(asked(shop)).toHaveLength(1);
    expect(shop.people().manager).toBeNull();
    const acts = shop.entries();
    expect(acts).toContainEqual({ type: "act", act: "manager_pin_reset", about: "M1", actor: "M1" });
    expect(await shop.signIn("M1", newPin)).toEqual({ ok: true });
  },
);

test("a code may make another manager, whose code nobody had before", async () => {
  const shop = await openShop({}, 1);
  expect(await reset(shop, granted, { who: eve })).toEqual({ ok: true, data: "M3" });
});

test.each<[string, ServiceAnswer, string]>([
  ["a code that is wrong, used, too old or another terminal's", answer(404, { code: "not_found" }), "denied"],
  ["nobody there", { kind: "silence", why: "refused" }, "unreachable"],
])("%s changes nothing", async (_, to, code) => {
  const shop = await openShop();
  const before = readFileSync(path.join(shop.folder, "people.json"), "utf8");
  expect(await reset(shop, to)).toEqual({ ok: false, code });
  expect(shop.people().manager).toBeNull();
  expect(readFileSync(path.join(shop.folder, "people.json"), "utf8")).toBe(before);
});

test.each([
  ["an easy PIN", { pin: "111111" }, "weak_pin"],
  ["a cashier's PIN", { who: { kind: "known", person: "C2" } as const }, "stale"],
])("%s is refused before the code is spent", async (_, fields, code) => {
  const shop = await openShop({}, 1);
  expect(await reset(shop, granted, fields)).toEqual({ ok: false, code });
  expect(asked(shop)).toEqual([]);
});

test("a code that was spent when the disk was full works for the next try", async () => {
  const shop = await openShop();
  rmSync(shop.folder, { recursive: true });
  expect(await reset(shop, granted)).toEqual({ ok: false, code: "failed" });
  mkdirSync(shop.folder);
  expect(await reset(shop, granted)).toEqual({ ok: true, data: "M1" });
  expect(asked(shop)).toHaveLength(1);
  // It is spent now: whoever sends it once more asks the service.
  expect(await reset(shop, answer(404, { code: "not_found" }))).toEqual({ ok: false, code: "denied" });
  expect(asked(shop)).toHaveLength(2);
});

test.each<[string, (file: string) => void, string]>([
  ["deleted", (file) => rmSync(file), "lost"],
  ["damaged", (file) => writeFileSync(file, "{"), "unreadable"],
  ["a newer program's", (file) => writeFileSync(file, '{"version":99}'), "unreadable"],
])("people.json %s: nobody becomes manager without the code", async (_, spoil, managers) => {
  const shop = await reopened(spoil, 1);
  expect(shop.people()).toMatchObject({ managers, guarded: true, locked: false });
  expect(await firstPin(shop)).toEqual({ ok: false, code: "denied" });
  expect(await shop.press({ type: "list_problems" })).toEqual({ ok: false, code: "manager_needed" });
  expect(await reset(shop, answer(404, { code: "not_found" }), { who: eve })).toMatchObject({ code: "denied" });
  const { data, ok } = (await reset(shop, granted, { who: eve })) as { ok: boolean; data: string };
  // Codes that the journal names belong to those who had them.
  expect([ok, ["M2", "M3"].includes(data)]).toEqual([true, true]);
  expect(await shop.press({ type: "list_problems" })).toMatchObject({ ok: true });
});

test("the access key gone as well changes nothing", async () => {
  const shop = await reopened((file) => rmSync(file));
  const after = await shop.restart({ credential: null });
  expect(after.people().managers).toBe("lost");
  expect(await firstPin(after)).toEqual({ ok: false, code: "denied" });
  expect(await after.press({ type: "switch_purpose", training: true })).toMatchObject({ ok: false });
  // It knows whose it is: that service's operator can help.
  for (const type of ["check_connection", "enroll_by_code"] as const)
    expect(await after.guard.dispatch(commands[type]), type).toEqual({ ok: false, code: "manager_needed" });
  expect(await reset(after, granted, { who: eve })).toMatchObject({ ok: true });
});

test("a checkpoint keeps it, and an older one knows of nobody", () => {
  const moment = { wallMs: 1, monotonicMs: 1 };
  const initial = initialState(settingsSchema.parse({}), null, false);
  const seen = evolve(initial, { type: "act", act: "person_added", about: "C12", actor: "M1" } as Event, moment);
  const { peopleSeen, ...older } = JSON.parse(JSON.stringify(makeCheckpoint(seen, 0, moment)));
  const read = (body: object) => readEvent({ sequence: 1, at: 1, body: JSON.stringify(body) }) as Event;
  expect(evolve(initial, read({ ...older, peopleSeen }), moment).peopleSeen).toBe(12);
  expect(evolve(initial, read(older), moment).peopleSeen).toBe(0);
});

test("a terminal that was never enrolled, and training, need no code", async () => {
  const shop = await openCounter({ credential: null });
  expect(await firstPin(shop)).toEqual({ ok: true, data: "M1" });
  rmSync(path.join(shop.folder, "people.json"));
  expect(await firstPin(await shop.restart())).toMatchObject({ ok: true });
  const training = await openCounter({ training: true });
  await firstPin(training);
  rmSync(path.join(training.folder, "people.json"));
  expect(await firstPin(await training.restart())).toMatchObject({ ok: true });
});

test("while the journal cannot be read nobody sets a first PIN", async () => {
  const shop = await openShop();
  await shop.signIn("M1");
  rmSync(path.join(shop.folder, "people.json"));
  Object.assign(shop.till.journal, { open: () => ({ kind: "unavailable", error: "locked" }) });
  const after = await shop.restart();
  expect(await firstPin(after)).toEqual({ ok: false, code: "denied" });
});
