/** The machine's clock counts the time it slept, which Node's own clock leaves out on Linux. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createClock } from "../../../main/terminal/adapters.ts";

test("sleep is counted, rounding is not", () => {
  let runningMs = 5_000;
  let uptimeMs = 900_000;
  const clock = createClock({ wallMs: () => 0, runningMs: () => runningMs, uptimeMs: () => uptimeMs });
  const pass = (awakeMs: number, asleepMs: number) => {
    runningMs += awakeMs;
    uptimeMs += awakeMs + asleepMs;
  };
  expect(clock.monotonicMs()).toBe(5_000);
  pass(1_000, 900);
  expect(clock.monotonicMs()).toBe(6_000);
  pass(1_000, 3_600_000);
  expect(clock.monotonicMs()).toBe(7_000 + 3_600_900);
  pass(1_000, 0);
  expect(clock.monotonicMs()).toBe(8_000 + 3_600_900);
  // What is heard first after a sleep, right after it was looked at.
  pass(10, 60_000);
  expect(clock.monotonicMs()).toBe(8_010 + 3_660_900);
});

/** Nothing else happens in this program meanwhile, as in a call that waits for a slow disk. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test("an answer that came while the program stood still is heard before its time-out", async () => {
  const clock = createClock();
  const server = createServer((socket) => socket.write("asked"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const asking = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    asking.destroy();
    server.close();
  });
  const [answering] = await once(server, "connection");
  await once(asking, "data");
  const heard = new Promise((resolve) => {
    const cancel = clock.after(500, () => resolve("time is up"));
    asking.once("data", (bytes: Buffer) => {
      cancel();
      resolve(bytes.toString());
    });
  });
  // The check of immediates comes right before the timers: the answer waits in the system when time is up.
  await nextTurn();
  answering.write("answered");
  standStill(600);
  expect(await heard).toBe("answered");
});

test("what is called off when its time is over, but before its turn, is not called", async () => {
  const clock = createClock();
  const called: string[] = [];
  clock.after(1, () => cancelSecond());
  const cancelSecond = clock.after(1, () => called.push("second"));
  standStill(20);
  await new Promise<void>((resolve) => void clock.after(30, resolve));
  expect(called).toEqual([]);
});
