/** Every command, with nobody there, with a cashier, with a manager: what the host lets through. */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { commandSchema, type Right, rightOf, settingsSchema } from "../../../preload/contract.ts";
import { commands } from "../../every-command.ts";
import { MemoryJournal } from "../terminal/rig.ts";
import { type Counter, type CounterOptions, codeOf, managerPin, openCounter, openShop, signInRule } from "./stage.ts";

const all = Object.values(commands);
const needing = (...rights: Right[]) => all.filter((command) => rights.includes(rightOf(command)));
/** What the guard says of who is there; all else is the answer of whoever a command reaches. */
const ofTheGuard = ["manager_needed", "no_manager", "locked", "people_lost"];
const answerTo = async (shop: Counter, command: (typeof all)[number]): Promise<string> =>
  codeOf(await shop.guard.dispatch(command));
/** Sends one command after the other, whatever comes of each. */
const eachAnswered = async (shop: Counter, sent: readonly (typeof all)[number][]) => {
  const answers: [string, string][] = [];
  for (const command of sent) answers.push([command.type, await answerTo(shop, command)]);
  return answers;
};
const allAnswered = (sent: readonly (typeof all)[number][], code: string) => sent.map(({ type }) => [type, code]);
/** Each command is let through to the terminal. */
const reaches = async (open: () => Promise<Counter>, sent: readonly (typeof all)[number][]) => {
  for (const command of sent) expect(ofTheGuard, command.type).not.toContain(await answerTo(await open(), command));
};
const managers = needing("manager", "known_manager", "operator_code");
const atCounter = needing("counter", "serve", "pay_out");
/** What is open to a cashier, said once more: whoever moves a command between rights has to say so here. */
const cashiers = new Set<string>([
  ...["scan", "confirm", "reject", "hand_out", "not_handed_out", "dismiss", "retry", "resume", "open_drawer"],
  ...["open_day", "move_cash", "no_sale", "count_day", "recount_day", "close_day", "get_day", "read_day"],
  ...["print_receipt", "retry_print", "drop_prints", "list_history", "list_cashiers", "get_story"],
  ...["practice_request", "practice_read", "practice_decide", "close_phone_access"],
]);
const anyones = needing("anyone").map(({ type }) => type);
const owned = all.filter(({ type }) => !anyones.includes(type));

test("without a session somebody proves who they are, or harms nobody", () => {
  expect(anyones).toEqual(["set_manager_pin", "reset_manager", "sign_in", "sign_out", "still_here", "change_pin"]);
});

test.each<[Right, readonly string[]]>([
  ["known_manager", ["open_phone_access"]],
  ["operator_code", ["enroll_by_code"]],
  ["set_up", ["check_connection", "switch_purpose", "change_settings", "close_program"]],
])("%s opens %j and no other", (right, types) => {
  expect(needing(right).map(({ type }) => type)).toEqual(types);
});

test("every command reaches the host as it was sent", () => {
  for (const command of all) expect(commandSchema.parse(command), command.type).toEqual(command);
});

describe("with nobody signed in", () => {
  test("what a manager may is refused, and nothing goes out or is written", async () => {
    const shop = await openShop();
    const [sent, written] = [shop.till.service.requests.length, shop.types().length];
    expect(await eachAnswered(shop, managers)).toEqual(allAnswered(managers, "manager_needed"));
    await shop.till.clock.advance(1_000);
    expect(shop.till.service.requests.slice(sent)).toEqual([]);
    expect(shop.types().length).toBe(written);
  });

  test("what is done at the counter is refused where cashiers sign in, and reaches the terminal of a shop of one", async () => {
    const shop = await openShop({ settings: { people: signInRule } }, 1);
    expect(shop.people().locked).toBe(true);
    expect(await eachAnswered(shop, atCounter)).toEqual(allAnswered(atCounter, "locked"));
    await reaches(openShop, atCounter);
  });
});

test("what a manager may is refused to a cashier", async () => {
  const shop = await openShop({ settings: { people: signInRule } }, 1);
  expect(await shop.signIn("C2")).toEqual({ ok: true });
  expect(await eachAnswered(shop, managers)).toEqual(allAnswered(managers, "manager_needed"));
  expect(await shop.signIn("C2", "4829", "manager")).toEqual({ ok: false, code: "manager_needed" });
  expect(await eachAnswered(shop, managers)).toEqual(allAnswered(managers, "manager_needed"));
});

test("what a manager may reaches the terminal of a manager who signed in", async () => {
  await reaches(async () => {
    const shop = await openShop();
    await shop.signIn("M1");
    return shop;
  }, managers);
});

test("a cashier who is signed in may do what serves customers, and nothing else", async () => {
  const shop = await openShop({ settings: { people: signInRule } }, 1);
  await shop.signIn("C2");
  for (const [type, reply] of await eachAnswered(shop, owned))
    expect(reply === "manager_needed", type).toBe(!cashiers.has(type));
});

