/** What open pages are sent: how many there may be, what a slow one gets, and that nothing goes to one that has left. */
import { expect, test, vi } from "vitest";
import { createTillApp, openSessions } from "../../../main/browser/till-app.ts";
import type { Snapshot } from "../../../preload/contract.ts";

const start = () => {
  const listeners = new Set<(snapshot: Snapshot) => void>();
  let revision = 0;
  let nowMs = 0;
  const sessions = openSessions(() => nowMs);
  const app = createTillApp({
    bridge: {
      dispatch: async () => ({ ok: true }),
      subscribe(listener) {
        listeners.add(listener);
        listener({ revision } as Snapshot);
        return () => listeners.delete(listener);
      },
    },
    page: () => ({ status: 404, headers: {}, body: "" }),
    sessions,
    handOverSecret: "secret",
    port: 4711,
    entered() {},
    endConnections() {},
    handOver: () => "",
  });
  const enter = () => `Bearer ${sessions.redeemEntry(sessions.issueEntry())}`;
  let authorization = enter();
  return {
    listeners,
    open: () => app.request("/bridge/events", { headers: { host: "127.0.0.1:4711", authorization } }),
    /** A week later, with the sign of life that is due. */
    enterAgain(): void {
      nowMs += 7 * 24 * 3_600_000;
      vi.advanceTimersByTime(15_000);
      authorization = enter();
    },
    push(): void {
      revision += 1;
      for (const listener of listeners) listener({ revision } as Snapshot);
    },
  };
};

test("sixteen pages are open at a time: the next waits until one has left, which is told nothing any more", async () => {
  const { open, listeners } = start();
  const opened = await Promise.all(Array.from({ length: 16 }, open));
  expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
  expect([(await open()).status, listeners.size]).toEqual([429, 16]);
  await opened[0]?.body?.cancel();
  expect(listeners.size).toBe(15);
  expect([(await open()).status, (await open()).status]).toEqual([200, 429]);
});

test("a slow page whose session has ended counts once, though it leaves later", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const { open, enterAgain } = start();
  const slow = await open();
  enterAgain();
  await slow.body?.cancel();
  const opened = await Promise.all(Array.from({ length: 17 }, open));
  expect(opened.filter(({ status }) => status === 200)).toHaveLength(16);
  vi.useRealTimers();
});

test("a page that reads slowly is sent the latest alone", async () => {
  const { open, push } = start();
  const reader = (await open()).body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = async () => (await reader?.read())?.value;
  for (const _ of [1, 2, 3, 4]) push();
  expect(await read()).toBe("retry: 1000\n\n");
  const next = [await read()];
  while (!next.at(-1)?.includes('"revision":4')) next.push(await read());
  expect(next.length).toBeLessThan(4);
  push();
  expect(await read()).toBe('data: {"revision":5}\n\n');
});
