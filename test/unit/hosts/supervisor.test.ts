/** The bundled service under supervision: started again with longer and longer pauses, ended when it hangs, and given up where no try can help. */
import { once } from "node:events";
import { createServer } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ServiceChild } from "../../../main/service/service-channel.ts";
import { choosePort, type Supervision, superviseService } from "../../../main/service/supervisor.ts";
import { freePort } from "../../free-port.ts";

interface FakeChild extends ServiceChild {
  end(code: number | null): void;
  says(message: unknown): void;
  prints(line: string): void;
  /** From now on it answers nothing, and does not stop when it is asked to. */
  hangs(): void;
  readonly stopped: () => boolean;
}

const createChild = (): FakeChild => {
  const exit = Promise.withResolvers<number | null>();
  const lines: ((line: string) => void)[] = [];
  const messages: ((message: unknown) => void)[] = [];
  let [stopped, isHung] = [false, false];
  const says = (message: unknown): void => {
    for (const listener of messages) listener(message);
  };
  return {
    exited: exit.promise,
    onLine: (listener) => void lines.push(listener),
    onMessage: (listener) => void messages.push(listener),
    send(message) {
      const { id } = message as { readonly id: number };
      if (!isHung) says({ kind: "pong", id });
    },
    stop() {
      stopped = true;
      if (!isHung) exit.resolve(0);
    },
    kill: () => exit.resolve(null),
    end: exit.resolve,
    says,
    hangs() {
      isHung = true;
    },
    prints(line) {
      for (const listener of lines) listener(line);
    },
    stopped: () => stopped,
  };
};

let children: FakeChild[];
let states: string[];
const nowMs = (): number => Date.now();
const supervise = () =>
  superviseService({
    async start() {
      const child = createChild();
      children.push(child);
      return child;
    },
    log: () => {},
    monotonicMs: nowMs,
    changed: (state: Supervision) => states.push(state.kind),
  });
const latest = (): FakeChild => {
  const child = children.at(-1);
  if (child === undefined) throw new Error("nothing was started");
  return child;
};
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
  children = [];
  states = [];
});
afterEach(() => vi.useRealTimers());

test("it is started again after 0.2, 0.5, 1, 2, 5, 15, 30 and then every 60 s, for as long as it takes", async () => {
  const supervised = supervise();
  await settle();
  const hour = Array.from({ length: 60 }, () => 60_000);
  for (const pauseMs of [200, 500, 1_000, 2_000, 5_000, 15_000, 30_000, ...hour]) {
    const started = children.length;
    latest().end(1);
    await vi.advanceTimersByTimeAsync(pauseMs - 1);
    expect(children).toHaveLength(started);
    await vi.advanceTimersByTimeAsync(1);
    expect(children).toHaveLength(started + 1);
  }
  expect(states).not.toContain("given_up");
  await supervised.stop();
});

