/** Whether the service is there is judged by what was heard last from it at all: one withdrawal's lost answers do not say that it is silent. */
import { expect, test } from "vitest";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import { createRig, handOver, idNumber, leadToPayable, type Rig } from "./rig.ts";

const id = idNumber(1);

/** The connection that the screens showed, looked at twice a second. */
const shownDuring = async (till: Rig, seconds: number): Promise<ReadonlySet<string>> => {
  const shown = new Set<string>();
  for (let half = 0; half < seconds * 2; half++) {
    await till.clock.advance(500);
    shown.add(till.snapshot().header.connection);
  }
  return shown;
};

const isAbout = (request: { readonly path: string; readonly body?: unknown }): boolean =>
  `${request.path}${JSON.stringify(request.body)}`.includes(id);

/** Cash handed out; from its link on, each answer about this withdrawal is lost on the way and every other one comes. */
const linkIsLost = async (): Promise<Rig> => {
  const till = await createRig();
  await leadToPayable(till, id);
  till.service.fault = (request) => (isAbout(request) ? "lose" : null);
  await handOver(till);
  return till;
};

test("after the first lost answer it is found out that the service is there, and its repeats change nothing", async () => {
  const till = await linkIsLost();
  await till.clock.advance(5_000);
  expect(till.snapshot().header.connection).toBe("offline");
  await till.clock.advance(5_000);
  expect(till.snapshot().header.connection).toBe("online");
  const before = till.service.calls("/transaction/link").length;
  expect(await shownDuring(till, 180)).toEqual(new Set(["online"]));
  expect(till.service.calls("/transaction/link").length).toBeGreaterThan(before + 3);
});

test("a repeat without an answer asks once whether the service is there, and no more", async () => {
  const till = await linkIsLost();
  await till.clock.advance(10_000);
  const before = till.service.requests.length;
  await till.clock.advance(50_000);
  // The first one is about the repeat that is under way.
  const eachAskedOnce = Array(4).fill(["/transaction/link", "/healthz"]).flat();
  expect(till.service.requests.slice(before).map(({ path }) => path)).toEqual(["/healthz", ...eachAskedOnce]);
});

test("a service that really goes silent is offline, and online again once it speaks", async () => {
  const till = await linkIsLost();
  await till.clock.advance(10_000);
  till.service.fault = () => "hang";
  await till.clock.advance(5 * 60_000);
  expect(till.snapshot().header.connection).toBe("offline");
  till.service.fault = (request) => (isAbout(request) ? "lose" : null);
  await till.clock.advance(10_000);
  expect(await shownDuring(till, 120)).toEqual(new Set(["online"]));
});

test("what the interface does not have and a gateway swallows says nothing about the service", async () => {
  const till = await createRig();
  till.service.fault = ({ path }) => (path.startsWith("/ext/") ? "hang" : null);
  await till.clock.advance(10_000);
  expect(await shownDuring(till, 30 * 60)).toEqual(new Set(["online"]));
});

test("a connection to the service that ends is asked after at once, and once a minute at most", async () => {
  const till = await createRig();
  await till.clock.advance(90_000);
  const probes = () => till.service.calls("/healthz").length;
  const before = probes();
  const asked: number[] = [];
  for (let times = 0; times < 65; times++) {
    till.terminal.connectionLost();
    await till.clock.advance(2_000);
    asked.push(probes() - before);
  }
  expect(till.snapshot().header.connection).toBe("online");
  expect(asked).toEqual(asked.map((_, at) => 1 + Math.floor(at / 30)));
  await till.clock.advance(60_000);
  till.service.fault = () => ({ kind: "silence", why: "refused" });
  till.terminal.connectionLost();
  await till.clock.advance(3_000);
  expect(till.snapshot().header.connection).toBe("offline");
});

test("a closed terminal answers nothing, spends no code and waits for nothing more", async () => {
  const till = await createRig();
  await till.clock.advance(90_000);
  await till.terminal.close();
  const calls = till.service.requests.length;
  expect(await till.terminal.dispatch({ type: "list_problems" }, counterActor)).toEqual({ ok: false, code: "failed" });
  expect(await till.terminal.redeemManagerReset("7F3K9Q2M4XTZ")).toBe("unreachable");
  await till.clock.advance(600_000);
  expect([till.service.requests.length - calls, till.clock.timers]).toEqual([0, 0]);
});
