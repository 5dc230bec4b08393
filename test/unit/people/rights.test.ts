/** Every command, with nobody there, with a cashier, with a manager: what the host lets through. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { commandSchema, type Right, rightOf, settingsSchema } from "../../../preload/contract.ts";
import { commands } from "../../every-command.ts";
import { MemoryJournal } from "../terminal/rig.ts";
import { type Counter, type CounterOptions, managerPin, openCounter, openShop } from "./stage.ts";

const signIn = { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" } as const;

const all = Object.values(commands);
const needing = (...rights: Right[]) => all.filter((command) => rights.includes(rightOf(command)));
/** What the guard says of who is there; all else is the answer of whoever a command reaches. */
const ofTheGuard = ["manager_needed", "no_manager", "locked", "people_lost"];
const answerTo = async (counter: Counter, command: (typeof all)[number]): Promise<string> => {
  const reply = await counter.guard.dispatch(command);
  return reply.ok ? "ok" : reply.code;
};
const managers = needing("manager", "known_manager", "operator_code");
/** What is open to a cashier, said once more: whoever moves a command between rights has to say so here. */
const cashiers = new Set<string>([
  ...["scan", "confirm", "reject", "hand_out", "not_handed_out", "dismiss", "retry", "resume", "open_drawer"],
  ...["open_day", "move_cash", "no_sale", "count_day", "recount_day", "close_day", "get_day", "read_day"],
  ...["print_receipt", "retry_print", "drop_prints", "list_history", "list_cashiers", "get_story"],
  ...["practice_request", "practice_read", "practice_decide", "close_phone_access"],
]);
const anyones = new Set<string>(needing("anyone").map(({ type }) => type));

test("without a session somebody proves who they are, or harms nobody", () => {
  expect([...anyones]).toEqual(["set_manager_pin", "reset_manager", "sign_in", "sign_out", "still_here", "change_pin"]);
});

test.each<[Right, readonly string[]]>([
  ["known_manager", ["open_phone_access"]],
  ["operator_code", ["enroll_by_code"]],
  ["set_up", ["check_connection", "switch_purpose", "change_settings", "close_program"]],
])("%s opens %j and no other", (right, types) => {
  expect(needing(right).map(({ type }) => type)).toEqual(types);
});

test.each(all)("$type reaches the host as it was sent", (command) => {
  expect(commandSchema.parse(command)).toEqual(command);
});

describe("with nobody signed in", () => {
  test.each(managers)("$type is refused, and nothing goes out or is written", async (command) => {
    const shop = await openShop();
    const [sent, written] = [shop.till.service.requests.length, shop.types().length];
    expect(await shop.guard.dispatch(command)).toEqual({ ok: false, code: "manager_needed" });
    await shop.till.clock.advance(1_000);
    expect(shop.till.service.requests.slice(sent)).toEqual([]);
    expect(shop.types().length).toBe(written);
  });

  test.each(needing("counter", "serve", "pay_out"))("$type is refused where cashiers sign in", async (command) => {
    const shop = await openShop({ settings: { people: signIn } }, "4829");
    expect(shop.people().locked).toBe(true);
    expect(await shop.guard.dispatch(command)).toEqual({ ok: false, code: "locked" });
  });

  test.each(needing("counter", "serve", "pay_out"))("$type reaches the terminal of a shop of one", async (command) => {
    expect(ofTheGuard).not.toContain(await answerTo(await openShop(), command));
  });
});

