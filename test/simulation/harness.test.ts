/** The harness itself: whatever goes wrong in it is named with the seed that shows it. */
import { expect, test } from "vitest";
import { createBank } from "./bank.ts";
import { runCampaign } from "./campaign.ts";
import { createFaultInjector } from "./fault-injector.ts";
import { createNetwork } from "./network.ts";
import { noFaults } from "./plan.ts";
import { realPrograms } from "./programs.ts";
import { createScheduler } from "./scheduler.ts";
import { type BootService, createServiceMachine } from "./service.ts";

const slowMs = 60_000;
const nobody = { revoke: async () => {}, renew: async () => {} };
const startsInMs = 2_000;

test("a boot that is asked for while one is under way ends when the service listens", async () => {
  const scheduler = createScheduler();
  const injector = createFaultInjector(1, noFaults);
  const bootService: BootService = ({ clock }) =>
    new Promise((resolve) =>
      clock.after(startsInMs, () => resolve({ handle: () => new Response("here"), operator: nobody })),
    );
  const service = createServiceMachine({
    seed: 1,
    epochMs: 0,
    scheduler,
    injector,
    network: createNetwork(scheduler, injector),
    bank: createBank(
      scheduler.now,
      injector,
      () => "accepts",
      () => {},
    ),
    bootService,
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
  { what: "rejection", strays: () => void Promise.reject(new Error("nobody handles this")) },
  {
    what: "exception",
    strays: () =>
      queueMicrotask(() => {
        throw new Error("nobody handles this");
      }),
  },
])(
  "a stray $what ends its story, with the seed",
  async ({ strays }) => {
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
    const defect = { name: "stray", text: "", programs };
    const played = runCampaign({ seed: 4_711, withdrawals: 20, perStory: 20, tills: 1, defect });
    await expect(played).rejects.toThrow(/seed 4711 with 20 withdrawals/);
    await expect(played).rejects.toHaveProperty("cause.message", "nobody handles this");
  },
  slowMs,
);
