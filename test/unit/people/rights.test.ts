/** Every command, with nobody there, with a cashier, with a manager: what the host lets through. */
import { describe, expect, test } from "vitest";
import { type Right, rightOf } from "../../../main/people/rights.ts";
import { type Command, commandSchema, settingsSchema } from "../../../preload/contract.ts";
import { managerPin, openCounter, openShop } from "./stage.ts";

const settings = settingsSchema.parse({});
const signIn = { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" } as const;
const note = "looked into";
const shop = { id: "s", name: "S", currency: "EUR", smallest: "", largest: "", step: "" };
const bank = { id: "b", url: "https://evil.example", eventsUrl: "", key: "" };

/** One command of each type; leaving one out is a type error. */
const commands: { readonly [Type in Command["type"]]: Extract<Command, { type: Type }> } = {
  scan: { type: "scan", text: "x", source: "typed" },
  confirm: { type: "confirm", step: "1" },
  reject: { type: "reject", step: "1" },
  hand_out: { type: "hand_out", step: "1" },
  not_handed_out: { type: "not_handed_out", step: "1", reason: "other" },
  dismiss: { type: "dismiss", step: "1" },
  retry: { type: "retry", step: "1" },
  resume: { type: "resume", withdrawalId: "1" },
  open_drawer: { type: "open_drawer", step: "1" },
  open_day: { type: "open_day", number: 1, currency: "EUR", count: { pieces: [], otherMinor: 100 }, isEmpty: false },
  move_cash: {
    type: "move_cash",
    number: 1,
    direction: "out",
    amountMinor: 100,
    count: null,
    reason: "bank",
    note: "",
    moveId: "1",
  },
  count_day: { type: "count_day", number: 1, count: { pieces: [], otherMinor: 100 }, isEmpty: false },
  recount_day: { type: "recount_day", number: 1 },
  close_day: { type: "close_day", number: 1, takeOut: { pieces: [], otherMinor: 0 }, reason: "", over: [] },
  get_day: { type: "get_day", reveal: false },
  list_days: { type: "list_days" },
  print_day: { type: "print_day", number: 1 },
  print_receipt: { type: "print_receipt", withdrawalId: "1", copy: "customer" },
  retry_print: { type: "retry_print" },
  drop_prints: { type: "drop_prints" },
  enroll: { type: "enroll", serviceUrl: "https://evil.example", merchantId: "m", deviceId: "d", secret: "s" },
  enroll_by_code: { type: "enroll_by_code", serviceUrl: "https://evil.example", code: "7F3K9Q2M4XTZ" },
  check_connection: { type: "check_connection", serviceUrl: "https://service.example" },
  test_drawer: { type: "test_drawer" },
  practice_request: { type: "practice_request", amount: "50.00" },
  practice_read: { type: "practice_read", transactionId: "W1" },
  practice_decide: { type: "practice_decide", transactionId: "W1", approved: true },
  switch_purpose: { type: "switch_purpose", training: true },
  change_settings: {
    type: "change_settings",
    settings: {
      ...settings,
      drawer: {
        kind: "network",
        host: "203.0.113.9",
        port: 22,
        sensor: false,
        pulse: { pin: 2, onMs: 50, offMs: 250 },
      },
    },
  },
  save_report: { type: "save_report" },
  set_up_service: { type: "set_up_service", shop, bank, backupFolder: "/copies" },
  change_service: { type: "change_service", change: { part: "bank", bank } },
  get_service: { type: "get_service" },
  restart_service: { type: "restart_service" },
  back_up_service: { type: "back_up_service" },
  renew_bank_access: { type: "renew_bank_access" },
  discard_bank_file: { type: "discard_bank_file" },
  list_history: { type: "list_history", before: null, limit: 10 },
  list_cashiers: { type: "list_cashiers" },
  get_story: { type: "get_story", withdrawalId: "1" },
  get_figures: { type: "get_figures", from: "2026-11-20", to: "2026-11-21" },
  get_books: { type: "get_books", from: "2026-11-20", to: "2026-11-21" },
  check_journal: { type: "check_journal" },
  list_problems: { type: "list_problems" },
  decide_withdrawal: { type: "decide_withdrawal", withdrawalId: "1", decision: "leave_to_books", note },
  acknowledge_problem: { type: "acknowledge_problem", withdrawalId: "1", note },
  answer_journal_question: { type: "answer_journal_question", choice: "adopt" },
  set_manager_pin: { type: "set_manager_pin", name: "Eve", pin: "482915" },
  reset_manager: {
    type: "reset_manager",
    code: "7F3K9Q2M4XTZ",
    who: { kind: "new", name: "Eve" },
    pin: "482916",
  },
  sign_in: { type: "sign_in", person: "M1", pin: "000001", as: "manager" },
  sign_out: { type: "sign_out", as: "manager" },
  still_here: { type: "still_here" },
  change_pin: { type: "change_pin", person: "M1", pin: "000001", newPin: "482916" },
  save_person: { type: "save_person", person: null, name: "Eve", role: "manager", pin: "482916" },
  remove_person: { type: "remove_person", person: "M1" },
};

const all = Object.values(commands);
const needing = (right: Right) => all.filter(({ type }) => rightOf[type] === right);

test.each(all)("$type is a command of the bridge", (command) => {
  expect(commandSchema.safeParse(command).success).toBe(true);
});

describe("with nobody signed in", () => {
  test.each(needing("manager"))("$type is refused, and nothing goes out or is written", async (command) => {
    const shop = await openShop();
    const [sent, written] = [shop.till.service.requests.length, shop.types().length];
    expect(await shop.guard.dispatch(command)).toEqual({ ok: false, code: "manager_needed" });
    await shop.till.clock.advance(1_000);
    expect(shop.till.service.requests.slice(sent).filter(({ baseUrl }) => baseUrl !== "http://service")).toEqual([]);
    expect(shop.types().length).toBe(written);
  });

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

test.each(needing("manager"))("$type is refused to a cashier", async (command) => {
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

test.each(needing("manager"))("$type reaches the terminal of a manager who signed in", async (command) => {
  const shop = await openShop();
  await shop.press({ type: "sign_in", person: "M1", pin: managerPin, as: "manager" } as never);
  expect(await shop.guard.dispatch(command)).not.toMatchObject({ code: "manager_needed" });
});

describe("an installation without a PIN", () => {
  test.each(needing("set_up"))("$type asks for one as well, once the terminal is enrolled", async (command) => {
    const counter = await openCounter();
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "no_manager" });
  });

  test.each(needing("set_up"))("$type is open before the first enrolment", async (command) => {
    const counter = await openCounter({ credential: null });
    expect(await counter.guard.dispatch(command)).not.toMatchObject({ code: "no_manager" });
  });

  test.each(needing("manager"))("$type asks for one to be set first", async (command) => {
    const counter = await openCounter();
    expect(await counter.guard.dispatch(command)).toEqual({ ok: false, code: "no_manager" });
  });

  test.each(needing("counter"))("$type works as before, whatever the settings say", async (command) => {
    const counter = await openCounter({ settings: { people: signIn } });
    expect(await counter.guard.dispatch(command)).not.toMatchObject({ code: "locked" });
  });

  test.each(all)("$type is open to everybody in training", async (command) => {
    const counter = await openCounter({ training: true });
    expect(await counter.guard.dispatch(command)).not.toMatchObject({ code: "no_manager" });
  });
});