test.each(managers)("$type is refused to a cashier", async (command) => {
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

test.each(managers)("$type reaches the terminal of a manager who signed in", async (command) => {
  const shop = await openShop();
  await shop.press({ type: "sign_in", person: "M1", pin: managerPin, as: "manager" } as never);
  expect(ofTheGuard).not.toContain(await answerTo(shop, command));
});

test("a cashier who is signed in may do what serves customers, and nothing else", async () => {
  const shop = await openShop({ settings: { people: signIn } }, "4829");
  await shop.press({ type: "sign_in", person: "C2", pin: "4829", as: "cashier" } as never);
  for (const command of all.filter(({ type }) => !anyones.has(type))) {
    const reply = await shop.guard.dispatch(command);
    const isRefused = !reply.ok && reply.code === "manager_needed";
    expect(isRefused, command.type).toBe(!cashiers.has(command.type));
  }
});

/** What became of a shop with a manager and a cashier who signs in. */
const losses: readonly [string, (people: string) => unknown, CounterOptions][] = [
  ["people lost", (file) => rmSync(file), {}],
  ["people damaged", (file) => writeFileSync(file, "{"), {}],
  ["people and journal lost", (file) => rmSync(file), { journal: new MemoryJournal(), hasEarlierLife: true }],
];

describe.each(losses)("%s", (_, lose, changes) => {
  const robbed = async (): Promise<Counter> => {
    const shop = await openShop({ settings: { people: signIn } }, "4829");
    await shop.press({ type: "sign_in", person: "M1", pin: managerPin, as: "manager" } as never);
    lose(path.join(shop.folder, "people.json"));
    return shop.restart(changes);
  };

  test("nobody is a manager, and at the counter what is paid can leave and nothing else begins", async () => {
    const shop = await robbed();
    const paysOut = new Set(needing("pay_out").map(({ type }) => type));
    const replies = new Map<string, string>();
    for (const command of all.filter(({ type }) => !anyones.has(type))) {
      const reply = await shop.guard.dispatch(command);
      replies.set(command.type, reply.ok ? "ok" : reply.code);
    }
    for (const [type, reply] of replies)
      if (!cashiers.has(type)) expect(reply, type).toBe("manager_needed");
      else if (paysOut.has(type as never))
        expect(["manager_needed", "locked", "people_lost"], type).not.toContain(reply);
      else expect(reply, type).toBe("people_lost");
  });

  test("no PIN is taken, none is set, and none is changed", async () => {
    const shop = await robbed();
    const told = async (type: string): Promise<unknown> => {
      const reply = await shop.guard.dispatch(commands[type as keyof typeof commands]);
      return reply.ok ? "ok" : reply.code;
    };
    expect([await told("set_manager_pin"), await told("sign_in"), await told("change_pin")]).toEqual([
      "denied",
      "people_lost",
      "people_lost",
    ]);
  });
});

test("settings edited by hand, or with a damaged or deleted journal, open no command to anybody", async () => {
  const wanted = { settings: { people: signIn } };
  const { drawerMoney } = settingsSchema.parse({ drawerMoney: { managerFor: [] } });
  const settings = { people: { ...signIn, cashiersSignIn: false }, drawerMoney };
  const damaged = new MemoryJournal();
  damaged.damaged.push({ sequence: 1, why: "hash" });
  const states = [{}, { journal: damaged }, { journal: new MemoryJournal(), hasEarlierLife: true }];
  for (const state of states) {
    const shop = await (await openShop(wanted, "4829")).restart({ settings, ...state });
    for (const command of all.filter(({ type }) => !anyones.has(type)))
      expect(await shop.guard.dispatch(command), command.type).toEqual({
        ok: false,
        code: cashiers.has(command.type) ? "locked" : "manager_needed",
      });
  }
});

test("what is paid leaves by these commands alone while the list of people is lost", () => {
  expect(needing("pay_out").map(({ type }) => type)).toEqual([
    ...[
      "reject",
      "hand_out",
      "not_handed_out",
      "dismiss",
      "retry",
      "resume",
      "open_drawer",
      "retry_print",
      "drop_prints",
    ],
  ]);
});

describe("where cashiers sign in, nobody is known, and the service has not answered yet", () => {
  const unanswered = async (): Promise<Counter> => {
    const { service } = (await openCounter()).till;
    service.fault = () => ({ kind: "silence", why: "refused" });
    return openCounter({ service, settings: { people: signIn } });
  };

  test.each(needing("counter", "serve", "pay_out"))(
    "$type waits only where it begins or moves cash",
    async (command) => {
      const waits = ["scan", "confirm", "move_cash", "no_sale"].includes(command.type);
      const reply = await (await unanswered()).guard.dispatch(command);
      expect(!reply.ok && reply.code === "unreachable").toBe(waits);
    },
  );

  test.each([
    ["nobody has to sign in", false, openCounter],
    ["its people are known", true, openShop],
  ])("nothing waits where %s", async (_, cashiersSignIn, start) => {
    const { service } = (await openCounter()).till;
    service.fault = () => ({ kind: "silence", why: "refused" });
    const shop = await start({ service, settings: { people: { ...signIn, cashiersSignIn } } });
    expect(shop.people().isAwaitingService).toBe(false);
    expect(await shop.guard.dispatch(commands.scan)).not.toMatchObject({ code: "unreachable" });
  });

  test("nobody has a manager's authority meanwhile", async () => {
    const shop = await unanswered();
    expect(await shop.guard.dispatch({ type: "get_day", reveal: true })).toEqual({
      ok: false,
      code: "approval_needed",
    });
  });

  test("the screens say so, until it has", async () => {
    const shop = await unanswered();
    expect(shop.people()).toMatchObject({ managers: "none", locked: false, isAwaitingService: true });
    shop.till.service.fault = () => null;
    await shop.till.clock.advance(10_000);
    expect(shop.people()).toMatchObject({ managers: "none", isAwaitingService: false });
    const unstaffed = await openCounter({ service: shop.till.service });
    expect(unstaffed.people().isAwaitingService).toBe(false);
  });
});

describe("an installation without a PIN", () => {
  test.each(needing("set_up"))("$type asks for one as well, once the terminal is enrolled", async (command) => {
    const counter = await openCounter();
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "no_manager" });
  });

  // The settings here name a device's address, which only a manager may (`device-address.test.ts`).
  const isOpen = needing("set_up").filter(({ type }) => type !== "change_settings");
  test.each(isOpen)("$type is open before the first enrolment", async (command) => {
    expect(ofTheGuard).not.toContain(await answerTo(await openCounter({ credential: null }), command));
  });

  test.each(managers)("$type asks for one to be set first", async (command) => {
    const counter = await openCounter();
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "no_manager" });
  });

  test.each(needing("counter", "serve", "pay_out"))(
    "$type works as before, whatever the settings say",
    async (command) => {
      const counter = await openCounter({ settings: { people: signIn } });
      expect(ofTheGuard).not.toContain(await answerTo(counter, command));
    },
  );

  const isReaching = needing("known_manager");
  test.each(all.filter((command) => !isReaching.includes(command)))(
    "$type is open to everybody in training",
    async (command) => {
      expect(ofTheGuard).not.toContain(await answerTo(await openCounter({ training: true }), command));
    },
  );

  test.each(isReaching)("$type reaches beyond this machine and asks for a PIN in training too", async (command) => {
    const counter = await openCounter({ training: true });
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "no_manager" });
    await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin } as never);
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "invalid" });
  });
});
