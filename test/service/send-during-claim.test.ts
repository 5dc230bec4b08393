/** What a process sends itself goes out at once, also where a claim of older rows keeps the slots at that moment. */
import { describe, expect, test } from "vitest";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { outboxStage, silent } from "./outbox-stage.ts";
import { accepted, bank as bankClient } from "./world.ts";

/** Something else happens first, once, when the next unit is to be written. */
const interruptible = (store: Store) => {
  let interruption: (() => Promise<void>) | null = null;
  const write: Store["write"] = async (unit) => {
    const happens = interruption;
    interruption = null;
    await happens?.();
    return store.write(unit);
  };
  return {
    store: { ...store, write },
    beforeNextWrite: (happens: () => Promise<void>) => {
      interruption = happens;
    },
  };
};

describe("while a claim is under way that brings nothing", () => {
  const stage = outboxStage("sqlite");
  const { open, until, real, statusOf, settling } = stage;

  test("a Settle order goes out", async () => {
    const { store, beforeNextWrite } = interruptible(stage.store);
    const { service, bank } = await open({}, store);
    bank.onSettle = silent("timeout");
    await settling(service);
    await real(() => bank.settles.length === 1);
    await stage.idle();
    bank.onSettle = () => accepted;
    let next: Transaction | null = null;
    beforeNextWrite(async () => {
      // Another process has taken what was due.
      const leased = adhoc((db) => db.updateTable("outbox").set({ due_at: stage.clock.now() + 9_000 }));
      await stage.store.write((tx) => tx.run(leased));
      next = await settling(service);
    });
    await until(() => next !== null);
    await real(async () => next !== null && (await statusOf(service, next)) === "settled");
    expect(bank.settles).toHaveLength(2);
  });

  test("a status event goes out", async () => {
    const { store, beforeNextWrite } = interruptible(stage.store);
    const url = "https://bank/events";
    const { service, bank } = await open({}, store);
    await stage.store.write((tx) => tx.first(updatePartner(bankClient.partnerId, { events_url: url })));
    await stage.idle();
    const event = { transaction_id: "x", partner_id: bankClient.partnerId, body: "{}", partner_reference: null };
    const due = { due_at: stage.clock.now(), created_at: stage.clock.now(), last_error: "http_503" };
    const row = { ...event, ...due, id: "event_x_1", attempts: 1, claimed_by: "" };
    await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("status_events").values(row))));
    let isSent = false;
    beforeNextWrite(async () => {
      service.statusEvents.send({ ...event, id: "event_x_2" });
      isSent = true;
    });
    await until(() => isSent);
    await real(() => bank.requests.some(({ headers }) => headers["webhook-id"] === "event_x_2"));
  });
});
