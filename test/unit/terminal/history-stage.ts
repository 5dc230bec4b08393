import { type Actor, counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import type { HistoryLine } from "../../../preload/contract.ts";
import { createRig, idNumber, type Rig, type RigOptions } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Who signed in. */
export const by = (code: string): Actor => ({ ...counterActor, code });

/** Scans, confirms and is approved; then `end` is done by somebody. */
export const serve = async (
  till: Rig,
  number: number,
  cashier: string,
  end: "cash" | "none" | "reject",
): Promise<void> => {
  const id = idNumber(number);
  const order = till.service.order({ transaction_id: id, amount: `${number}0.00` });
  const press = async (command: { type: string; [field: string]: unknown }, code = cashier) => {
    await till.terminal.dispatch({ step: till.screen().step, ...command } as never, by(code));
    await till.clock.advance(0);
  };
  // No monotonic clock counts in whole milliseconds.
  await till.clock.advance(4_000.375);
  await press({ type: "scan", text: id, source: "typed" });
  await till.clock.advance(2_000.125);
  if (end === "reject") return press({ type: "reject" });
  await press({ type: "confirm" });
  await till.clock.advance(6_000);
  order.status = "settled";
  await till.clock.advance(1_500);
  if (end === "cash") {
    await press({ type: "hand_out" }, "C9");
    await press({ type: "hand_out" }, "C9");
  } else await press({ type: "not_handed_out", reason: "customer_left" });
  await till.clock.advance(4_000);
  await press({ type: "dismiss" });
};

/** The data of a reply. Throws when it is refused. */
export const ask = async <T>(till: Rig, command: { type: string; [field: string]: unknown }): Promise<T> => {
  const reply = await till.terminal.dispatch(command as never);
  if (!reply.ok) throw new Error(reply.code);
  return reply.data as T;
};
/** The transactions of the list, as it is narrowed by `filter`. */
export const list = async (till: Rig, filter: object = {}, limit = 50): Promise<readonly string[]> => {
  const command = { type: "list_history", before: null, limit, filter: { from: null, to: null, code: "", ...filter } };
  return (await ask<HistoryLine[]>(till, command)).map(({ transactionId }) => transactionId);
};

/** 20 November in Berlin: cash by C2 and C9, then nothing handed out by C3; confirmed at 23:59:56 cash by C3; after midnight a reject. */
export const fourFates = async (options: RigOptions = {}): Promise<Rig> => {
  const till = await createRig({ clock: new VirtualClock(Date.UTC(2026, 10, 20, 10)), ...options });
  await serve(till, 1, "C2", "cash");
  await serve(till, 2, "C3", "none");
  till.clock.jump(Date.UTC(2026, 10, 20, 22, 59, 50) - till.clock.now());
  await serve(till, 3, "C3", "cash");
  await till.clock.advance(60_000);
  await serve(till, 4, "C2", "reject");
  return till;
};
