/** Terminals with a payment or an owed link in their journal, and the next start of each. */
import { expect } from "vitest";
import type { Credential } from "../../../main/terminal/ports.ts";
import type { Problem } from "../../../preload/contract.ts";
import { answer } from "./flow-stage.ts";
import { createRig, idNumber, MemoryJournal, type Rig, type RigOptions } from "./rig.ts";

/** The first withdrawal's id. */
export const id = idNumber(1);
/** The credential of these terminals. */
export const key: Credential = {
  serviceUrl: "http://service",
  merchantId: "demo-shop",
  deviceId: "till-1",
  secret: "till-secret",
};
/** Options of a rig with real money and without a drawer. */
export const live = { training: false, settings: { drawer: { kind: "none" } } } as const;

/** What the manager's list of problems holds. Throws when it is refused. */
export const problems = async (till: Rig): Promise<readonly Problem[]> => {
  const reply = await till.terminal.dispatch({ type: "list_problems" });
  if (!reply.ok) throw new Error(reply.code);
  return reply.data as readonly Problem[];
};

/** A live terminal with a payment that nobody has handed out. */
export const paid = async (journal = new MemoryJournal(), options: RigOptions = {}): Promise<Rig> => {
  const till = await createRig({ ...live, journal, ...options });
  till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  const order = till.service.orders.get(id);
  if (order) order.status = "settled";
  await till.clock.advance(1_500);
  expect(till.screen().kind).toBe("payable");
  return till;
};

/** The same, handed out while the service was away: the link is owed. */
export const owed = async (journal: MemoryJournal): Promise<Rig> => {
  const till = await paid(journal);
  till.service.fault = () => "hang";
  await till.send({ type: "hand_out" });
  return till;
};

/** The next start, with what is in the journal. */
export const next = (till: Rig, journal: MemoryJournal, options: RigOptions = {}): Promise<Rig> =>
  createRig({ ...live, clock: till.clock, service: till.service, journal, idsFrom: 500, ...options });

/** Connects with `key`, or with a part of it changed. */
export const enroll = (till: Rig, credential: Partial<Credential>) =>
  till.terminal.dispatch({ type: "enroll", ...key, ...credential });

/** The same by the operator's code, of which the service makes that key. */
export const enrollByCode = (till: Rig, credential: Partial<Credential>) => {
  const { serviceUrl, merchantId, deviceId, secret } = { ...key, ...credential };
  const body = { merchant_id: merchantId, store_name: "Demo", device_id: deviceId, password: secret };
  till.service.fault = ({ path }) => (path === "/ext/v1/enrolments" ? answer(201, body) : null);
  return till.terminal.dispatch({ type: "enroll_by_code", serviceUrl, code: "7F3K-9Q2M-4XTZ" });
};
