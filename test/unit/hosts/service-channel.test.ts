/** The private channel to the terminal's own service: which answer is whose, and what comes of a question without one. */
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import {
  fetchOver,
  openServiceChannel,
  type ServiceChannel,
  type ServiceChild,
  ServiceRefusal,
} from "../../../main/service/service-channel.ts";

interface Asked {
  readonly id: number;
  readonly ask: string;
}

let channel: ServiceChannel;
let asked: Asked[];
let answer: (message: unknown) => void;
let end: (code: number | null) => void;
beforeEach(() => {
  const exit = Promise.withResolvers<number | null>();
  end = exit.resolve;
  asked = [];
  const child: ServiceChild = {
    exited: exit.promise,
    onLine: () => undefined,
    onMessage(listener) {
      answer = listener;
    },
    send: (message) => void asked.push(message as Asked),
    stop: () => undefined,
    kill: () => undefined,
  };
  channel = openServiceChannel(child);
});
const command = { words: ["partners", "list"], flags: {}, secret: null, actor: "manager M1 at the terminal" };

test("each question has its own answer, in whatever order they come, and what is no answer is none", async () => {
  const [first, second, third] = [channel.command(command), channel.ping(), channel.command(command)];
  expect(asked).toEqual([
    { id: 1, ask: "command", ...command },
    { id: 2, ask: "ping" },
    { id: 3, ask: "command", ...command },
  ]);
  answer({ kind: "pong", id: 7 });
  answer({ kind: "cannot_start", why: "port_taken", message: "x" });
  answer("nothing");
  answer({ kind: "rows", id: 3, rows: [{ id: "third" }] });
  answer({ kind: "rows", id: 1, rows: [{ id: "first" }] });
  answer({ kind: "pong", id: 2 });
  expect(await Promise.all([first, second, third])).toEqual([[{ id: "first" }], undefined, [{ id: "third" }]]);
});

test.each<[string, () => void, string]>([
  ["a refusal", () => answer({ kind: "refused", id: 1, fields: ["url"], message: "no address" }), "no address"],
  [
    "another answer than was asked for",
    () => answer({ kind: "pong", id: 1 }),
    "the service gave another answer than was asked for",
  ],
  ["the end of the service", () => end(1), "the service has ended"],
])("of %s is said: %s", async (_, happen, sentence) => {
  const question = channel.command(command);
  happen();
  await expect(question).rejects.toThrow(sentence);
});

test("a refusal names the fields, and a service that has ended is asked nothing", async () => {
  const question = channel.command(command);
  answer({ kind: "refused", id: 1, fields: ["url", "events-url"], message: "no address" });
  await expect(question).rejects.toEqual(new ServiceRefusal("no address", ["url", "events-url"]));
  await expect(question).rejects.toMatchObject({ fields: ["url", "events-url"] });
  end(null);
  await new Promise((resolve) => void setImmediate(resolve));
  await expect(channel.ping()).rejects.toThrow("the service has ended");
  expect(asked).toHaveLength(1);
});

test("an answer is waited for a minute", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const answered = channel.ping();
  answer({ kind: "pong", id: 1 });
  await answered;
  expect(vi.getTimerCount()).toBe(0);
  let failed = "";
  const question = channel.ping().catch((error: Error) => {
    failed = error.message;
  });
  await vi.advanceTimersByTimeAsync(59_999);
  expect(failed).toBe("");
  await vi.advanceTimersByTimeAsync(1);
  expect(failed).toBe("the service does not answer");
  await question;
});

const address = "http://own.service";
test("a call goes with its method, path, query, headers and body, and comes back whole", async () => {
  const sent = new Request(`${address}/a/b?c=d`, { method: "POST", headers: { "x-one": "1" }, body: "ü" });
  const called = fetchOver(channel, sent);
  await expect.poll(() => asked).toHaveLength(1);
  expect(asked).toMatchObject([
    { ask: "http", method: "POST", path: "/a/b?c=d", body: Buffer.from("ü").toString("base64") },
  ]);
  expect((asked[0] as unknown as { headers: string[][] }).headers).toContainEqual(["x-one", "1"]);
  const body = Buffer.from("ß").toString("base64");
  answer({ kind: "http", id: 1, status: 201, headers: [["x-two", "2"]], body });
  const got = await called;
  expect([got.status, got.headers.get("x-two"), await got.text()]).toEqual([201, "2", "ß"]);
});

test("a call that was taken back before or behind its sending says why", async () => {
  const early = fetchOver(channel, new Request(address, { signal: AbortSignal.abort(new Error("before")) }));
  await expect(early).rejects.toThrow("before");
  expect(asked).toEqual([]);
  const taken = new AbortController();
  const late = fetchOver(channel, new Request(address, { signal: taken.signal }));
  await expect.poll(() => asked).toMatchObject([{ body: null }]);
  taken.abort(new Error("behind"));
  await expect(late).rejects.toThrow("behind");
});

test("a service that does not run was sent nothing", async () => {
  await expect(fetchOver(null, new Request(address))).rejects.toMatchObject({ code: "ECONNREFUSED" });
});
