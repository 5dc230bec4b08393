/** What the service answered before the machine slept, or the program stood still, is heard first when it goes on. */
import { expect, test } from "vitest";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import { createRig, idNumber, leadToPayable, type Rig } from "./rig.ts";

const id = idNumber(1);
const minute = 60_000;

/** The next such call about the withdrawal is answered when the test says so: it is paid. */
const holdNext = (till: Rig, call = "/transaction?id=") => {
  let answer: (() => void) | undefined;
  till.service.fault = ({ path }) => {
    if (!path.startsWith(call) || answer !== undefined) return null;
    return new Promise<ServiceAnswer>((resolve) => {
      answer = () =>
        resolve({
          kind: "answer",
          status: 200,
          body: { ...till.service.orders.get(id), status: "settled" },
          dateMs: till.clock.now(),
          retryAfterMs: null,
        });
    });
  };
  return () => answer?.();
};

test("a press that waited for the answer while the machine slept does not open the drawer", async () => {
  const till = await createRig();
  await leadToPayable(till, id);
  await till.clock.advance(35_000);
  const answered = holdNext(till);
  await till.send({ type: "hand_out" });
  expect(till.screen()).toMatchObject({ kind: "opening", drawer: "checking" });
  const slept = till.clock.sleep(40 * minute);
  answered();
  await slept;
  await till.clock.advance(1_000);
  expect(till.drawer.opens).toBe(0);
});

test("a payment that was answered while the machine slept does not open the drawer by itself", async () => {
  const till = await createRig({ settings: { openOnSettled: true } });
  const order = till.service.order({ transaction_id: id, sca_required: false });
  await till.scan(id);
  const answered = holdNext(till);
  await till.send({ type: "confirm" });
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
  order.status = "settled";
  const slept = till.clock.sleep(40 * minute);
  answered();
  await slept;
  await till.clock.advance(1_000);
  expect(till.drawer.opens).toBe(0);
});

test.each(["/transaction?id=", "/transaction/confirm"])(
  "an operator's decision that came meanwhile is asked for before the cash is offered, whatever %s answers",
  async (call) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id, sca_required: false });
    await till.scan(id);
    const answered = holdNext(till, call);
    await till.send({ type: "confirm" });
    const slept = till.clock.sleep(40 * minute);
    // The service answered "settled" before; after twenty minutes of silence an operator said that nothing was handed out.
    Object.assign(order, { status: "undelivered", reason: "decided_by_operator" });
    answered();
    await slept;
    await till.send({ type: "hand_out" });
    await till.clock.advance(1_000);
    expect(till.drawer.opens).toBe(0);
  },
);

test("a sleep that ends before the next timer is due is one too: the drawer does not open by itself after it", async () => {
  const till = await createRig({ settings: { openOnSettled: true } });
  const order = till.service.order({ transaction_id: id, sca_required: false });
  await till.scan(id);
  await till.send({ type: "confirm" });
  await till.clock.advance(1_000);
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
  order.status = "settled";
  const slept = till.clock.sleep(2 * minute);
  // As the desktop program does it when the system says that it woke.
  till.terminal.wake();
  await slept;
  await till.clock.advance(1_000);
  expect(till.drawer.opens).toBe(0);
});

test("a drawer that answers after a sleep is heard: it is not opened again", async () => {
  const till = await createRig();
  await leadToPayable(till, id);
  const { promise, resolve } = Promise.withResolvers<"opened">();
  till.drawer.open = () => {
    till.drawer.opens += 1;
    return promise;
  };
  await till.send({ type: "hand_out" });
  expect(till.screen()).toMatchObject({ kind: "opening", drawer: "opening" });
  const slept = till.clock.sleep(40 * minute);
  resolve("opened");
  await slept;
  await till.clock.advance(minute);
  expect(till.screen().kind).toBe("counting");
  expect(till.drawer.opens).toBe(1);
});
