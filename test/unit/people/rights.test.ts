/** Every command, with nobody there, with a cashier, with a manager: what the host lets through. */
import { describe, expect, test } from "vitest";
import { type Right, rightOf } from "../../../main/people/rights.ts";
import { commandSchema } from "../../../preload/contract.ts";
import { commands } from "../../every-command.ts";
import { managerPin, openCounter, openShop } from "./stage.ts";

const signIn = { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" } as const;

const all = Object.values(commands);
const needing = (...rights: Right[]) => all.filter(({ type }) => rights.includes(rightOf[type]));

test.each(all)("$type is a command of the bridge", (command) => {
  expect(commandSchema.safeParse(command).success).toBe(true);
});

describe("with nobody signed in", () => {
  test.each(needing("manager", "known_manager"))(
    "$type is refused, and nothing goes out or is written",
    async (command) => {
      const shop = await openShop();
      const [sent, written] = [shop.till.service.requests.length, shop.types().length];
      expect(await shop.guard.dispatch(command)).toEqual({ ok: false, code: "manager_needed" });
      await shop.till.clock.advance(1_000);
      expect(shop.till.service.requests.slice(sent).filter(({ baseUrl }) => baseUrl !== "http://service")).toEqual([]);
      expect(shop.types().length).toBe(written);
    },
  );

  test.each(needing("counter"))("$type is refused where cashiers sign in", async (command) => {
    const shop = await openShop({ settings: { people: signIn } }, "4829");
    expect(shop.people().locked).toBe(true);
    expect(await shop.guard.dispatch(command)).toEqual({ ok: false, code: "locked" });
  });

  test.each(needing("counter"))("$type reaches the terminal of a shop of one", async (command) => {
    const shop = await openShop();
    expect(await shop.guard.dispatch(command)).not.toMatchObject({ code: "locked" });
  });
});

test.each(needing("manager", "known_manager"))("$type is refused to a cashier", async (command) => {
  const shop = await openShop({ settings: { people: signIn } }, "4829");
  expect(await shop.press({ type: "sign_in", person: "C2", pin: "4829", as: "cashier" } as never)).toEqual({
    ok: true,
  });
  expect(await shop.guard.dispatch(command)).toEqual({ ok: false, code: "manager_needed" });
  expect(await shop.press({ type: "sign_in", person: "C2", pin: "4829", as: "manager" } as never)).toEqual({
    ok: false,
    code: "manager_needed",
  });
  expect(await shop.guard.dispatch(command)).toEqual({ ok: false, code: "manager_needed" });
});

test.each(needing("manager", "known_manager"))(
  "$type reaches the terminal of a manager who signed in",
  async (command) => {
    const shop = await openShop();
    await shop.press({ type: "sign_in", person: "M1", pin: managerPin, as: "manager" } as never);
    expect(await shop.guard.dispatch(command)).not.toMatchObject({ code: "manager_needed" });
  },
);

describe("an installation without a PIN", () => {
  test.each(needing("set_up"))("$type asks for one as well, once the terminal is enrolled", async (command) => {
    const counter = await openCounter();
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "no_manager" });
  });

  // The settings here name a device's address, which only a manager may (`device-address.test.ts`).
  const isOpen = needing("set_up").filter(({ type }) => type !== "change_settings");
  test.each(isOpen)("$type is open before the first enrolment", async (command) => {
    const counter = await openCounter({ credential: null });
    expect(await counter.guard.dispatch(command)).not.toMatchObject({ code: "no_manager" });
  });

  test.each(needing("manager", "known_manager"))("$type asks for one to be set first", async (command) => {
    const counter = await openCounter();
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "no_manager" });
  });

  test.each(needing("counter"))("$type works as before, whatever the settings say", async (command) => {
    const counter = await openCounter({ settings: { people: signIn } });
    expect(await counter.guard.dispatch(command)).not.toMatchObject({ code: "locked" });
  });

  const isReaching = needing("known_manager");
  test.each(all.filter((command) => !isReaching.includes(command)))(
    "$type is open to everybody in training",
    async (command) => {
      const counter = await openCounter({ training: true });
      expect(await counter.guard.dispatch(command)).not.toMatchObject({ code: "no_manager" });
    },
  );

  test.each(isReaching)("$type reaches beyond this machine and asks for a PIN in training too", async (command) => {
    const counter = await openCounter({ training: true });
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "no_manager" });
    await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin } as never);
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "invalid" });
  });
});
