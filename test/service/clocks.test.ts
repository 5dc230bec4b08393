/** Clocks that are set back while the service runs, and machines of a fleet whose clocks differ. */
import { afterEach, expect, test } from "vitest";
import { createSteadyTime, elapsedMs, systemClock } from "../../backend/adapters.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import type { Clock } from "../../backend/ports.ts";
import { createDatabaseClock, type DatabaseClock, type EndUncertain } from "../../backend/store/database-clock.ts";
import { copiedAtSetting } from "../../backend/store/restores.ts";
import { setSetting } from "../../backend/store/settings.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { applyPendingRestore } from "../../backend/withdrawals/restored.ts";
import { endFuture, endUncertain } from "../../backend/withdrawals/sweep.ts";
import { startStage } from "./sandbox-stage.ts";
import { createPlace, type Place } from "./stores.ts";
import { accepted, bank, confirmIt, createWorld, placeOrder, testKeys, till, type World } from "./world.ts";

const places: Place[] = [];
const worlds: World[] = [];
const clocks: DatabaseClock[] = [];
afterEach(async () => {
  for (const clock of clocks.splice(0)) clock.stop();
  await Promise.all(worlds.splice(0).map(({ service }) => service.stop()));
  await Promise.all(places.splice(0).map((place) => place.dispose()));
});

const minuteMs = 60_000;
const endAll: EndUncertain = (tx, now) => endUncertain(tx, { keys: testKeys }, now);

test("an approval 45 minutes after the confirmation is too late, also when the clock was set back by 45 minutes", async () => {
  const place = await createPlace("sqlite");
  places.push(place);
  const startMs = Date.UTC(2026, 10, 20, 10);
  let elapsed = 0;
  const time = createSteadyTime(
    // As much as passes, the clock is set back.
    () => startMs,
    () => elapsed,
  );
  const clock: Clock = { ...systemClock, now: time.now };
  const world = await createWorld(await place.open(clock), { clock, options: { pollMs: 1e9 } });
  worlds.push(world);
  const { transaction_id: id } = await confirmIt(world.service, await placeOrder(world.service));
  elapsed += 45 * minuteMs;
  await expect(resolveSca(world.service, bank, id, "approved")).rejects.toMatchObject({
    code: "transaction_conflict",
    extra: { transaction: { status: "canceled", reason: "sca_timeout" } },
  });
  expect(world.bank.settles).toHaveLength(0);
});

test("every answer's Date is the time by which the service works, not its machine's", async () => {
  const place = await createPlace("sqlite");
  places.push(place);
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + 45 * minuteMs };
  const stage = await startStage(await place.open(clock), {}, clock);
  const answers = await Promise.all(
    ["/transaction?id=1", "/oauth2/authorize", "/healthz", "/nowhere"].map((path) => fetch(stage.url + path)),
  );
  for (const { headers } of answers)
    expect(Math.abs(Date.parse(headers.get("date") ?? "") - clock.now())).toBeLessThan(minuteMs);
  await stage.stop();
});

/** A service with two withdrawals open, ready and waiting for approval, whose clock is then set. */
const openAtTen = async () => {
  const place = await createPlace("sqlite");
  places.push(place);
  let now = Date.UTC(2026, 10, 27, 10);
  const clock: Clock = { ...systemClock, now: () => now };
  const world = await createWorld(await place.open(clock), { clock, options: { pollMs: 1e9 } });
  worlds.push(world);
  const { service } = world;
  const ready = await placeOrder(service);
  const waiting = await confirmIt(service, await placeOrder(service));
  const setBack = (byMs: number): void => {
    now -= byMs;
  };
  return { service, clock, ready, waiting, setBack };
};

test("a copy that is put back where the clock is a day behind ends what is open by the restore, so that its bank repeats what it paid", async () => {
  const { service, clock, ready, waiting, setBack } = await openAtTen();
  await service.store.write((tx) => tx.run(setSetting({ name: copiedAtSetting, value: String(clock.now()) })));
  setBack(24 * 60 * minuteMs);
  expect(await service.store.write((tx) => endAll(tx, clock.now()))).toBe(true);
  await applyPendingRestore({ store: service.store, clock, keys: testKeys });
  for (const { transaction_id: id } of [ready, waiting])
    expect(await getTransaction(service, till, id)).toMatchObject({ status: "canceled", reason: "restored" });
});

test("a start whose clock is right again ends what one that was a week ahead has left open", async () => {
  const { service, ready, waiting, setBack } = await openAtTen();
  setBack(7 * 24 * 60 * minuteMs);
  const own = await placeOrder(service);
  await endFuture(service);
  await expect(resolveSca(service, bank, waiting.transaction_id, "approved")).rejects.toMatchObject({
    extra: { transaction: { status: "canceled", reason: "sca_timeout" } },
  });
  expect(await getTransaction(service, till, ready.transaction_id)).toMatchObject({ status: "expired" });
  expect(await getTransaction(service, till, own.transaction_id)).toMatchObject({ status: "ready" });
});

test("processes whose machines differ by ten minutes share one time, and never send one order at the same time", async () => {
  const place = await createPlace("postgres");
  places.push(place);
  const machines = [-5 * minuteMs, 5 * minuteMs].map(
    (skewMs): Clock => ({
      ...systemClock,
      now: () => Date.now() + skewMs,
    }),
  );
  const times: Clock[] = [];
  const inFlight = new Map<string, number>();
  const calls = new Map<string, number>();
  let together = 0;
  for (const machine of machines) {
    const clock = await createDatabaseClock(await place.open(machine), machine, elapsedMs, endAll);
    clocks.push(clock);
    times.push(clock);
    const world = await createWorld(clock.checkedStore, { clock });
    world.bank.onSettle = async ({ SvcTransactionReferenceId: id }) => {
      const call = (calls.get(id) ?? 0) + 1;
      calls.set(id, call);
      inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
      together = Math.max(together, inFlight.get(id) ?? 0);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      inFlight.set(id, (inFlight.get(id) ?? 0) - 1);
      return call < 3 ? { status: 503, body: "" } : accepted;
    };
    worlds.push(world);
  }
  const [one, two] = times.map((clock) => clock.now()) as [number, number];
  expect(Math.abs(one - two)).toBeLessThan(minuteMs);
  for (const { service } of worlds) await confirmIt(service, await placeOrder(service, { sca_required: false }));
  await expect.poll(() => [...calls.values()]).toEqual([3, 3]);
  expect(together).toBe(1);
});

test("an operator whose machine is 20 minutes ahead decides no order before its bank was asked for 15", async () => {
  const place = await createPlace("postgres");
  places.push(place);
  const clock = await createDatabaseClock(await place.open(), systemClock, elapsedMs, endAll);
  clocks.push(clock);
  const world = await createWorld(clock.checkedStore, { clock });
  worlds.push(world);
  world.bank.onSettle = () => ({ status: 503, body: "" });
  const placed = await placeOrder(world.service, { sca_required: false });
  const { transaction_id: id } = await confirmIt(world.service, placed);
  const ahead: Clock = { ...systemClock, now: () => Date.now() + 20 * minuteMs };
  const command = (...words: string[]) => manage(parseCommandLine(words, { DATABASE_URL: place.url }), ahead);
  expect(await command("reports", "list")).toMatchObject([{ transaction: id, needs: "wait" }]);
  await expect(command("reports", "decide", id, "--outcome", "not-paid", "--note", "asked")).rejects.toThrow(
    "has not waited 15 minutes",
  );
  expect(await getTransaction(world.service, till, id)).toMatchObject({ status: "settling" });
});
