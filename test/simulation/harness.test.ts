/** The harness itself: whatever goes wrong in it is named with the seed that shows it. */
import { expect, test } from "vitest";
import { createBank } from "./bank.ts";
import { runCampaign } from "./campaign.ts";
import { createDrawerBook } from "./drawer-book.ts";
import { createFaultInjector } from "./fault-injector.ts";
import { createNetwork } from "./network.ts";
import { noFaults } from "./plan.ts";
import { realPrograms } from "./programs.ts";
import { createScheduler } from "./scheduler.ts";
import { type BootService, createServiceMachine } from "./service.ts";
import { createWatch } from "./watch.ts";

const noOperator = { command: async () => [], renew: async () => {}, verify: async () => null };
const startsInMs = 2_000;

test("a boot that is asked for while one is under way ends when the service listens", async () => {
  const scheduler = createScheduler();
  const injector = createFaultInjector(1, noFaults);
  const bootService: BootService = ({ clock }) =>
    new Promise((resolve) =>
      clock.after(startsInMs, () =>
        resolve({ handle: () => new Response("here"), operator: noOperator, owns: () => true }),
      ),
    );
  const service = createServiceMachine({
    seed: 1,
    epochMs: 0,
    scheduler,
    injector,
    network: createNetwork(scheduler, injector),
    bank: createBank({ now: scheduler.now, injector, wayOf: () => "accepts", onPayment: () => {} }),
    bootService,
    currency: "EUR",
    answers: "by-status-word",
    processes: 1,
    onPowerCut: () => {},
    onCommit: () => {},
  });
  void service.boot();
  const request = { method: "GET", url: "http://service.simulated/", headers: {}, body: null } as const;
  const answer = service.boot().then(() => service.fetch(request));
  await scheduler.run(() => true);
  expect(await (await answer).text()).toBe("here");
  service.dispose();
});

test.each([
  { what: "noted at the counter", noted: { type: "handed_out" }, broken: [] },
  { what: "given, as the manager says later", noted: { type: "decided", decision: "handed_out" }, broken: [] },
  {
    what: "left to the books",
    noted: { type: "decided", decision: "leave_to_books" },
    broken: [
      "till 0 reports the hand-outs as 6400, it is 0",
      "till 0 reports what was expected as 793600, it is 800000",
      "till 0 reports the difference as 0, it is -6400",
    ],
  },
])("the drawer's book has cash that is $what among the hand-outs, or not", ({ noted, broken }) => {
  const found: string[] = [];
  const book = createDrawerBook(0, (text) => found.push(text));
  const take = (event: object) => book.take([JSON.stringify(event)]);
  take({ type: "day_opened" });
  book.cashLeft(6_400);
  take({ ...noted, withdrawal: { transactionId: "94A0GQBN4V9XBBCB", amount: "64.00", currency: "EUR" } });
  take({ type: "day_counted" });
  const sums = { floatMinor: 800_000, inMinor: 0, outMinor: 0, handedOutMinor: 6_400, expectedMinor: 793_600 };
  take({ type: "day_closed", report: { ...sums, countedMinor: 793_600, differenceMinor: 0, takenOutMinor: 0 } });
  expect(found).toEqual(broken);
});

test.each([
  { what: "as the drawer is", differenceMinor: -5_000, broken: [] },
  {
    what: "as if nothing had gone",
    differenceMinor: 0,
    broken: ["till 0 reports the night's difference as 0, it is -5000"],
  },
  {
    what: "of which nothing is said",
    differenceMinor: null,
    broken: ["till 0 opens a day without a word of the night"],
  },
])("the drawer's book has the night $what", ({ differenceMinor, broken }) => {
  const found: string[] = [];
  const book = createDrawerBook(0, (text) => found.push(text));
  const take = (event: object) => book.take([JSON.stringify(event)]);
  take({ type: "day_opened" });
  take({ type: "day_counted" });
  const sums = { floatMinor: 800_000, inMinor: 0, outMinor: 0, handedOutMinor: 0, expectedMinor: 800_000 };
  take({ type: "day_closed", report: { ...sums, countedMinor: 800_000, differenceMinor: 0, takenOutMinor: 0 } });
  book.cashLeft(6_400);
  take({ type: "handed_out", withdrawal: { transactionId: "94A0GQBN4V9XBBCB", amount: "64.00", currency: "EUR" } });
  book.cashLeft(5_000);
  take({ type: "day_opened", night: differenceMinor === null ? null : { leftMinor: 800_000, differenceMinor } });
  expect(found).toEqual(broken);
});

test.each([
  { by: "an operator, while the drawer is open", isDecided: true, broken: [] },
  { by: "nobody who may say it", isDecided: false, broken: ["till 0 hands out cash while undelivered"] },
])("cash that leaves is said not to be handed out by $by", ({ isDecided, broken }) => {
  const watch = createWatch({ now: () => 0, serviceNow: () => 0, journals: [], isDecided: () => isDecided });
  const transactionId = "94A0GQBN4V9XBBCB";
  watch.recordRow({
    transactionId,
    status: "undelivered",
    amountMinor: 6_400,
    currency: "EUR",
    scaRequired: true,
    scaExpiresAtMs: null,
    expiresAtMs: 0,
    settledAtMs: 0,
    confirmedAtMs: 0,
    terminalReference: "0-1",
    deviceId: "till-0",
  });
  watch.cashLeft({ till: 0, transactionId, amountMinor: 6_400, currency: "EUR" });
  expect(watch.violations.map(({ text }) => text)).toEqual(broken);
});

test.each([
  { what: "rejection", strays: () => void Promise.reject(new Error("nobody handles this")) },
  {
    what: "exception",
    strays: () =>
      queueMicrotask(() => {
        throw new Error("nobody handles this");
      }),
  },
])("a stray $what ends its story, with the seed", async ({ strays }) => {
  let calls = 0;
  const programs = {
    ...realPrograms,
    bootTerminal: (ports: Parameters<typeof realPrograms.bootTerminal>[0]) =>
      realPrograms.bootTerminal({
        ...ports,
        transport: {
          send: (request) => {
            calls += 1;
            if (calls === 20) strays();
            return ports.transport.send(request);
          },
        },
      }),
  };
  const defect = { name: "stray", text: "", programs, world: null };
  const played = runCampaign({ seed: 4_711, withdrawals: 20, perStory: 20, tills: 1, defect });
  await expect(played).rejects.toThrow(/seed 4711 with 20 withdrawals/);
  await expect(played).rejects.toHaveProperty("cause.message", "nobody handles this");
});
