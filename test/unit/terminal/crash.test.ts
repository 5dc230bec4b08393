/** The process dies at every single call of a port, once in each run: never twice, never lost, never stuck. */
import { describe, expect, test } from "vitest";
import type { Snapshot, TerminalCommand } from "../../../preload/contract.ts";
import type { FakeService } from "./fake-service.ts";
import { runStory, type Story, type StoryResult } from "./lives.ts";
import { idNumber } from "./rig.ts";

const id = idNumber(7);

/** Does the work, and scans again when the till has forgotten an order that nobody confirmed. */
const diligent =
  (service: () => FakeService | null) =>
  ({ screen }: Snapshot): TerminalCommand | null => {
    switch (screen.kind) {
      case "ready":
        return service()?.orders.get(id)?.status === "ready" ? { type: "scan", text: id, source: "camera" } : null;
      case "review":
        return { type: "confirm", step: screen.step };
      case "payable":
        return { type: "hand_out", step: screen.step };
      case "counting":
        return { type: "hand_out", step: screen.step };
      case "opening":
        return screen.drawer === "opening" ? null : { type: "hand_out", step: screen.step };
      case "ended":
        return { type: "dismiss", step: screen.step };
      default:
        return null;
    }
  };

type Customer = (order: { status: string; reason?: unknown }, sinceConfirmMs: number) => void;

/** What each comes to where nothing crashes. */
const ends: Readonly<Record<string, string>> = {
  "approves after 4 s, the bank takes 2 s": "linked",
  denies: "canceled",
  "never approves": "rejected",
  "approves in the last moment": "linked",
};
const customers: Readonly<Record<string, Customer>> = {
  "approves after 4 s, the bank takes 2 s": (order, ms) => {
    if (order.status === "awaiting_sca" && ms >= 4_000) order.status = "settling";
    else if (order.status === "settling" && ms >= 6_000) order.status = "settled";
  },
  denies: (order, ms) => {
    if (order.status !== "awaiting_sca" || ms < 3_000) return;
    order.status = "canceled";
    order.reason = "sca_denied";
  },
  "never approves": (order, ms) => {
    if (order.status !== "awaiting_sca" || ms < 40_000) return;
    order.status = "canceled";
    order.reason = "sca_timeout";
  },
  "approves in the last moment": (order, ms) => {
    if (order.status === "awaiting_sca" && ms >= 34_500) order.status = "settling";
    else if (order.status === "settling" && ms >= 37_000) order.status = "settled";
  },
};

const storyOf = (customer: Customer, crashAt: number): Story => {
  let seen: FakeService | null = null;
  let confirmedAtMs: number | null = null;
  return {
    crashAt,
    forMs: 90_000,
    service(service) {
      seen = service;
      service.order({ transaction_id: id });
    },
    cashier: diligent(() => seen),
    world(service, elapsedMs) {
      const order = service.orders.get(id);
      if (order === undefined) return;
      if (order.transaction_id_partner !== null) confirmedAtMs ??= elapsedMs;
      if (confirmedAtMs !== null) customer(order, elapsedMs - confirmedAtMs);
    },
  };
};

const paid = ["settled", "linked", "undelivered"];

const check = (result: StoryResult): void => {
  const types = result.journal.types();
  const status = result.service.orders.get(id)?.status ?? "";
  const given = types.filter((type) => type === "handed_out").length;
  expect(given).toBeLessThanOrEqual(1);
  expect(given === 1).toBe(status === "linked");
  expect(paid.includes(status) && status !== "linked").toBe(false);
  expect(["linked", "rejected", "canceled"]).toContain(status);
  // The drawer moves for a cashier's word, never because a restart thought so.
  expect(result.drawerOpens).toBeLessThanOrEqual(result.handOuts);
  expect(result.drawerOpens).toBeGreaterThanOrEqual(given);
  expect(result.payableShown).toBeGreaterThanOrEqual(given);
  const partnerIds = result.service
    .calls("/transaction/confirm")
    .map(({ body }) => (body as { transaction_id_partner: string }).transaction_id_partner);
  expect(new Set(partnerIds).size).toBeLessThanOrEqual(1);
  expect(result.snapshot.screen.kind).toBe("ready");
  expect(result.snapshot.header).toMatchObject({ open: [], pendingReports: null, connection: "online" });
};

describe.each(Object.entries(customers))("the customer %s", (name, customer) => {
  test("without a crash, and with one at each call of a port", async () => {
    const whole = await runStory(storyOf(customer, 0));
    check(whole);
    expect(whole.portCalls).toBeGreaterThan(10);
    expect(whole.service.orders.get(id)?.status).toBe(ends[name]);
    for (let crashAt = 1; crashAt <= whole.portCalls; crashAt++) {
      const result = await runStory(storyOf(customer, crashAt));
      expect(result.crashed).toBe(true);
      check(result);
    }
  });
});