/** What became of a shop with a manager and a cashier who signs in. */
const losses: readonly [string, (people: string) => unknown, CounterOptions][] = [
  ["people lost", (file) => rmSync(file), {}],
  ["people damaged", (file) => writeFileSync(file, "{"), {}],
  ["people and journal lost", (file) => rmSync(file), { journal: new MemoryJournal(), hasEarlierLife: true }],
];

describe.each(losses)("%s", (_, lose, changes) => {
  const robbed = async (): Promise<Counter> => {
    const shop = await openShop({ settings: { people: signInRule } }, 1);
    await shop.signIn("M1");
    lose(path.join(shop.folder, "people.json"));
    return shop.restart(changes);
  };

  test("nobody is a manager, and at the counter what is paid can leave and nothing else begins", async () => {
    const shop = await robbed();
    const paysOut = new Set(needing("pay_out").map(({ type }) => type));
    for (const [type, reply] of await eachAnswered(shop, owned))
      if (!cashiers.has(type)) expect(reply, type).toBe("manager_needed");
      else if (paysOut.has(type as never))
        expect(["manager_needed", "locked", "people_lost"], type).not.toContain(reply);
      else expect(reply, type).toBe("people_lost");
  });

  test("no PIN is taken, none is set, and none is changed", async () => {
    const shop = await robbed();
    expect(await eachAnswered(shop, [commands.set_manager_pin, commands.sign_in, commands.change_pin])).toEqual([
      ["set_manager_pin", "denied"],
      ["sign_in", "people_lost"],
      ["change_pin", "people_lost"],
    ]);
  });
});

test("settings edited by hand, or with a damaged or deleted journal, open no command to anybody", async () => {
  const wanted = { settings: { people: signInRule } };
  const { drawerMoney } = settingsSchema.parse({ drawerMoney: { managerFor: [] } });
  const settings = { people: { ...signInRule, cashiersSignIn: false }, drawerMoney };
  const damaged = new MemoryJournal();
  damaged.damaged.push({ sequence: 1, why: "hash" });
  const states = [{}, { journal: damaged }, { journal: new MemoryJournal(), hasEarlierLife: true }];
  for (const state of states) {
    const shop = await (await openShop(wanted, 1)).restart({ settings, ...state });
    for (const [type, reply] of await eachAnswered(shop, owned))
      expect(reply, type).toBe(cashiers.has(type) ? "locked" : "manager_needed");
  }
});

test("what is paid leaves by these commands alone while the list of people is lost", () => {
  expect(needing("pay_out").map(({ type }) => type)).toEqual([
    ...["reject", "hand_out", "not_handed_out", "dismiss", "retry", "resume", "open_drawer"],
    ...["retry_print", "drop_prints"],
  ]);
});

describe("where cashiers sign in, nobody is known, and the service has not answered yet", () => {
  const unanswered = async (): Promise<Counter> => {
    const { service } = (await openCounter()).till;
    service.fault = () => ({ kind: "silence", why: "refused" });
    return openCounter({ service, settings: { people: signInRule } });
  };

  test("only what begins or moves cash waits", async () => {
    const waiting = (await eachAnswered(await unanswered(), atCounter)).filter(([, reply]) => reply === "unreachable");
    expect(waiting.map(([type]) => type)).toEqual(["scan", "confirm", "move_cash", "no_sale"]);
  });

  test.each([
    ["nobody has to sign in", false, openCounter],
    ["its people are known", true, openShop],
  ])("nothing waits where %s", async (_, cashiersSignIn, start) => {
    const { service } = (await openCounter()).till;
    service.fault = () => ({ kind: "silence", why: "refused" });
    const shop = await start({ service, settings: { people: { ...signInRule, cashiersSignIn } } });
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
  const isReaching = needing("known_manager");

  test("asks for one once the terminal is enrolled", async () => {
    const asking = [...managers, ...needing("set_up")];
    expect(await eachAnswered(await openCounter(), asking)).toEqual(allAnswered(asking, "no_manager"));
  });

  test("is open before the first enrolment", async () => {
    // The settings here name a device's address, which only a manager may (`device-address.test.ts`).
    const isOpen = needing("set_up").filter(({ type }) => type !== "change_settings");
    await reaches(() => openCounter({ credential: null }), isOpen);
  });

  test("works at the counter as before, whatever the settings say", async () => {
    await reaches(() => openCounter({ settings: { people: signInRule } }), atCounter);
  });

  test("is open to everybody in training", async () => {
    const trained = all.filter((command) => !isReaching.includes(command));
    await reaches(() => openCounter({ training: true }), trained);
  });

  test("what reaches beyond this machine asks for a PIN in training too", async () => {
    const counter = await openCounter({ training: true });
    expect(await eachAnswered(counter, isReaching)).toEqual(allAnswered(isReaching, "no_manager"));
    await counter.press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
    expect(await eachAnswered(counter, isReaching)).toEqual(allAnswered(isReaching, "invalid"));
  });
});
