/** Brings a till with a scripted service to where a story begins. */
import { expect } from "vitest";
import type { ServiceAnswer } from "../../../../main/terminal/ports.ts";
import { createRig, idNumber, MemoryJournal, type Rig, type RigOptions } from "../rig.ts";

/** The withdrawal of every story. */
export const id = idNumber(1);
/** No answer in time. */
export const silence: ServiceAnswer = { kind: "silence", why: "timeout" };
/** An answer of success that cannot be read. */
export const garbled: ServiceAnswer = { kind: "silence", why: "garbled" };
/** An answer by the service, or by anything before it. */
export const http = (status: number, body: unknown = { code: "x" }): ServiceAnswer => ({
  kind: "answer",
  status,
  body,
  dateMs: null,
  retryAfterMs: null,
});

/** A till that waits for the approval. */
export const waiting = async (options: RigOptions = {}): Promise<Rig & { journal: MemoryJournal }> => {
  const journal = new MemoryJournal();
  const till = await createRig({ ...options, journal });
  till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "approval" });
  return { ...till, journal };
};

/** What the service says about the story's withdrawal from now on; the till has asked since. */
export const setStatus = async (till: Rig, status: string, reason: string | null = null): Promise<void> => {
  const order = till.service.orders.get(id);
  if (order === undefined) throw new Error("no order");
  order.status = status;
  order.reason = reason;
  await till.clock.advance(1_500);
};

/** A till that offers the cash. */
export const payable = async (options: RigOptions = {}): Promise<Rig & { journal: MemoryJournal }> => {
  const till = await waiting(options);
  await setStatus(till, "settled");
  expect(till.screen().kind).toBe("payable");
  return till;
};
