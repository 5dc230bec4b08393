/** What an operator hears of a call that failed, and what becomes of an answer that breaks off. */
import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { OAuthRefusal } from "../../../backend/access/authorize.ts";
import type { App } from "../../../backend/http/app-context.ts";
import { operation } from "../../../backend/http/operation.ts";
import { watchBody } from "../../../backend/http/request.ts";
import { logFailure, serveOperation } from "../../../backend/http/serve-operation.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { UserExists } from "../../../backend/users/create-user.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const cause = new Error("ECONNREFUSED");
const bare = new ServiceError("unavailable");

test.each<[string, unknown, unknown]>([
  ["a defect", cause, cause],
  ["a database that is away", new ServiceError("unavailable", undefined, { cause }), cause],
  ["what is away for no reason of its own", bare, bare],
  ["a refusal", new ServiceError("transaction_conflict", undefined, { cause }), null],
  ["a wrong secret", new OAuthRefusal("invalid_client", 401, "no"), null],
  ["a user that is there", new UserExists("there"), null],
])("%s is logged with what caused it, a refusal is not", (_, error, err) => {
  const lines: unknown[] = [];
  const log = { error: (fields: object) => void lines.push(fields) };
  logFailure({ service: { log } } as unknown as App, error, "r-1", "GET /x");
  expect(lines).toEqual(err === null ? [] : [expect.objectContaining({ request_id: "r-1", endpoint: "GET /x", err })]);
});

type Pull = NonNullable<UnderlyingDefaultSource<Uint8Array>["pull"]>;
const streamed = (pull: Pull, cancel = vi.fn()) => {
  const ended = vi.fn();
  const answer = watchBody(new Response(new ReadableStream({ pull, cancel }, { highWaterMark: 0 })), ended);
  return { ended, cancel, answer };
};

test("an answer's end is told once, when it was read to its end", async () => {
  const { ended, answer } = streamed((body) => body.close());
  expect(ended).not.toHaveBeenCalled();
  await answer.text();
  expect(ended.mock.calls).toEqual([[]]);
});

test("an answer without a body has ended, and one with a body is read no sooner than it is asked for", async () => {
  const [ended, pull] = [vi.fn(), vi.fn<Pull>((body) => body.close())];
  const empty = new Response(null, { status: 204 });
  expect(watchBody(empty, ended)).toBe(empty);
  expect(ended.mock.calls).toEqual([[]]);
  const { answer } = streamed(pull);
  await new Promise(setImmediate);
  expect(pull).not.toHaveBeenCalled();
  await answer.text();
  expect(pull).toHaveBeenCalledOnce();
});

test("an answer that breaks off says why", async () => {
  const { ended, answer } = streamed(() => Promise.reject(cause));
  await expect(answer.text()).rejects.toBe(cause);
  expect(ended.mock.calls).toEqual([[cause]]);
});

test("whoever leaves in the middle ends what is read for the answer", async () => {
  const { ended, cancel, answer } = streamed((body) => body.enqueue(new Uint8Array(1)));
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel("left");
  expect(ended.mock.calls).toEqual([[]]);
  expect(cancel).toHaveBeenCalledWith("left");
});

const stream = (pull: Pull) => new Response(new ReadableStream({ pull }));
test.each([
  ["a value", 200, 0, () => ({})],
  ["a stream", 200, 0, () => stream((body) => body.close())],
  ["a stream that breaks off", 500, 1, () => stream(() => Promise.reject(cause))],
])("%s is dated and counted when it goes out: as %d", async (_, status, lines, reply) => {
  const [clock, answered, error] = [new VirtualClock(0), vi.fn(), vi.fn()];
  const service = { clock, log: { error }, random: { id: () => "r-1" } };
  const app = { service, observer: { answered } } as unknown as App;
  const served = serveOperation(
    app,
    operation({
      ...{ id: "x", method: "get", path: "/x", tag: "Extension", scopes: null, streams: true },
      ...{ summary: "", description: "", replies: { 200: { description: "", content: {} } } },
      handle() {
        clock.jump(20_000);
        return reply();
      },
    }),
  );
  const answer = await new Hono().get("/x", served).request("/x");
  await answer.text().catch(() => "");
  expect(answer.headers.get("date")).toBe("Thu, 01 Jan 1970 00:00:20 GMT");
  expect(answered.mock.calls).toEqual([[expect.objectContaining({ status, durationMs: 20_000, route: "/x" })]]);
  expect(error).toHaveBeenCalledTimes(lines);
});