test("one that ran for a minute was well: the next end counts as the first", async () => {
  const supervised = supervise();
  await settle();
  for (let time = 0; time < 4; time += 1) {
    latest().prints("service listening on http://127.0.0.1:1");
    await vi.advanceTimersByTimeAsync(61_000);
    latest().end(1);
    await vi.advanceTimersByTimeAsync(199);
    expect(children).toHaveLength(time + 1);
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(children).toHaveLength(5);
  await supervised.stop();
});

test("one that ran for a minute at most was not well: the pauses go on growing", async () => {
  const supervised = supervise();
  await settle();
  for (const pauseMs of [200, 500, 1_000]) {
    const started = children.length;
    await vi.advanceTimersByTimeAsync(60_000);
    latest().end(1);
    await vi.advanceTimersByTimeAsync(pauseMs - 1);
    expect(children).toHaveLength(started);
    await vi.advanceTimersByTimeAsync(1);
    expect(children).toHaveLength(started + 1);
  }
  await supervised.stop();
});

test("one that answers three probes with nothing is ended, however it is asked, and started again", async () => {
  const supervised = supervise();
  await settle();
  latest().prints("service listening on http://127.0.0.1:1");
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(children).toHaveLength(1);
  latest().hangs();
  await vi.advanceTimersByTimeAsync(39_999);
  expect(children).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(201);
  expect(children).toHaveLength(2);
  latest().prints("service listening on http://127.0.0.1:1");
  expect(supervised.state().kind).toBe("running");
  await supervised.stop();
});

test("one that answers again in time is left alone", async () => {
  const supervised = supervise();
  await settle();
  const child = latest();
  const { send } = child;
  child.prints("service listening on http://127.0.0.1:1");
  for (let time = 0; time < 3; time += 1) {
    child.send = () => {};
    await vi.advanceTimersByTimeAsync(20_000);
    child.send = send;
    await vi.advanceTimersByTimeAsync(10_000);
  }
  expect(children).toHaveLength(1);
  await supervised.stop();
});

test.each(["newer_database", "other_environment"])(
  "%s is given up at once: no second try can change it",
  async (why) => {
    const supervised = supervise();
    await settle();
    latest().says({ kind: "cannot_start", why, message: "a sentence" });
    latest().end(2);
    await settle();
    expect(supervised.state()).toMatchObject({ kind: "given_up", reason: { why, message: "a sentence" } });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(children).toHaveLength(1);
    supervised.restart();
    await settle();
    latest().prints("service listening on http://127.0.0.1:1");
    expect(supervised.state().kind).toBe("running");
    await supervised.stop();
  },
);

test.each(["port_taken", "database_in_use"] as const)("a start that ends with %s is tried again", async (why) => {
  const supervised = supervise();
  await settle();
  latest().says({ kind: "cannot_start", why, message: "a sentence" });
  latest().end(2);
  await settle();
  expect(supervised.state()).toMatchObject({ kind: "restarting", reason: { why } });
  await vi.advanceTimersByTimeAsync(200);
  expect(supervised.state().kind).toBe("starting");
  await supervised.stop();
});

test("a wanted restart ends the running one in order, starts at once and is no failure", async () => {
  const supervised = supervise();
  await settle();
  latest().prints("service listening on http://127.0.0.1:1");
  supervised.restart();
  await settle();
  expect(children[0]?.stopped()).toBe(true);
  expect(children).toHaveLength(2);
  expect(states).toEqual(["starting", "running", "starting"]);
  await supervised.stop();
  expect(children[1]?.stopped()).toBe(true);
});

test("one that does not stop when it is asked to has 12 s, and is then ended", async () => {
  const supervised = supervise();
  await settle();
  latest().prints("service listening on http://127.0.0.1:1");
  latest().hangs();
  supervised.restart();
  await vi.advanceTimersByTimeAsync(11_999);
  expect(children).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(children).toHaveLength(2);
  await supervised.stop();
});

test("a start that fails before there is a process counts as an end", async () => {
  const supervised = superviseService({
    start: () => Promise.reject(new Error("no process")),
    log: () => {},
    monotonicMs: nowMs,
  });
  await settle();
  expect(supervised.state()).toEqual({ kind: "restarting", reason: null });
  await supervised.stop();
});

test("stopped while it pauses or is given up, it ends at once", async () => {
  for (const why of ["newer_database", "port_taken"]) {
    const supervised = supervise();
    await settle();
    latest().says({ kind: "cannot_start", why, message: "a sentence" });
    latest().end(1);
    await settle();
    await supervised.stop();
  }
});

/** Stops or restarts it, without waiting for the end. */
const end = (supervised: ReturnType<typeof superviseService>, way: string): void =>
  way === "stop" ? void supervised.stop() : supervised.restart();

test.each(["stop", "restart"])("a %s while it starts ends what was started", async (way) => {
  const gate = Promise.withResolvers<void>();
  const supervised = superviseService({
    async start() {
      await gate.promise;
      const child = createChild();
      children.push(child);
      return child;
    },
    log: () => {},
    monotonicMs: nowMs,
  });
  end(supervised, way);
  gate.resolve();
  await settle();
  expect(children.map((child) => child.stopped())).toEqual(way === "stop" ? [true] : [true, false]);
  await supervised.stop();
});

test.each(["stop", "restart"])("one that is to end by a %s is not called running, whatever it prints", async (way) => {
  const supervised = supervise();
  await settle();
  latest().hangs();
  end(supervised, way);
  latest().prints("service listening on http://127.0.0.1:1");
  expect(supervised.state().kind).toBe("starting");
  expect(supervised.channel()).toBeNull();
  await vi.advanceTimersByTimeAsync(12_000);
  await supervised.stop();
});

test("an answer is no reason for an end, and what has ended is not asked to end", async () => {
  const supervised = supervise();
  await settle();
  latest().says({ kind: "pong", id: 7 });
  latest().end(1);
  await settle();
  expect(supervised.state()).toEqual({ kind: "restarting", reason: null });
  supervised.restart();
  await settle();
  expect(children.map((child) => child.stopped())).toEqual([false, false]);
  await supervised.stop();
});

test("it is started again at once where that is asked for as it is given up", async () => {
  const supervised = superviseService({
    async start() {
      const child = createChild();
      children.push(child);
      return child;
    },
    log: () => {},
    monotonicMs: nowMs,
    changed: ({ kind }) => {
      if (kind === "given_up") supervised.restart();
    },
  });
  await settle();
  latest().says({ kind: "cannot_start", why: "newer_database", message: "a sentence" });
  latest().end(2);
  await settle();
  expect(children).toHaveLength(2);
  await supervised.stop();
});

test("behind a restart of one that was given up the pauses begin anew", async () => {
  const supervised = supervise();
  await settle();
  for (const pauseMs of [200, 500]) {
    latest().end(1);
    await vi.advanceTimersByTimeAsync(pauseMs);
  }
  latest().says({ kind: "cannot_start", why: "newer_database", message: "a sentence" });
  latest().end(2);
  await settle();
  supervised.restart();
  await settle();
  latest().end(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(children).toHaveLength(5);
  await supervised.stop();
});

test("stopped, it leaves no timer of its pauses, its probes or its patience", async () => {
  const supervised = supervise();
  await settle();
  latest().end(1);
  await settle();
  supervised.restart();
  await settle();
  latest().prints("service listening on http://127.0.0.1:1");
  await supervised.stop();
  await settle();
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ["waited for, as after a crash", true],
  ["not waited for otherwise", false],
])("a port that is free again in a moment is %s", async (_, patient) => {
  vi.useRealTimers();
  const other = createServer();
  const port = await freePort();
  await once(other.listen(port, "127.0.0.1"), "listening");
  setTimeout(() => other.close(), 300);
  expect((await choosePort(port, patient)) === port).toBe(patient);
  other.close();
});
