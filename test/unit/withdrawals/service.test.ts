/** A service that is started and stopped: its background work runs once, and ends with it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ServiceOptions } from "../../../backend/context.ts";
import { withdrawalOperations } from "../../../backend/http/operations/withdrawals.ts";
import { updatePartner } from "../../../backend/partner/partners.ts";
import { openStore } from "../../../backend/store/open.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { requestWithdrawal } from "../../../backend/withdrawals/request.ts";
import type { RunningService } from "../../../backend/withdrawals/service.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import {
  accepted,
  type BankReply,
  bank,
  clear,
  confirmIt,
  createWorld,
  freshKey,
  placeOrder,
  shop,
  type World,
} from "../../service/world.ts";
import { playUnit } from "./stage.ts";

let file: Store;
let clock: VirtualClock;
const running: RunningService[] = [];
beforeAll(async () => {
  file = await openStore("sqlite::memory:", new VirtualClock());
});
beforeEach(async () => {
  clock = new VirtualClock();
  await clear(file);
});
afterEach(() => Promise.all(running.splice(0).map((service) => service.stop())));
afterAll(() => file.close());

const turns = async (): Promise<void> => {
  for (let n = 0; n < 6; n += 1) await new Promise((resolve) => setImmediate(resolve));
};
const started = async (options: Partial<ServiceOptions> = {}, store: Partial<Store> = {}): Promise<World> => {
  const world = await createWorld({ ...file, ...store }, { clock, options: { pollMs: 1e9, ...options } });
  running.push(world.service);
  await turns();
  return world;
};
const workers = () => file.read((tx) => tx.all(adhoc((db) => db.selectFrom("workers").select("seen_at"))));
const body = { user_id: "ann", amount: "50.00", currency: "EUR", store: shop };
const ask = ({ service }: World, key = freshKey()) => requestWithdrawal(service, bank, body, key);
const askOverHttp = async ({ service }: World, key: string, signal: AbortSignal) => {
  const operation = withdrawalOperations.find(({ id }) => id === "requestWithdrawal");
  const session = { kind: "client", ownerId: bank.partnerId, deviceId: "server", scopes: [], expiresAt: 0 };
  const call = {
    app: { service },
    session,
    body,
    headers: { "idempotency-key": key },
    context: { req: { raw: { signal } } },
  };
  return operation?.handle(call as never);
};

test("started again it does nothing twice, and stopped it leaves no timer", async () => {
  const { service } = await started();
  const { timers } = clock;
  service.start();
  await turns();
  expect([clock.timers, timers > 0]).toEqual([timers, true]);
  await service.stop();
  expect(clock.timers).toBe(0);
});

test("in a fleet it says every two seconds that it lives, and takes that back when it stops", async () => {
  const { service } = await started({ pollMs: 250 }, { dialect: "postgres" });
  const since = clock.now();
  await clock.advance(1_999, turns);
  expect(await workers()).toEqual([{ seen_at: since }]);
  await clock.advance(1, turns);
  expect(await workers()).toEqual([{ seen_at: since + 2_000 }]);
  await service.stop();
  expect(await workers()).toEqual([]);
});

test("what an earlier process has left to tell a bank is told", async () => {
  const wants = (events_url: string | null) =>
    file.write((tx) => tx.run(updatePartner(bank.partnerId, { events_url })));
  const { service, bank: earlier } = await started();
  await wants("http://bank/events");
  try {
    earlier.onEvent = () => {
      throw new Error("timeout");
    };
    await placeOrder(service);
    await turns();
    await service.stop();
    const next = await started();
    await clock.advance(20_000, turns);
    expect(next.bank.requests.map(({ url }) => url)).toEqual(["http://bank/events"]);
  } finally {
    await wants(null);
  }
});

test("a yes that comes while the service stops is the customer's", async () => {
  const world = await started();
  const silence = Promise.withResolvers<BankReply>();
  world.bank.onStart = () => silence.promise;
  const asked = ask(world);
  await turns();
  const stopped = world.service.stop();
  silence.resolve(accepted);
  expect((await asked).status).toBe("ready");
  await stopped;
});

test("while it drains nobody's request is begun, and an order that cannot end in time stays for the next process", async () => {
  const world = await started();
  const ready = await placeOrder(world.service, { sca_required: false });
  world.service.drain(clock.now());
  await expect(ask(world)).rejects.toMatchObject({ code: "unavailable" });
  await confirmIt(world.service, ready);
  await turns();
  expect(world.bank.settles).toEqual([]);
  const orders = adhoc((db) => db.selectFrom("outbox").select("transaction_id"));
  expect(await file.read((tx) => tx.all(orders))).toEqual([{ transaction_id: ready.transaction_id }]);
});

test("whoever repeats a request that is under way and leaves is told to ask again, and is waited for no more", async () => {
  const world = await started();
  const silence = Promise.withResolvers<BankReply>();
  world.bank.onStart = () => silence.promise;
  const [key, leaving] = [freshKey(), new AbortController()];
  const first = ask(world, key);
  await turns();
  const again = expect(askOverHttp(world, key, leaving.signal)).rejects.toMatchObject({ code: "unavailable" });
  await turns();
  leaving.abort();
  await again;
  silence.resolve(accepted);
  expect((await first).status).toBe("ready");
});

test("a repeat of what was answered is read once", async () => {
  let reads = 0;
  const read: Store["read"] = (unit) => {
    reads += 1;
    return file.read(unit);
  };
  const world = await started({}, { read });
  const key = freshKey();
  await ask(world, key);
  reads = 0;
  await ask(world, key);
  expect(reads).toBe(1);
});

test("a word on SCA is part of what is asked for: a request without it is another one", async () => {
  const world = await started();
  const key = freshKey();
  await requestWithdrawal(world.service, bank, { ...body, sca_required: true }, key);
  await expect(ask(world, key)).rejects.toMatchObject({ code: "idempotency_key_reused" });
});

test("a key whose row cannot be seen yet is to be asked again: another process is about to commit it", async () => {
  const write: Store["write"] = async (unit) => (await playUnit(unit, () => [])).value;
  const { service } = await started();
  const asked = ask({ service: { ...service, store: { ...file, write } } } as World);
  await expect(asked).rejects.toMatchObject({ code: "unavailable" });
});

test.each([
  ["50.00", true],
  ["60.00", false],
])("the installation decides by the amount, in minor units, whether %s needs SCA: %s", async (amount, needed) => {
  const scaRequiredByDefault: ServiceOptions["scaRequiredByDefault"] = (money) =>
    money.minor === 5_000 && money.currency === "EUR";
  const { service } = await started({ scaRequiredByDefault });
  expect((await placeOrder(service, { amount })).sca_required).toBe(needed);
});
